"""Frames that python-blosc2 writes with many combinations of settings: `grid` yields names and functions that write to a path."""

import itertools

import blosc2
import ml_dtypes
import numpy as np

SHAPE = (2, 3, 2, 1, 3, 2, 2, 1, 2, 1, 2, 1, 1, 2, 1, 2)

EMPTY = [(0,), (0, 5), (5, 0), (3, 0, 4), (0, 0), (1, 0, 1, 2)]

HUGE = [
    ((2**31 + 5,), (2**28,), (2**20,), "u1"),
    ((2**42 + 3,), (2**30 + 1,), (2**22,), "?"),
    ((3, 2**40 + 1), (3, 2**28), (1, 2**18), "u1"),
    ((70000, 70000, 30, 3), (5000, 5000, 10, 3), (500, 500, 2, 3), "i1"),
]

PARTS = [
    ((13, 7), (5, 4), (3, 3)),
    ((100,), (33,), (10,)),
    ((9, 9, 9), (4, 5, 2), (3, 2, 2)),
    ((5, 5), (8, 8), (4, 4)),
    ((3, 1000), (2, 300), (1, 70)),
    ((2, 3, 4, 5), (2, 2, 3, 4), (1, 2, 2, 3)),
]

DTYPES = [
    *("?", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"),
    *(">i2", ">i4", ">u8", ">f2", ">f4", ">f8", ">c16", np.longdouble, np.clongdouble),
    *("<M8", "<M8[ns]", "<M8[25s]", "<M8[D]", ">M8[us]", "<m8", "<m8[ms]", ">m8[3h]"),
    *("S1", "S5", "S300", "<U1", "<U10", ">U3", "V1", "V10"),
    *(getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e4m3fn", "int4", "uint4")),
    [("a", "<i4"), ("b", "<f8")],
    [("a", ">i4"), ("b", "<U3"), ("c", "?"), ("d", "<i2", (2, 3))],
    [("a", [("x", "<i4"), ("y", "S3")]), ("b", "V4"), ("when", "<M8[ns]")],
    np.dtype({"names": ["a", "b"], "formats": ["<i4", "<f8"]}, align=True),
    np.dtype({"names": ["p", "q"], "formats": ["<i4", "<f4"], "offsets": [4, 12], "itemsize": 24}),
    np.dtype({"names": ["p", "q"], "formats": ["<i4", "<u2"], "offsets": [0, 2], "itemsize": 4}),
    [(("a title", "a"), "<i4"), (("b's", "b"), "u1")],
    [("caf\u00e9", "<i4"), ("\u65e5\u672c", "<f8")],
    [("it's", "<i4"), ('"q"', "u1"), ("back\\slash", "i1")],
    np.dtype(("<i4", (2, 3))),
]

CODECS = [blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD]

F = blosc2.Filter
FILTERS = [
    ([F.NOFILTER], [0]),
    ([F.SHUFFLE], [0]),
    ([F.BITSHUFFLE], [0]),
    ([F.DELTA, F.SHUFFLE], [0, 0]),
    ([F.TRUNC_PREC, F.BITSHUFFLE], [10, 0]),
    ([F.NOFILTER, F.DELTA, F.BYTEDELTA, F.SHUFFLE, F.NOFILTER, F.BITSHUFFLE], [0, 0, 4, 0, 0, 0]),
]

METAS = {
    "one": {"one": 1},
    "values": {"text": "x" * 300, "list": [1, 2.5, None, {"k": True}], "bytes": b"\x00\xff" * 200, "tuple": (1, 2)},
    "names": {"n" * 31: 0, "with space": "", "caf\u00e9": 1},
    "fifteen": {f"meta {number}": number for number in range(15)},
    "long": {"long": "y" * 70_000},
}

VLMETAS = {
    "small": {"small": 1, "text": "value"},
    "compressible": {"compressible": "value " * 5000},
    "random": {"random": np.random.default_rng(1).bytes(3000)},
    "sixteen": {f"vl {number}": list(range(number)) for number in range(16)},
    "names": {"n" * 31: 0, "caf\u00e9": {"nested": [1, {"deep": None}]}},
}


def elements(shape, dtype="<i4"):
    return (np.arange(np.prod(shape, dtype=int)) % 251).astype(dtype).reshape(shape)


def grid():
    """Yields each case as a file and as a directory."""
    for (name, write), contiguous in itertools.product(cases(), (True, False)):
        where = {"mode": "w", "contiguous": contiguous}
        yield f"{name}, {'contiguous' if contiguous else 'sparse'}", lambda path, write=write, where=where: write(
            {"urlpath": str(path), **where}
        )


def cases():
    for family in (arrays, dtypes, resized, codecs, metas, schunks):
        for name, write in family():
            yield f"{family.__name__}: {name}", write


def arrays():
    for ndim in range(17):
        shape = SHAPE[:ndim]
        chunks = tuple(max(1, length - 1) for length in shape)
        ones = (1,) * ndim
        yield f"{ndim} dimensions", lambda w, s=shape: blosc2.asarray(elements(s), **w)
        yield f"{ndim} dimensions of zeros", lambda w, s=shape: blosc2.zeros(s, dtype=np.dtype("u1"), **w)
        yield f"{ndim} dimensions in small chunks", lambda w, s=shape, c=chunks, b=ones: blosc2.asarray(
            elements(s, "<u2"), chunks=c, blocks=b, **w
        )
    for shape in EMPTY:
        ones = tuple(max(1, length) for length in shape)
        yield f"empty {shape}", lambda w, s=shape: blosc2.zeros(s, dtype=np.dtype("<i4"), **w)
        yield f"empty {shape} in chunks", lambda w, s=shape, c=ones: blosc2.zeros(
            s, dtype=np.dtype("<i4"), chunks=c, blocks=c, **w
        )
    for shape, chunks, blocks, dtype in HUGE:
        yield f"huge {shape}", lambda w, s=shape, c=chunks, b=blocks, d=dtype: blosc2.zeros(
            s, dtype=np.dtype(d), chunks=c, blocks=b, **w
        )
    for shape, chunks, blocks in PARTS:
        yield f"{shape} in {chunks} in {blocks}", lambda w, s=shape, c=chunks, b=blocks: blosc2.asarray(
            elements(s), chunks=c, blocks=b, **w
        )
    yield "full", lambda w: blosc2.full((30, 20), 7, dtype=np.dtype("<f8"), chunks=(10, 10), blocks=(5, 5), **w)
    yield "nans", lambda w: blosc2.nans((30, 20), dtype=np.dtype("<f4"), chunks=(10, 10), blocks=(5, 5), **w)
    yield "uninit", lambda w: blosc2.uninit((30, 20), dtype=np.dtype("<f4"), chunks=(10, 10), blocks=(5, 5), **w)


def dtypes():
    for dtype in map(np.dtype, DTYPES):
        yield f"zeros of {dtype}", lambda w, d=dtype: blosc2.zeros((5, 4), dtype=d, chunks=(3, 3), blocks=(2, 2), **w)
        if dtype.subdtype is None and dtype.kind in "?biufcSUMm":
            yield f"elements of {dtype}", lambda w, d=dtype: blosc2.asarray(
                elements((5, 4), "i1").astype(d), chunks=(3, 3), blocks=(2, 2), **w
            )


def resized():
    plans = [
        ((10, 7), [(17, 9)]),
        ((10, 7), [(4, 7), (4, 20)]),
        ((10, 7), [(0, 7)]),
        ((10, 7), [(0, 7), (6, 7)]),
        ((0, 3), [(5, 3)]),
    ]
    for shape, steps in plans:

        def write(w, shape=shape, steps=steps):
            array = blosc2.asarray(elements(shape), chunks=(4, 3), blocks=(2, 2), **w)
            for step in steps:
                array.resize(step)

        yield f"{shape} to {steps}", write


def codecs():
    for codec, (filters, filters_meta) in itertools.product(CODECS, FILTERS):
        cparams = {"codec": codec, "filters": filters, "filters_meta": filters_meta}
        yield f"{codec.name} {[f.name for f in filters]}", lambda w, c=cparams: blosc2.asarray(
            np.linspace(0, 1, 4000).reshape(40, 100), chunks=(20, 60), blocks=(10, 30), cparams=c, **w
        )
    for codec, level in itertools.product(CODECS, range(10)):
        yield f"{codec.name} at level {level}", lambda w, c={"codec": codec, "clevel": level}: blosc2.asarray(
            elements((40, 100)), chunks=(20, 60), blocks=(10, 30), cparams=c, **w
        )
    for mode in blosc2.SplitMode:
        yield f"split mode {mode.name}", lambda w, c={"splitmode": mode}: blosc2.asarray(elements((40, 100)), cparams=c, **w)
    yield "a dictionary", lambda w: blosc2.asarray(
        elements((400, 100)), cparams={"codec": blosc2.Codec.ZSTD, "use_dict": True}, **w
    )


def metas():
    for name, meta in METAS.items():
        yield f"metalayers, {name}", lambda w, m=meta: blosc2.asarray(elements((10, 7)), meta=m, **w)
    for name, vlmeta in VLMETAS.items():

        def write(w, vlmeta=vlmeta):
            array = blosc2.asarray(elements((10, 7)), **w)
            for key, value in vlmeta.items():
                array.schunk.vlmeta[key] = value

        yield f"vlmetalayers, {name}", write

    def edited(w):
        array = blosc2.asarray(elements((10, 7)), meta={"kept": "abc"}, **w)
        array.schunk.meta["kept"] = "xyz"
        for number in range(12):
            array.schunk.vlmeta[f"v{number}"] = "x" * number * 40
        for number in range(0, 12, 2):
            del array.schunk.vlmeta[f"v{number}"]
        array.schunk.vlmeta["v1"] = "longer " * 50

    yield "edited", edited


def schunks():
    yield "without data", lambda w: blosc2.SChunk(chunksize=1000, meta={"m": 1}, **w)
    for length in (1, 999, 1000, 1001, 3456):
        yield f"{length} bytes", lambda w, n=length: blosc2.SChunk(chunksize=1000, data=bytes(i % 256 for i in range(n)), **w)
    yield "type size 300", lambda w: blosc2.SChunk(chunksize=3000, data=bytes(9000), cparams={"typesize": 300}, **w)

    def special(w, value):
        schunk = blosc2.SChunk(chunksize=800, cparams={"typesize": 4}, **w)
        schunk.fill_special(1000, value)

    for value in (blosc2.SpecialValue.ZERO, blosc2.SpecialValue.NAN, blosc2.SpecialValue.UNINIT):
        yield f"filled with {value.name}", lambda w, v=value: special(w, v)

    def changed(w):
        schunk = blosc2.SChunk(chunksize=1000, data=bytes(i % 256 for i in range(5000)), **w)
        schunk.delete_chunk(1)
        schunk.insert_data(0, bytes(range(200)) * 5, True)
        schunk.update_data(2, bytes(1000), True)
        schunk.append_data(bytes(10))

    yield "changed", changed

    def many(w):
        schunk = blosc2.SChunk(chunksize=8, cparams={"typesize": 8}, **w)
        for number in range(200):
            schunk.append_data(number.to_bytes(8, "little"))

    yield "many chunks", many

    def objects(w):
        array = blosc2.ObjectArray(**w)
        for number in range(20):
            array.append({"number": number, "text": "x" * number * 30})

    yield "chunks of any length", objects

    def batches(w):
        array = blosc2.BatchArray(**w)
        for number in range(1, 6):
            array.append([{"number": i} for i in range(number * 7)])

    yield "blocks of any length", batches
