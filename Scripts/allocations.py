#!/usr/bin/env python3
"""Counts what decoding allocates for a frame once it runs, by object type, whole and with every fourth packet lost.

usage: allocations.py AAC SHARED

AAC     the command (a release build)
SHARED  folder of the test sets (vectors/ below it)

Each stream is decoded cut to an eighth, two eighths … of its packets; allocations are counted by a library that is
put before the C library's. Told is the median of what each further eighth costs: tables for other headers and band
divisions are made when they first appear. Linux only. Exit status 1 where a frame costs 0.05 allocations or more.
"""
import os
import statistics
import struct
import subprocess
import sys
import tempfile

from damage import M4A

STREAMS = [
    ("LC", "iso-conformance/al05_44.mp4"), ("LC, 5.1, coupling", "iso-conformance/al07_96.mp4"),
    ("HE", "peers/fdk-he48-44k-2_pop_gm.aac"), ("HE, mono", "peers/fdk-he32-32k-1_pop_gm.aac"),
    ("HE v2", "peers/fdk-hev2_24-44k-2_wide_gm.aac"), ("HE v2", "peers/xaac-hev2_32-48k-2_harpsichord_gm.aac"),
    ("HE, other headers", "iso-conformance/al_sbr_cm_48_2.mp4"),
    ("HE v2, other headers", "iso-conformance/al_sbr_ps_06_new.mp4"),
    ("Main", "iso-conformance/am00_88.mp4"), ("Main, 5.1", "iso-conformance/am05_44.mp4"),
    ("LTP", "iso-conformance/ap05_48.mp4"), ("LD", "iso-conformance/er_ad6000np_44_ep0.mp4"),
    ("ELD", "iso-conformance/er_eld2000np_48_ep0.mp4"),
]  # fmt: skip

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long count;
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
#define ADD __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED)
void *malloc(size_t size) { ADD; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { ADD; return __libc_calloc(number, size); }
void *realloc(void *block, size_t size) { ADD; return __libc_realloc(block, size); }
void *memalign(size_t to, size_t size) { ADD; return __libc_memalign(to, size); }
void *aligned_alloc(size_t to, size_t size) { ADD; return __libc_memalign(to, size); }
int posix_memalign(void **block, size_t to, size_t size) { ADD; *block = __libc_memalign(to, size); return *block ? 0 : 12; }
__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("ALLOCATIONS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) { fprintf(file, "%lu", count); fclose(file); }
}
"""


def allocations(aac, path, folder, library):
    told = os.path.join(folder, "count")
    environment = dict(os.environ, LD_PRELOAD=library, ALLOCATIONS=told)
    result = subprocess.run([aac, "decode", "-q", "--discard", path], capture_output=True, env=environment)
    if result.returncode:
        sys.exit(f"{path}: {result.stderr.decode()}")
    with open(told, encoding="ascii") as file:
        return int(file.read())


def shortened(data, count):
    """The file's first `count` packets."""
    movie = M4A(data)
    struct.pack_into(">I", movie.data, movie.boxes["stsz"][0] + 16, count)
    return bytes(movie.data)


def main():
    aac, shared = sys.argv[1], sys.argv[2]
    failed = 0
    print("| stream | packets | allocations a frame | with every fourth packet lost |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "counter.so")
        source = os.path.join(folder, "counter.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(COUNTER)
        subprocess.run([os.environ.get("CC", "clang"), "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
        for label, name in STREAMS:
            movie = os.path.join(folder, "whole.m4a")
            stream = os.path.join(shared, "vectors", name)
            subprocess.run([aac, "remux", "-q", "-y", stream, movie], check=True)
            with open(movie, "rb") as file:
                data = file.read()
            count = len(M4A(data).samples)
            figures = []
            for lossy in (False, True):
                version = M4A(data).drop(range(2, count, 4)) if lossy else data
                costs = []
                for packets in (count * part // 8 for part in range(1, 9)):
                    path = os.path.join(folder, "part.m4a")
                    with open(path, "wb") as file:
                        file.write(shortened(version, packets))
                    costs.append(allocations(aac, path, folder, library))
                steps = [after - before for before, after in zip(costs, costs[1:])]
                figures.append(statistics.median(steps) / (count / 8))
            # One is the list of damages, or of the file's parts, that grows now and then.
            failed += any(figure * count / 8 > 1 for figure in figures)
            print(f"| {label} ({os.path.basename(name)}) | {count} | {figures[0]:.3f} | {figures[1]:.3f} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
