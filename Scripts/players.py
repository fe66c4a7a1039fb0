#!/usr/bin/env python3
"""How long short M4A files are, to the sample: aac, FFmpeg, Chromium, and what ffprobe, mediainfo, mutagen and AtomicParsley tell.

usage: players.py AAC OUTPUT

AAC     the command (a release build)
OUTPUT  the table, in Markdown

Chromium decodes without a screen (decodeAudioData). Exit status 1 where a file has not the input's samples in aac or in
Chromium, where FFmpeg has fewer than those or more than fill the last packet, or where a program tells another rate,
channel count or tag.
"""
import http.server
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading

import random

LENGTHS = [1, 1023, 1024, 1025, 2112, 44099, 44100, 100_000]
FORMATS = [(44100, 2), (48000, 1), (48000, 2), (22050, 2), (48000, 6)]
TAGS = {"title": "Prélude 前奏", "artist": "Somebody", "album": "First & last", "date": "2026"}
PAGE = """<!doctype html><script>
(async () => {
  const files = await (await fetch("files.json")).json(), told = {};
  for (const [name, rate] of files) {
    try {
      const data = await (await fetch(name)).arrayBuffer();
      // A context of the file's own rate converts nothing.
      const sound = await new OfflineAudioContext(2, 1, rate).decodeAudioData(data);
      told[name] = [sound.length, sound.sampleRate, sound.numberOfChannels];
    } catch (error) { told[name] = String(error); }
  }
  await fetch("done", {method: "POST", body: JSON.stringify(told)});
})();
</script>"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)


def wave(path, frames, rate, channels):
    noise = random.Random(1)
    data = b"".join(struct.pack("<h", noise.randint(-9000, 9000)) for _ in range(frames * channels))
    with open(path, "wb") as file:
        size = len(data)
        file.write(b"RIFF" + struct.pack("<I", 36 + size) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, channels, rate, rate * channels * 2, channels * 2, 16))
        file.write(b"data" + struct.pack("<I", size) + data)


def chromium(folder, files):
    """What Chromium decodes: file to [frames, rate, channels]."""
    told, done = {}, threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=folder)

        def do_POST(self):
            told.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            done.set()

        def log_message(self, *_):
            pass

    with open(f"{folder}/files.json", "w") as file:
        json.dump(files, file)
    with open(f"{folder}/index.html", "w") as file:
        file.write(PAGE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = subprocess.Popen(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
         f"--user-data-dir={folder}/profile", f"http://127.0.0.1:{server.server_port}/index.html"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        if not done.wait(120):
            sys.exit("Chromium gave no answer")
    finally:
        browser.kill()
        browser.wait()
        server.shutdown()
    return told


def main():
    aac, output = sys.argv[1:3]
    failures, rows = [], []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        cases = []
        for rate, channels in FORMATS:
            for frames in LENGTHS:
                name = f"{rate}-{channels}-{frames}.m4a"
                wave(f"{folder}/in.wav", frames, rate, channels)
                tags = [word for key, value in TAGS.items() for word in ("--tag", f"{key}={value}")]
                made = run(aac, "encode", "-q", *tags, f"{folder}/in.wav", f"{folder}/{name}")
                if made.returncode:
                    sys.exit(made.stderr)
                cases.append((name, rate, channels, frames))
        told = chromium(folder, [[name, rate] for name, rate, _, _ in cases])
        for name, rate, channels, frames in cases:
            path = f"{folder}/{name}"
            info = json.loads(run(aac, "info", "--json", path).stdout)
            pcm = f"{folder}/out.raw"
            run(aac, "decode", "-q", "-y", "-f", "s16le", path, pcm)
            ours = os.path.getsize(pcm) // (2 * channels)
            run("ffmpeg", "-v", "error", "-y", "-i", path, "-f", "s16le", pcm)
            ffmpeg = os.path.getsize(pcm) // (2 * channels)
            probe = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-of", "json", path).stdout)["streams"][0]
            media = json.loads(run("mediainfo", "--Output=JSON", path).stdout)["media"]["track"][1]
            tagged = json.loads(run("/usr/bin/python3", "-c", "import json,mutagen,sys; i=mutagen.File(sys.argv[1]).info; print(json.dumps([i.length,i.sample_rate,i.channels]))", path).stdout)
            texts = {
                "ffprobe": run("ffprobe", "-v", "error", "-show_format", path).stdout,
                "mediainfo": run("mediainfo", path).stdout,
                "mutagen": run("/usr/bin/python3", "-c", "import mutagen,sys; print(*mutagen.File(sys.argv[1]).tags.values())", path).stdout,
                "AtomicParsley": run("AtomicParsley", path, "-t").stdout,
            }
            browser = told[name]
            rows.append((name, frames, info["samples"], ours, ffmpeg, browser[0], float(probe["duration"]) * rate, float(media["Duration"]) * rate, tagged[0] * rate))
            last = -(-frames // 1024) * 1024
            for what, good in [
                ("aac info", info["samples"] == frames), ("aac decode", ours == frames), ("Chromium", browser[:1] == [frames]),
                ("FFmpeg", frames <= ffmpeg <= last), ("ffprobe's length", abs(float(probe["duration"]) * rate - frames) <= 1),
                ("rates", {info["sampleRate"], int(probe["sample_rate"]), int(media["SamplingRate"]), tagged[1], browser[1]} == {rate}),
                ("channels", {info["channels"], probe["channels"], int(media["Channels"]), tagged[2], browser[2]} == {channels}),
            ] + [(f"tags in {tool}", all(value in text for value in TAGS.values())) for tool, text in texts.items()]:
                if not good:
                    failures.append(f"{name}: {what}: {rows[-1]} {browser} {tagged}")
    with open(output, "w") as file:
        file.write(
            "# How long short files are\n\nWritten by `make players`: samples of noise encoded to M4A at 44.1, 48 and 22.05 kHz, and what is made of them. "
            "Decoded by aac, by FFmpeg 5.1 (which does not trim the last packet) and by Chromium; told by ffprobe, mediainfo (milliseconds) and "
            "mutagen (the whole media, priming and padding with it), in samples.\n\n"
            "| file (rate, channels, samples) | aac info | aac decode | FFmpeg | Chromium | ffprobe | mediainfo | mutagen |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")  # fmt: skip
        for row in rows:
            file.write(f"| {row[0]} | {row[2]} | {row[3]} | {row[4]} | {row[5]} | {row[6]:.0f} | {row[7]:.0f} | {row[8]:.0f} |\n")
    print(f"{len(rows)} files, {len(failures)} failures")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


main()
