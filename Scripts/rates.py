#!/usr/bin/env python3
"""The encoder's rates over the large test set of sounds, read from the ADTS headers of what the command writes.

usage: rates.py AAC SHARED [--efforts min,high] [--modes constant,average,quality] [--items 'a*,b*'] [--tsv FILE]

Asserted for every sound, at 32 to 320 kbit/s in stereo and 32 to 160 in mono:
- no frame is larger than 6144 bits a channel;
- constant: a decoder's buffer of that size, and of no more than 0.16 s and a frame, fed at the constant rate, never
  runs dry and never over;
- constant and average: from 8 s on the mean rate is within 1 % of the asked, of the packets and of the sound;
- quality: each level takes more than the one below it.
Exit status 1 and the cases where one of them fails. The table has the worst cases for each mode and rate.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import subprocess
import sys

ITEMS = """accordion_gm applause_syn attack_gm bass_gm brushes_gm castanets_gm cc0_breaks cc0_guitar cc0_metal cc0_pad
cc0_tabla cello_gm choir_gm decorrelated_syn drumkit_gm electronic_gm glockenspiel_gm guitar_gm harpsichord_gm
impulses_syn multitone_syn nearmono_gm orchestra_gm organ_gm outofphase_gm piano_gm pitchpipe pop_gm pop_hot_gm
quietfade_gm real_castanets real_contrabassoon real_glock real_guitar real_harpsichord real_moonlight real_ravel
real_sopr real_strauss speech_female_es speech_male_es speech_real_alsa sweep_syn triangle_gm trumpet_gm violin_gm
wide_gm""".split()
STEREO = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
MONO = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160]
LEVELS = [1, 2, 3, 4, 5]
CHANNEL_BITS = 6144
FRAME = 1024
RESERVOIR_SECONDS = 0.16
LEAST_SECONDS = 8
TOLERANCE = 0.01


class Sound:
    """Rate, channels and frames of a FLAC file, from its first block (STREAMINFO)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            header = file.read(26)
        if header[:4] != b"fLaC":
            sys.exit(f"{path} is no FLAC file")
        fields = int.from_bytes(header[18:26], "big")
        self.rate = fields >> 44
        self.channels = (fields >> 41 & 7) + 1
        self.frames = fields & (1 << 36) - 1


def frame_bits(stream):
    """Bits of each raw data block in an ADTS stream, its header not counted."""
    sizes = []
    place = 0
    while place < len(stream):
        header = stream[place : place + 7]
        if len(header) < 7 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
            raise ValueError(f"no ADTS header at byte {place}")
        length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
        size = 7 if header[1] & 1 else 9
        if header[6] & 3 or length < size:
            raise ValueError(f"not one block a frame at byte {place}")
        sizes.append(8 * (length - size))
        place += length
    return sizes


def leaky_bucket(sizes, mean, capacity):
    """Least and largest content of a decoder's buffer, just after and just before a frame is taken out of it.

    It starts with what half the reservoir holds and one mean frame; `mean` bits come in for each frame.
    """
    content = (capacity - mean) / 2
    least, largest = content, content
    for size in sizes:
        content += mean
        largest = max(largest, content)
        content -= size
        least = min(least, content)
    return least, largest


class Case:
    def __init__(self, item, mode, value, effort):
        self.item, self.mode, self.value, self.effort = item, mode, value, effort

    def name(self):
        return f"{self.item} {self.mode} {self.value} {self.effort}"

    def run(self, aac, folder):
        path = os.path.join(folder, self.item + ".flac")
        sound = Sound(path)
        asked = {"constant": ["-b", f"{self.value}k"], "average": ["--abr", f"{self.value}k"]}
        command = [aac, "encode", "-q", "--quality", self.effort, "-f", "adts"]
        command += asked.get(self.mode, ["-V", str(self.value)]) + [path, "-"]
        result = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
        if result.returncode:
            raise ValueError(f"{self.name()}: {result.stderr.decode()}")
        sizes = frame_bits(result.stdout)
        total = sum(sizes)
        self.channels = sound.channels
        self.seconds = sound.frames / sound.rate
        self.rate = total * sound.rate / (FRAME * len(sizes))
        self.sound_rate = total / self.seconds
        self.largest = max(sizes) / (CHANNEL_BITS * sound.channels)
        self.faults = []
        if self.largest > 1:
            self.faults.append(f"a frame of {max(sizes)} bits")
        if self.mode == "quality":
            return self
        mean = self.value * 1000 * FRAME / sound.rate
        capacity = CHANNEL_BITS * sound.channels
        if self.mode == "constant":
            capacity = min(capacity, RESERVOIR_SECONDS * self.value * 1000 + mean)
        least, largest = leaky_bucket(sizes, mean, capacity)
        self.least, self.room = least / capacity, 1 - largest / capacity
        if self.mode == "constant" and (least < -1e-6 * capacity or largest > capacity * (1 + 1e-6)):
            self.faults.append(f"the buffer holds {least:.1f} to {largest:.1f} bits of {capacity}")
        self.error = self.rate / (1000 * self.value) - 1
        self.sound_error = self.sound_rate / (1000 * self.value) - 1
        if self.seconds >= LEAST_SECONDS:
            for what, error in (("packets", self.error), ("sound", self.sound_error)):
                if abs(error) > TOLERANCE:
                    self.faults.append(f"{100 * error:+.2f} % by the {what}")
        return self


