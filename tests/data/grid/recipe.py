"""Writes grids.json next to this file. See README.md."""

import itertools
import json
import pathlib
import random

import blosc2
import numpy as np

HERE = pathlib.Path(__file__).parent

# shape, chunks, blocks (None: python-blosc2 chooses), dtype
GIVEN = [
    ((), None, None, "u1"), ((), None, None, "<f8"),
    ((1,), (1,), (1,), "u1"), ((1,), (5,), (3,), "<i4"), ((1, 1), (1, 1), (1, 1), "<f8"), ((1, 1, 1), (2, 3, 4), (1, 2, 3), "<i2"), ((1,) * 8, (1,) * 8, (1,) * 8, "u1"),
    ((10,), (10,), (10,), "<i4"), ((10,), (3,), (2,), "<i4"), ((10,), (4,), (4,), "<i4"), ((11,), (4,), (3,), "V7"), ((100,), (7,), (7,), "u1"), ((7,), (100,), (30,), "<f8"), ((1000,), (1,), (1,), "u1"),
    ((10,), None, None, "<i8"), ((1000, 1000), None, None, "<f8"), ((123, 45, 67), None, None, "<f4"), ((5, 4, 3, 2), None, None, "u1"),
    ((7, 5), (3, 2), (2, 2), "<i4"), ((400, 3), (110, 3), (57, 3), "u1"), ((10, 10), (10, 10), (10, 10), "<i4"), ((10, 10), (5, 5), (5, 5), "<f8"), ((10, 10), (1, 10), (1, 10), "<f8"), ((10, 10), (10, 1), (3, 1), "<f8"), ((3, 3), (5, 5), (2, 2), "<i4"), ((1, 100), (1, 30), (1, 7), "S3"), ((100, 1), (30, 1), (7, 1), "<U3"),
    ((2000, 1501), (300, 200), (33, 17), "<i4"), ((10**6, 10**6), (40000, 30000), (100, 1000), "u1"), ((10**12,), (10**9,), (10**6,), "u1"), ((2**31 + 5,), (2**27,), (2**20,), "u1"), ((2**40 + 1,), (2**30,), (2**20,), "u1"),
    ((6, 7, 8), (3, 4, 5), (2, 3, 4), "<c16"), ((5, 5, 5), (5, 5, 5), (2, 2, 2), "<f2"), ((40, 30, 20), (11, 13, 7), (5, 6, 7), "<i8"),
    ((2,) * 5, (1,) * 5, (1,) * 5, "u1"), ((3,) * 6, (2,) * 6, (1,) * 6, "<i2"), ((2,) * 7, (2,) * 7, (1,) * 7, "<i4"), ((3,) * 8, (2,) * 8, (2,) * 8, "u1"), ((3, 1, 4, 1, 5, 9, 2, 6), (2, 1, 3, 1, 2, 4, 2, 5), (1, 1, 2, 1, 2, 3, 1, 4), "<f4"),
    ((2,) * 9, (1, 2, 2, 2, 1, 2, 2, 2, 2), (1,) * 9, "u1"), ((2,) * 15, (2,) * 12 + (1,) * 3, (1,) * 15, "u1"), ((2,) * 16, (1,) * 4 + (2,) * 12, (1,) * 16, "<i2"),
    ((0,), None, None, "<i4"), ((0,), (0,), (0,), "<i4"), ((0,), (3,), (2,), "u1"), ((0, 0), None, None, "u1"), ((0, 5), (0, 5), (0, 5), "<i4"), ((0, 5), (1, 5), (1, 5), "<i4"), ((0, 5), (0, 2), (0, 1), "<i4"), ((0, 5), (0, 4), (0, 3), "<f8"),
    ((5, 0), (2, 0), (1, 0), "<f8"), ((4, 0, 3), None, None, "<i4"), ((4, 0, 3), (3, 0, 2), (2, 0, 2), "<i4"), ((3, 4, 0, 2), (2, 3, 1, 2), (1, 2, 1, 2), "u1"), ((0,) * 8, None, None, "u1"),
]  # fmt: skip


