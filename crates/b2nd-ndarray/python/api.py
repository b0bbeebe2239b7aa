"""Reads files that tests/python_api.rs wrote to DIR, with python-blosc2: their values, metalayers and attributes.

    python api.py DIR       (blosc2==4.14.1, numpy)
"""

import sys
from pathlib import Path

import blosc2
import numpy as np


def main(directory):
    def values(name):
        return blosc2.open(str(directory / name), mode="r")[:]

    whole = np.arange(1000 * 7, dtype="f8").reshape(1000, 7)
    for name in ["write_slabs.b2nd", "write_from.b2nd", "concat.b2nd", "recompressed.b2nd"]:
        np.testing.assert_array_equal(values(name), whole, name)

    array = blosc2.open(str(directory / "metadata.b2nd"), mode="r")
    assert array.schunk.meta["station"] == {"id": 18, "name": "K1"}, array.schunk.meta["station"]
    assert array.schunk.meta["pair"] == [7, 1.5], array.schunk.meta["pair"]
    expected = {"title": "North Sea", "unit": "m", "station": {"id": 17, "name": "K1"}}
    assert array.schunk.vlmeta.getall() == expected, array.schunk.vlmeta.getall()
    assert (array.schunk.cparams.codec, array.schunk.cparams.clevel) == (blosc2.Codec.ZSTD, 9), array.schunk.cparams
    np.testing.assert_array_equal(array[:], np.arange(12, dtype="i4"))

    # The metalayer was overwritten: the elements are unsigned now, and there is one axis fewer.
    squeezed = values("squeezed.b2nd")
    assert squeezed.dtype == np.dtype("u4"), squeezed.dtype
    np.testing.assert_array_equal(squeezed, np.arange(12, dtype="u4"))

    # Two chunks were swapped, and one was replaced.
    np.testing.assert_array_equal(values("committed.b2nd"), np.concatenate([np.arange(4, 8), np.arange(4), np.full(4, 9)]))


main(Path(sys.argv[1]))
