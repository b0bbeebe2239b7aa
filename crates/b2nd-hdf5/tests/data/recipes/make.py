"""Writes the HDF5 files of tests/data, and values.json with digests of their values, most of which h5py or PyTables reads from them.

    python make.py OUTDIR       (h5py, hdf5plugin, numpy, tables)

values.json maps FILE::/dataset to its shape, its dtype (NumPy's string), and the SHA-256 of its elements as they are stored, in C order.
"""

import hashlib
import json
import pathlib
import sys

import h5py
import hdf5plugin
import numpy as np
import tables
from numpy.lib._utils_impl import drop_metadata

OUT = pathlib.Path(sys.argv[1])
VALUES = {}


def note(file, name, values):
    dtype = values.dtype
    # h5py adds the encoding of strings to the dtype.
    text = str(drop_metadata(dtype)) if dtype.names else dtype.str
    digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
    VALUES[f"{file}::{name}"] = {"shape": list(values.shape), "dtype": text, "sha256": digest}


def h5py_file():
    name = "h5py.h5"
    blosc2, blosc = hdf5plugin.Blosc2(cname="lz4", clevel=5), hdf5plugin.Blosc(cname="zstd")
    numbers = np.arange(600)
    padded = np.dtype({"names": ["a", "it's"], "formats": ["u1", ("<f4", (2,))], "offsets": [0, 4], "itemsize": 16})
    structure = np.dtype([("id", "<i8"), ("t", ">f4"), ("name", "S8"), ("xyz", "<f8", (3,))])
    records = np.zeros(50, structure)
    records["id"], records["t"], records["name"], records["xyz"] = numbers[:50], numbers[:50] / 4, b"star", numbers[:150].reshape(50, 3)
    gaps = np.zeros(20, padded)
    gaps["a"], gaps["it's"] = numbers[:20], numbers[:40].reshape(20, 2)
    cube = np.arange(3600, dtype="<f4").reshape(6, 20, 30)
    arrays = {
        "cube": (cube, dict(chunks=(2, 10, 15), **hdf5plugin.Blosc2(cname="zstd", filters=hdf5plugin.Blosc2.SHUFFLE))),
        "flat": (numbers.astype("<i4"), dict(chunks=(250,), **blosc2)),
        "blosc": (numbers.reshape(20, 30), dict(chunks=(7, 30), **blosc)),
        "both": (cube, dict(chunks=(4, 9, 30), shuffle=True, fletcher32=True, **blosc2)),
        "checked": (numbers.astype("<u2"), dict(chunks=(100,), fletcher32=True, **blosc2)),
        "gzip": (cube.astype("<f8"), dict(chunks=(3, 20, 30), compression="gzip", shuffle=True)),
        "plain": (np.arange(12000, dtype="<i2").reshape(40, 300), {}),
        "scalar": (np.float64(2.5), {}),
        "empty": (np.zeros((0, 5), "<f4"), dict(chunks=(4, 5), maxshape=(None, 5), **blosc2)),
        "types/big": (numbers.astype(">f8"), dict(chunks=(128,), **blosc2)),
        "types/bool": (numbers % 3 == 0, dict(chunks=(128,), **blosc2)),
        "types/complex": (numbers + 1j, dict(chunks=(128,), **blosc2)),
        "types/half": (numbers.astype("<f2"), dict(chunks=(128,), **blosc2)),
        "types/records": (records, dict(chunks=(20,), **blosc2)),
        "types/gaps": (gaps, dict(chunks=(8,), **blosc2)),
        "types/text": (np.array([b"ab", b"cde"] * 20, "S5"), dict(chunks=(16,), **blosc2)),
        "types/time": (np.arange(30).astype("<M8[s]").astype(h5py.opaque_dtype("<M8[s]")), dict(chunks=(16,), **blosc2)),
    }
    with h5py.File(OUT / name, "w", libver=("earliest", "v110")) as file:
        file.attrs["title"] = "made for tests"
        for path, (values, options) in arrays.items():
            file.create_dataset(path, data=values, **options)
        file.create_dataset("missing", (30, 20), "<i2", chunks=(8, 8), fillvalue=7, **blosc2)[10:12] = 1
        file.create_dataset("wide", (4, 4), "<i2", chunks=(16, 16), maxshape=(None, None), **blosc2)[:] = 5
        file.create_dataset("types/enum", (9,), h5py.enum_dtype({"red": 0, "green": 1}, basetype="i1"), chunks=(4,), **blosc2)[::2] = 1
        for path in [*arrays, "missing", "wide", "types/enum"]:
            note(name, f"/{path}", np.asarray(file[path][()]))
        cube = file["cube"]
        cube.attrs["units"] = "K"
        cube.attrs["scale"] = np.float32(0.5)
        cube.attrs["range"] = np.array([1, -2], ">i4")
        cube.attrs["_FillValue"] = np.array([-1], "<f4")  # netCDF stores a single number like this.
        cube.attrs["flag"] = True
        cube.attrs["names"] = ["a", "bc"]
        cube.attrs["to"] = file["flat"].ref
        for number in range(20):
            file["flat"].attrs[f"number{number}"] = number
        file["types"].attrs["about"] = "types"
        file["refused/strings"] = ["variable"]
        file.create_dataset("refused/sequences", (2,), h5py.vlen_dtype("<i4"))[0] = [1, 2]
        file.create_dataset("refused/references", (1,), h5py.ref_dtype)[0] = file["cube"].ref
        file.create_dataset("refused/null", data=h5py.Empty("<f4"))
        file.create_dataset("refused/external", (3,), "<i4", external=[("other.bin", 0, 12)])
        file["links/again"] = file["flat"]
        file["links/soft"] = h5py.SoftLink("/cube")
        file["links/nowhere"] = h5py.SoftLink("/links/nowhere")
        file["links/other"] = h5py.ExternalLink("other.h5", "/x")
        file["links/up"] = file["/"]
    # The newest formats of chunk indexes.
    name = "latest.h5"
    with h5py.File(OUT / name, "w", libver="latest") as file:
        shapes = {"single": None, "fixed": None, "extensible": (None, 30), "tree": (None, None)}
        for path, limit in shapes.items():
            chunks = (20, 30) if path == "single" else (6, 7)
            file.create_dataset(path, data=numbers.reshape(20, 30), chunks=chunks, maxshape=limit, **blosc2)
            note(name, f"/{path}", file[path][()])


