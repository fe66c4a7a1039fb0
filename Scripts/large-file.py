#!/usr/bin/env python3
"""A sound of 4.5 GB: read, gone into, tagged and written, with the memory that each takes.

large-file.py AAC FOLDER

The input is a sparse file: a stretch of real sound lies at three places of it, the last beyond 4 GiB, and the tables
lead through the three again and again until 4.5 GB of access units are told. It takes a few megabytes of disk; what the
command writes takes 4.5 GB for a while.
"""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import time
import wave

SIZE = 4_500_000_000
LIMIT = 30 * 1000  # KiB as the kernel counts: 30 MB and a little
RATE = 44100
aac, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
os.makedirs(folder, exist_ok=True)
rows = []


def path(name):
    return os.path.join(folder, name)


def run(what, *arguments, output=None):
    """Runs the command, notes time and peak memory, and gives its output and its words."""
    start = time.time()
    stdout = open(output, "wb") if output else subprocess.PIPE
    # The kernel counts the largest of all children: a process in between has only this one.
    child = subprocess.Popen(
        [sys.executable, "-c",
         "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:]); "
         "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(r.returncode)",
         aac, *arguments], stdout=stdout, stderr=subprocess.PIPE)
    data, errors = child.communicate()
    lines = errors.decode().strip().split("\n")
    if child.returncode != 0:
        sys.exit(f"aac {' '.join(arguments)} fails: {errors.decode()}")
    memory = int(lines[-1])
    rows.append((what, time.time() - start, memory))
    print(f"{what}: {rows[-1][1]:.1f} s, {memory / 1000:.1f} MB", flush=True)
    if memory > LIMIT:
        sys.exit(f"{what} takes {memory} KiB of memory; {LIMIT} are the most")
    return data, "\n".join(lines[:-1])


def boxes(data, start, end):
    while start + 8 <= end:
        size, = struct.unpack_from(">I", data, start)
        kind, head = data[start + 4:start + 8], 8
        if size == 1:
            size, head = struct.unpack_from(">Q", data, start + 8)[0], 16
        yield kind, start, start + head, start + size
        start += size


def find(data, *names, within=None):
    start, end = within or (0, len(data))
    for name in names:
        start, end = next((c, e) for k, _, c, e in boxes(data, start, end) if k == name)
    return start, end


def box(kind, *content):
    data = b"".join(content)
    return struct.pack(">I", len(data) + 8) + kind + data


