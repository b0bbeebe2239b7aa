"""How fast b2nd-ndarray reads, beside python-blosc2, in one run: the two take turns, and the median of the ratios counts.

    python speed.py [--mib 256] [--rounds 5] [--codec c] [--append]      (blosc2==4.14.1, numpy)

`--codec c` is C-Blosc2, for what it has. It is built for any processor; python-blosc2 chooses AVX2 where there is some,
and CFLAGS="-mavx2 -DSHUFFLE_AVX2_ENABLED=1" builds it in here.

A ratio is python-blosc2's time by ours: 1 is equal, more is faster here; of processor time (cpu) too, which a busy machine disturbs
less. `gain` is our time with one thread by that with two; `steps` reads each 64th element in each dimension; `size` is the length of our file
by that of python-blosc2's, written with one thread; `peak` is the memory that reading takes, with one thread and with two, by that of
the result and two chunks a thread. Files are in memory (/dev/shm).
"""

import argparse
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
    """Neither constant nor random: a wave with noise in the lower bits."""
    n = mib << 18
    noise = np.random.default_rng(1).integers(0, 64, n)
    wave = np.sin(np.arange(n) / 5000) * 1e5
    if dtype == "<f4":
        # Twelve bits of fraction, as measured values have.
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


def cpu():
    """Nanoseconds of processor time of this process's threads: what others do on the machine changes it little."""
    return sum(int(path.read_text().split()[0]) for path in Path("/proc/self/task").glob("*/schedstat"))


class Python:
    def __init__(self, threads):
        self.dparams = blosc2.DParams(nthreads=threads)

    def read(self, path):
        start, before = time.perf_counter_ns(), cpu()
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        out = array[...]
        return time.perf_counter_ns() - start, cpu() - before, checksum(out)

    def slices(self, path, count):
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        where, total = places(array.shape, count), 0
        start, before = time.perf_counter_ns(), cpu()
        for place in where:
            out = array[place]
            flat = out.reshape(-1).view("u1")
            total += int(flat[0]) + int(flat[-4])
        return time.perf_counter_ns() - start, cpu() - before, total & MASK

    def steps(self, path, step):
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        start, before = time.perf_counter_ns(), cpu()
        flat = array[(slice(None, None, step),) * array.ndim].reshape(-1).view("u1")
        return time.perf_counter_ns() - start, cpu() - before, int(flat[0]) + int(flat[-4])

    def write(self, codec, path, target):
        array = blosc2.open(path, mode="r", dparams=self.dparams)
        data, cparams = array[...], blosc2.CParams(codec=codec, clevel=5, nthreads=1)
        start, before = time.perf_counter_ns(), cpu()
        blosc2.asarray(data, urlpath=target, mode="w", cparams=cparams, chunks=array.chunks, blocks=array.blocks)
        return time.perf_counter_ns() - start, cpu() - before, Path(target).stat().st_size


    def append(self, codec, rows, count, target):
        values = np.arange(rows * 256, dtype="f4").reshape(rows, 256)
        cparams = blosc2.CParams(codec=codec, clevel=5, nthreads=1)
        array = blosc2.empty((0, 256), dtype="f4", chunks=(4096, 256), blocks=(256, 256), urlpath=target, mode="w", cparams=cparams)
        start, before = time.perf_counter_ns(), cpu()
        for _ in range(count):
            length = array.shape[0]
            array.resize((length + rows, 256))
            array[length:] = values
        return time.perf_counter_ns() - start, cpu() - before, array.shape[0]


