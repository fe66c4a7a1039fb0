#!/usr/bin/env python3
"""CPU seconds and memory of the command beside FFmpeg's, as ratios within one run.

usage: bench.py AAC MUSIC.wav [RUNS]

MUSIC.wav is repeated to ten minutes of 44.1 kHz stereo. Each command is run RUNS times (default 5) in turn
with its opponent; the figures are medians of user plus system time. Peak memory is that of the largest run,
for one minute and for sixty.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import wave


def measure(command):
    """CPU seconds and peak memory in MB of a command."""
    # A helper of its own, so that the peak memory is the command's and not an earlier child's.
    code = (
        "import resource,subprocess,sys\n"
        "r=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.PIPE,stdin=subprocess.DEVNULL)\n"
        "u=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(u.ru_utime+u.ru_stime,u.ru_maxrss/1024);sys.stderr.buffer.write(r.stderr);sys.exit(r.returncode)"
    )
    result = subprocess.run([sys.executable, "-S", "-c", code] + command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    seconds, memory = result.stdout.split()
    return float(seconds), float(memory)


def repeat(source, target, seconds):
    with wave.open(source) as music:
        parameters = music.getparams()
        frames = music.readframes(music.getnframes())
    if parameters.framerate != 44100 or parameters.nchannels != 2:
        sys.exit("the music has to be 44.1 kHz stereo")
    size = seconds * parameters.framerate * parameters.nchannels * parameters.sampwidth
    with wave.open(target, "wb") as out:
        out.setparams(parameters)
        while size > 0:
            out.writeframesraw(frames[:size])
            size -= len(frames)


def compare(name, ours, theirs, runs):
    measure(ours), measure(theirs)
    pairs = [(measure(ours)[0], measure(theirs)[0]) for _ in range(runs)]
    a, b = (statistics.median(column) for column in zip(*pairs))
    ratio = statistics.median(x / y for x, y in pairs)
    print(f"| {name} | {a:.2f} s | {b:.2f} s | {ratio:.2f} |", flush=True)


def main():
    aac, music = sys.argv[1], sys.argv[2]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        repeat(music, path("ten.wav"), 600)
        encode = lambda source, target, *more: [aac, "encode", "-q", "-y", "-b", "128k", *more, path(source), path(target)]
        measure(encode("ten.wav", "ten.m4a"))
        print("| ten minutes, 44.1 kHz stereo, 128 kbit/s | aac | FFmpeg | ratio |\n| --- | --- | --- | --- |")
        decoder = ["ffmpeg", "-v", "error", "-i", path("ten.m4a"), "-f", "null", "-"]
        compare("decode", [aac, "decode", "-q", "--discard", path("ten.m4a"), "-"], decoder, runs)
        encoder = ["ffmpeg", "-v", "error", "-y", "-i", path("ten.wav"), "-c:a", "aac", "-b:a", "128k", path("f.m4a")]
        for effort in ("low", "medium", "high"):
            ours = encode("ten.wav", "o.m4a", "--quality", effort)
            compare(f"encode, {effort}", ours, encoder, runs if effort == "medium" else 1)
        os.unlink(path("ten.wav"))
        print("\n| peak memory | 1 minute | 60 minutes |\n| --- | --- | --- |")
        peaks = {}
        for minutes in (1, 60):
            repeat(music, path("long.wav"), 60 * minutes)
            peaks[minutes] = (
                measure(encode("long.wav", "long.m4a"))[1],
                measure([aac, "decode", "-q", "--discard", path("long.m4a"), "-"])[1],
            )
        for index, name in enumerate(("encode", "decode")):
            print(f"| {name} | {peaks[1][index]:.1f} MB | {peaks[60][index]:.1f} MB |")


main()
