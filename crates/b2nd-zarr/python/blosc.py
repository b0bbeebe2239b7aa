"""Reads the chunks that tests/blosc.rs wrote. It uses numcodecs, and HDF5's plugin for C-Blosc, which also supports Snappy. Compares the
lengths of the chunks with those of C-Blosc's chunks for the same data and settings. Writes C-Blosc's chunks for the test, and reads its arrays with
zarr-python.

    python blosc.py DIRECTORY
"""

import sys
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
import zarr
from numcodecs import blosc

out = Path(sys.argv[1])
FILTER, PLACES = hdf5plugin.BLOSC_ID, {"blosclz": 0, "lz4": 1, "lz4hc": 2, "snappy": 3, "zlib": 4, "zstd": 5}


class Hdf5:
    """A file in memory with datasets of one chunk, which the plugin compresses."""

    def __init__(self):
        self.file = h5py.File("memory.h5", "w", driver="core", backing_store=False)
        self.count = 0

    def dataset(self, length, typesize, options):
        self.count += 1
        dtype = h5py.string_dtype(length=typesize) if typesize > 1 else "u1"
        length //= typesize
        return self.file.create_dataset(str(self.count), (length,), dtype, chunks=(length,), compression=FILTER, compression_opts=options)

    def decompress(self, chunk, length):
        dataset = self.dataset(length, 1, (0, 0, 0, 0, 5, 0, 0))
        dataset.id.write_direct_chunk((0,), chunk)
        return dataset[...].tobytes()

    def compress(self, data, name, level, shuffle, typesize):
        dataset = self.dataset(len(data), typesize, (0, 0, 0, 0, level, shuffle, PLACES[name]))
        dataset[...] = np.frombuffer(data, dataset.dtype)
        mask, chunk = dataset.id.read_direct_chunk((0,))
        return None if mask else chunk


def header(chunk):
    # If the data is shorter than an element, C-Blosc uses a blocksize of 1 byte.
    nbytes = int.from_bytes(chunk[4:8], "little")
    return chunk[:2], chunk[2] & ~2, chunk[3 : 12 if nbytes >= chunk[3] else 8]


hdf5 = Hdf5()
for name in PLACES:
    data, chunks = ((out / f"{name}.{kind}").read_bytes() for kind in ("data", "chunks"))
    ours, theirs, longer, count = 0, 0, 0, 0
    with open(out / f"{name}.theirs", "wb") as file:
        for line in (out / f"{name}.cases").read_text().splitlines():
            level, shuffle, typesize, blocksize, length, cbytes = map(int, line.split())
            buffer, data = data[:length], data[length:]
            chunk, chunks = chunks[:cbytes], chunks[cbytes:]
            if length:
                assert hdf5.decompress(chunk, length) == buffer, (name, line)
            if name == "snappy":
                # The plugin supports only automatic block sizes and whole elements.
                whole = length and length % typesize == 0 and not blocksize
                other = hdf5.compress(buffer, name, level, shuffle, typesize) if whole else None
            else:
                assert not length or blosc.decompress(chunk) == buffer, (name, line)
                other = blosc.compress(buffer, name.encode(), level, shuffle, blocksize, typesize)
            if other is None:
                # The plugin did not compress the data, for example because it would not get shorter.
                other = chunk
            else:
                # The flag for stored data is not compared, because it depends on the compression.
                assert header(chunk) == header(other), (name, line, chunk[:16].hex(), other[:16].hex())
                ours, theirs, count = ours + len(chunk), theirs + len(other), count + 1
                longer += len(chunk) > len(other) * 1.01
            file.write(other)
    assert not data and not chunks
    print(f"{name}: {count} chunks have {ours / theirs:.4f} of the length of C-Blosc's; {longer} are more than 1% longer")
    assert ours <= theirs * 1.01, name
    # BloscLZ of b2nd-codec finds different matches than C-Blosc's, so the number of longer chunks is not compared.
    assert name == "blosclz" or longer <= count * 0.03, name


expected = np.arange(37 * 24, dtype="f4").reshape(37, 24)
arrays = sorted(out.glob("*.zarr"))
assert len(arrays) == 5
for path in arrays:
    array = zarr.open_array(path, mode="r")
    assert array.compressors[0].cname.value == path.stem and (array[...] == expected).all(), path
print(f"{len(arrays)} arrays read by zarr-python")
