"""Random Python values, including types that only python-blosc2 packs. b2nd must read and write them without changes."""

import random

import blosc2
import numpy as np
from blosc2.msgpack_utils import msgpack_packb, msgpack_unpackb

from cases import equal

COUNT = 200

DTYPES = ["<i2", ">f8", "|b1", "<U3", "|S4", "<M8[s]", "<c8"]

def scalar(source):
    """A random value that can also be an element of a set."""
    return source.choice([
        lambda: None,
        lambda: source.random() < 0.5,
        lambda: source.randrange(-(1 << source.randrange(1, 64)), 1 << source.randrange(1, 65)),
        lambda: source.choice([0.0, -0.0, 0.5, float("inf"), source.gauss(0, 1e300), source.gauss(0, 1e-300)]),
        lambda: "".join(source.choice("ab\u00e9\u20ac\U0001f600\0") for _ in range(source.choice([0, 3, 31, 32, 40, 300]))),
        lambda: source.randbytes(source.choice([0, 1, 255, 256, 70_000])),
        lambda: complex(source.gauss(0, 1), source.choice([0.0, -0.0, 2.0])),
    ])()

def value(source, depth=0):
    if depth == 4 or source.random() < 0.3:
        return scalar(source)

    def inner():
        return value(source, depth + 1)

    return source.choice([
        lambda: [inner() for _ in range(source.choice([0, 1, 3, 17]))],
        lambda: tuple(inner() for _ in range(source.choice([0, 1, 3]))),
        lambda: {scalar(source) for _ in range(source.randrange(5))},
        lambda: {source.choice([f"k{number}", b"k%d" % number]): inner() for number in range(source.choice([0, 1, 3, 16]))},
        lambda: np.frombuffer(bytes(source.randrange(2) for _ in range(96)), "u1").astype(source.choice(DTYPES)).reshape(4, 24),
    ])()

def alike(one, other):
    """True if two values and their types are equal. The types of the elements of sets are not compared."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(alike, one.values(), other.values()))
    return repr(one) == repr(other) if isinstance(one, (float, complex)) else one == other

def values(rust, cases, directory):
    source = random.Random(2611)
    made = [value(source) for _ in range(COUNT)]
    contents = [msgpack_packb(one) for one in made]
    before = [msgpack_unpackb(content) for content in contents]
    answers = rust.ask("values", contents=[content.hex() for content in contents])
    for way in answers[0]:
        with cases.case(f"{COUNT} values of Python, {way}"):
            for content, expected, answer in zip(contents, before, answers, strict=True):
                found = bytes.fromhex(answer[way])
                equal("the bytes", found, content)
                equal(f"what Python reads of {expected!r:.200}", alike(msgpack_unpackb(found), expected), True)
    with cases.case(f"{COUNT} values of Python, in a vlmetalayer"):
        path = directory / "values.b2frame"
        schunk = blosc2.SChunk(urlpath=str(path), mode="w")
        schunk.vlmeta["values"] = made
        del schunk
        rust.ask("copy_value", path=str(path), **{"from": "values", "to": "again"})
        schunk = blosc2.open(str(path), mode="r")
        vlmeta = schunk.vlmeta
        equal("the list", alike(vlmeta["again"], vlmeta["values"]), True)
        equal("its values", all(map(alike, vlmeta["again"], before)), True)
