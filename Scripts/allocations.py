#!/usr/bin/env python3
"""Heap allocations of the command for each frame that it decodes, counted with valgrind: those of a stream of twice
the length minus those of the stream once.

usage: allocations.py AAC SHARED

AAC     the command, built for any CPU: valgrind does not know all instructions
SHARED  folder of the test sets
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

STREAMS = (
    ("LC", "peers/fdk-lc128-48k-2_*.aac"),
    ("HE", "peers/fdk-he64-48k-2_*.aac"),
    ("HE v2", "peers/fdk-hev2_32-48k-2_*.aac"),
    ("LC 5.1", "encoders/sinesweep51m4a.m4a"),
)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return result.stdout + result.stderr


def allocations(aac, path):
    text = run("valgrind", "--leak-check=no", aac, "decode", "-q", "--discard", path)
    return int(re.search(r"total heap usage: ([\d,]+) allocs", text)[1].replace(",", ""))


def main():
    aac, shared = sys.argv[1:3]
    print("| stream | frames | allocations | of twice the frames | more for each frame |\n" + "| --- " * 5 + "|")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        once, twice = os.path.join(folder, "once.aac"), os.path.join(folder, "twice.aac")
        for name, pattern in STREAMS:
            streams = b""
            for path in sorted(glob.glob(os.path.join(shared, "vectors", pattern))):
                if not path.endswith(".aac"):
                    run(aac, "remux", "-q", "-y", path, once)
                    path = once
                with open(path, "rb") as file:
                    streams += file.read()
            for target, count in ((once, 1), (twice, 2)):
                with open(target, "wb") as file:
                    file.write(streams * count)
            frames = int(re.search(r'"frames": (\d+)', run(aac, "info", "--json", once))[1])
            first, second = allocations(aac, once), allocations(aac, twice)
            each = (second - first) / frames
            failed = failed or each >= 0.05
            print(f"| {name} | {frames} | {first} | {second} | {each:.3f} |", flush=True)
    sys.exit(1 if failed else 0)


main()
