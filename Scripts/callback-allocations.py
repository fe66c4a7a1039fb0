#!/usr/bin/env python3
"""Counts allocations and locks inside the device callbacks, on the tests' own sound server.

usage: callback-allocations.py [PACKAGE]

PACKAGE  folder of the package, whose tests have been built (swift build --build-tests)

A library that is put before the others hands libpulse a wrapper of each read and write callback, and counts what the
callback's thread allocates, frees or locks until it returns: by libpulse, which is called back from there, and by all
others. Linux only. Exit status 1 where others than libpulse do any of it, or no callback ran.
"""
import glob
import os
import subprocess
import sys
import tempfile

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
static unsigned long calls, memory[2], locks[2];
static __thread int inside __attribute__((tls_model("initial-exec")));

static int of_pulse(void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "libpulse") != NULL;
}
#define ADD(counts) \
  if (inside) { inside = 0; __atomic_add_fetch(&counts[of_pulse(__builtin_return_address(0))], 1, __ATOMIC_RELAXED); inside = 1; }
void *malloc(size_t size) { ADD(memory) return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { ADD(memory) return __libc_calloc(number, size); }
void *realloc(void *block, size_t size) { ADD(memory) return __libc_realloc(block, size); }
void *memalign(size_t to, size_t size) { ADD(memory) return __libc_memalign(to, size); }
void *aligned_alloc(size_t to, size_t size) { ADD(memory) return __libc_memalign(to, size); }
int posix_memalign(void **block, size_t to, size_t size) {
  ADD(memory) *block = __libc_memalign(to, size); return *block ? 0 : 12;
}
void free(void *block) { ADD(memory) __libc_free(block); }
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*real)(pthread_mutex_t *);
  ADD(locks)
  if (!real) real = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  return real(mutex);
}

typedef void (*request)(void *stream, size_t bytes, void *data);
struct held { request call; void *data; };
static unsigned long probes;
/* One allocation and one lock of its own in each callback, which must be counted: else the counter is blind. */
static void probe(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  /* Not to be put in line by the compiler, which would change who calls. */
  void *(*volatile get)(size_t) = malloc;
  int (*volatile lock)(pthread_mutex_t *) = pthread_mutex_lock;
  __libc_free(get(16));
  lock(&mutex);
  pthread_mutex_unlock(&mutex);
  __atomic_add_fetch(&probes, 1, __ATOMIC_RELAXED);
}
static void wrapped(void *stream, size_t bytes, void *data) {
  struct held *held = data;
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  inside = 1;
  probe();
  held->call(stream, bytes, held->data);
  inside = 0;
}
static void set(const char *name, void *stream, request call, void *data) {
  void (*real)(void *, request, void *) = (void (*)(void *, request, void *))dlsym(RTLD_NEXT, name);
  struct held *held = call ? malloc(sizeof *held) : NULL;
  if (held) { held->call = call; held->data = data; }
  real(stream, call ? wrapped : NULL, held);
}
void pa_stream_set_read_callback(void *stream, request call, void *data) { set(__func__, stream, call, data); }
void pa_stream_set_write_callback(void *stream, request call, void *data) { set(__func__, stream, call, data); }

__attribute__((destructor)) static void tell(void) {
  const char *folder = getenv("CALLBACK_COUNTS");
  char path[4096];
  if (!folder || !calls) return;
  snprintf(path, sizeof path, "%s/count.%d", folder, (int)getpid());
  FILE *file = fopen(path, "w");
  if (file) { fprintf(file, "%lu %lu %lu %lu %lu", calls, memory[0] - probes, locks[0] - probes, memory[1], locks[1]); fclose(file); }
}
"""


def main():
    package = sys.argv[1] if len(sys.argv) > 1 else "."
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "counter.c"), os.path.join(folder, "counter.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(COUNTER)
        compiler = os.environ.get("CC", "clang")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        swift = os.environ.get("SWIFT", "swift")
        subprocess.run(
            [swift, "test", "--skip-build", "--filter", "SoundTests"], cwd=package, check=True,
            stdout=subprocess.DEVNULL,
            env=dict(os.environ, LD_PRELOAD=library, CALLBACK_COUNTS=folder))  # fmt: skip
        counts = [0] * 5
        for path in glob.glob(os.path.join(folder, "count.*")):
            with open(path, encoding="utf-8") as file:
                counts = [a + int(b) for a, b in zip(counts, file.read().split())]
    calls, memory, locks, pulse_memory, pulse_locks = counts
    print(f"{calls} callbacks: {memory} allocations and {locks} locks of ours, "
          f"{pulse_memory} and {pulse_locks} of libpulse's own")  # fmt: skip
    sys.exit(0 if calls > 0 and memory == 0 and locks == 0 else 1)


main()
