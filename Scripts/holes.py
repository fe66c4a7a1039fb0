#!/usr/bin/env python3
"""Band holes: where a band that the original has is missing from the decoded sound.

usage: holes.py [--bitrate 128000] [--width 1] SOUND...

Encodes each sound with the command (AAC, by default .build/release/aac), decodes it with FFmpeg and compares
levels in bands as wide as the ear's (1 Bark, --width; at least 100 Hz) below 12 kHz, every 5.8 ms. A band is there
where it is within 45 dB of the loudest band of its moment and above -70 dBFS; it is missing where the decoded level
is 15 dB lower. Exit status 1 if a band is missing for more than 50 ms on end anywhere.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import soundfile

AAC = os.environ.get("AAC", ".build/release/aac")
HIGHEST = 12000
LONGEST = 0.050


def edges(width):
    """Edges in Hz, from 100 up, of bands so many Bark wide."""
    result = [100.0]
    while result[-1] < HIGHEST:
        bark = 7 * np.arcsinh(result[-1] / 650) + width
        result.append(max(650 * np.sinh(bark / 7), result[-1] + 100))
    return np.array(result)


def levels(x, rate, width, size=2048, hop=256):
    """Levels by moment and band in dB, full scale 0."""
    window = np.hanning(size)
    count = max(0, (len(x) - size) // hop + 1)
    bands = np.searchsorted(np.arange(size // 2 + 1) * rate / size, edges(width))
    result = np.empty((count, len(bands) - 1))
    for index in range(count):
        power = np.abs(np.fft.rfft(x[index * hop : index * hop + size] * window)) ** 2
        sums = np.concatenate([[0], np.cumsum(power)])
        result[index] = sums[bands[1:]] - sums[bands[:-1]]
    return 10 * np.log10(result / (window.sum() / 2) ** 2 + 1e-15), hop / rate


def longest_hole(x, y, rate, width):
    """(seconds, Hz) of the longest hole."""
    own, step = levels(x, rate, width)
    other, _ = levels(y, rate, width)
    missing = (own > own.max(axis=1, keepdims=True) - 45) & (own > -70) & (other < own - 15)
    best = (0.0, 0.0)
    for band in range(missing.shape[1]):
        run = 0
        for value in missing[:, band]:
            run = run + 1 if value else 0
            best = max(best, (run * step, float(edges(width)[band])))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bitrate", type=int, default=128000)
    parser.add_argument("--width", type=float, default=1, help="of a band, in Bark")
    parser.add_argument("sounds", nargs="+")
    arguments = parser.parse_args()
    failed = 0
    for path in arguments.sounds:
        with tempfile.TemporaryDirectory() as folder:
            x, rate = soundfile.read(path, always_2d=True)
            source, stream, out = (os.path.join(folder, name) for name in ("x.wav", "x.m4a", "y.wav"))
            soundfile.write(source, x, rate, subtype="PCM_16")
            subprocess.run([AAC, "encode", "-q", "-y", "-b", str(arguments.bitrate), source, stream], check=True)
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", stream, "-c:a", "pcm_f32le", out], check=True)
            y, _ = soundfile.read(out, always_2d=True)
            y = np.pad(y[: len(x)], ((0, max(0, len(x) - len(y))), (0, 0)))
            seconds, hertz = max(longest_hole(x[:, c], y[:, c], rate, arguments.width) for c in range(x.shape[1]))
            print("%-24s longest hole %3.0f ms%s" % (
                os.path.splitext(os.path.basename(path))[0], 1000 * seconds, f" at {hertz:.0f} Hz" if seconds else ""))
            failed += seconds > LONGEST
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
