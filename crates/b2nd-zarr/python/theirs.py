"""Writes arrays with python-blosc2 and zarr-python, and their values as .npy files, and chunks with imagecodecs, for tests/python.rs.

    python theirs.py DIRECTORY
"""

import sys
import warnings
from pathlib import Path

import blosc2
import imagecodecs
import numcodecs
import numpy as np
import zarr

warnings.simplefilter("ignore")
out = Path(sys.argv[1])
arrays, zarrs = out / "arrays", out / "zarrs"
arrays.mkdir(parents=True)
zarrs.mkdir()


def values(dtype, shape):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype.kind in "US":
        texts = [f"text {number}"[: max(dtype.itemsize // (4 if dtype.kind == "U" else 1), 1)] for number in range(count)]
        return np.array(texts, dtype=dtype).reshape(shape)
    if dtype.kind == "b":
        return (np.arange(count) % 3 == 0).reshape(shape)
    if dtype.kind == "c":
        return (np.arange(count) + 1j * np.arange(count)[::-1]).astype(dtype).reshape(shape)
    if dtype.kind in "Mm":
        return np.arange(count).astype("i8").view(dtype.newbyteorder("=")).astype(dtype).reshape(shape)
    if dtype.kind == "V":
        return np.frombuffer(np.random.default_rng(1).bytes(count * dtype.itemsize), dtype=dtype).reshape(shape)
    return (np.arange(count) % 251).astype(dtype).reshape(shape)


def save(name, array, **options):
    stored = blosc2.asarray(np.ascontiguousarray(array).reshape(array.shape), urlpath=str(arrays / f"{name}.b2nd"), mode="w", **options)
    stored.schunk.vlmeta["unit"] = "m"
    stored.schunk.vlmeta["range"] = [1, 2.5, None, {"of": "values"}]
    np.save(arrays / f"{name}.npy", array)


DTYPES = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16", "<M8[ns]", "<M8[D]", "<M8[10s]", "<m8[us]",
          "<U3", "<U11", "|S1", "|S7", "|V4", "|V5", ">i2", ">i4", ">u8", ">f4", ">f8", ">c16", ">U4", ">M8[ms]"]
STRUCTURES = [[("a", "<i4"), ("b", "<f8")], [("x", "u1"), ("y", "S3"), ("z", "<U2")]]
for number, dtype in enumerate(DTYPES + STRUCTURES):
    plain = values(dtype, (37, 23))
    name = f"dtype-{number}-" + np.dtype(dtype).str.strip("<>|=").replace("[", "").replace("]", "")
    save(name, plain, chunks=(20, 12), blocks=[(10, 4), (20, 12), (7, 5)][number % 3])
# xarray masks this value, and reads it only in the form in which it writes it.
masked = blosc2.asarray(np.array([[1, -1.5], [-1.5, 4]], "f4"), urlpath=str(out / "masked.b2nd"), mode="w")
masked.schunk.vlmeta["_FillValue"] = -1.5
SHAPES = [((), (), ()), ((1,), (1,), (1,)), ((1000,), (300,), (100,)), ((1000,), (300,), (70,)), ((0, 3), (4, 3), (2, 3)), ((5, 0), (5, 4), (5, 2)),
          ((8, 8), (4, 8), (2, 8)), ((8, 8), (8, 4), (8, 2)), ((9, 10, 11), (4, 6, 8), (2, 3, 4)), ((9, 10, 11), (5, 6, 7), (2, 4, 5)), ((3, 4, 5, 6), (2, 2, 5, 3), (1, 2, 5, 3)),
          ((3, 4, 5, 6), (3, 3, 3, 4), (2, 2, 2, 3)), ((2, 3, 2, 3, 2), (2, 2, 2, 2, 2), (1, 1, 2, 2, 1)), ((64, 64), (64, 64), (64, 64))]
for number, (shape, chunks, blocks) in enumerate(SHAPES):
    save(f"shape-{number}", values("<i4", shape), chunks=chunks, blocks=blocks)
for number, codec in enumerate([blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD]):
    for filter in [blosc2.Filter.NOFILTER, blosc2.Filter.SHUFFLE, blosc2.Filter.BITSHUFFLE, blosc2.Filter.DELTA]:
        if filter == blosc2.Filter.DELTA and number:
            continue
        cparams = {"codec": codec, "clevel": 5, "filters": [filter]}
        save(f"codec-{number}-{filter.value}", values("<f4", (50, 40)), chunks=(25, 20), blocks=(5, 10), cparams=cparams)
save("stored", values("<i4", (50, 40)), chunks=(25, 20), blocks=(5, 10), cparams={"clevel": 0})

for name, array in {
    "zeros": blosc2.zeros((30, 20), dtype="f4", chunks=(10, 10), blocks=(5, 5), urlpath=str(arrays / "zeros.b2nd"), mode="w"),
    "nans": blosc2.full((30, 20), np.nan, dtype="f8", chunks=(10, 10), blocks=(5, 5), urlpath=str(arrays / "nans.b2nd"), mode="w"),
    "sevens": blosc2.full((30, 20), 7, dtype="i2", chunks=(10, 10), blocks=(4, 5), urlpath=str(arrays / "sevens.b2nd"), mode="w"),
}.items():
    np.save(arrays / f"{name}.npy", array[...])
mixed = blosc2.full((30, 20), np.nan, dtype="f4", chunks=(10, 10), blocks=(5, 5), urlpath=str(arrays / "mixed.b2nd"), mode="w")
mixed[10:20, :] = values("f4", (10, 20))
np.save(arrays / "mixed.npy", mixed[...])
sparse = blosc2.asarray(values("<i8", (30, 20)), chunks=(10, 10), blocks=(5, 5), urlpath=str(arrays / "sparse.b2nd"), mode="w", contiguous=False)
np.save(arrays / "sparse.npy", sparse[...])

for number, dtype in enumerate(DTYPES[:24] + STRUCTURES):
    array = values(dtype, (37, 23))
    stored = zarr.create_array(zarrs / f"dtype-{number}.zarr", shape=array.shape, chunks=(20, 12), dtype=array.dtype, attributes={"unit": "m", "of": [1, {"a": None}]})
    stored[...] = array
    np.save(zarrs / f"dtype-{number}.npy", array)
array = values("<f4", (37, 24))
for name, options in {
    "blosc": {"chunks": (20, 12), "compressors": zarr.codecs.BloscCodec(cname="lz4", shuffle="bitshuffle")},
    "blosc-zstd": {"chunks": (20, 12), "compressors": zarr.codecs.BloscCodec(cname="zstd", shuffle="shuffle")},
    "gzip": {"chunks": (20, 12), "compressors": zarr.codecs.GzipCodec()},
    "shards": {"chunks": (5, 6), "shards": (20, 12)},
    "plain": {"chunks": (20, 12), "compressors": None},
    "big-endian": {"chunks": (20, 12), "serializer": zarr.codecs.BytesCodec(endian="big")},
    "transposed": {"chunks": (20, 12), "filters": [zarr.codecs.TransposeCodec(order=(1, 0))]},
    "v2": {"chunks": (20, 12), "zarr_format": 2},
    "v2-blosc": {"chunks": (20, 12), "zarr_format": 2, "compressors": numcodecs.Blosc("zlib", 5, numcodecs.Blosc.BITSHUFFLE)},
}.items():
    zarr.create_array(zarrs / f"{name}.zarr", shape=array.shape, dtype=array.dtype, **options)[...] = array
    np.save(zarrs / f"{name}.npy", array)

data = np.arange(50_000, dtype="<i4").tobytes()
for compressor in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
    (out / f"{compressor}.chunk").write_bytes(imagecodecs.blosc2_encode(data, compressor=compressor, shuffle="shuffle", typesize=4, level=5))