def cases():
    yield from GIVEN
    rnd = random.Random(5)
    for i in range(48):
        ndim = 1 + i % 8
        top = (200, 60, 20, 10, 7, 5, 4, 4)[ndim - 1]
        shape = tuple(rnd.randint(1, top) for _ in range(ndim))
        chunks = tuple(rnd.randint(max(1, n // 4), n) for n in shape)
        blocks = tuple(rnd.randint(1, n) for n in chunks)
        yield shape, chunks, blocks, rnd.choice(["u1", "<i2", "<f4", "<f8", "<c16", "S5", "V3", "<U2"])


def boxes(shape, chunks, nchunks, rnd):
    whole = [[0, n] for n in shape]
    yield whole
    if shape and 0 not in shape:
        yield [[0, 1] for _ in shape]
        yield [[n - 1, n] for n in shape]
        yield [[max(0, min(c, n) - 1), min(c + 1, n)] for n, c in zip(shape, chunks, strict=True)]  # across the first boundary between chunks
        yield [[min(c, n - 1), min(2 * c, n)] for n, c in zip(shape, chunks, strict=True)]  # the second chunk, if there is one
        for _ in range(2):
            box = []
            for n in shape:
                a = rnd.randrange(n)
                box.append([a, rnd.randint(a + 1, n)])
            yield box
    if shape:
        yield [[n // 2, n // 2] for n in shape]  # empty
        yield [[shape[0], shape[0]], *whole[1:]]  # empty, at the end


rows = []
rnd = random.Random(6)
for kind, (shape, chunks, blocks, dtype) in zip(itertools.cycle(["zeros", "zeros", "empty"]), cases()):
    make = blosc2.zeros if kind == "zeros" else blosc2.empty
    params = {k: v for k, v in (("chunks", chunks), ("blocks", blocks)) if v is not None}
    a = make(shape, dtype=np.dtype(dtype), cparams={"nthreads": 1}, dparams={"nthreads": 1}, **params)
    row = {
        "shape": list(a.shape),
        "chunkshape": list(a.chunks),
        "blockshape": list(a.blocks),
        "ext_shape": list(a.ext_shape),
        "ext_chunks": list(a.ext_chunks),
        "nchunks": a.schunk.nchunks,
        "nitems": a.size,
        "itemsize": a.schunk.typesize,
        "schunk_nbytes": a.schunk.nbytes,
        "slices": [],
    }
    assert chunks is None or (a.chunks, a.blocks) == (chunks, blocks)
    assert a.size == int(np.prod(a.shape, dtype=object)) and a.dtype.itemsize == a.schunk.typesize
    seen = []
    for box in boxes(a.shape, a.chunks, a.schunk.nchunks, rnd):
        if box in seen:
            continue
        seen.append(box)
        # the result of plain arithmetic
        per_axis = [-(-n // c) if n else 0 for n, c in zip(a.shape, a.chunks, strict=True)]
        want = None
        spans = [range(s // c, (e - 1) // c + 1) if e > s else range(0) for (s, e), c in zip(box, a.chunks, strict=True)]
        if np.prod([len(s) for s in spans], dtype=object) > 64:
            continue  # keeps the file small
        want = []
        for at in itertools.product(*spans):
            n = 0
            for i, m in zip(at, per_axis, strict=True):
                n = n * m + i
            want.append(n)
        got = [int(n) for n in blosc2.get_slice_nchunks(a, tuple(slice(s, e) for s, e in box))]
        if got != want:
            print("differs from arithmetic:", a.shape, a.chunks, box, got[:9], want[:9])
        row["slices"].append({"slice": box, "chunks": got})
    rows.append(row)

text = "[\n" + ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows) + "\n]\n"
assert len(text) < 100_000, len(text)
(HERE / "grids.json").write_text(text, encoding="ascii", newline="\n")
print(f"grids.json: {len(rows)} rows, {len(text)} bytes, {sum(len(r['slices']) for r in rows)} slices")
