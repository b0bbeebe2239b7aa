"""Prints digests of 200 random slices of the datasets in each HDF5 file, as h5py reads them. tests/python.rs compares them.

    python slices.py FILE...       (h5py, hdf5plugin, numpy)

Each line has the file, the dataset, the ranges (0:3,2:9) and the SHA-256 of the elements in C order, separated by tabs.
"""

import hashlib
import random
import sys

import h5py
import hdf5plugin
import numpy as np


def datasets(file):
    found = []
    file.visititems(lambda name, it: found.append(it) if isinstance(it, h5py.Dataset) else None)
    for it in found:
        # Skips datasets that contain Python objects, are empty, have no dimensions, or are stored outside of the file.
        kinds = [it.dtype[name] for name in it.dtype.names] if it.dtype.names else [it.dtype]
        if it.shape and it.size and not any(kind.hasobject for kind in kinds) and not it.external:
            yield it


if __name__ == "__main__":
    for path in sys.argv[1:]:
        rng = random.Random(path.rsplit("/")[-1])
        with h5py.File(path) as file:
            every = sorted(datasets(file), key=lambda it: it.name)
            for _ in range(200):
                dataset = rng.choice(every)
                ranges = [sorted((rng.randrange(length + 1), rng.randrange(length + 1))) for length in dataset.shape]
                values = np.ascontiguousarray(dataset[tuple(slice(*each) for each in ranges)])
                text = ",".join(f"{start}:{end}" for start, end in ranges)
                print(path, dataset.name, text, hashlib.sha256(values.tobytes()).hexdigest(), sep="\t")
