"""Edits a frame with python-blosc2 (with its lock) and b2nd at the same time. No edit that succeeded may be lost.

With a path and a number as arguments, this script is the process with python-blosc2."""

import json
import subprocess
import sys
import time

import blosc2
import msgpack
import numpy as np

from cases import equal

from said import compare, open_frame, vlmetalayers

MILLISECONDS = 1500


def python_half(path, first):
    """Changes a vlmetalayer, an element and, every eighth time, the length of the array, and prints the last number that it wrote.

    A change outside of `holding_lock` updates its metadata before it takes the lock, and may then write old metadata.
    """
    array = blosc2.open(path, mode="a", locking=True)
    end, count = time.monotonic() + MILLISECONDS / 1000, first
    while time.monotonic() < end:
        count += 1
        with array.schunk.holding_lock():
            array.schunk.vlmeta["python"] = "p" * (count % 50) + str(count)
        with array.schunk.holding_lock():
            array[0] = count
        if count % 8 == 0:
            with array.schunk.holding_lock():
                array.resize((20 + count % 40,))
    print(count)


def started(rust, path, number, first):
    request = {"request": "together", "path": str(path), "number": number, "first": first, "milliseconds": MILLISECONDS}
    process = subprocess.Popen([rust.binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(json.dumps(request))
    process.stdin.close()
    return process


def round_of(rust, path, first, halves):
    """Runs a Python process and some processes of b2nd for a while, and compares the file with the edits that succeeded."""
    python = subprocess.Popen([sys.executable, "-B", __file__, str(path), str(first)], stdout=subprocess.PIPE, text=True)
    ours = [started(rust, path, number, first) for number in range(halves)]
    count = int(python.stdout.read())
    equal("the Python process ends well", python.wait(), 0)
    array, schunk = open_frame(path)
    replies = [json.loads(process.stdout.read()) for process in ours]
    for process in ours:
        process.wait()
    equal("b2nd succeeds", [reply.get("error") for reply in replies], [None] * halves)
    array, schunk = open_frame(path)
    values = vlmetalayers(schunk)
    equal("python's value", values["python"], msgpack.packb("p" * (count % 50) + str(count)))
    equal("python's element", int(array[0]), count)
    last = count // 8 * 8
    if last > first:
        equal("the array's length", array.shape, (20 + last % 40,))
    for number, reply in enumerate(replies):
        said = reply["ok"]
        equal(f"the value of {number}", values[f"rust {number}"], bytes([said["value"] % 251]) * (said["value"] % 700))
        equal(f"the metalayer of {number}", bytes(blosc2.blosc2_ext.meta__getitem__(schunk, f"m{number}")), msgpack.packb(f"{said['value']:09}"))
        first = max(first, said["value"])
    compare(rust, path, expect_array=True)
    return max(first, count), count, [reply["ok"]["edits"] for reply in replies]


def together(rust, cases, directory):
    for sparse in (False, True):
        with cases.case(f"b2nd and python-blosc2 at once, {'sparse' if sparse else 'contiguous'}"):
            path = directory / f"together-{sparse}.b2nd"
            meta = {f"m{number}": f"{0:09}" for number in range(2)} | {"wide": "w" * 2000}
            data = np.zeros(20, "<i8")
            blosc2.asarray(data, chunks=(8,), blocks=(4,), urlpath=str(path), mode="w", contiguous=not sparse, meta=meta, locking=True)
            first = 0
            for _ in range(2):
                before = first
                first, python, ours = round_of(rust, path, first, 2)
                print(f"  {python - before} rounds of python-blosc2 next to {sum(ours)} edits of b2nd")


if __name__ == "__main__":
    python_half(sys.argv[1], int(sys.argv[2]))
