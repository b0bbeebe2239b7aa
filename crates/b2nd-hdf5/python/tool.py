"""Compares the tool with h5py: exports and imports the datasets that slices.py selects, and checks the numbers that head and stats print.

    python tool.py B2ND FILE...       (h5py, hdf5plugin, numpy)
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import hdf5plugin
import numpy as np

from slices import datasets

B2ND, *FILES = sys.argv[1:]


def b2nd(*words):
    done = subprocess.run([B2ND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


same = 0
with tempfile.TemporaryDirectory() as directory:
    exported, imported, again = (str(pathlib.Path(directory, name)) for name in ("a.npy", "a.b2nd", "b.npy"))
    for path in FILES:
        with h5py.File(path) as file:
            for dataset in datasets(file):
                name, values = f"{path}::{dataset.name}", dataset[()]
                head = b2nd("head", name)
                b2nd("export", "--overwrite", name, exported)
                b2nd("import", "--overwrite", name, imported)
                b2nd("check", "--strict", imported)
                b2nd("export", "--overwrite", imported, again)
                for file_name in exported, again:
                    found = np.load(file_name)
                    assert found.shape == values.shape and found.tobytes() == values.tobytes(), (name, file_name)
                first = values[(0,) * values.ndim]
                # PyTables stores booleans as bit fields, which h5py reads as numbers. The tool prints elements of an array type as lists.
                is_number = values.dtype.kind in "iuf" and dataset.dtype.subdtype is None
                if is_number and not np.isnan(first) and head.split()[0] not in ("true", "false"):
                    shown = head.split()[0]
                    assert float(shown) == float(first) or abs(float(shown) - float(first)) <= 1e-5 * abs(float(first)), (name, shown, first)
                    (stats,) = (json.loads(line) for line in b2nd("stats", "--json", name).splitlines())
                    sound = values[~np.isnan(values)].astype("f8")
                    assert stats["count"] == values.size and stats["nan"] == values.size - sound.size, (name, stats)
                    assert stats["min"] == sound.min() and stats["max"] == sound.max(), (name, stats)
                    assert np.isclose(stats["mean"], sound.mean()) and np.isclose(stats["std"], sound.std()), (name, stats)
                same += 1
print(f"{same} datasets of {len(FILES)} files are the same")
assert same > 20
