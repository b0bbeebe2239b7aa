"""example.b2nd: one file that shows many features.  Written by python-blosc2 4.14.1.

    python example.py ../example.b2nd
"""
import sys

import blosc2
import numpy as np

blosc2.set_nthreads(1)
path = sys.argv[1]
dtype = np.dtype([("time", "<i8"), ("temp", "<f4"), ("rain", "<f4")])
a = blosc2.zeros(
    (10, 13, 7),
    dtype=dtype,
    chunks=(6, 7, 5),  # 2 x 2 x 2 chunks whose sides do not divide the shape; with more than 9 chunks, the index would be compressed
    blocks=(3, 4, 2),  # in the last two dimensions, blocks do not divide the chunks
    urlpath=path,
    mode="w",
    contiguous=True,
    meta={"station": {"id": 17, "name": "Zürich", "lat": 47.38, "lon": 8.54}, "units": ["s", "°C", "mm"]},
    cparams={
        "codec": blosc2.Codec.ZSTD,
        "clevel": 5,
        "filters": [blosc2.Filter.SHUFFLE, blosc2.Filter.BYTEDELTA],
        "filters_meta": [0, 0],
        "nthreads": 1,
    },
    dparams={"nthreads": 1},
)
n = 6 * 13 * 7
part = np.zeros((6, 13, 7), dtype)
part["time"] = (1700000000 + 600 * np.arange(n)).reshape(part.shape)
part["temp"] = (15 + np.arange(n) % 24 * 0.25).astype("<f4").reshape(part.shape)
part["rain"] = (np.arange(n) % 5 == 0).astype("<f4").reshape(part.shape)
a[:6] = part  # the chunks of rows 6 to 9 stay special: zeros that take no bytes
a.schunk.vlmeta["author"] = "b2nd tests"  # short: stored
a.schunk.vlmeta["history"] = ["made", "checked"] * 60  # long: compressed
a.schunk.vlmeta["processing"] = {"version": 3, "factor": 0.5, "steps": [None, True, -1], "raw": b"\x00\xff"}