def sound():
    """A few seconds of coded noise: the sizes and bytes of its access units, and its sample description."""
    generator = random.Random(1)
    with wave.open(path("part.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        count = 20 * RATE
        values = (int(12000 * math.sin(i / 9) + generator.randrange(-9000, 9000)) for i in range(2 * count))
        file.writeframes(b"".join(struct.pack("<h", value) for value in values))
    subprocess.run([aac, "encode", "-q", "-y", "--no-pns", "-b", "320k", path("part.wav"), path("part.m4a")], check=True)
    data = open(path("part.m4a"), "rb").read()
    table = find(data, b"moov", b"trak", b"mdia", b"minf", b"stbl")
    start, end = find(data, b"stsd", within=table)
    description = data[start - 8:end]
    start, _ = find(data, b"stsz", within=table)
    count, = struct.unpack_from(">I", data, start + 8)
    sizes = struct.unpack_from(f">{count}I", data, start + 12)
    start, _ = find(data, b"mdat")
    return description, sizes, data[start:start + sum(sizes)]


def make(name, description, sizes, data, tables_first):
    """The sparse file; the tables are written block by block."""
    copies = -(-SIZE // len(data))
    total = copies * len(sizes)
    duration = total * 1024
    start = 32
    tables_size = 4 * total + 8 * copies
    if tables_first:
        start += tables_size + 4096
    places = [start + 16, start + 2_200_000_000, start + SIZE - 50_000_000]
    end = start + SIZE

    def full(kind, *content, version=0, flags=0):
        return box(kind, struct.pack(">I", version << 24 | flags), *content)

    def head(sizes_of):
        matrix = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
        tables = [
            description, full(b"stts", struct.pack(">3I", 1, total, 1024)),
            full(b"stsc", struct.pack(">4I", 1, 1, len(sizes), 1)),
        ]
        long = sizes_of
        stbl = b"".join(tables)
        minf = full(b"smhd", bytes(4)) + box(b"dinf", full(b"dref", struct.pack(">I", 1), full(b"url ", flags=1)))
        media = full(b"mdhd", struct.pack(">2QIQHH", 0, 0, RATE, duration, 0x55C4, 0), version=1)
        media += full(b"hdlr", bytes(4), b"soun", bytes(13))
        track = full(b"tkhd", struct.pack(">2Q2IQ", 0, 0, 1, 0, duration), bytes(16), matrix, bytes(8), version=1, flags=7)
        movie = full(b"mvhd", struct.pack(">2QIQ2I", 0, 0, RATE, duration, 0x10000, 0x1000000), bytes(8), matrix,
                     bytes(24), struct.pack(">I", 2), version=1)

        def open_box(kind, inner, rest):
            return struct.pack(">I", len(inner) + rest + 8) + kind + inner

        inner = open_box(b"stbl", stbl, long)
        inner = open_box(b"minf", minf + inner, long)
        inner = open_box(b"mdia", media + inner, long)
        inner = open_box(b"trak", track + inner, long)
        return open_box(b"moov", movie + inner, long)

    long = 20 + 4 * total + 16 + 8 * copies
    with open(path(name), "wb") as file:
        file.write(box(b"ftyp", b"M4A ", bytes(4), b"isom"))
        moov_place = 20 if tables_first else end
        file.seek(20)
        if tables_first:
            moov = head(long)
            room = start - 20 - len(moov) - long
            assert room >= 8
        else:
            file.write(box(b"free", bytes(4)))
        file.seek(start)
        file.write(struct.pack(">I4sQ", 1, b"mdat", SIZE))
        for place in places:
            file.seek(place)
            file.write(data)
        file.truncate(end)
        file.seek(moov_place)
        file.write(head(long))
        file.write(struct.pack(">I4s3I", 20 + 4 * total, b"stsz", 0, 0, total))
        one = struct.pack(f">{len(sizes)}I", *sizes)
        for _ in range(copies):
            file.write(one)
        file.write(struct.pack(">I4s2I", 16 + 8 * copies, b"co64", 0, copies))
        for index in range(copies):
            file.write(struct.pack(">Q", places[index % 3]))
        if tables_first:
            # A few bytes that are too few for the tags that come.
            file.write(struct.pack(">I4s", room, b"free"))
    return total, copies


def check_places(name, data, copies):
    """Every chunk begins with the sound, wherever it was moved."""
    with open(path(name), "rb") as file:
        place, size = 0, os.path.getsize(path(name))
        while place < size:
            file.seek(place)
            head = file.read(16)
            length, kind = struct.unpack(">I4s", head[:8])
            if length == 1:
                length, = struct.unpack(">Q", head[8:])
            if kind == b"moov":
                file.seek(place)
                moov = file.read(length)
            place += length
        start, _ = find(moov, b"moov", b"trak", b"mdia", b"minf", b"stbl", b"co64")
        count, = struct.unpack_from(">I", moov, start + 4)
        assert count == copies, (count, copies)
        offsets = struct.unpack_from(f">{count}Q", moov, start + 8)
        assert len(set(offsets)) == 3 and max(offsets) > 1 << 32, sorted(set(offsets))
        assert all(offsets[index] == offsets[index % 3] for index in range(count))
        for offset in set(offsets):
            file.seek(offset)
            assert file.read(len(data)) == data, f"the sound at {offset} is not the same"


def stretch(name, frame):
    """Ten milliseconds of samples."""
    start = frame / RATE
    pcm, _ = run(f"decode --from {start:.0f} s of {name}", "decode", "-q", "-f", "f32le", "--from", repr(start), "--to",
                 repr(start + 0.01), path(name), "-")
    assert len(pcm) == 441 * 8, len(pcm)
    return pcm


description, sizes, data = sound()
assert shutil.disk_usage(folder).free > 12_000_000_000, "12 GB of free disk are needed"
step = len(sizes) * 1024
try:
    for name, first in [("behind.m4a", False), ("front.m4a", True)]:
        total, copies = make(name, description, sizes, data, first)
        print(f"{name}: {os.path.getsize(path(name))} bytes, {os.stat(path(name)).st_blocks * 512} on the disk, "
              f"{total} access units, {total * 1024 / RATE / 3600:.1f} h", flush=True)
        # The whole file, read.
        _, words = run(f"remux {name} to ADTS, to nowhere", "remux", "-f", "adts", path(name), "-", output=os.devnull)
        assert f"{total} frames, {copies * len(data)} bytes" in words, words
        # Ten milliseconds near the start, in the middle and near the end: the same sound in each copy.
        expected = None
        for copy in [1, copies // 2, copies - 2]:
            pcm = stretch(name, copy * step + 123_456)
            expected = expected or pcm
            assert pcm == expected, f"another sound in the copy {copy}"
        # Rewritten, where offsets beyond 4 GiB are corrected; then in place.
        for text in ["B" * 30_000, "C" + "B" * 29_999]:
            run(f"tag {name}, {text[:2]}…", "tag", "-q", "--tag", f"comment={text}", path(name))
            check_places(name, data, copies)
            assert json.loads(run("tag --json", "tag", "--json", path(name))[0])["tags"]["comment"] == text
            assert stretch(name, (copies - 2) * step + 123_456) == expected
        if first:
            run("remux to M4A", "remux", "-q", "-y", path(name), path("written.m4a"))
            assert os.path.getsize(path("written.m4a")) > SIZE
            assert stretch("written.m4a", (copies - 2) * step + 123_456) == expected
        os.remove(path(name))
finally:
    shutil.rmtree(folder, ignore_errors=True)
worst = max(rows, key=lambda row: row[2])
print(f"all is as it should be; the most memory took '{worst[0]}': {worst[2] / 1000:.1f} MB")
