#!/usr/bin/env python3
"""Decodes every file of the test sets with the command, FFmpeg and, where files are broken, faad; prints the
tables and writes them to README.md (between its marks) and Documentation/Conformance.md.

usage: conformance.py AAC SHARED

AAC     the command
SHARED  folder of the test sets (vectors/ with its MANIFEST.tsv below it)

Untrimmed float samples are compared. Allowed are 2/32768 a sample; -100 dB RMS against FFmpeg, -98 dB against a
16-bit reference, whose rounding alone is -101 dB. What differs must have its reason in
conformance-exceptions.json. Exit status 1 where something fails.
"""
import csv
import json
import os
import sys
import textwrap

import opponents as tools

HERE = os.path.dirname(os.path.abspath(__file__))
ISO = """al04_44 al04sf_48 al05_44 al06_44 al07_96 al15_44 al17_44 al18_44 am00_88 am05_44 ap05_48 al_sbr_cm_48_2
al_sbr_cm_48_5.1 al_sbr_sr_48_2_fsaac48 al_sbr_ps_04_new al_sbr_ps_06_new er_ad6000np_44_ep0 er_eld1001np_44_ep0
er_eld2000np_48_ep0 er_eld2100np_48_ep0""".split()
# The check package of Coding Technologies: one reference for all but the first, which is another encoding.
CHECKS = """File1.aac sbr_bc-ps_bc.mp4 sbr_bc-ps_i.3gp sbr_bc-ps_i.mp4 sbr_bic-ps_i.3gp sbr_i-ps_bic.mp4
sbr_i-ps_i.aac sbr_i-ps_i.mp4""".split()
LARGEST, RMS, ROUNDED = 2.0, -100.0, -98.0
# Streams of other encoders: relative to the signal, and the energy of a band in a second.
RELATIVE, BAND = -60.0, 0.5


