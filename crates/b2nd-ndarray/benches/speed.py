"""Compares b2nd-ndarray with python-blosc2 and prints the tables of README.md.

    python speed.py [--mib 128] [--rounds 5] [--append]      (blosc2==4.14.1, numpy)

The two programs take turns. A ratio is python-blosc2's minimum time divided by ours: above 1, this crate is faster. Times are processor time,
which depends less on the load of the machine than elapsed time. `2 threads` is the elapsed time of one thread divided by that of two.
`steps` reads each 64th element in each dimension. Writing has in brackets the length of our file divided by that of python-blosc2's.
Files are in memory if the system has /dev/shm.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import blosc2
import numpy as np

HERE = Path(__file__).parent
MASK = (1 << 64) - 1


def values(dtype, mib, ndim):
    """Values that are neither constant nor random: a wave with noise in the lower bits."""
    n = mib << 18
    noise = np.random.default_rng(1).integers(0, 64, n)
    wave = np.sin(np.arange(n) / 5000) * 1e5
    if dtype == "<f4":
        # Like measured values, these do not use all bits of the fraction.
        out = (np.round(wave + noise) / 16).astype("f4")
    else:
        out = (wave + noise).astype("i4")
    if ndim == 1:
        return out
    side = int(n ** (1 / ndim) + 1e-6)
    return out[: side**ndim].reshape((side,) * ndim)


def checksum(array):
    return int(array.reshape(-1)[::97].view("u4").astype("u8").sum()) & MASK


def places(shape, count):
    sides, state, out = {1: (10_000,), 2: (100, 100), 3: (8, 64, 64)}[len(shape)], 1, []
    for _ in range(count):
        place = []
        for length, side in zip(shape, sides):
            state = (state * 6364136223846793005 + 1442695040888963407) & MASK
            start = (state >> 33) % (length - side + 1)
            place.append(slice(start, start + side))
        out.append(tuple(place))
    return out


class Job:
    """Measures the time, the processor time, and the peak growth of this process's resident memory (Linux)."""

    def __init__(self):
        Path("/proc/self/clear_refs").write_text("5")
        self.memory = self.resident("VmRSS")
        self.start, self.processor = time.perf_counter_ns(), time.process_time_ns()

    def took(self):
        times = time.perf_counter_ns() - self.start, time.process_time_ns() - self.processor
        return *times, max(0, self.resident("VmHWM") - self.memory)

    @staticmethod
    def resident(field):
        return int(re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) << 10


class Python:
    def __init__(self, threads):
        self.dparams = blosc2.DParams(nthreads=threads)

    def read(self, path):
        job = Job()
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        out = array[...]
        return *job.took(), checksum(out)

    def slices(self, path, count):
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        where, total = places(array.shape, count), 0
        job = Job()
        for place in where:
            out = array[place]
            flat = out.reshape(-1).view("u1")
            total += int(flat[0]) + int(flat[-4])
        return *job.took(), total & MASK

    def steps(self, path, step):
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        job = Job()
        flat = array[(slice(None, None, step),) * array.ndim].reshape(-1).view("u1")
        return *job.took(), int(flat[0]) + int(flat[-4])

    def write(self, codec, level, path, target):
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        data, cparams = array[...], blosc2.CParams(codec=codec, clevel=level, nthreads=1)
        job = Job()
        blosc2.asarray(data, urlpath=target, mode="w", cparams=cparams, chunks=array.chunks, blocks=array.blocks)
        return *job.took(), Path(target).stat().st_size

    def append(self, codec, rows, count, target):
        values = np.arange(rows * 256, dtype="f4").reshape(rows, 256)
        cparams = blosc2.CParams(codec=codec, clevel=5, nthreads=1)
        array = blosc2.empty((0, 256), dtype="f4", chunks=(4096, 256), blocks=(256, 256), urlpath=target, mode="w", cparams=cparams)
        job = Job()
        for _ in range(count):
            length = array.shape[0]
            array.resize((length + rows, 256))
            array[length:] = values
        return *job.took(), array.shape[0]


