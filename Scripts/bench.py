#!/usr/bin/env python3
"""CPU seconds and memory of the command beside FFmpeg's, as ratios within one run.

usage: bench.py AAC BASELINE MUSIC.wav SHARED [RUNS]

AAC       the command for this machine's CPU
BASELINE  the command for any CPU of this architecture
MUSIC.wav is repeated to ten minutes of 44.1 kHz stereo
SHARED    folder of the test sets: its HE-AAC streams are repeated to ten minutes; left out where it is missing

Each command is run RUNS times (default 5) in turn with its opponent; the figures are medians of user plus system
time, and of the ratios of neighbouring runs. Peak memory is that of the largest run.
"""
import array
import glob
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


def join(pattern, target, seconds, each):
    """Repeats ADTS streams, of `each` seconds together, one after the other."""
    streams = b"".join(open(name, "rb").read() for name in sorted(glob.glob(pattern)))
    with open(target, "wb") as out:
        for _ in range(round(seconds / each)):
            out.write(streams)
    return bool(streams)


def surround(source, target):
    """5.1 from stereo: fronts, their half sum, a dull copy of that, and both sides late as surrounds."""
    with wave.open(source) as music:
        samples = array.array("h", music.readframes(music.getnframes()))
        parameters = music.getparams()
    left, right = samples[::2], samples[1::2]
    middle = array.array("h", ((a + b) // 2 for a, b in zip(left, right)))
    low = array.array("h", (sum(middle[max(0, i - 64) : i + 1 : 8]) // 9 for i in range(0, len(middle), 8)))
    late = 2000
    channels = [left, right, middle, array.array("h", (low[i // 8] for i in range(len(left))))]
    channels += [array.array("h", bytes(2 * late)) + c[:-late] for c in (right, left)]
    frames = array.array("h", bytes(2 * 6 * len(left)))
    for index, channel in enumerate(channels):
        frames[index::6] = channel
    with wave.open(target, "wb") as out:
        out.setparams(parameters._replace(nchannels=6))
        out.writeframes(frames.tobytes())


def compare_decoders(name, commands, path, runs):
    """A row: both builds and FFmpeg in turn."""
    runners = [[aac, "decode", "-q", "--discard", path, "-"] for aac in commands]
    runners.append(["ffmpeg", "-v", "error", "-i", path, "-f", "null", "-"])
    for runner in runners:
        measure(runner)
    rounds = [[measure(runner) for runner in runners] for _ in range(runs)]
    seconds = [statistics.median(r[i][0] for r in rounds) for i in range(3)]
    ratios = [statistics.median(r[i][0] / r[2][0] for r in rounds) for i in range(2)]
    memory = [max(r[i][1] for r in rounds) for i in range(3)]
    print(
        f"| {name} | {seconds[0]:.2f} s | {seconds[1]:.2f} s | {seconds[2]:.2f} s | {ratios[0]:.2f} | {ratios[1]:.2f} "
        f"| {max(memory[:2]):.1f} MB | {memory[2]:.1f} MB |",
        flush=True,
    )


def compare(name, ours, theirs, runs):
    measure(ours), measure(theirs)
    pairs = [(measure(ours)[0], measure(theirs)[0]) for _ in range(runs)]
    a, b = (statistics.median(column) for column in zip(*pairs))
    ratio = statistics.median(x / y for x, y in pairs)
    print(f"| {name} | {a:.2f} s | {b:.2f} s | {ratio:.2f} |", flush=True)


def main():
    aac, baseline, music, shared = sys.argv[1:5]
    runs = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        repeat(music, path("ten.wav"), 600)
        encode = lambda source, target, *more: [aac, "encode", "-q", "-y", "-b", "128k", *more, path(source), path(target)]
        print("| decode ten minutes | aac | for any CPU | FFmpeg | ratio | for any CPU | peak memory | FFmpeg |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        measure(encode("ten.wav", "ten.m4a"))
        compare_decoders("LC 128k, 44.1 kHz stereo", [aac, baseline], path("ten.m4a"), runs)
        for name, pattern in (
            ("HE 64k, 48 kHz stereo", "fdk-he64-48k-2_*.aac"),
            ("HE v2 32k, 48 kHz stereo", "fdk-hev2_32-48k-2_*.aac"),
        ):
            if join(os.path.join(shared, "vectors/peers", pattern), path("he.aac"), 600, 16):
                compare_decoders(name, [aac, baseline], path("he.aac"), runs)
        repeat(music, path("minute.wav"), 60)
        surround(path("minute.wav"), path("six.wav"))
        measure([aac, "encode", "-q", "-y", "-b", "320k", path("six.wav"), path("six.aac")])
        join(path("six.aac"), path("six-ten.aac"), 600, 60)
        compare_decoders("LC 320k, 44.1 kHz 5.1", [aac, baseline], path("six-ten.aac"), runs)
        print("\n| encode ten minutes, 44.1 kHz stereo, 128 kbit/s | aac | FFmpeg | ratio |\n| --- | --- | --- | --- |")
        encoder = ["ffmpeg", "-v", "error", "-y", "-i", path("ten.wav"), "-c:a", "aac", "-b:a", "128k", path("f.m4a")]
        for effort in ("min", "low", "medium", "high", "max"):
            ours = encode("ten.wav", "o.m4a", "--quality", effort)
            compare(f"encode, {effort}", ours, encoder, runs)
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
