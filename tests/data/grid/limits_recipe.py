"""Writes limits.json next to this file. See README.md."""

import json
import pathlib
import random
import struct

import blosc2

HERE = pathlib.Path(__file__).parent
I32, I64 = 2**31 - 1, 2**63 - 1


def metalayer(shape, chunks, blocks):
    def lengths(marker, code, values):
        return bytes([0x90 + len(shape)]) + b"".join(marker + struct.pack(code, n) for n in values)

    lists = lengths(b"\xd3", ">q", shape) + lengths(b"\xd2", ">i", chunks) + lengths(b"\xd2", ">i", blocks)
    return b"\x97\x00" + bytes([len(shape)]) + lists + b"\x00\xdb\x00\x00\x00\x03|u1"


def row(shape, chunks, blocks):
    ones = (1,) * len(shape)
    frame = blosc2.zeros(ones, dtype="u1", chunks=ones, blocks=ones).to_cframe()
    assert frame.count(metalayer(ones, ones, ones)) == 1
    frame = frame.replace(metalayer(ones, ones, ones), metalayer(shape, chunks, blocks))
    row = {"shape": shape, "chunkshape": chunks, "blockshape": blocks}
    try:
        a = blosc2.ndarray_from_cframe(frame)
    except RuntimeError:
        return row | {"opens": False}
    assert (a.shape, a.chunks, a.blocks) == (shape, chunks, blocks)
    return row | {"opens": True, "ext_shape": a.ext_shape, "ext_chunks": a.ext_chunks, "nitems": a.size}


GIVEN = [
    # nitems
    ((I64,), (1,), (1,)), ((I64, 1), (1, 1), (1, 1)), ((I64, 2), (1, 1), (1, 1)), ((2**62,), (1,), (1,)), ((2**62, 2), (1, 1), (1, 1)),
    ((3037000499, 3037000499), (1, 1), (1, 1)), ((3037000500, 3037000500), (1, 1), (1, 1)), ((2**4,) * 15, (1,) * 15, (1,) * 15), ((2**4,) * 15 + (8,), (1,) * 15 + (1,), (1,) * 16),
    # a length of 0 after the overflow, and before it
    ((2**62, 2, 0), (1, 1, 1), (1, 1, 1)), ((2**62, 2, 0), (1, 1, 0), (1, 1, 0)), ((0, 2**62, 2), (1, 1, 1), (1, 1, 1)), ((0, 2**62, 2), (0, 1, 1), (0, 1, 1)), ((2**62, 0, 2), (1, 1, 1), (1, 1, 1)),
    # padding to whole chunks
    ((I64,), (7,), (1,)), ((I64,), (10,), (1,)), ((I64 - 7,), (10,), (1,)), ((I64 - 8,), (10,), (1,)), ((I64 - 9,), (10,), (1,)), ((I64 - 10,), (10,), (1,)), ((I64 - 11,), (10,), (1,)), ((I64,), (I32,), (1,)),
    ((2**40, 2**22), (2**20, 2**10), (1, 1)), ((2**40, 2**23), (2**20, 2**10), (1, 1)), ((2**40, 2**23 - 1), (2**20, 2**10), (1, 1)), ((2**40 + 1, 2**23 - 2**10), (2**20, 2**10), (1, 1)),
    ((3037000499, 3037000499), (2, 1), (1, 1)), ((3037000499, 3037000499), (2, 2), (1, 1)),
    # chunknitems
    ((9, 9), (65536, 32768), (1, 1)), ((9, 9), (65536, 32767), (1, 1)), ((9, 9), (I32, 1), (1, 1)), ((9, 9), (I32, 2), (1, 1)), ((9, 9, 0), (65536, 32768, 0), (1, 1, 0)), ((0, 9, 9), (0, 65536, 32768), (0, 1, 1)),
    # blocknitems
    ((9, 9), (1, 1), (65536, 32768)), ((9, 9), (1, 1), (65536, 32767)), ((9,), (1,), (I32,)), ((1,) * 16, (1,) * 16, (2,) * 16), ((9, 9), (5, 5), (46340, 46340)), ((9, 9), (5, 5), (46341, 46341)),
    # padding to whole blocks
    ((9,), (I32,), (I32 - 1,)), ((9,), (I32,), (2**30,)), ((9, 9, 9), (2**10,) * 3, (2**10 + 1,) * 3), ((9, 9), (46340, 46340), (46339, 46339)), ((9, 9), (46340, 1), (1, 46340)),
    # chunks and blocks of 0
    ((0,), (3,), (0,)), ((0,), (0,), (3,)), ((0,), (0,), (0,)), ((0, 3), (0, 2), (5, 2)), ((0, 3), (2, 2), (0, 2)),
]  # fmt: skip


def near(rnd, limit, ndim):
    """Lengths whose product is close to the limit."""
    lengths = []
    for left in range(ndim, 1, -1):
        lengths.append(rnd.randint(1, max(1, round(limit ** (1.5 / left)))))
        limit = max(1, limit // lengths[-1])
    lengths.append(max(1, limit + rnd.choice([-1, 0, 0, 1])))
    rnd.shuffle(lengths)
    return tuple(lengths)


def cases():
    yield from GIVEN
    rnd = random.Random(8)
    for i in range(120):
        ndim = 1 + i % 6
        shape = near(rnd, I64, ndim) if i % 3 else tuple(rnd.randint(1, 9) for _ in range(ndim))
        chunks, blocks = (tuple(min(n, I32) for n in near(rnd, rnd.choice([I32, 1000]), ndim)) for _ in range(2))
        yield tuple(min(n, I64) for n in shape), chunks, blocks


rows = [row(*case) for case in cases()]
text = "[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n"
(HERE / "limits.json").write_text(text, encoding="ascii", newline="\n")
print(f"limits.json: {len(rows)} rows, {sum(r['opens'] for r in rows)} of them open, {len(text)} bytes")
