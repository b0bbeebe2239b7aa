"""Writes 300 random arrays with python-blosc2, and chunks of HDF5 datasets with hdf5plugin, for tests/values.rs.

    python theirs.py DIR       (blosc2==4.14.1, numpy, h5py, hdf5plugin)

DIR/values.tsv has a line for each, as in tests/values.tsv: file, offset, shape, bytes per element, hash of the elements in C order.
"""

import hashlib
import random
import sys
from pathlib import Path

import blosc2
import h5py
import hdf5plugin
import numpy as np

DTYPES = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
DTYPES += [">i2", ">i4", ">f8", "<M8[ns]", "<m8[s]", "|S5", "<U3", "|S200", [("a", "<i4"), ("b", "u1"), ("c", ">f8")]]
CODECS = [blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD]
F = blosc2.Filter
# The parameter 0 of bytedelta means the size of an element.
FILTERS = [[F.NOFILTER], [F.SHUFFLE], [F.BITSHUFFLE], [F.SHUFFLE, F.BYTEDELTA], [F.BITSHUFFLE, F.SHUFFLE]]


def values(rng, shape, dtype):
    """Noise, repetitions or zeros, so that there are stored, compressed and special chunks."""
    count, size = int(np.prod(shape, dtype=int)), dtype.itemsize
    kind = rng.randrange(4)
    if kind == 0:
        raw = rng.randbytes(count * size)
    elif kind == 1:
        raw = bytes(count * size)
    else:
        raw = (rng.randbytes(size * rng.randrange(1, 9)) * (count + 1))[: count * size]
    if dtype.kind == "b":
        raw = bytes(byte & 1 for byte in raw)
    if dtype.kind == "U":
        raw = np.frombuffer(raw, "u1") & 0x3F
        raw = raw.reshape(-1, 4) * np.array([1, 0, 0, 0], "u1")
        raw = raw.tobytes()
    return np.frombuffer(raw, dtype).reshape(shape)


def random_arrays(directory, rng):
    for number in range(300):
        dtype = np.dtype(rng.choice(DTYPES))
        ndim = rng.randrange(0, 5)
        shape = [rng.choice([0, 1, 2, 3]) if rng.random() < 0.1 else rng.randrange(1, 3 * [1, 900, 60, 17, 9][ndim]) for _ in range(ndim)]
        chunks = [rng.randrange(1, length + 1) if length else 0 for length in shape]
        blocks = [rng.randrange(1, length + 1) if length else 0 for length in chunks]
        cparams = blosc2.CParams(
            codec=rng.choice(CODECS),
            clevel=rng.randrange(10),
            filters=rng.choice(FILTERS),
            splitmode=rng.choice(list(blosc2.SplitMode)),
            nthreads=1,
        )
        cparams.filters_meta = [0] * len(cparams.filters)
        data = values(rng, shape, dtype)
        contiguous = rng.random() < 0.8
        name = f"{number}.b2nd"
        keywords = {} if rng.random() < 0.2 else dict(chunks=chunks, blocks=blocks)
        if not shape:
            keywords = {}
        blosc2.asarray(data, urlpath=str(directory / name), mode="w", cparams=cparams, contiguous=contiguous, **keywords)
        yield name, shape, dtype.itemsize, data


def hdf5_chunks(directory, rng):
    number = 0
    for dtype in ("<f4", "<i2", "|u1", "<f8"):
        for chunks in ([16, 20], [7, 9, 5], [4, 4, 4, 6]):
            data = np.arange(np.prod(chunks), dtype=dtype).reshape(chunks)
            path = directory / "chunks.h5"
            with h5py.File(path, "w") as file:
                dataset = file.create_dataset("a", data=data, chunks=tuple(chunks), **hdf5plugin.Blosc2(cname=rng.choice(["zstd", "lz4", "blosclz"])))
                mask, frame = dataset.id.read_direct_chunk([0] * data.ndim)
            assert mask == 0
            (directory / f"hdf5-{number}.cframe").write_bytes(frame)
            yield f"hdf5-{number}.cframe", chunks, data.itemsize, data
            number += 1


def main(directory):
    rng, lines = random.Random(20261121), []
    for make in (random_arrays, hdf5_chunks):
        for name, shape, itemsize, data in make(directory, rng):
            lines.append("\t".join([name, "0", ",".join(map(str, shape)), str(itemsize), hashlib.sha256(data.tobytes()).hexdigest()]))
    (directory / "values.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
