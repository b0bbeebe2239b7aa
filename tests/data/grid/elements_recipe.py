"""Writes elements.json and twelve small .b2nd files next to this file. See README.md."""

import json
import pathlib
import random

import blosc2
import numpy as np

HERE = pathlib.Path(__file__).parent
ONE = {"cparams": {"clevel": 0, "nthreads": 1}, "dparams": {"nthreads": 1}}
STRUCT = np.dtype([("id", "<i4"), ("name", "S3"), ("v", ">f8", (2,))])


def fill(shape, dtype):
    n = int(np.prod(shape))
    dtype = np.dtype(dtype)
    if dtype.kind == "U":
        flat = np.array([f"{i:03}" for i in range(1, n + 1)], dtype)
    elif dtype.kind == "S":
        flat = np.array([f"{i:x}".encode() for i in range(1, n + 1)], dtype)
    elif dtype.names:
        flat = np.zeros(n, dtype)
        flat["id"] = np.arange(1, n + 1) * 65537
        flat["name"] = [f"{i:03}".encode() for i in range(n)]
        flat["v"] = np.arange(2 * n).reshape(n, 2) + 0.5
    elif dtype.kind == "V":
        flat = np.frombuffer(b"".join(i.to_bytes(dtype.itemsize, "big") for i in range(1, n + 1)), dtype)
    elif dtype.kind == "M":
        flat = (np.arange(n) * 86_400_000_000_007 + 1).astype("<i8").view("<M8[ns]").astype(dtype)
    else:
        flat = np.arange(1, n + 1).astype(dtype)
    assert len({x.tobytes() for x in flat}) == n
    return flat.reshape(shape)


# file, shape, chunks, blocks, dtype
STORED = [
    ("u1_1d", (251,), (60,), (17,), "u1"),
    ("i4_2d", (17, 23), (6, 9), (4, 5), "<i4"),
    ("i4be_2d", (13, 7), (5, 4), (2, 3), ">i4"),
    ("f8_3d", (7, 6, 5), (4, 4, 3), (3, 2, 2), "<f8"),
    ("u3_2d", (11, 9), (4, 5), (3, 2), "<U3"),
    ("struct_2d", (7, 8), (3, 5), (2, 2), STRUCT),
    ("m8_4d", (3, 3, 2, 4), (2, 2, 2, 3), (1, 2, 1, 2), "<M8[ns]"),
    ("s2_1d_small", (5,), (8,), (3,), "S2"),
    ("v5_3d_thin", (1, 9, 4), (1, 4, 3), (1, 3, 3), "V5"),
]


def chunk_says(schunk, i):
    c = schunk.get_chunk(i)
    special = (c[31] >> 4) & 7
    return {0: "stored" if c[2] & 2 else "compressed", 1: "zeros", 2: "nan", 3: "value", 4: "uninit"}[special]


def indices(shape, rnd):
    out = [tuple((n - 1) * ((k >> i) & 1) for i, n in enumerate(shape)) for k in range(1 << len(shape))]  # corners
    while len(set(out)) < min(40, int(np.prod(shape))):
        out.append(tuple(rnd.randrange(n) for n in shape))
    return list(dict.fromkeys(out))


def stored(values, index):
    # Not values[index], because a NumPy scalar has the machine's byte order, and its bytes lack trailing zeros.
    return values[tuple(slice(n, n + 1) for n in index)].tobytes()


def row(name, values, rnd):
    path = HERE / f"{name}.b2nd"
    assert path.stat().st_size < 8192, (name, path.stat().st_size)
    a = blosc2.open(str(path), mode="r")
    assert a[...].tobytes() == values.tobytes()
    kinds = [chunk_says(a.schunk, i) for i in range(a.schunk.nchunks)]
    return {
        "file": path.name,
        "shape": list(a.shape),
        "chunkshape": list(a.chunks),
        "blockshape": list(a.blocks),
        "dtype": str(a.dtype) if a.dtype.kind == "V" else a.dtype.str,
        "chunks": kinds,
        "elements": [{"index": list(i), "hex": stored(values, i).hex()} for i in indices(a.shape, rnd)],
    }


rnd = random.Random(7)
rows = []
for name, shape, chunks, blocks, dtype in STORED:
    values = fill(shape, dtype)
    blosc2.asarray(values, chunks=chunks, blocks=blocks, urlpath=str(HERE / f"{name}.b2nd"), mode="w", **ONE)
    rows.append(row(name, values, rnd))
    assert set(rows[-1]["chunks"]) == {"stored"}, rows[-1]["chunks"]

# special chunks: zeros, stored, NaN, a repeated value, a normal chunk of zeros and a value, and so on
shape, chunks, blocks = (14, 11), (5, 4), (3, 3)
kw = {"chunks": chunks, "blocks": blocks, "dtype": np.dtype("<f8"), **ONE}
a = blosc2.zeros(shape, urlpath=str(HERE / "special_f8_2d.b2nd"), mode="w", **kw)
values = np.zeros(shape)
values[0:5, 4:8] = np.arange(1, 21).reshape(5, 4)
a[0:5, 4:8] = values[0:5, 4:8].copy()
for at, number in ((2, np.nan), (3, 2.5), (7, np.nan), (8, -1.0)):
    other = blosc2.full(shape, number, **kw)
    a.schunk.update_chunk(at, other.schunk.get_chunk(at))
    r, c = divmod(at, 3)
    values[r * 5 : r * 5 + 5, c * 4 : c * 4 + 4] = number
del a
rows.append(row("special_f8_2d", values, rnd))
print(rows[-1]["chunks"])

for name, dtype, number in (("special_full_i4_3d", "<i4", 0x01020304), ):
    shape = (6, 5, 4)
    blosc2.full(shape, number, dtype=np.dtype(dtype), chunks=(4, 3, 3), blocks=(2, 2, 2), urlpath=str(HERE / f"{name}.b2nd"), mode="w", **ONE)
    rows.append(row(name, np.full(shape, number, dtype), rnd))
    print(rows[-1]["chunks"])

shape = (20, 3)
blosc2.nans(shape, dtype=np.dtype("<f4"), chunks=(7, 2), blocks=(3, 2), urlpath=str(HERE / "special_nan_f4_2d.b2nd"), mode="w", **ONE)
rows.append(row("special_nan_f4_2d", np.full(shape, np.nan, "<f4"), rnd))
print(rows[-1]["chunks"])

text = "[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n"
assert len(text) < 400_000
(HERE / "elements.json").write_text(text, encoding="ascii", newline="\n")
print(f"elements.json: {len(rows)} files, {sum(len(r['elements']) for r in rows)} elements, {len(text)} bytes")
