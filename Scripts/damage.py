#!/usr/bin/env python3
"""Drops and damages packets of a minute of music and checks what the decoder promises.

usage: damage.py AAC SHARED [--seed N]

AAC     the command
SHARED  folder of the test sets (audio/ and vectors/ below it)

Streams: LC at 128 kbit/s by the command's own encoder, HE-AAC and HE-AAC v2 of another encoder. Containers: ADTS,
ADTS with checksums, M4A, LOAS. Kinds of damage, for 1, 5 and 20 % of the packets:

damaged  one to eight bytes behind the header are wrong
lost     nothing is left behind the header: in M4A the sample has no bytes, in ADTS and LOAS they are 0
erased   ADTS and LOAS: the header's bytes are 0 too; how many frames stood there can only be guessed by the bytes
cut      ADTS and LOAS: the bytes are not there, which leaves no trace: the time cannot be known, and is not judged
         (Tests/AACTests has the same with the decoder told of each loss)

What is judged:

- the sound is exactly as long as without damage ("erased": within a tenth of what was lost and two frames; "cut": as
  what is left),
- no sample exceeds full scale by more than 1 dB, unless the undamaged sound does,
- nowhere is near silence longer than the damage there and two frames, where the undamaged sound has none ("damaged"
  and "lost").

Exit status 1 if one of it does not hold.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np

MUSIC = """pop_gm piano_gm orchestra_gm guitar_gm speech_female_es cc0_tabla drumkit_gm violin_gm cc0_metal choir_gm
harpsichord_gm electronic_gm castanets_gm trumpet_gm wide_gm organ_gm accordion_gm brushes_gm bass_gm cello_gm""".split()
HE = "castanets_gm harpsichord_gm pop_gm wide_gm".split()
CEILING = 10 ** (1 / 20)
SILENCE, SOUND = 10 ** (-65 / 20), 10 ** (-45 / 20)


def run(command, **options):
    return subprocess.run(command, capture_output=True, stdin=options.pop("stdin", subprocess.DEVNULL), **options)


def music(shared, path):
    """A minute of many pieces, 44.1 kHz stereo, peaks at -3 dB."""
    parts = []
    for name in MUSIC:
        source = os.path.join(shared, "audio", name + ".flac")
        if not os.path.exists(source):
            sys.exit(f"{source} is missing")
        raw = run(["ffmpeg", "-v", "error", "-i", source, "-ac", "2", "-ar", "44100", "-f", "f32le", "-"]).stdout
        part = np.frombuffer(raw, "<f4").reshape(-1, 2)[: 44100 * 4]
        parts.append(part * (0.7 / max(1e-9, np.abs(part).max())))
    sound = np.concatenate(parts)
    while len(sound) < 60 * 44100:
        sound = np.concatenate([sound, sound])
    data = (sound[: 60 * 44100] * 32767).astype("<i2").tobytes()
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt ")
        file.write(struct.pack("<IHHIIHH", 16, 1, 2, 44100, 44100 * 4, 4, 16) + b"data" + struct.pack("<I", len(data)) + data)


def adts_frames(data):
    """(start, header length, end) of each frame."""
    place, frames = 0, []
    while place + 7 <= len(data):
        length = (data[place + 3] & 3) << 11 | data[place + 4] << 3 | data[place + 5] >> 5
        frames.append((place, 7 if data[place + 1] & 1 else 9, place + length))
        place += length
    return frames


def loas_frames(data):
    place, frames = 0, []
    while place + 3 <= len(data):
        length = (data[place + 1] & 31) << 8 | data[place + 2]
        frames.append((place, 3, place + 3 + length))
        place += 3 + length
    return frames


class M4A:
    """The sample table of a file with one track."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.boxes = {}
        self.walk(0, len(data))
        start = self.boxes["stsz"][0]
        self.sizes_at = start + 20
        count = struct.unpack_from(">I", data, start + 16)[0]
        self.sizes = list(struct.unpack_from(f">{count}I", data, self.sizes_at))
        start = self.boxes["stsc"][0]
        runs = [struct.unpack_from(">III", data, start + 16 + 12 * i) for i in range(struct.unpack_from(">I", data, start + 12)[0])]
        start = self.boxes["stco"][0]
        self.chunks_at = start + 16
        self.chunks = list(struct.unpack_from(">" + "I" * struct.unpack_from(">I", data, start + 12)[0], data, self.chunks_at))
        self.samples = []
        for chunk, offset in enumerate(self.chunks):
            per_chunk = [r[1] for r in runs if r[0] <= chunk + 1][-1]
            for _ in range(per_chunk):
                if len(self.samples) < count:
                    size = self.sizes[len(self.samples)]
                    self.samples.append((offset, 0, offset + size))
                    offset += size

    def walk(self, place, end):
        while place + 8 <= end:
            size, kind = struct.unpack_from(">I4s", self.data, place)
            size = size or end - place
            self.boxes.setdefault(kind.decode("latin-1"), (place, size))
            if kind in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
                self.walk(place + 8, place + size)
            place += max(8, size)

    def drop(self, chosen):
        """Takes the bytes of samples out and says that their size is 0."""
        data = self.data
        for index in chosen:
            struct.pack_into(">I", data, self.sizes_at + 4 * index, 0)
        gone = sorted((self.samples[i][0], self.samples[i][2]) for i in chosen)
        before = lambda offset: sum(e - s for s, e in gone if e <= offset)
        for index, offset in enumerate(self.chunks):
            struct.pack_into(">I", data, self.chunks_at + 4 * index, offset - before(offset))
        mdat, size = self.boxes["mdat"]
        struct.pack_into(">I", data, mdat, size - sum(e - s for s, e in gone))
        if self.boxes["moov"][0] > mdat:
            sys.exit("the file has its tables at the end")
        for start, end in reversed(gone):
            del data[start:end]
        return bytes(data)


