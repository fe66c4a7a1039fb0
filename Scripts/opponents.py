"""Runs the command, FFmpeg and faad over one file, and measures what comes out. Used by conformance.py."""
import json
import os
import struct
import subprocess
import tempfile

import numpy as np


def run(command, timeout=120):
    return subprocess.run(command, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL)


def last_line(result):
    """The last thing a command said, without the path of the file."""
    lines = result.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else ""


def floats(data):
    return np.frombuffer(data[: len(data) // 4 * 4], "<f4")


class Sound:
    """Samples of all channels in turn, with rate and channel count where they are known."""

    def __init__(self, samples, rate=0, channels=0, message=""):
        self.samples, self.rate, self.channels, self.message = samples, rate, channels, message

    @property
    def frames(self):
        return len(self.samples) // max(1, self.channels)


def wave_sound(data, message):
    """The sound of a WAV file with 32-bit float samples, whatever its header says of its length."""
    place, rate, channels = 12, 0, 0
    while place + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, place)
        if name == b"fmt ":
            channels, rate = struct.unpack_from("<HI", data, place + 10)
        if name == b"data":
            return Sound(floats(data[place + 8 :]), rate, channels, message)
        place += 8 + size + size % 2
    return Sound(floats(b""), rate, channels, message)


def info(aac, path):
    result = run([aac, "info", "--json", path])
    try:
        return json.loads(result.stdout)
    except ValueError:
        return {}


def ours(aac, path):
    """Untrimmed sound, the number of concealed frames (`None` where the command gave up), and how it ended (negative:
    a trap)."""
    result = run([aac, "decode", "--progress", "json", "--no-trim", "-f", "f32le", path, "-"])
    concealed = None
    said = []
    for line in result.stderr.decode(errors="replace").splitlines():
        if line.startswith("{"):
            concealed = json.loads(line).get("concealed", concealed)
        else:
            said.append(line)
    name = os.path.basename(path)
    problems = [line for line in said if line.startswith("aac: ")]
    message = problems[0].split(name + ": ", 1)[-1] if problems else ""
    return Sound(floats(result.stdout), message=message), concealed, result.returncode


def ffmpeg(path):
    # Strict: else FFmpeg takes channel configuration 7 for another layout than the standard's.
    command = ["ffmpeg", "-v", "error", "-strict", "1", "-flags2", "+skip_manual"]
    with open(path, "rb") as file:
        if file.read(12)[4:8] == b"ftyp":
            command += ["-ignore_editlist", "1"]
    result = run(command + ["-i", path, "-map", "0:a:0", "-f", "wav", "-c:a", "pcm_f32le", "-"])
    return wave_sound(result.stdout, last_line(result))


def faad(path):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.wav")
        try:
            result = run(["faad", "-q", "-g", "-b", "4", "-o", target, path], timeout=30)
        except subprocess.TimeoutExpired:
            return Sound(floats(b""), message="does not end")
        if not os.path.exists(target):
            return Sound(floats(b""), message=last_line(result))
        with open(target, "rb") as file:
            return wave_sound(file.read(), last_line(result))


def single(theirs, channels):
    """FFmpeg's samples with as many channels as ours: it doubles mono that could have parametric stereo."""
    b = theirs.samples
    if channels == 1 and theirs.channels == 2 and np.array_equal(b[::2], b[1::2]):
        return b[::2]
    return b


def difference(a, b, channels):
    """Largest difference in units of 1/32768 and, of the worst channel, its mean power in dB of full scale."""
    d = a.astype(float) - b
    power = max((d[c::channels] ** 2).mean() for c in range(channels))
    return np.abs(d).max() * 32768, 10 * np.log10(power + 1e-30)


def level(b, channels):
    """Mean power in dB of full scale of the quietest channel."""
    return 10 * np.log10(min((b[c::channels].astype(float) ** 2).mean() for c in range(channels)) + 1e-30)


def band_difference(a, b, rate):
    """Largest difference in dB of one channel's energies of a second in 20 bands, empty ones (-60 dB) left out."""
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


def matching(a, b, size, largest):
    """How many frames of `size` samples of `b` are found in `a`, in order, within `largest` (in 1/32768)."""
    a, b = (x[: len(x) // size * size].reshape(-1, size) for x in (a, b))
    place = count = 0
    for frame in b:
        for other in range(place, min(len(a), place + 40)):
            if np.abs(a[other] - frame).max() * 32768 <= largest:
                count += 1
                place = other + 1
                break
        else:
            place += 1
    return count
