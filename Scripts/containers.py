#!/usr/bin/env python3
"""Compares what `aac info` tells of files with ffprobe and mutagen: length, rate, channels and tags.

usage: containers.py AAC SHARED EXCEPTIONS OUTPUT

AAC         the command (a release build)
SHARED      folder of the test sets (vectors/ below it)
EXCEPTIONS  JSON: a file's name and why something differs from both
OUTPUT      the table, in Markdown

Where a length differs it is said by what rule it does; everything else has to be among the exceptions. Exit status 1
where something differs without a reason, or where an exception is not needed.
"""
import glob
import json
import subprocess
import sys

try:
    import mutagen
except ImportError:  # a Python of another source than Debian's
    sys.path.append("/usr/lib/python3/dist-packages")
    import mutagen

KEYS = {
    "title": "title", "artist": "artist", "album": "album", "date": "date", "genre": "genre", "track": "track",
    "disc": "disc", "comment": "comment", "composer": "composer", "albumArtist": "album_artist",
}  # fmt: skip
MP4_KEYS = {
    "title": "\xa9nam", "artist": "\xa9ART", "album": "\xa9alb", "date": "\xa9day", "genre": "\xa9gen",
    "comment": "\xa9cmt", "composer": "\xa9wrt", "albumArtist": "aART",
}  # fmt: skip


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)


def probe(path):
    told = run("ffprobe", "-v", "error", "-select_streams", "a", "-show_streams", "-show_format", "-of", "json", path)
    try:
        told = json.loads(told.stdout)
        stream = next(s for s in told["streams"] if s.get("codec_name", "").startswith("aac"))
    except (ValueError, KeyError, StopIteration):
        return None
    tags = {**told["format"].get("tags", {}), **stream.get("tags", {})}
    return {
        "duration": float(stream.get("duration") or told["format"].get("duration") or 0),
        "format": told["format"]["format_name"], "rate": int(stream["sample_rate"]), "channels": stream["channels"],
        "tags": {key.lower(): value for key, value in tags.items()},
    }  # fmt: skip


def length(info, other):
    """The length of another program, and by what rule it differs."""
    rate = info["sampleRate"]
    if abs(info["duration"] - other["duration"]) * rate <= 1.01:
        return "same"
    if any(name in other["format"] for name in ("aac", "loas", "mpegts", "flv")):
        return "estimated by ffprobe from the bit rate or time stamps"
    whole = info["samples"] + info["priming"] + info["padding"]
    if abs(whole / rate - other["duration"]) * rate <= 1.01:
        return "ffprobe tells it untrimmed"
    if info["priming"] and abs((info["samples"] + info["padding"]) / rate - other["duration"]) * rate <= 1.01:
        return "ffprobe leaves the end untrimmed"
    return None


def differences(info, other, tagged):
    """What differs, each with a rule or none."""
    found = [("length", length(info, other))]
    if info["sampleRate"] != other["rate"]:
        found.append((f"rate {other['rate']}", None))
    if info["channels"] != other["channels"]:
        mono = info["channels"] == 1 and info["objectType"] == "HE" and other["channels"] == 2
        found.append((f"channels {other['channels']}", "mono HE-AAC, which FFmpeg takes for parametric stereo" if mono else None))
    for ours, theirs in KEYS.items():
        value = info["tags"].get(ours)
        if value != other["tags"].get(theirs):
            found.append((f"{ours} {other['tags'].get(theirs)!r}, not {value!r}", None))
        key = MP4_KEYS.get(ours)
        if key and isinstance(tagged, mutagen.mp4.MP4) and (tagged.get(key) or [None])[0] != value:
            # The first of several counts, and a genre by number is told as text.
            if not (ours == "genre" and tagged.get("\xa9gen") is None):
                found.append((f"{ours} {tagged.get(key)!r} in mutagen, not {value!r}", None))
    return found


def main():
    aac, shared, exceptions, output = sys.argv[1:5]
    with open(exceptions) as file:
        reasons = json.load(file)
    import mutagen.mp4  # noqa: F401

    rows, failures, used, compared = [], [], set(), 0
    for folder in ("containers", "signalling", "encoders"):
        for path in sorted(glob.glob(f"{shared}/vectors/{folder}/*")):
            name = "/".join(path.split("/")[-2:])
            told, other = run(aac, "info", "--json", path), probe(path)
            info = json.loads(told.stdout) if told.returncode == 0 else None
            if info is None and other is None:
                continue
            if info is None or other is None:
                found = [("not read by " + ("aac: " + told.stderr.strip().split(": ")[-1] if info is None else "ffprobe"), None)]
            else:
                compared += 1
                try:
                    tagged = mutagen.File(path)
                except Exception:  # mutagen has errors of many kinds
                    tagged = None
                found = [entry for entry in differences(info, other, tagged) if entry[1] != "same"]
            words = []
            for what, rule in found:
                if rule is None:
                    if name not in reasons:
                        failures.append(f"{name}: {what}")
                    used.add(name)
                    rule = reasons.get(name, "?")
                words.append(f"{what}: {rule}")
            duration = f"{info['duration']:.4f}" if info else "–"
            rows.append((name, info, duration, "; ".join(words) or "agree"))
    for name in reasons:
        if name not in used:
            failures.append(f"{name}: the exception is not needed")
    with open(output, "w") as file:
        file.write("# What files are: aac, ffprobe and mutagen\n\nWritten by `make containers`: length, rate, channels and tags.\n\n")
        file.write("| file | container | type | rate | channels | seconds | against ffprobe and mutagen |\n")
        file.write("| --- | --- | --- | --- | --- | --- | --- |\n")
        for name, info, duration, words in rows:
            kind = (info["container"], info["objectType"], info["sampleRate"], info["channels"]) if info else ("–",) * 4
            file.write(f"| {name} | {' | '.join(str(value) for value in kind)} | {duration} | {words} |\n")
    print(f"{compared} files compared, {sum(row[3] == 'agree' for row in rows)} agree in everything, {len(failures)} failed")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


main()