class Rust:
    def __init__(self, codec, binary):
        manifest = ["--manifest-path", str(HERE.parent / "Cargo.toml")]
        command = ["cargo", "bench", "--quiet", "--bench", "speed", *manifest, "--features", "c" if codec == "c" else "rayon"]
        self.process = subprocess.Popen([binary] if binary else command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return tuple(map(int, self.process.stdout.readline().split()))

    def peak(self, threads, path, array):
        """Memory that reading takes at its peak, by that of the result and of two chunks for each thread."""
        return self.ask("peak", threads, path)[0] / (array.nbytes + 2 * threads * array.schunk.chunksize)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--codec", choices=("pure", "c"), default="pure")
    parser.add_argument("--append", action="store_true", help="append rows, and nothing else")
    parser.add_argument("--binary", help="the built bench, rather than cargo bench")
    parser.add_argument("--codecs", default="zstd,lz4,blosclz")
    parser.add_argument("--ndim", default="1,2,3")
    options = parser.parse_args()
    blosc2.set_nthreads(1)
    rust = Rust(options.codec, options.binary)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as directory:
        if options.append:
            return measure_appending(rust, directory, options.rounds)
        print(f"{options.mib} MiB, {options.rounds} rounds, python-blosc2 {blosc2.__version__}, codec: {options.codec}")
        print("                  one thread: ms, ms, ratio  | two threads: ms, ms, ratio | 200 slices: ms, ms, ratio  | steps       | writing")
        print("                  python   ours  time   cpu | python   ours   time  gain | python   ours   time  cpu |  time   cpu |  time   cpu   size")
        for dtype in ("<f4", "<i4"):
            for ndim in map(int, options.ndim.split(",")):
                data = values(dtype, options.mib, ndim)
                for codec in options.codecs.split(","):
                    path = f"{directory}/a.b2nd"
                    # zstd at its default level 5; the others as fast as they are used.
                    cparams = blosc2.CParams(codec=blosc2.Codec[codec.upper()], clevel=5, nthreads=2)
                    array = blosc2.asarray(data, urlpath=path, mode="w", cparams=cparams)
                    shapes = f"{array.chunks} {array.blocks} {array.schunk.cratio:.1f}x"
                    shapes += f" peak {rust.peak(1, path, array):.2f} {rust.peak(2, path, array):.2f}"
                    del array
                    measure(rust, path, blosc2.Codec[codec.upper()], f"{dtype} {ndim}-d {codec:8}", options.rounds, shapes)


def measure_appending(rust, directory, rounds):
    for codec in (blosc2.Codec.ZSTD, blosc2.Codec.LZ4, blosc2.Codec.BLOSCLZ):
        for rows, count in ((1, 500), (1000, 50)):
            took = []
            for _ in range(rounds):
                python = Python(1).append(codec, rows, count, f"{directory}/theirs.b2nd")
                ours = rust.ask("append", 1, codec.value, rows, count, f"{directory}/ours.b2nd")
                assert python[2] == ours[2]
                took.append((python[0], ours[0]))
            ratio = statistics.median(python / ours for python, ours in took)
            python, ours = (statistics.median(times) / count / 1e3 for times in zip(*took))
            print(f"{codec.name:8} append {rows:4} of 256 float32, {count} times: python {python:8.0f} us each, ours {ours:8.1f} us, {ratio:.1f}", flush=True)


def measure(rust, path, codec, name, rounds, shapes):
    calls = {
        "python": lambda: Python(1).read(path),
        "ours": lambda: rust.ask("read", 1, path),
        "ours x2": lambda: rust.ask("read", 2, path),
        "python x2": lambda: Python(2).read(path),
        "python slices": lambda: Python(1).slices(path, 200),
        "our slices": lambda: rust.ask("slices", 1, 200, path),
        "python steps": lambda: Python(1).steps(path, 64),
        "our steps": lambda: rust.ask("steps", 1, 64, path),
        "python write": lambda: Python(1).write(codec, path, path + ".theirs"),
        "our write": lambda: rust.ask("write", 1, codec.value, path, path + ".ours"),
    }
    took, spent = {key: [] for key in calls}, {key: [] for key in calls}
    for _ in range(rounds):
        answers = {}
        for key, call in calls.items():
            nanoseconds, processor, answers[key] = call()
            took[key].append(nanoseconds)
            spent[key].append(processor)
        for jobs in (("python", "ours", "ours x2", "python x2"), ("python slices", "our slices"), ("python steps", "our steps")):
            assert len({answers[key] for key in jobs}) == 1, answers

    def ratio(times, a, b):
        # The kernel counts a short call as none.
        return statistics.median(x / max(y, 1) for x, y in zip(times[a], times[b]))

    ms = {key: statistics.median(times) / 1e6 for key, times in took.items()}
    print(
        f"{name:17} {ms['python']:6.0f} {ms['ours']:6.0f}  {ratio(took, 'python', 'ours'):5.2f} {ratio(spent, 'python', 'ours'):5.2f}"
        f" | {ms['python x2']:6.0f} {ms['ours x2']:6.0f}  {ratio(took, 'python x2', 'ours x2'):5.2f} {ratio(took, 'ours', 'ours x2'):5.2f}"
        f" | {ms['python slices']:6.1f} {ms['our slices']:6.1f}  {ratio(took, 'python slices', 'our slices'):5.2f}"
        f" {ratio(spent, 'python slices', 'our slices'):5.2f}"
        f" | {ratio(took, 'python steps', 'our steps'):5.2f} {ratio(spent, 'python steps', 'our steps'):5.2f}"
        f" | {ratio(took, 'python write', 'our write'):5.2f} {ratio(spent, 'python write', 'our write'):5.2f}"
        f"  {answers['our write'] / answers['python write']:.3f}   {shapes}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