def frames_of(kind, data):
    if kind == "m4a":
        return M4A(data).samples
    return loas_frames(data) if kind == "loas" else adts_frames(data)


def harm(kind, how, data, chosen, rng):
    frames = frames_of(kind, data)
    if how == "lost" and kind == "m4a":
        return M4A(data).drop(chosen)
    data = bytearray(data)
    for index in sorted(chosen, reverse=True):
        start, header, end = frames[index]
        if how == "cut":
            del data[start:end]
        elif how == "lost":
            data[start + header : end] = bytes(end - start - header)
        elif how == "erased":
            data[start:end] = bytes(end - start)
        else:
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(start + header, end)] = rng.randrange(256)
    return bytes(data)


def decode(aac, path):
    result = run([aac, "decode", "-q", "--no-trim", "--progress", "json", "-f", "f32le", path, "-"])
    if result.returncode:
        sys.exit(f"{path}: {result.stderr.decode()}")
    last = json.loads(result.stderr.decode().strip().splitlines()[-1])
    return np.frombuffer(result.stdout, "<f4").reshape(-1, 2), last["damage"]


def silent_blocks(sound, block):
    count = len(sound) // block
    power = (sound[: count * block].astype(float) ** 2).reshape(count, block, 2).mean(axis=1)
    return np.sqrt(power)


def excess(whole, broken, chosen, block):
    """How many frames longer than the damage the longest near silence is that the whole sound does not have."""
    a, b = silent_blocks(whole, block), silent_blocks(broken, block)
    worst = -99
    for channel in range(2):
        gap = (b[:, channel] < SILENCE) & (a[:, channel] > SOUND)
        start = None
        for index in range(len(gap) + 1):
            if index < len(gap) and gap[index]:
                start = index if start is None else start
            elif start is not None:
                hurt = sum(1 for packet in range(start - 3, index + 3) if packet in chosen)
                worst = max(worst, index - start - hurt)
                start = None
    return worst


def main():
    aac, shared = sys.argv[1], sys.argv[2]
    seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 20
    print(f"seed {seed}\n")
    print("| stream | container | kind | packets | concealed | longest run | peak dB | gap beyond damage | length | verdict |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        name = lambda *parts: os.path.join(folder, "-".join(parts))
        music(shared, name("music.wav"))
        run([aac, "encode", "-b", "128k", name("music.wav"), name("LC.aac")], check=True)
        for label, prefix in (("HE", "fdk-he48-44k-2_"), ("HEv2", "fdk-hev2_24-44k-2_")):
            joined = b"".join(open(os.path.join(shared, "vectors/peers", prefix + n + ".aac"), "rb").read() for n in HE)
            whole = b""
            while len(adts_frames(whole)) < 60 * 44100 // 2048:
                whole += joined
            with open(name(label + ".aac"), "wb") as file:
                file.write(whole)
        for label in ("LC", "HE", "HEv2"):
            for kind, options in (("aac", []), ("crc.aac", ["--crc"]), ("m4a", []), ("loas", [])):
                source = name(f"{label}.{kind}")
                if kind != "aac":
                    # The output's extension tells the container.
                    result = run([aac, "remux", *options, name(label + ".aac"), source])
                    if result.returncode:
                        print(f"| {label} | {kind} | | | | | | | | not written: {result.stderr.decode().strip()} |")
                        failed += 1
                        continue
                with open(source, "rb") as file:
                    data = file.read()
                whole, _ = decode(aac, source)
                form = kind.split(".")[-1]
                count = len(frames_of(form, data))
                block = len(whole) // count
                for how in ("lost", "damaged") + (("erased", "cut") if kind in ("aac", "loas") else ()):
                    for percent in (1, 5, 20):
                        rng = random.Random(f"{seed} {label} {kind} {how} {percent}")
                        chosen = set(rng.sample(range(4, count - 4), count * percent // 100))
                        path = name(f"broken.{form}")
                        with open(path, "wb") as file:
                            file.write(harm(form, how, data, chosen, rng))
                        sound, damage = decode(aac, path)
                        expected = len(whole) - (len(chosen) * block if how == "cut" else 0)
                        length = len(sound) - expected
                        peak = np.abs(sound).max()
                        limit = max(CEILING, np.abs(whole).max()) + 1e-5
                        if how == "cut":
                            limit = np.inf
                        gap = -99
                        if how in ("damaged", "lost") and length == 0:
                            gap = excess(whole, sound, chosen, block)
                        allowed = block * (2 + len(chosen) // 10) if how == "erased" else 0
                        good = abs(length) <= allowed and peak <= limit and gap <= 2 and np.isfinite(sound).all()
                        failed += not good
                        print(
                            f"| {label} | {kind} | {how} {percent} % | {len(chosen)} | {damage['concealed']} | "
                            f"{damage['longestRun']} | {20 * np.log10(peak + 1e-9):.2f} | "
                            f"{'none' if gap == -99 else gap} | {length:+d} | {'pass' if good else 'FAIL'} |"
                        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
