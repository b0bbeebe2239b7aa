"""Opens the files that tests/python.rs wrote to DIR with python-blosc2, and checks dtype, shapes, codec, filters and values.

    python check.py DIR       (blosc2==4.14.1, numpy)
"""

import ast
import collections
import faulthandler
import math
import sys
from pathlib import Path

import blosc2
import numpy as np


def expected(dtype, shape):
    """The array with this shape and dtype, whose elements follow from their positions."""
    count = np.arange(1, math.prod(shape) + 1, dtype="u8")
    number = (count * 0x9E3779B1 & 0xFFFFFFFF) >> 7
    out = np.zeros(len(number), dtype)
    if dtype.names:
        out["a"], out["b"] = number, number & 0xFF
    elif dtype.kind == "b":
        out[:] = number % 3 == 0
    elif dtype.kind == "S":
        out[:] = [bytes([97 + n % 26]) * dtype.itemsize for n in number.tolist()]
    elif dtype == "f2":
        out[:] = number % 2048
    elif dtype.kind == "f":
        out[:] = number.astype(dtype) / dtype.type(3)
    elif dtype.kind == "c":
        out[:] = number - 1.5j
    else:
        out[:] = number.astype(dtype)
    return out.reshape(shape)


def main(directory):
    kinds, different = collections.Counter(), []
    for line in (directory / "cases.tsv").read_text().splitlines():
        file, dtype, *rest = line.split("\t")
        shape, chunks, blocks, codec, level, filters = (ast.literal_eval(text.replace("None", "()")) for text in rest)
        array = blosc2.open(str(directory / file), mode="r")
        want = expected(np.dtype(ast.literal_eval(dtype) if dtype.startswith("[") else dtype), tuple(shape))
        cparams = array.schunk.cparams
        found = (array.dtype, array.shape, cparams.codec.value, cparams.clevel)
        assert found == (want.dtype, want.shape, codec, level), (line, found)
        assert not chunks or (list(array.chunks), list(array.blocks)) == (chunks, blocks), (line, array.info)
        used = [getattr(f, "value", f) for f in cparams.filters]
        assert [f for f in used if f] == filters, (line, used)
        for place in (..., tuple(slice(n // 3, n - n // 4) for n in shape)):
            if array[place].tobytes() != want[place].tobytes():
                different.append(f"{line}: other values in {place}")
        kinds[f"{len(shape)}-d"] += 1
        kinds[cparams.codec.name] += 1
    assert kinds and not different, "\n".join(different)
    print(f"python-blosc2 {blosc2.__version__}: the same values in all files:", dict(kinds))


if __name__ == "__main__":
    # Without this, a deadlock in C would never end.
    faulthandler.dump_traceback_later(120, exit=True)
    main(Path(sys.argv[1]))
