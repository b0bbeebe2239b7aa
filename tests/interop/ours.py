"""Frames that b2nd writes and edits. C-Blosc2 reads and changes them, and then b2nd edits them again."""

import itertools

import blosc2
import msgpack
import numpy as np

from cases import equal
from python_files import elements
from rust import Refused
from said import compare, metalayers, open_frame, vlmetalayers

SHAPES = [
    ((), (), ()),
    ((10,), (4,), (3,)),
    ((13, 7), (5, 4), (3, 3)),
    ((4, 1, 5, 2), (2, 1, 5, 2), (2, 1, 2, 1)),
    ((1,) * 15 + (5,), (1,) * 15 + (2,), (1,) * 15 + (2,)),
    ((0, 5), (3, 5), (2, 2)),
]

DTYPES = ["<i4", ">f8", "<M8[ns]", "<U3", "S5", [("a", "<i2"), ("b", "S3")]]

METALAYERS = {"text": msgpack.packb("abc"), "raw": bytes(range(256)), "empty": b"", "caf\u00e9": b"\x07"}

VLMETALAYERS = {"small": msgpack.packb({"k": 1}), "long": msgpack.packb("x" * 20_000), "empty": b""}


class Expected:
    """The expected contents of a frame."""

    def __init__(self, data, chunks, blocks, metas=None, vlmetas=None):
        self.data, self.chunks, self.blocks = data, chunks, blocks
        self.metas, self.vlmetas = dict(metas or {}), dict(vlmetas or {})

    def check(self, rust, path):
        array, schunk = open_frame(path)
        equal("shape", array.shape, self.data.shape)
        equal("chunks", array.chunks, self.chunks)
        equal("blocks", array.blocks, self.blocks)
        equal("dtype", array.dtype, self.data.dtype)
        found = metalayers(schunk)
        del found["b2nd"]
        equal("metalayers", found, self.metas)
        equal("vlmetalayers", vlmetalayers(schunk), self.vlmetas)
        equal("data", np.asarray(array[()], self.data.dtype).tobytes(), self.data.tobytes())
        return compare(rust, path, expect_array=True)


def geometry(data, chunks, blocks):
    dtype = str(data.dtype) if data.dtype.kind == "V" else data.dtype.str
    return {
        "version": 0,
        "ndim": data.ndim,
        "shape": data.shape,
        "chunkshape": chunks,
        "blockshape": blocks,
        "dtype_format": 0,
        "dtype": dtype,
    }


def chunks_of(rust, data, chunks, blocks):
    """The chunks of an array, packed by b2nd. python-blosc2 must find each element at its position."""
    shapes = {"ndim": data.ndim, "shape": data.shape, "chunkshape": chunks, "blockshape": blocks}
    return rust.ask("pack", geometry=shapes, itemsize=data.dtype.itemsize, elements=data.tobytes().hex())


def hexed(pairs):
    return [[name, content.hex()] for name, content in pairs.items()]


