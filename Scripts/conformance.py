#!/usr/bin/env python3
"""Decodes the conformance streams and every other stream of the test sets with the command and with
FFmpeg, and prints a table of the differences.

usage: conformance.py AAC SHARED [--all]

AAC     the command
SHARED  folder of the test sets (vectors/ below it)

Rows of the first table: the ISO streams, judged by samples: at most 2/32768 apart and -100 dB RMS; noise
substitution is judged by band energies within 0.5 dB in every second. Rows of the second: every other stream
that FFmpeg decodes, judged by the number of samples before trimming. Exit status 1 if a row fails that
is not among the exceptions below.
"""
import json
import os
import subprocess
import sys

import numpy as np

ISO = """al04_44 al04sf_48 al05_44 al06_44 al07_96 al15_44 al17_44 al18_44 am00_88 am05_44 ap05_48
al_sbr_cm_48_2 al_sbr_cm_48_5.1 al_sbr_sr_48_2_fsaac48 al_sbr_ps_04_new al_sbr_ps_06_new er_ad6000np_44_ep0 er_eld1001np_44_ep0 er_eld2000np_48_ep0 er_eld2100np_48_ep0""".split()
NOISE = {"al18_44"}
LARGEST, RMS, BAND = 2 / 32768, -100.0, 0.5
# File: why its number of samples may differ from FFmpeg's.
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "conformance-exceptions.json"), encoding="utf-8") as file:
    EXCEPTIONS = json.load(file)


def run(command, timeout=120):
    return subprocess.run(command, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL)


def ours(aac, path):
    result = run([aac, "decode", "-q", "--no-trim", "-f", "f32le", path, "-"])
    return np.frombuffer(result.stdout[: len(result.stdout) // 4 * 4], "<f4"), result


def theirs(path):
    command = ["ffmpeg", "-v", "error", "-flags2", "+skip_manual"]
    with open(path, "rb") as file:
        if file.read(12)[4:8] == b"ftyp":
            command += ["-ignore_editlist", "1"]
    result = run(command + ["-i", path, "-map", "0:a:0", "-f", "f32le", "-c:a", "pcm_f32le", "-"])
    return np.frombuffer(result.stdout[: len(result.stdout) // 4 * 4], "<f4"), result


def info(aac, path):
    result = run([aac, "info", "--json", path])
    try:
        return json.loads(result.stdout)
    except ValueError:
        return {"error": result.stderr.decode(errors="replace").strip().splitlines()[-1:]}


def band_difference(a, b, rate):
    """Largest difference in dB of the energies of a second in 20 bands, empty ones (-60 dB) left out."""
    worst = 0.0
    edges = np.linspace(0, rate / 2, 21)
    window = np.hanning(rate)  # keeps a loud band out of the others
    for start in range(0, len(a) - rate + 1, rate):
        x = np.abs(np.fft.rfft(a[start : start + rate] * window)) ** 2
        y = np.abs(np.fft.rfft(b[start : start + rate] * window)) ** 2
        for low, high in zip(edges, edges[1:]):
            ex, ey = x[int(low) : int(high)].sum(), y[int(low) : int(high)].sum()
            if max(ex, ey) > 1e-6 * max(x.sum(), y.sum()):
                worst = max(worst, abs(10 * np.log10((ex + 1e-20) / (ey + 1e-20))))
    return worst


def main():
    aac, shared = sys.argv[1], sys.argv[2]
    vectors = os.path.join(shared, "vectors")
    failed = 0
    print("| file | object type | largest (1/32768) | RMS dB | verdict |\n| --- | --- | --- | --- | --- |")
    for name in ISO:
        path = os.path.join(vectors, "iso-conformance", name + ".mp4")
        about = info(aac, path)
        a, _ = ours(aac, path)
        b, _ = theirs(path)
        if len(a) != len(b) or not len(a):
            print(f"| {name} | {about.get('objectType')} | {len(a)} samples, FFmpeg {len(b)} | | FAIL |")
            failed += 1
            continue
        channels = about["channels"]
        if name in NOISE:
            worst = max(
                band_difference(a[c::channels].astype(float), b[c::channels].astype(float), about["sampleRate"])
                for c in range(channels)
            )
            verdict = worst <= BAND
            print(f"| {name} | {about['objectType']} | bands within {worst:.4f} dB | | {'pass' if verdict else 'FAIL'} |")
        else:
            difference = a.astype(float) - b
            largest = np.abs(difference).max()
            rms = 10 * np.log10(max((difference[c::channels] ** 2).mean() for c in range(channels)) + 1e-30)
            verdict = largest <= LARGEST and rms <= RMS
            print(
                f"| {name} | {about['objectType']} | {largest * 32768:.4f} | {rms:.1f} | "
                f"{'pass' if verdict else 'FAIL'} |"
            )
        failed += not verdict

    print("\n| file | object type | samples | FFmpeg | largest (1/32768) | verdict |\n" + "| --- " * 6 + "|")
    counts = {"same": 0, "exception": 0, "other": 0, "FAIL": 0}
    for folder in sorted(os.listdir(vectors)):
        if not os.path.isdir(os.path.join(vectors, folder)):
            continue
        for name in sorted(os.listdir(os.path.join(vectors, folder))):
            relative = f"{folder}/{name}"
            path = os.path.join(vectors, folder, name)
            if name.lower().endswith((".txt", ".md", ".wav")) or name[:-4] in ISO:
                continue
            about = info(aac, path)
            b, _ = theirs(path)
            a, result = ours(aac, path)
            if not len(b) and not len(a):
                counts["other"] += 1
                continue
            note = ""
            if about.get("channels") == 1 and len(b) == 2 * len(a) and np.array_equal(b[::2], b[1::2]):
                b = b[::2]  # FFmpeg doubles mono HE-AAC
            if len(a) == len(b):
                verdict = "same"
                if len(a):
                    largest = np.abs(a.astype(float) - b).max() * 32768
                    note = f"{largest:.3f}"
            elif relative in EXCEPTIONS:
                verdict = "exception"
                note = EXCEPTIONS[relative]
            elif not len(a):
                verdict = "other"
                note = (about.get("objectType") or "") + " " + about.get("signalling", "")
            else:
                verdict = "FAIL"
                note = result.stderr.decode(errors="replace").strip()[-100:]
                failed += 1
            counts[verdict] += 1
            if verdict != "same" or "--all" in sys.argv:
                kind = about.get("objectType", "?")
                print(f"| {relative} | {kind} | {len(a)} | {len(b)} | {note} | {verdict} |")
    print("\n" + ", ".join(f"{value} {key}" for key, value in counts.items()))
    print(f"{len(ISO) + sum(counts.values()) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
