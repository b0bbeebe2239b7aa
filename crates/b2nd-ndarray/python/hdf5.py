"""Writes frames that tests/python.rs made to HDF5 datasets as chunks, and checks that hdf5plugin reads the same values.

    python hdf5.py DIR       (h5py, hdf5plugin, numpy)

DIR/tiles.tsv has a line for each: file, dtype, shape. The values are 0, 1, 2, …
"""

import ast
import sys
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np


def main(directory):
    lines = (directory / "tiles.tsv").read_text().splitlines()
    for line in lines:
        name, dtype, shape = line.split("\t")
        shape = tuple(ast.literal_eval(shape))
        want = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
        with h5py.File(directory / "tiles.h5", "w") as file:
            # There are two chunks, and the second is never written.
            whole = (2 * shape[0], *shape[1:])
            dataset = file.create_dataset("a", whole, dtype, chunks=shape, **hdf5plugin.Blosc2())
            dataset.id.write_direct_chunk((0,) * len(shape), (directory / name).read_bytes())
        with h5py.File(directory / "tiles.h5") as file:
            read = file["a"][: shape[0]]
            assert read.tobytes() == want.tobytes(), line
            assert not file["a"][shape[0] :].any(), line
    assert lines
    print(f"hdf5plugin {hdf5plugin.version}: the same values in {len(lines)} chunks")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