def write(rust, path, sparse, expected, chunks):
    data = expected.data
    itemsize = data.dtype.itemsize
    extended = [-(-c // b) * b for c, b in zip(expected.chunks, expected.blocks, strict=True)]
    rust.ask(
        "write",
        path=str(path),
        sparse=sparse,
        typesize=itemsize,
        chunksize=int(np.prod(extended, dtype=int)) * itemsize,
        blocksize=int(np.prod(expected.blocks, dtype=int)) * itemsize,
        array=geometry(data, expected.chunks, expected.blocks),
        metalayers=hexed(expected.metas),
        chunks=chunks,
        vlmetalayers=hexed(expected.vlmetas),
    )


def sample(shape, dtype):
    return (
        elements(shape, "i1").astype(dtype)
        if not isinstance(dtype, list)
        else elements(shape, "i1").astype("S1").astype("S5").view(dtype).reshape(shape)
    )


def new_frames(rust, cases, directory):
    """Tests frames from the writer."""
    everything = itertools.product(SHAPES, DTYPES, (False, True), (False, True))
    for number, ((shape, chunks, blocks), dtype, sparse, with_metalayers) in enumerate(everything):
        with_or_no = "with" if with_metalayers else "no"
        name = f"new frame: {shape} of {dtype}, {'sparse' if sparse else 'contiguous'}, {with_or_no} metalayers"
        with cases.case(name):
            path = directory / f"new-{number}.b2nd"
            data = sample(shape, dtype)
            expected = Expected(data, chunks, blocks, *((METALAYERS, VLMETALAYERS) if with_metalayers else ()))
            write(rust, path, sparse, expected, [{"data": chunk} for chunk in chunks_of(rust, data, chunks, blocks)])
            expected.check(rust, path)
            python_changes(path, expected)
            expected.check(rust, path)
            ours_again(rust, path, expected)
            expected.check(rust, path)


def other_chunks(rust, cases, directory):
    """Tests frames with special chunks, and with chunks that C-Blosc2 compressed."""
    shape, chunks, blocks = (13, 7), (5, 4), (3, 3)
    nbytes = 6 * 6 * 8
    for sparse, kind in itertools.product((False, True), ("zeros", "nan", "uninitialized", "zeros_chunk", "chunk", "mixed")):
        with cases.case(f"new frame: {kind}, {'sparse' if sparse else 'contiguous'}"):
            path = directory / f"other-{kind}-{sparse}.b2nd"
            data = np.zeros(shape, "<f8") if kind != "nan" else np.full(shape, np.nan)
            if kind == "chunk":
                data = np.linspace(0, 1, 91).reshape(shape)
                own = blosc2.asarray(data, chunks=chunks, blocks=blocks)
                plan = [{"chunk": bytes(own.schunk.get_chunk(number)).hex()} for number in range(own.schunk.nchunks)]
            elif kind == "mixed":
                data[5:10] = np.linspace(0, 1, 35).reshape(5, 7)
                stored = chunks_of(rust, data, chunks, blocks)
                plan = [{"zeros": nbytes}, {"zeros_chunk": nbytes}, {"data": stored[2]}, {"data": stored[3]}]
                plan += [{"zeros_chunk": nbytes}, {"zeros": nbytes}]
            else:
                plan = [{kind: nbytes}] * 6
            expected = Expected(data, chunks, blocks, METALAYERS)
            write(rust, path, sparse, expected, plan)
            if kind == "uninitialized":
                compare(rust, path, expect_array=True)
                array = blosc2.open(str(path), mode="a")
                array[...] = data
                del array
            expected.check(rust, path)
            python_changes(path, expected)
            expected.check(rust, path)
            ours_again(rust, path, expected)
            expected.check(rust, path)


def python_changes(path, expected):
    """Lets C-Blosc2 resize the array, write elements, and edit metadata."""
    array = blosc2.open(str(path), mode="a")
    if array.ndim:
        shape = tuple(length + 3 if axis == 0 else length for axis, length in enumerate(array.shape))
        array.resize(shape)
        grown = np.zeros(shape, expected.data.dtype)
        grown[tuple(slice(length) for length in expected.data.shape)] = expected.data
        part = sample(grown[1:].shape, grown.dtype.descr if grown.dtype.names else grown.dtype)
        grown[1:] = array[1:] = part
        expected.data = grown
    array.schunk.vlmeta["from Python"] = [1, 2, 3]
    expected.vlmetas["from Python"] = msgpack.packb([1, 2, 3])
    if "text" in expected.metas:
        array.schunk.meta["text"] = "xyz"
        expected.metas["text"] = msgpack.packb("xyz")


def ours_again(rust, path, expected):
    """Lets b2nd edit the metadata again, including what C-Blosc2 wrote."""
    edits = [
        {"set_vlmetalayer": ["from Python", msgpack.packb("from Rust").hex()]},
        {"set_vlmetalayer": ["again", b"again".hex()]},
        {"set_vlmetalayer": ["gone", b"gone".hex()]},
        {"remove_vlmetalayer": "gone"},
    ]
    expected.vlmetas |= {"from Python": msgpack.packb("from Rust"), "again": b"again"}
    if "long" in expected.vlmetas:
        edits.append({"remove_vlmetalayer": "long"})
        del expected.vlmetas["long"]
    if "text" in expected.metas:
        edits.append({"set_metalayer": ["text", msgpack.packb("rst").hex()]})
        expected.metas["text"] = msgpack.packb("rst")
    rust.ask("edit", path=str(path), edits=edits)


def edited_files(rust, cases, directory):
    """Tests files of C-Blosc2 that both edit in turns."""
    for sparse, rounds, codec in itertools.product((False, True), (1, 2, 5), (blosc2.Codec.ZSTD, blosc2.Codec.LZ4)):
        with cases.case(f"edited: {rounds} rounds on {codec.name}, {'sparse' if sparse else 'contiguous'}"):
            path = directory / f"edited-{sparse}-{rounds}-{codec.name}.b2nd"
            data = elements((10, 7))
            meta = {"text": "abc", "interop": "room for a struct"}
            array = blosc2.asarray(
                data,
                chunks=(4, 3),
                blocks=(2, 2),
                meta=meta,
                cparams={"codec": codec},
                urlpath=str(path),
                mode="w",
                contiguous=not sparse,
            )
            array.schunk.vlmeta["old"] = "value " * 300
            del array
            expected = Expected(data, (4, 3), (2, 2), {name: msgpack.packb(value) for name, value in meta.items()})
            expected.vlmetas["old"] = msgpack.packb("value " * 300)
            for round in range(rounds):
                ours_again(rust, path, expected)
                expected.check(rust, path)
                python_changes(path, expected)
                expected.check(rust, path)
                change_dtype(rust, path, expected)
                expected.check(rust, path)
                if round == 1:
                    rust.ask("edit", path=str(path), edits=[{"remove_vlmetalayer": name} for name in expected.vlmetas])
                    expected.vlmetas = {}
                    expected.check(rust, path)


def change_dtype(rust, path, expected):
    """Overwrites the array metalayer in place: the same elements, but unsigned instead of signed, or the reverse."""
    expected.data = expected.data.view("<u4" if expected.data.dtype == "<i4" else "<i4")
    rust.ask("edit", path=str(path), edits=[{"set_array": geometry(expected.data, expected.chunks, expected.blocks)}])


def typed_metalayer(rust, cases, directory):
    """Tests a metalayer with a derived struct: generic MessagePack can read it, and its length does not change."""
    for sparse in (False, True):
        with cases.case(f"a derived struct, {'sparse' if sparse else 'contiguous'}"):
            path = directory / f"typed-{sparse}.b2nd"
            data = elements((10, 7))
            place = {"interop": "x" * 27, "after": 1}  # as long as the struct
            blosc2.asarray(data, chunks=(4, 3), blocks=(2, 2), meta=place, urlpath=str(path), mode="w", contiguous=not sparse)
            rust.ask("edit", path=str(path), edits=[{"set_interop": {"count": 7, "scale": 0.5, "label": "abcdefgh"}}])
            array, schunk = open_frame(path)
            content = bytes(blosc2.blosc2_ext.meta__getitem__(schunk, "interop"))
            unpacker = msgpack.Unpacker()
            unpacker.feed(content)
            equal("the struct", unpacker.unpack(), [7, 0.5, "abcdefgh"])
            equal("its length", len(content), len(msgpack.packb(place["interop"])))
            equal("the metalayer after it", schunk.meta["after"], 1)
            try:
                rust.ask("edit", path=str(path), edits=[{"set_metalayer": ["after", b"too long".hex()]}])
            except Refused as refused:
                equal("it keeps its length", "an edit in place cannot change" in str(refused), True)
            else:
                raise AssertionError("a longer metalayer was written")
            compare(rust, path, expect_array=True)


def rewritten_files(rust, cases, directory):
    """Tests a rewrite that adds metalayers to a file and removes one."""
    everything = itertools.product((False, True), (False, True), ("data", "empty", "zeros"))
    for number, (sparse, in_place, kind) in enumerate(everything):
        with cases.case(f"rewritten: {kind}, {'sparse' if sparse else 'contiguous'}, {'in place' if in_place else 'elsewhere'}"):
            path = directory / f"rewrite-{number}.b2nd"
            target = path if in_place else directory / f"rewritten-{number}.b2nd"
            data = elements((0, 7) if kind == "empty" else (10, 7)) * (kind == "data")
            data = data.astype("<i4")
            array = blosc2.asarray(
                data,
                chunks=(4, 3),
                blocks=(2, 2),
                meta={"gone": 1, "kept": 2},
                urlpath=str(path),
                mode="w",
                contiguous=not sparse,
            )
            array.schunk.vlmeta["v"] = "value " * 300
            del array
            rust.ask("edit", path=str(path), edits=[{"set_vlmetalayer": ["w", "07"]}])
            added = {f"added {n}": bytes(n * 100) for n in range(13)}
            rust.ask("rewrite", path=str(path), target=str(target), insert=hexed(added), remove=["gone"])
            metas = {"kept": msgpack.packb(2)} | added
            expected = Expected(data, (4, 3), (2, 2), metas, {"v": msgpack.packb("value " * 300), "w": b"\x07"})
            equal("what older trailers left", expected.check(rust, target)["before_trailer"], 0)
            python_changes(target, expected)
            expected.check(rust, target)
            ours_again(rust, target, expected)
            expected.check(rust, target)


def schunks(rust, cases, directory):
    """Tests frames without an array: with a short last chunk, and with chunks of any length."""
    lengths = {"fixed": [1000, 1000, 10], "variable": [10, 1000, 3, 70]}
    for sparse, kind in itertools.product((False, True), lengths):
        with cases.case(f"schunk of {kind} chunks, {'sparse' if sparse else 'contiguous'}"):
            path = directory / f"schunk-{sparse}-{kind}.b2frame"
            parts = [bytes((i + length) % 256 for i in range(length)) for length in lengths[kind]]
            rust.ask(
                "write",
                path=str(path),
                sparse=sparse,
                typesize=1,
                chunksize=1000 if kind == "fixed" else 0,
                blocksize=0,
                array=None,
                metalayers=hexed(METALAYERS),
                chunks=[{"data": part.hex()} for part in parts],
                vlmetalayers=hexed(VLMETALAYERS),
            )
            check_schunk(rust, path, parts, VLMETALAYERS)
            schunk = blosc2.open(str(path), mode="a")
            if kind == "fixed":
                schunk.update_data(0, bytes(1000), True)
                parts[0] = bytes(1000)
            schunk.vlmeta["from Python"] = 1
            del schunk
            check_schunk(rust, path, parts, VLMETALAYERS | {"from Python": b"\x01"})
            rust.ask("edit", path=str(path), edits=[{"remove_vlmetalayer": "long"}, {"set_vlmetalayer": ["small", "07"]}])
            check_schunk(rust, path, parts, {"small": b"\x07", "empty": b"", "from Python": b"\x01"})


def refused_chunks(rust, cases, directory):
    """C-Blosc2 cannot open a file whose first chunk is stored as special (zeros or NaN), so b2nd rejects such a chunk if lengths vary."""
    for sparse in (False, True):
        with cases.case(f"no special chunks where lengths vary, {'sparse' if sparse else 'contiguous'}"):
            frame = {"typesize": 1, "chunksize": 0, "blocksize": 0, "array": None, "metalayers": [], "vlmetalayers": []}
            path = directory / f"refused-{sparse}.b2frame"
            try:
                rust.ask("write", path=str(path), sparse=sparse, chunks=[{"zeros_chunk": 100}], **frame)
            except Refused as refused:
                equal("why", "the chunks of this frame vary in length" in str(refused), True)
                equal("nothing is left", path.exists(), False)
            else:
                raise AssertionError("it was written")


def check_schunk(rust, path, parts, vlmetas):
    schunk = open_frame(path)[1]
    equal("data", [bytes(schunk.decompress_chunk(number)) for number in range(schunk.nchunks)], parts)
    equal("metalayers", metalayers(schunk), METALAYERS)
    equal("vlmetalayers", vlmetalayers(schunk), vlmetas)
    compare(rust, path, expect_array=False)


def run(rust, cases, directory):
    for family in (new_frames, other_chunks, edited_files, typed_metalayer, rewritten_files, schunks, refused_chunks):
        family(rust, cases, directory)