def cases(options, folder):
    chosen = options.items.split(",")
    for effort in options.efforts.split(","):
        for item in ITEMS:
            path = os.path.join(folder, item + ".flac")
            if not os.path.exists(path):
                sys.exit(f"{path} is missing")
            if not any(fnmatch.fnmatch(item, pattern) for pattern in chosen):
                continue
            rates = STEREO if Sound(path).channels == 2 else MONO
            for mode in options.modes.split(","):
                for value in LEVELS if mode == "quality" else rates:
                    yield Case(item, mode, value, effort)


def worst(runs, key, largest):
    case = (max if largest else min)(runs, key=lambda run: getattr(run, key))
    return f"{100 * getattr(case, key):+6.2f} {case.item}"


def report(runs):
    long = [run for run in runs if run.seconds >= LEAST_SECONDS]
    for mode in ("constant", "average"):
        if not any(run.mode == mode for run in long):
            continue
        print(f"\n{mode}: % over or under the asked, by packets and (highest) by the sound's length; largest frame and")
        print("least content and room of a decoder's buffer in % of its size")
        values = sorted({(run.value, run.channels) for run in long if run.mode == mode}, key=lambda v: (-v[1], v[0]))
        for value, channels in values:
            group = [run for run in long if (run.mode, run.value, run.channels) == (mode, value, channels)]
            print(
                f"{value:4} x{channels}  {worst(group, 'error', False):24} {worst(group, 'error', True):24}"
                f" {worst(group, 'sound_error', True):24} {100 * max(r.largest for r in group):4.0f}"
                f" {100 * min(r.least for r in group):4.0f} {100 * min(r.room for r in group):4.0f}"
            )
    quality = [run for run in runs if run.mode == "quality"]
    for channels in (2, 1):
        for value in LEVELS:
            group = sorted(r.rate / 1000 for r in quality if (r.value, r.channels) == (value, channels))
            if group:
                print(
                    f"V{value} x{channels}: mean {sum(group) / len(group):4.0f}, median {group[len(group) // 2]:4.0f},"
                    f" from {group[0]:4.0f} to {group[-1]:4.0f} kbit/s"
                )


def order(runs):
    """Faults of quality levels that take no more than the one below."""
    rates = {(r.item, r.effort, r.value): r.rate for r in runs if r.mode == "quality"}
    for (item, effort, value), rate in rates.items():
        below = rates.get((item, effort, value - 1))
        if below is not None and rate <= below:
            yield f"{item} {effort}: V{value} takes {rate:.0f} bit/s, V{value - 1} {below:.0f}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("aac")
    parser.add_argument("shared")
    parser.add_argument("--efforts", default="min,high")
    parser.add_argument("--modes", default="constant,average,quality")
    parser.add_argument("--items", default="*")
    parser.add_argument("--tsv")
    options = parser.parse_args()
    folder = os.path.join(options.shared, "audio")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda case: case.run(options.aac, folder), cases(options, folder)))
    if options.tsv:
        with open(options.tsv, "w") as out:
            for r in runs:
                print(r.item, r.mode, r.value, r.effort, f"{r.rate:.1f}", f"{r.sound_rate:.1f}", sep="\t", file=out)
    report(runs)
    faults = [f"{run.name()}: {fault}" for run in runs for fault in run.faults] + list(order(runs))
    print(f"\n{len(runs)} encodings of {len({run.item for run in runs})} sounds, {len(faults)} faults")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