class Rust:
    def __init__(self, binary):
        manifest = ["--manifest-path", str(HERE.parent / "Cargo.toml")]
        command = ["cargo", "bench", "--quiet", "--bench", "speed", *manifest, "--features", "rayon"]
        self.process = subprocess.Popen([binary] if binary else command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return tuple(map(int, self.process.stdout.readline().split()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--append", action="store_true", help="append rows, and nothing else")
    parser.add_argument("--binary", help="the built bench, rather than cargo bench")
    parser.add_argument("--arrays", default="<f4 3 zstd,<f4 3 lz4,<i4 3 lz4,<i4 3 blosclz", help="dtype, dimensions and codec of each")
    parser.add_argument("--level", type=int, default=5)
    options = parser.parse_args()
    blosc2.set_nthreads(1)
    rust = Rust(options.binary)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as directory:
        if options.append:
            return measure_appending(rust, directory, options.rounds)
        rows = []
        for array in options.arrays.split(","):
            dtype, ndim, codec = array.split()
            codec, path = blosc2.Codec[codec.upper()], f"{directory}/a.b2nd"
            cparams = blosc2.CParams(codec=codec, clevel=options.level, nthreads=2)
            blosc2.asarray(values(dtype, options.mib, int(ndim)), urlpath=path, mode="w", cparams=cparams)
            rows.append((f"{array}, level {options.level}", measure(rust, path, codec, options.level, options.rounds)))
            print(rows[-1], file=sys.stderr, flush=True)
    print(f"{options.mib} MiB, the least of {options.rounds} rounds, python-blosc2 {blosc2.__version__}")
    tables(rows)


def tables(rows):
    columns = [column for column in rows[0][1] if column != "peak"]
    print("\nTimes as fast as python-blosc2, by processor time:\n")
    print_table(["", *columns], [[name, *(row[column] for column in columns)] for name, row in rows])
    columns = list(rows[0][1]["peak"])
    print("\nMemory at its peak in MiB, with the result: python-blosc2, one thread, two threads\n")
    print_table(["", *columns], [[name, *row["peak"].values()] for name, row in rows])


def print_table(head, rows):
    for row in (head, ["---"] * len(head), *rows):
        print("|", " | ".join(row), "|")


def measure_appending(rust, directory, rounds):
    for codec in (blosc2.Codec.ZSTD, blosc2.Codec.LZ4, blosc2.Codec.BLOSCLZ):
        for rows, count in ((1, 500), (1000, 50)):
            took = []
            for _ in range(rounds):
                python = Python(1).append(codec, rows, count, f"{directory}/theirs.b2nd")
                ours = rust.ask("append", 1, codec.value, rows, count, f"{directory}/ours.b2nd")
                assert python[3] == ours[2]
                took.append((python[0], ours[0]))
            ratio = statistics.median(python / ours for python, ours in took)
            python, ours = (statistics.median(times) / count / 1e3 for times in zip(*took))
            print(f"{codec.name:8} append {rows:4} of 256 float32, {count} times: python {python:8.0f} us each, ours {ours:8.1f} us, {ratio:.1f}", flush=True)


def measure(rust, path, codec, level, rounds):
    jobs = {
        "whole": (lambda: Python(1).read(path), ("read", path)),
        "200 slices": (lambda: Python(1).slices(path, 200), ("slices", 200, path)),
        "steps": (lambda: Python(1).steps(path, 64), ("steps", 64, path)),
        "writing": (lambda: Python(1).write(codec, level, path, path + ".theirs"), ("write", codec.value, level, path, path + ".ours")),
    }
    took = {}
    for _ in range(rounds):
        for name, (python, (word, *words)) in jobs.items():
            theirs, ours, both = python(), rust.ask(word, 1, *words), rust.ask(word, 2, *words)
            assert name == "writing" or theirs[3] == ours[2] == both[2], (name, theirs, ours, both)
            took.setdefault(name, []).append((theirs[1], ours[1], ours[0], both[0], -theirs[2], -ours[3], -both[3]))
    row, peak = {}, {}
    for name in jobs:
        python, processor, one, two, *peaks = map(min, zip(*took[name]))
        # Linux can report 0 for the processor time of a short call.
        row[name] = f"{python / max(processor, 1):.2f}"
        if name == "writing":
            row[name] += f" ({ours[2] / theirs[3]:.3f})"
        if name in ("whole", "writing"):
            row[f"{name}: 2 threads"] = f"{one / two:.2f}"
        peak[name] = ", ".join(f"{-bytes / 2**20:.1f}" for bytes in peaks)
    return row | {"peak": peak}


if __name__ == "__main__":
    sys.exit(main())
