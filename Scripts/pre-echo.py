#!/usr/bin/env python3
"""Noise before attacks: our encoder beside FFmpeg's, at the same rate.

usage: pre-echo.py [--bitrate 96000] SOUND...

Encodes each sound with the command (AAC, by default .build/release/aac) and with FFmpeg, decodes both with
FFmpeg and looks at the attacks of the original: where the energy of 3 ms rises by 15 dB over the loudest of
the 25 ms before. Printed is the energy of the error from 20 to 3 ms before the attack, relative to the 10 ms
after it, as the mean over attacks in dB; exit status 1 if ours is more than 0.5 dB above FFmpeg's anywhere.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import soundfile

AAC = os.environ.get("AAC", ".build/release/aac")


def attacks(x, rate):
    """Frames at which attacks begin, at least 40 ms apart."""
    step = rate * 3 // 1000
    high = np.diff(x.sum(axis=1), prepend=0)
    count = len(high) // step
    energies = (high[: count * step].reshape(count, step) ** 2).mean(axis=1) + 1e-12
    found = []
    for index in range(9, count - 4):
        if energies[index] < 1e-7 or energies[index] < 10**1.5 * energies[index - 8 : index].max():
            continue
        # To the millisecond: the attack may begin late in its step.
        fine = rate // 1000
        parts = (high[index * step : index * step + 3 * fine].reshape(3, fine) ** 2).mean(axis=1)
        start = index * step + fine * int(np.argmax(parts > 0.2 * parts.max()))
        if not found or start - found[-1] > rate // 25:
            found.append(start)
    return found


def decoded(command, stream, folder, count):
    subprocess.run(command + [stream], check=True)
    out = os.path.join(folder, "decoded.wav")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", stream, "-c:a", "pcm_f32le", out], check=True)
    y, _ = soundfile.read(out, always_2d=True)
    return np.pad(y[:count], ((0, max(0, count - len(y))), (0, 0)))


def level(x, y, starts, rate):
    """Mean over attacks of the error before them over the sound after them, in dB."""
    ratios = []
    for start in starts:
        if start < rate // 40 or start + rate // 100 > len(x):
            continue
        before = slice(start - rate * 20 // 1000, start - rate * 3 // 1000)
        after = slice(start, start + rate // 100)
        noise = ((y[before] - x[before]) ** 2).mean()
        ratios.append(10 * np.log10((noise + 1e-14) / ((x[after] ** 2).mean() + 1e-14)))
    return float(np.mean(ratios)) if ratios else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bitrate", type=int, default=96000)
    parser.add_argument("sounds", nargs="+")
    arguments = parser.parse_args()
    worse = 0
    print("%-24s %8s %10s %10s" % ("sound", "attacks", "ours", "FFmpeg"))
    for path in arguments.sounds:
        with tempfile.TemporaryDirectory() as folder:
            x, rate = soundfile.read(path, always_2d=True)
            source = os.path.join(folder, "source.wav")
            soundfile.write(source, x, rate, subtype="PCM_16")
            bits = str(arguments.bitrate)
            ours = decoded(
                [AAC, "encode", "-q", "-y", "-b", bits, source], os.path.join(folder, "ours.m4a"), folder, len(x))
            theirs = decoded(
                ["ffmpeg", "-v", "error", "-y", "-i", source, "-c:a", "aac", "-b:a", bits],
                os.path.join(folder, "theirs.m4a"), folder, len(x))
            starts = attacks(x, rate)
            a, b = level(x, ours, starts, rate), level(x, theirs, starts, rate)
            name = os.path.splitext(os.path.basename(path))[0]
            if a is None:
                print("%-24s %8d" % (name, 0))
                continue
            print("%-24s %8d %10.1f %10.1f" % (name, len(starts), a, b))
            worse += a > b + 0.5
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
