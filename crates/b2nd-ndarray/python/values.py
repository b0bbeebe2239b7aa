"""Prints the SHA-256 of the values of every array in the manifest.json of a directory, as C-Blosc2 reads them.

    python values.py DIR > values.tsv       (blosc2==4.14.1, numpy)

A line has the file, the offset of the frame in it, the shape, the bytes per element, and the hash of the elements in C order without
padding. In place of the hash there can be `undefined` (uninitialized chunks), `large: N bytes` (above LIMIT), or `unread: why` (C-Blosc2
cannot read it).

C-Blosc2 decompresses the chunks, and NumPy reorders the blocks. If C-Blosc2 can also read them as an array, both results must agree.
"""

import faulthandler
import hashlib
import itertools
import json
import math
import sys
from pathlib import Path

import blosc2
import numpy as np

LIMIT = 256 << 20
UNINITIALIZED = 4


def open_frame(path, offset):
    """Returns the frame's chunks, and the array if C-Blosc2 can open it as an array."""
    try:
        opened = blosc2.open(str(path), mode="r", offset=offset)
        return getattr(opened, "schunk", opened), opened if isinstance(opened, blosc2.NDArray) else None
    except Exception:
        # For example, NumPy does not know the dtype, or python-blosc2 does not open the frame as an array.
        return blosc2.schunk_from_cframe(path.read_bytes()[offset:], copy=True), None


def values(schunk, shape, chunks, blocks, item):
    """The elements of all chunks; None if some are undefined."""
    out = np.zeros(shape, item)
    if out.size == 0:
        return out
    counts = [-(-chunk // block) for chunk, block in zip(chunks, blocks)]
    ndim = len(shape)
    # The data consists of contiguous blocks in C order. The axes of blocks and of elements are interleaved.
    interleaved = [axis for pair in zip(range(ndim), range(ndim, 2 * ndim)) for axis in pair]
    starts = itertools.product(*(range(0, length, chunk) for length, chunk in zip(shape, chunks)))
    for number, start in enumerate(starts):
        if schunk.get_chunk(number)[31] >> 4 & 7 == UNINITIALIZED:
            return None
        data = np.frombuffer(schunk.decompress_chunk(number), item).reshape(counts + blocks).transpose(interleaved)
        data = data.reshape([count * block for count, block in zip(counts, blocks)])
        stop = [min(at + chunk, length) for at, chunk, length in zip(start, chunks, shape)]
        place = tuple(slice(at, end) for at, end in zip(start, stop))
        out[place] = data[tuple(slice(0, end - at) for at, end in zip(start, stop))]
    return out


def sliced(array, item):
    out = np.zeros(array.shape, item)
    if out.size:
        array.get_slice_numpy(out, ((0,) * out.ndim, out.shape))
    return out


def verdict(path, offset, nd, itemsize):
    nbytes = math.prod(nd["shape"]) * itemsize
    if nbytes > LIMIT:
        return f"large: {nbytes} bytes"
    item, errors, said = f"V{itemsize}", [], []
    try:
        schunk, array = open_frame(path, offset)
    except (RuntimeError, OSError) as error:
        return f"unread: {getattr(error, 'strerror', None) or error}"
    # python-blosc2 opens a Caterva file as an `SChunk`, so only its chunks can be read.
    readers = [lambda: values(schunk, nd["shape"], nd["chunks"], nd["blocks"], item)]
    readers += [lambda: sliced(array, item)] if array is not None else []
    for read in readers:
        try:
            out = read()
        except RuntimeError as error:
            errors.append(str(error))
            continue
        if out is None:
            return "undefined"
        said.append(hashlib.sha256(out.tobytes()).hexdigest())
    assert len(set(said)) < 2, f"{path}: C-Blosc2 and NumPy disagree"
    return said[0] if said else f"unread: {errors[0]}"


def main(directory):
    lines = []
    for entry in json.loads((directory / "manifest.json").read_text()):
        nd = entry.get("parsed", {}).get("nd")
        if entry["kind"] in ("cframe", "sframe") and nd:
            itemsize = entry["parsed"]["typesize"]
            said = verdict(directory / entry["file"], entry["offset"], nd, itemsize)
            shape = ",".join(map(str, nd["shape"]))
            lines.append("\t".join([entry["file"], str(entry["offset"]), shape, str(itemsize), said]))
    print("\n".join(lines))


if __name__ == "__main__":
    # Without this, a deadlock in C would never end.
    faulthandler.dump_traceback_later(300, exit=True)
    main(Path(sys.argv[1]))