def chunks_file():
    name = "chunks.h5"
    values = np.arange(4 * 20 * 20, dtype="<i4").reshape(4, 20, 20)
    chunks = dict(chunks=(1, 20, 20))
    with h5py.File(OUT / name, "w") as file:
        # Each chunk has a different codec or filter.
        mixed = file.create_dataset("mixed", values.shape, values.dtype, **chunks, **hdf5plugin.Blosc2())
        for number, (cname, filters) in enumerate([("lz4", 1), ("zstd", 2), ("zlib", 0), ("blosclz", 1)]):
            options = hdf5plugin.Blosc2(cname=cname, filters=filters)
            with h5py.File("memory.h5", "w", driver="core", backing_store=False) as other:
                dataset = other.create_dataset("x", data=values, **chunks, **options)
                mixed.id.write_direct_chunk((number, 0, 0), dataset.id.read_direct_chunk((number, 0, 0))[1])
        file.create_dataset("snappy", data=values, **chunks, **hdf5plugin.Blosc(cname="snappy"))
        for path in "mixed", "snappy":
            assert (file[path][()] == values).all()
            note(name, f"/{path}", values)


def user_block_file():
    # Like the files of MATLAB 7.3, this file starts with a block of 512 bytes that is not HDF5.
    name = "user_block.h5"
    with h5py.File(OUT / name, "w", userblock_size=512) as file:
        for path, options in {"plain": {}, "blosc2": dict(chunks=(50,), **hdf5plugin.Blosc2(cname="lz4", clevel=5))}.items():
            file.create_dataset(path, data=np.arange(120, dtype="<i4"), **options)
            note(name, f"/{path}", file[path][()])
    with open(OUT / name, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(128))


def unusual_file():
    # Numbers that do not use all of their bits, and floats of other formats than those of IEEE 754.
    bits20 = h5py.h5t.STD_I32LE.copy()
    bits20.set_precision(20)
    shifted = h5py.h5t.STD_U16BE.copy()
    shifted.set_precision(12)
    shifted.set_offset(4)
    bfloat16 = h5py.h5t.IEEE_F16LE.copy()
    bfloat16.set_fields(15, 7, 8, 0, 7)
    bfloat16.set_ebias(127)
    record = h5py.h5t.create(h5py.h5t.COMPOUND, 8)
    record.insert(b"usual", 0, h5py.h5t.STD_I32LE)
    record.insert(b"unusual", 4, bits20)
    explicit = h5py.h5t.IEEE_F32LE.copy()
    explicit.set_norm(h5py.h5t.NORM_NONE)
    types = {"bits20": bits20, "shifted": shifted, "bfloat16": bfloat16, "record": record, "explicit": explicit}
    (OUT / "unusual").mkdir(exist_ok=True)
    with h5py.File(OUT / "unusual" / "unusual.h5", "w") as file:
        space = h5py.h5s.create_simple((3,))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_obj_track_times(False)
        for name, kind in types.items():
            h5py.h5d.create(file.id, name.encode(), kind, space, properties)
        file["usual"] = np.zeros(3, [("i", "<i4"), ("f", ">f2"), ("a", "<f8", (2,)), ("c", "<c8")])
        h5py.h5a.create(file["usual"].id, b"bits20", bits20, space)
        file["usual"].attrs["usual"] = 1.5


