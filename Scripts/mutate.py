#!/usr/bin/env python3
"""Damages streams at random and decodes them: nothing may trap, hang or eat memory.

usage: mutate.py AAC COUNT FILE...        (SEED in the environment repeats a run, HEAD is how
                                    many bytes of a file are taken, 50,000)

COUNT copies of the files, each with flipped bits, cut short, spliced with another or with a stretch repeated,
go through `decode`, and every fourth through `info` as well. A run fails that ends by a signal, takes more than ten
seconds of CPU time (or a hundred in all) or more than 300 MB. Failing copies are kept in findings/.
"""
import os
import random
import signal
import sys
import tempfile
import threading

SECONDS, MEGABYTES = 10, 300


def damage(data, other, source):
    data = bytearray(data)
    kind = source.random()
    if kind < 0.6:
        for _ in range(source.choice((1, 2, 8, 64, 512))):
            if data:
                # Half of the flips in the first kilobyte: that is where headers are.
                end = min(len(data), 1024) if source.random() < 0.5 else len(data)
                data[source.randrange(end)] ^= 1 << source.randrange(8)
    elif kind < 0.75:
        del data[source.randrange(len(data) + 1) :]
    elif kind < 0.9:
        cut, place = source.randrange(len(data) + 1), source.randrange(len(other) + 1)
        data[cut:] = other[place:]
    else:
        start = source.randrange(len(data) + 1)
        stretch = data[start : start + source.randrange(1, 4096)]
        place = source.randrange(len(data) + 1)
        data[place:place] = stretch * source.randrange(1, 4)
    return bytes(data)


def attempt(command):
    # posix_spawn, since copying this process costs more than decoding a short stream.
    nothing = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)] + [
        (os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    process = os.posix_spawn(command[0], command, {**os.environ, "SWIFT_BACKTRACE": "enable=no"}, file_actions=nothing)
    watchdog = threading.Timer(10 * SECONDS, os.kill, (process, signal.SIGKILL))
    watchdog.start()
    _, status, usage = os.wait4(process, 0)
    watchdog.cancel()
    code = os.waitstatus_to_exitcode(status)
    if code < 0 or code > 2:
        return f"ended with {code}"
    if usage.ru_utime + usage.ru_stime > SECONDS:
        return f"took {usage.ru_utime + usage.ru_stime:.0f} seconds"
    if usage.ru_maxrss > MEGABYTES * 1024:
        return f"took {usage.ru_maxrss // 1024} MB"
    return None


def main():
    aac, count, files = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed}, {count} copies of {len(files)} files", flush=True)
    # The start of a long file is as good as the whole.
    streams = [open(file, "rb").read(int(os.environ.get("HEAD", 50_000))) for file in files]
    failed = done = 0
    with tempfile.TemporaryDirectory() as folder:

        def one(number):
            source = random.Random(seed * 1_000_003 + number)
            index = source.randrange(len(streams))
            data = damage(streams[index], source.choice(streams), source)
            suffix = os.path.splitext(files[index])[1]
            path = os.path.join(folder, f"{number}{suffix}")
            with open(path, "wb") as out:
                out.write(data)
            found = None
            commands = [[aac, "decode", "-q", "--discard", path, "-"], [aac, "info", "--json", "--frames", path]]
            for command in commands if number % 4 == 0 else commands[:1]:
                found = found or attempt(command)
            if found:
                os.makedirs("findings", exist_ok=True)
                os.replace(path, os.path.join("findings", f"{seed}-{number}{suffix}"))
                return f"copy {number} of {os.path.basename(files[index])}: {found}"
            os.unlink(path)

        numbers = iter(range(count))
        lock = threading.Lock()

        def work():
            nonlocal failed, done
            while (number := next(numbers, None)) is not None:
                outcome = one(number)
                with lock:
                    done += 1
                    failed += 1 if outcome else 0
                if outcome:
                    print("FAIL", outcome, flush=True)

        # A child's peak memory begins with this process's: no list of what is to be done.
        workers = [threading.Thread(target=work) for _ in range(os.cpu_count())]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print(f"{done - failed} passed, {failed} failed")
    # A copy that was never tried is no success.
    sys.exit(1 if failed or done < count else 0)


main()
