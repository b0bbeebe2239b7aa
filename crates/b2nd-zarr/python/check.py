"""Compares what tests/python.rs made of the arrays of theirs.py with NumPy, and prints how many are equal.

    python check.py DIRECTORY
"""

import sys
import warnings
from pathlib import Path

import blosc2
import imagecodecs
import numpy as np
import xarray
import zarr

warnings.simplefilter("ignore")
out = Path(sys.argv[1])
failures, passed = [], 0


def same(name, found, expected):
    global passed
    found, expected = np.asarray(found), np.asarray(expected)
    equal = found.shape == expected.shape and found.astype(expected.dtype).tobytes() == expected.tobytes()
    if equal:
        passed += 1
    else:
        failures.append(f"{name}: {found.dtype} {found.shape} for {expected.dtype} {expected.shape}")


for path in sorted((out / "arrays").glob("*.npy")):
    expected = np.load(path)
    native = expected.astype(expected.dtype.newbyteorder("="))
    raw = (out / "ours" / f"{path.stem}.bin").read_bytes()
    same(f"{path.stem} by the storage", np.frombuffer(raw, np.uint8), np.frombuffer(native.tobytes(), np.uint8))
    stored = zarr.open_array(out / "ours" / f"{path.stem}.zarr", mode="r")
    same(f"{path.stem} exported", stored[...], native)
    original = blosc2.open(str(out / "arrays" / f"{path.stem}.b2nd"), mode="r")
    theirs = original.schunk.vlmeta[:]
    if dict(stored.attrs) != theirs:
        failures.append(f"{path.stem}: attributes {dict(stored.attrs)} for {theirs}")
for path in sorted((out / "zarrs").glob("*.npy")):
    expected = np.load(path)
    ours = blosc2.open(str(out / "ours" / f"zarr-{path.stem}.b2nd"), mode="r")
    same(f"{path.stem} imported", ours[...], expected)
    theirs = dict(zarr.open_array(out / "zarrs" / f"{path.stem}.zarr", mode="r").attrs)
    if ours.schunk.vlmeta[:] != theirs:
        failures.append(f"{path.stem}: attributes {ours.schunk.vlmeta[:]} for {theirs}")

data = np.arange(50_000, dtype="<i4")
for compressor in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
    chunk = (out / "ours" / f"{compressor}.chunk").read_bytes()
    same(f"{compressor} by imagecodecs", np.frombuffer(imagecodecs.blosc2_decode(chunk), "<i4"), data)
    same(f"{compressor} by python-blosc2", np.frombuffer(blosc2.decompress2(chunk), "<i4"), data)

group = out / "ours" / "group.zarr"
same("shape-8 by xarray", xarray.open_zarr(group, consolidated=False)["field"].values, np.load(out / "arrays" / "shape-8.npy"))
same("masked by xarray", xarray.open_zarr(out / "ours" / "masked.zarr", consolidated=False)["field"].values, np.array([[1, np.nan], [np.nan, 4]], "f4"))
back = blosc2.open(str(out / "ours" / "masked.b2nd"), mode="r")
same("_FillValue imported", back.schunk.vlmeta["_FillValue"], np.float64(-1.5))

for failure in failures:
    print(failure)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(bool(failures))
