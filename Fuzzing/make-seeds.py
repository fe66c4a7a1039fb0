#!/usr/bin/env python3
"""Makes the first inputs of each fuzz target: Fuzzing/make-seeds.py AAC [ADTS-FILE...]

AAC is the command; a tone, a click and noise go through it into every container. The access units of the ADTS
files given (and of our own) become inputs of AccessUnits. Needs ffmpeg for transport streams and FLV.
"""
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

LIMIT = 4000
FOLDER = os.path.dirname(os.path.abspath(__file__))


def sound(path, rate, channels, kind, frames):
    source = random.Random(7)
    samples = []
    for index in range(frames):
        value = {
            "tone": math.sin(2 * math.pi * 997 * index / rate) * 0.5,
            "click": 0.9 if index % 3000 == 1500 else 0.01 * source.uniform(-1, 1),
            "noise": 0.3 * source.uniform(-1, 1),
        }[kind]
        samples += [int(32767 * value * (0.5 + 0.5 * channel / channels)) for channel in range(channels)]
    data = struct.pack(f"<{len(samples)}h", *samples)
    with open(path, "wb") as out:
        out.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack(
            "<IHHIIHH", 16, 1, channels, rate, rate * channels * 2, channels * 2, 16))
        out.write(b"data" + struct.pack("<I", len(data)) + data)


def adts_frames(data):
    place = 0
    while place + 7 <= len(data) and data[place] == 0xFF and data[place + 1] & 0xF0 == 0xF0:
        length = (data[place + 3] & 3) << 11 | data[place + 4] << 3 | data[place + 5] >> 5
        header = 7 if data[place + 1] & 1 else 9
        rate, channels = data[place + 2] >> 2 & 15, (data[place + 2] & 1) << 2 | data[place + 3] >> 6
        if length <= header:
            return
        yield rate, channels, data[place + header : place + length]
        place += length


def put(target, name, data):
    os.makedirs(f"{FOLDER}/seeds/{target}", exist_ok=True)
    with open(f"{FOLDER}/seeds/{target}/{name}", "wb") as out:
        out.write(data[: LIMIT + 1])


def two_tracks(track, out):
    """A sound twice in a file, in two languages, with tables and in fragments."""
    for name, flags in (("two", []), ("two-fragments", ["-movflags", "empty_moov+default_base_moof", "-frag_duration", "40000"])):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", track, "-i", track, "-map", "0:a", "-map", "1:a", "-c", "copy", "-metadata:s:a:0",
             "language=eng", "-metadata:s:a:1", "language=deu", "-disposition:a:1", "0", *flags, out], check=True)
        put("FuzzMP4", name, b"\x05" + open(out, "rb").read())


def nested_index(data):
    """The file with its sidx behind another one that refers to it."""
    place = data.index(b"sidx") - 4
    size, = struct.unpack(">I", data[place : place + 4])
    duration = sum(struct.unpack(">I", data[entry + 4 : entry + 8])[0] for entry in range(place + 40, place + size, 12))
    top = data[place + 4 : place + 36] + struct.pack(">HHIII", 0, 1, 1 << 31 | len(data) - place, duration, 0)
    return data[:place] + struct.pack(">I", 4 + len(top)) + top + data[place:]


def access_units(name, data):
    """Three access units in a row, made equally long, behind the three bytes that choose the configuration."""
    frames = list(adts_frames(data))
    for first in range(0, len(frames) - 3, max(1, len(frames) // 4)):
        three = [frame[2] for frame in frames[first : first + 3]]
        longest = max(map(len, three))
        if 3 * longest > LIMIT:
            continue
        rate, channels, _ = frames[first]
        choice = {1: 1, 2: 2, 6: 3, 7: 4}.get(channels, 0)
        body = b"".join(unit + bytes(longest - len(unit)) for unit in three)
        put("AccessUnits", f"{name}-{first}", bytes([0, rate, 0x20 | choice]) + body)


def main():
    aac, files = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        for kind, rate, channels in (("tone", 44100, 2), ("click", 48000, 1), ("noise", 16000, 2), ("tone", 48000, 8)):
            wave, name = f"{folder}/in.wav", f"{kind}-{channels}"
            sound(wave, rate, channels, kind, 6000)
            made = {}
            for extension, options in (("aac", []), ("aac", ["--crc"]), ("adif", []), ("loas", []), ("m4a", []),
                                       ("mp4", ["-f", "fmp4"])):
                out = f"{folder}/{name}{len(made)}.{extension}"
                subprocess.run([aac, "encode", "-q", "-b", f"{24 * channels}k", *options, wave, out], check=True)
                made[extension + "".join(options)] = open(out, "rb").read()
            for which in ("aac", "aac--crc"):
                put("FuzzADTS", name + which, b"\0" + made[which])
                put("FuzzProbe", name + which, b"\0" + made[which])
            access_units(name, made["aac"])
            put("FuzzADIF", name, b"\0" + made["adif"][4:])
            put("FuzzLOAS", name, b"\0" + made["loas"])
            for which in ("m4a", "mp4-ffmp4"):
                put("FuzzMP4", name + which, b"\0" + made[which])
                put("FuzzProbe", name + which, b"\0" + made[which])
            if channels == 2 and rate == 44100:
                two_tracks(f"{folder}/{name}4.m4a", f"{folder}/two.mp4")
            # Several fragments with an index in front of them, one of indexes, and a list at the end.
            out = f"{folder}/{name}-index.mp4"
            subprocess.run([aac, "remux", "-q", "--fragmented", "--fragment-duration", "0.05", f"{folder}/{name}4.m4a", out], check=True)
            put("FuzzMP4", name + "-index", b"\0" + open(out, "rb").read())
            put("FuzzMP4", name + "-indexes", b"\0" + nested_index(open(out, "rb").read()))
            for form, flags in (("list", ""), ("index-list", "+global_sidx"), ("dash", "+dash")):
                out = f"{folder}/{name}-{form}.mp4"
                done = subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", f"{folder}/{name}4.m4a", "-c", "copy", "-frag_duration", "40000",
                                       "-movflags", "+empty_moov+default_base_moof" + flags, out])
                if done.returncode == 0:
                    put("FuzzMP4", f"{name}-{form}", b"\0" + open(out, "rb").read())
            for codec in ("adts", "latm"):
                out = f"{folder}/out.ts"
                flags = ["-mpegts_flags", "latm"] if codec == "latm" else []
                done = subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", f"{folder}/{name}4.m4a", "-c", "copy", *flags, out])
                if done.returncode == 0:
                    put("FuzzTransportStream", f"{name}-{codec}", b"\0" + open(out, "rb").read())
            put("FuzzTransportStream", f"{name}-elementary", b"\x40" + made["aac"])
            if channels <= 2 and rate != 16000 and rate != 48000:
                out = f"{folder}/out.flv"
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", f"{folder}/{name}4.m4a", "-c", "copy", out], check=True)
                put("FuzzFLV", name, b"\0" + open(out, "rb").read())
        for file in files:
            data = open(file, "rb").read()
            stem = os.path.splitext(os.path.basename(file))[0]
            access_units(stem, data)
            put("FuzzADTS", stem, b"\0" + data)


main()