class Report:
    def __init__(self, aac, vectors):
        self.aac, self.vectors = aac, vectors
        self.failures = []
        self.counts = {}
        with open(os.path.join(HERE, "conformance-exceptions.json"), encoding="utf-8") as file:
            self.reasons = json.load(file)
        self.used = set()

    def path(self, name):
        return os.path.join(self.vectors, name)

    def verdict(self, name, good):
        if not good:
            self.failures.append(name)
        return "pass" if good else "FAIL"

    def count(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def load(self, name):
        """What `info` says, our samples and FFmpeg's, both with our channel count."""
        about = tools.info(self.aac, self.path(name))
        a, _, status = tools.ours(self.aac, self.path(name))
        theirs = tools.ffmpeg(self.path(name))
        return about, a.samples, tools.single(theirs, about.get("channels", 0)), theirs, status

    def streams(self, names):
        """Rows of the conformance streams."""
        rows = []
        for name in names:
            about, a, b, _, _ = self.load(name)
            limit = RMS
            if name.startswith("signalling/") and not name.endswith("File1.aac"):
                b = tools.ffmpeg(self.path("signalling/aacPlusv2.wav")).samples
                limit = ROUNDED
            label = os.path.basename(name) if limit == ROUNDED else os.path.basename(name).removesuffix(".mp4")
            kind = about.get("objectType", "?")
            if len(a) != len(b) or not len(a):
                rows.append([label, kind, f"{len(a)} samples, not {len(b)}", "", self.verdict(name, False)])
                continue
            largest, rms = tools.difference(a, b, about["channels"])
            good = largest <= LARGEST and rms <= limit
            rows.append([label, kind, f"{largest:.4f}", f"{rms:.1f}", self.verdict(name, good)])
        return rows

    def peers(self, names):
        """Rows of other encoders' streams."""
        rows = []
        for name in names:
            about, a, b, theirs, _ = self.load(name)
            label, channels, rate = os.path.basename(name), about.get("channels", 0), about.get("sampleRate", 0)
            frames = len(b) // max(1, channels)
            right = len(a) == len(b) > 0 and about.get("samples") == frames and rate == theirs.rate
            row = [label, about.get("objectType", "?"), rate, channels, frames]
            if not right:
                rows.append(row + [f"{len(a)} samples", "", "", self.verdict(name, False)])
                continue
            largest, rms = tools.difference(a, b, channels)
            relative = rms - tools.level(b, channels)
            bands = max(
                tools.band_difference(a[c::channels].astype(float), b[c::channels].astype(float), rate)
                for c in range(channels)
            )
            good = relative <= RELATIVE and bands <= BAND
            rows.append(row + [f"{largest:.4f}", f"{relative:.1f}", f"{bands:.4f}", self.verdict(name, good)])
        return rows

    def others(self, names):
        """Rows of all other files, judged by the number of samples, then by the samples."""
        rows = []
        for name in names:
            if name.lower().endswith((".txt", ".md", ".wav")):
                self.count("no AAC at all")
                rows.append([name, "", "", "", "", "", "no AAC stream"])
                continue
            about, a, b, theirs, status = self.load(name)
            channels = max(1, about.get("channels", 1))
            row = [name, about.get("objectType", ""), about.get("sampleRate", ""), about.get("channels", "")]
            row += [len(a) // channels, len(b) // channels]
            note, good = self.judge(name, about, a, b, theirs, status)
            if not good:
                self.verdict(name, False)
            rows.append(row + [note])
        return rows

    def judge(self, name, about, a, b, theirs, status):
        if status < 0:
            self.count("trap")
            return f"FAIL: ended by signal {-status}", False
        reason = self.reasons.get(name)
        if len(a) == len(b):
            if not len(a):
                self.count("without sound in either")
                return "no sound: " + (tools.ours(self.aac, self.path(name))[0].message or "no packets"), True
            largest, rms = tools.difference(a, b, about["channels"])
            if largest <= LARGEST:
                self.count("with the same samples")
                return f"{largest:.4f}", True
        if reason:
            self.used.add(name)
            self.count(f"with {'other samples' if len(a) == len(b) else 'another number of samples'} for a listed reason")
            return reason, True
        if len(a) == len(b):
            self.count("FAIL")
            return f"FAIL: {largest:.1f} apart", False
        if not len(b):
            self.count("that FFmpeg does not decode")
            return "FFmpeg: " + theirs.message, True
        self.count("FAIL")
        return "FAIL: another number of samples", False

    def robustness(self, names):
        """Frames that each decoder recovers from broken files, and what we say."""
        rows = []
        for name in names:
            path = self.path(name)
            about = tools.info(self.aac, path)
            a, concealed, status = tools.ours(self.aac, path)
            length = about.get("frameLength", 1024)
            good = 0
            if concealed is not None:
                good = len(a.samples) // max(1, about.get("channels", 1)) // length - concealed
            counts = []
            theirs = tools.ffmpeg(path)
            channels = max(1, about.get("channels", 1))
            same = tools.matching(a.samples, tools.single(theirs, channels), length * channels, LARGEST)
            for other in (theirs, tools.faad(path)):
                # Others may double the rate of what could be HE-AAC.
                scale = other.rate / about["sampleRate"] if about.get("sampleRate") and other.rate else 1
                counts.append(int(other.frames / scale) // length)
            reason = self.reasons.get("good frames of " + name)
            if reason:
                self.used.add("good frames of " + name)
            message = a.message if len(a.message) <= 160 else a.message[:157] + "..."
            best = good >= max(counts) or bool(reason)
            rows.append(
                [os.path.basename(name), good, *counts, same, reason or message]
                + [self.verdict(name + " (good frames)", status >= 0 and best)]
            )
        return rows


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for row in rows:
        lines.append("| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |")
    return "\n".join(lines) + "\n"


def replace_between(path, text):
    """Puts `text` between the marks of a file."""
    begin, end = "<!-- conformance: written by make conformance -->\n", "<!-- end of conformance -->\n"
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(begin, 1)
        after = rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + text + "\n" + end + after)


def main():
    aac, vectors = sys.argv[1], os.path.join(sys.argv[2], "vectors")
    with open(os.path.join(vectors, "MANIFEST.tsv"), encoding="utf-8") as file:
        names = [row[0] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    report = Report(aac, vectors)
    iso = [f"iso-conformance/{name}.mp4" for name in ISO]
    checks = [f"signalling/{name}" for name in CHECKS]
    peers = [f"peers/{name}" for name in sorted(os.listdir(report.path("peers"))) if name.endswith(".aac")]
    rest = [name for name in names if name not in iso and name not in checks and name not in peers]

    head = ["file", "object type", "largest (1/32768)", "RMS dB", "verdict"]
    streams = table(head, report.streams(iso) + report.streams(checks))
    print(streams)
    peer_rows = report.peers(peers)
    peer_table = table(
        ["file", "object type", "rate", "channels", "frames", "largest (1/32768)", "RMS dB to the signal",
         "bands dB", "verdict"], peer_rows)  # fmt: skip
    print(peer_table)
    rest_table = table(
        ["file", "object type", "rate", "channels", "frames", "FFmpeg", "largest (1/32768) or reason"],
        report.others(rest))  # fmt: skip
    print(rest_table)
    broken = table(
        ["file", "good frames", "FFmpeg", "faad", "same as FFmpeg's", "what is said", "verdict"],
        report.robustness([name for name in names if name.startswith("robustness/")]))  # fmt: skip
    print(broken)
    for name in sorted(set(report.reasons) - report.used):
        report.failures.append(f"{name} (its listed reason is not needed)")

    counts = ", ".join(f"{value} {key}" for key, value in sorted(report.counts.items()))
    worst = max(float(row[5]) for row in peer_rows if row[6])
    summary = (
        f"The {len(peers)} streams of other encoders (LC, HE and HE v2, with and without noise substitution) are within "
        f"{worst:.2f}/32768. The other {len(rest)} files: {counts}. "
        "[Documentation/Conformance.md](Documentation/Conformance.md) has every one.\n"
    )
    summary = textwrap.fill(summary, 116, break_long_words=False, break_on_hyphens=False) + "\n"
    print(summary)
    replace_between("README.md", streams + "\n" + summary)
    with open("Documentation/Conformance.md", "w", encoding="utf-8") as file:
        file.write(DOCUMENT.format(streams=streams, peers=peer_table, rest=rest_table, broken=broken, counts=counts))
    for name in report.failures:
        print("FAILED:", name)
    total = len(iso) + len(checks) + len(peers) + len(rest)
    print(f"{total} files, {len(report.failures)} failed")
    sys.exit(1 if report.failures else 0)


DOCUMENT = """# Conformance

Written by `make conformance`: the command's untrimmed float output, sample by sample, against that of Debian's
FFmpeg (5.1). Differences are in units of 1/32768, the step of 16 bits.

## Conformance streams

The streams of ISO/IEC 14496-26, and the check package of Coding Technologies, whose reference has 16 bits
(`File1.aac`, another encoding, has none: FFmpeg stands in). Allowed are 2/32768 and -100 dB (-98 dB against
16 bits, whose rounding is what is left).

{streams}
## Streams of other encoders

Four pieces by faac, FDK, FFmpeg, VisualOn and libxaac. Rate, channels and number of frames are those that
`info --json` tells, and have to be FFmpeg's. RMS is that of the difference relative to the signal of the worst
channel over the whole band, at most -60 dB; bands are the energies of each second in 20 bands, at most 0.5 dB apart.
Noise substitution draws its noise from the same generator in the same order, so it compares by samples too.

{peers}
## All other files

Frames are untrimmed. In all: {counts}.

{rest}
## Broken files

Good frames: those that come out without being concealed; of the others, those that come out at all. Ours must be as
many as the better of the others. "Same" counts those of FFmpeg's that are found among ours within 2/32768: behind a
frame that is concealed here and dropped there, the overlap differs.

{broken}"""

if __name__ == "__main__":
    main()