def arrays_file():
    # The filter stores 4 as the typesize, although elements have 12 bytes. A block has 131072 bytes, and a chunk 32768 elements.
    name = "arrays.h5"
    values = np.zeros((32768, 3), "<f4")
    values[::97, 0] = np.arange(338)
    with h5py.File(OUT / name, "w") as file:
        options = dict(chunks=(32768,), **hdf5plugin.Blosc2(cname="zstd", clevel=1))
        file.create_dataset("vectors", (32768,), np.dtype(("<f4", (3,))), **options)[:] = values
    VALUES[f"{name}::/vectors"] = {"shape": [32768], "dtype": "('<f4', (3,))", "sha256": hashlib.sha256(values.tobytes()).hexdigest()}


def scales_file():
    # The names of dimensions, as netCDF-4 stores them.
    name = "scales.h5"
    with h5py.File(OUT / name, "w", track_order=True) as file:
        lengths = {"time": 2, "lat": 3, "lon": 4, "group/level": 3}
        for scale, length in lengths.items():
            file[scale] = np.arange(length, dtype="<f4")
            file[scale].make_scale("This is a netCDF dimension but not a netCDF variable.         2" if scale == "lon" else scale)
        datasets = {
            "tas": ["time", "lat", "lon"],
            "group/inner/depth": ["group/level", "lat"],  # lat is of another group
            "square": ["lat", "lat"],
            "part": ["time", None],
            "far": ["group/level"],  # not in a group around it
            "named": ["lat"],
        }
        for path, scales in datasets.items():
            shape = [lengths.get(scale, 5) for scale in scales]
            dataset = file.create_dataset(path, data=np.arange(np.prod(shape), dtype="<i2").reshape(shape))
            for dimension, scale in zip(dataset.dims, scales):
                if scale:
                    dimension.attach_scale(file[scale])
        file["named"].attrs["dims"] = "of the user"
        for number in range(20):
            file["tas"].attrs[f"number{number}"] = number
        # A list of these links takes more reads than a look-up of one.
        empty = file.create_group("empty")
        for number in range(100):
            file[f"link{number}"] = empty
        for path in [*lengths, *datasets]:
            note(name, f"/{path}", file[path][()])


def virtual_file():
    # This file is in its own directory because its datasets cannot be listed.
    (OUT / "virtual").mkdir(exist_ok=True)
    with h5py.File(OUT / "virtual/virtual.h5", "w") as file:
        file["real"] = np.arange(10)
        layout = h5py.VirtualLayout(shape=(2, 10), dtype="<i8")
        layout[0] = h5py.VirtualSource(file["real"])
        file.create_virtual_dataset("virtual", layout)


def pytables_file():
    name = "pytables.h5"
    filters = tables.Filters(complevel=5, complib="blosc2:zstd", shuffle=True)
    with tables.open_file(OUT / name, "w", title="made for tests", filters=filters) as file:
        fields = np.dtype([("id", "<i8"), ("good", "?"), ("z", "<c16"), ("name", "S4"), ("xy", "<f4", (2, 2))])
        rows = np.zeros(120, fields)
        rows["id"], rows["good"], rows["z"], rows["name"] = np.arange(120), np.arange(120) % 2, np.arange(120) * 1j, b"abc"
        table = file.create_table("/group", "events", obj=rows, createparents=True, chunkshape=50, title="what was seen")
        table.attrs.units = "s"
        note(name, "/group/events", table[:])
        array = file.create_carray("/", "grid", obj=np.arange(300.0).reshape(12, 25), chunkshape=(5, 10))
        note(name, "/grid", array[:])
        flags = file.create_carray("/", "flags", obj=np.arange(64) % 3 == 0, chunkshape=(20,))
        note(name, "/flags", flags[:])
        old = file.create_earray("/", "old", atom=tables.Int32Atom(), shape=(0, 6), chunkshape=(10, 6),
                                 filters=tables.Filters(complevel=3, complib="blosc:lz4"))
        old.append(np.arange(84).reshape(14, 6))
        note(name, "/old", old[:])


OUT.mkdir(parents=True, exist_ok=True)
h5py_file()
chunks_file()
arrays_file()
pytables_file()
scales_file()
virtual_file()
user_block_file()
unusual_file()
lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in VALUES.items()]
(OUT / "values.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
