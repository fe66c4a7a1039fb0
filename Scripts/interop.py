#!/usr/bin/env python3
"""Encodes test sounds in every way and checks the streams with other decoders.

usage: interop.py AAC [FOLDER]

1. Every sampling rate and every layout: three seconds of a different tone in each channel, decoded by the
   command and (where it knows the layout) by FFmpeg: each tone in its own channel. At 48 kHz also through every
   type of PCM file, read by FFmpeg and sox.
2. Every WAV or FLAC file in FOLDER at 64, 96, 128 and 192 kbit/s (mono 48, 64, 96), constant and average:
   FFmpeg and faad decode without a warning, the rate is within 2 % (sounds of 8 s or more), and through M4A
   exactly the input's samples come back, at offset 0.
Exit status 1 if anything fails.
"""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]
FLOAT = "f32le"
failures = []
checks = 0


def run(command, data=None):
    return subprocess.run(command, input=data, capture_output=True, timeout=300)


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        failures.append(text)
        print("FAIL", text, flush=True)


def tones_are_apart(decoded, tones, name):
    """Each decoded channel holds its own tone and next to nothing of the others."""
    count = min(len(decoded), tones.shape[1])
    if count < tones.shape[1] * 0.9 or decoded.shape[1] != tones.shape[0]:
        check(False, f"{name}: {decoded.shape} decoded")
        return
    window = np.hanning(count)
    parts = np.abs((decoded[:count].T * window) @ np.exp(-1j * phases(tones, count)).T)
    own = np.diag(parts)
    others = parts - np.diag(own)
    check(bool((own > 20 * others.max(axis=1)).all()), f"{name}: tones {np.argmax(parts, axis=1).tolist()}")


def phases(tones, count):
    return tones_phase[tones.shape][:, :count]


tones_phase = {}


def matrix(aac, folder):
    for channels in range(1, 9):
        for rate in RATES:
            frames = 3 * rate
            # Apart by at least 90 Hz, low enough for the lowest rate.
            hertz = 200 + 137.0 * np.arange(channels)
            # The low frequency channel is the fourth where there is one.
            if channels >= 6:
                hertz[3] = 60
            phase = 2 * np.pi * hertz[:, None] * np.arange(frames) / rate
            tones = 0.4 * np.sin(phase)
            tones_phase.clear()
            tones_phase[tones.shape] = phase
            name = f"{rate} Hz, {channels} channels"
            out = os.path.join(folder, "tones.m4a")
            data = tones.T.astype("<f4").tobytes()
            least = max(24000 * channels * rate // 44100, 200 * channels)
            result = run(
                [aac, "encode", "-q", "-y", "-b", str(least * 2), "--raw-input", f"{FLOAT},{rate},{channels}", "-", out],
                data,
            )
            if result.returncode:
                check(False, f"{name}: {result.stderr.decode()}")
                continue
            ours = np.frombuffer(run([aac, "decode", "-q", "-f", FLOAT, out, "-"]).stdout, "<f4")
            check(len(ours) == frames * channels, f"{name}: {len(ours)} samples instead of {frames * channels}")
            tones_are_apart(ours.reshape(-1, channels), tones, name)
            theirs = np.frombuffer(run(["ffmpeg", "-v", "error", "-i", out, "-f", FLOAT, "-"]).stdout, "<f4")
            if len(theirs) % channels:
                check(False, f"{name}: FFmpeg gives {len(theirs)} samples")
                continue
            tones_are_apart(theirs.reshape(-1, channels), tones, name + ", FFmpeg")
            if rate == 48000:
                files(aac, folder, out, tones, name)


def files(aac, folder, stream, tones, name):
    for kind in ("wav", "w64", "rf64", "aiff", "caf", "flac"):
        path = os.path.join(folder, "tones." + kind)
        result = run([aac, "decode", "-q", "-y", stream, path])
        check(result.returncode == 0, f"{name}, {kind}: {result.stderr.decode()}")
        for reader in (["ffmpeg", "-v", "error", "-i", path, "-f", FLOAT, "-"], ["sox", path, "-t", "f32", "-"]):
            read = np.frombuffer(run(reader).stdout, "<f4")
            if len(read) % len(tones):
                check(False, f"{name}, {kind}: {reader[0]} gives {len(read)} samples")
                continue
            tones_are_apart(read.reshape(-1, len(tones)), tones, f"{name}, {kind}, {reader[0]}")


def payload(path):
    data = open(path, "rb").read()
    at = frames = size = 0
    while at + 7 <= len(data):
        length = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        if length < 7:
            return 0, 0
        size += length - 7
        frames += 1
        at += length
    return frames, size


def item(job):
    aac, path, mode, rate, folder = job
    name = f"{os.path.basename(path)} {mode} {rate}"
    base = os.path.join(folder, name.replace(" ", "_"))
    outcome = []
    for suffix in (".aac", ".m4a"):
        result = run([aac, "encode", "-q", "-y", mode, str(rate), path, base + suffix])
        if result.returncode:
            return [(False, f"{name}: {result.stderr.decode()}")]
    source = json.loads(run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", path]).stdout)["streams"][0]
    sample_rate, length = int(source["sample_rate"]), int(source["duration_ts"])
    frames, size = payload(base + ".aac")
    measured = size * 8 * sample_rate / (frames * 1024)
    if length >= 8 * sample_rate:
        outcome.append((abs(measured / rate - 1) <= 0.02, f"{name}: {measured:.0f} bit/s"))
    for file in (base + ".aac", base + ".m4a"):
        result = run(["ffmpeg", "-v", "warning", "-i", file, "-f", "null", "-"])
        # Not about the stream: ADTS has no length to read.
        text = [l for l in result.stderr.decode().splitlines() if "Estimating duration from bitrate" not in l]
        outcome.append((not text and not result.returncode, f"{name}: FFmpeg says {text[:2]}"))
    result = run(["faad", "-q", "-o", base + ".wav", base + ".aac"])
    text = result.stderr.decode().lower()
    outcome.append((not result.returncode and "error" not in text and "warn" not in text, f"{name}: faad says {text[-200:]}"))
    about = json.loads(run([aac, "compare", "--json", path, base + ".m4a"]).stdout or b"{}")
    exact = about.get("framesA") == length == about.get("framesB") and about.get("offset") == 0
    outcome.append((exact, f"{name}: {length} frames, back {about.get('framesB')} at {about.get('offset')}"))
    for suffix in (".aac", ".m4a", ".wav"):
        if os.path.exists(base + suffix):
            os.unlink(base + suffix)
    return outcome


def corpus(aac, sounds, folder):
    jobs = []
    for file in sorted(os.listdir(sounds)):
        if not file.endswith((".flac", ".wav")):
            continue
        path = os.path.join(sounds, file)
        source = json.loads(run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", path]).stdout)["streams"][0]
        rates = [48000, 64000, 96000] if source["channels"] == 1 else [64000, 96000, 128000, 192000]
        jobs += [(aac, path, mode, rate, folder) for mode in ("-b", "--abr") for rate in rates]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome in pool.map(item, jobs):
            for condition, text in outcome:
                check(condition, text)
    return len(jobs)


def main():
    aac = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        matrix(aac, folder)
        print(f"rates and layouts: {checks} checks, {len(failures)} failed", flush=True)
        if len(sys.argv) > 2:
            print(f"corpus: {corpus(aac, sys.argv[2], folder)} encodings")
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
