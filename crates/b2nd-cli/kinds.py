"""Runs commands of the tool on many kinds of files that python-blosc2 writes. Values that a command prints must equal Python's, and an
error must have the expected message and exit status. Usage: kinds.py PATH-OF-B2ND, built at least with the features `arrow`, `page` and
`plugins`."""

import dataclasses
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import blosc2
import numpy as np
import pyarrow as pa

warnings.simplefilter("ignore")
blosc2.set_nthreads(1)
TOOL = os.path.abspath(sys.argv[1])
VERBOSE = "-v" in sys.argv


@dataclasses.dataclass
class Kind:
    """A file, and its values as Python reads them."""

    file: str
    word: str
    """The argument that names the file, or a leaf in it, on a command line."""
    kind: str
    values: object = None
    """An array; the bytes of a frame without an array; columns by name; or a list of objects."""


kinds = []


def add(file, kind, values=None, word=None):
    kinds.append(Kind(file, word or file, kind, values))


def array(name, values, **options):
    file = name + (".b2nd" if options.get("contiguous", True) else ".b2frame")
    blosc2.asarray(values, urlpath=file, mode="w", **options)
    read = blosc2.open(file, mode="r")
    add(file, "ndarray", np.asarray(read[:] if read.ndim else read[()]))


def arrays():
    numbers = np.arange(6 * 7).reshape(6, 7)
    for dtype in ["|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", ">i2", ">i4", ">f8"]:
        values = (numbers - 20 if np.dtype(dtype).kind != "u" else numbers).astype(dtype)
        array("dtype-" + dtype.strip("<|").replace(">", "big-"), values, chunks=(4, 4), blocks=(2, 3))
    array("dtype-bool", numbers % 3 == 0)
    array("dtype-c8", (numbers - 1j * numbers).astype("<c8"))
    array("dtype-c16", numbers * (0.5 + 2j))
    array("dtype-text", np.array([["a", "ää"], ["", "long text"]]))
    array("dtype-bytes", np.array([b"a", b"\xff\x00b", b""]))
    array("dtype-void", np.frombuffer(bytes(range(15)), "V5"))
    for unit in ["D", "s", "ns", "10us"]:
        values = np.array(["2001-02-03", "NaT", "1969-12-31"], f"<M8[{unit}]")
        array(f"dtype-time-{unit}", values)
    array("dtype-span", np.array([1, -5, "NaT"], "<m8[ms]"))
    array("dtype-span-none", np.array([1, -5, 7], "<m8"))
    record = np.zeros(9, [("id", "<i4"), ("x", "<f8"), ("name", "<U4")])
    record["id"], record["x"], record["name"] = np.arange(9), np.arange(9) / 4, "ab"
    array("dtype-record", record)
    array("dtype-record-2d", record.reshape(3, 3))
    nested = np.zeros(4, [("at", [("y", "<f4"), ("x", "<f4")]), ("rgb", "|u1", (3,))])
    nested["at"]["y"], nested["rgb"] = np.arange(4), np.arange(12).reshape(4, 3)
    array("dtype-record-nested", nested)
    array("dtype-record-aligned", np.zeros(5, np.dtype([("a", "|i1"), ("b", "<f8")], align=True)))
    array("float-nan", np.array([1.5, np.nan, np.inf, -np.inf, -0.0]))

    array("dims-0", np.array(42, "<i4"))
    array("dims-0-float", np.array(2.5))
    array("dims-1-empty", np.zeros(0, "<f8"))
    array("dims-2-empty", np.zeros((0, 5), "<i4"))
    array("dims-1", np.arange(3000))
    array("dims-1-one", np.array([7]))
    array("dims-3", np.arange(2 * 3 * 5, dtype="<f4").reshape(2, 3, 5))
    array("dims-8", np.arange(2**8, dtype="<i2").reshape((2,) * 8))
    array("dims-wide", np.arange(200_000, dtype="<i4").reshape(2, 100_000))
    array("dims-image", np.arange(20 * 30 * 3).reshape(20, 30, 3).astype("|u1"))

    for name, make, values in [
        ("zeros", blosc2.zeros, np.zeros((50, 40))),
        ("nans", blosc2.nans, np.full((50, 40), np.nan)),
        ("ones", blosc2.ones, np.ones((50, 40))),
    ]:
        make((50, 40), dtype="<f8", urlpath=f"special-{name}.b2nd", mode="w", chunks=(20, 20))
        add(f"special-{name}.b2nd", "ndarray", values)
    blosc2.full((50, 40), 7.5, urlpath="special-full.b2nd", mode="w")
    add("special-full.b2nd", "ndarray", np.full((50, 40), 7.5))
    blosc2.uninit((50, 40), dtype="<i4", urlpath="special-uninit.b2nd", mode="w")
    add("special-uninit.b2nd", "ndarray", blosc2.open("special-uninit.b2nd", mode="r")[:])
    edited = blosc2.zeros((50, 40), dtype="<i4", urlpath="special-edited.b2nd", mode="w", chunks=(10, 10))
    edited[3:30, 5] = 9
    edited.schunk.vlmeta["note"] = {"deep": [1, 2.5, None, b"x"], "big": "z" * 5000}
    add("special-edited.b2nd", "ndarray", edited[:])
    array("sparse", numbers, contiguous=False)

    smooth = np.cumsum(np.ones((64, 64)), axis=0)
    for codec in [blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.LZ4HC, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD]:
        array(f"codec-{codec.name.lower()}", smooth, cparams={"codec": codec})
    array("codec-level-0", smooth, cparams={"clevel": 0})
    array("codec-dict", smooth, cparams={"codec": blosc2.Codec.ZSTD, "use_dict": True})
    bytes_ = (np.arange(64 * 64) % 7).astype("|u1").reshape(64, 64)
    array("codec-ndlz", bytes_, chunks=(32, 32), blocks=(16, 16), cparams={"codec": blosc2.Codec.NDLZ, "codec_meta": 4, "filters": [blosc2.Filter.NOFILTER] * 6, "splitmode": blosc2.SplitMode.NEVER_SPLIT})
    for name, meta in [("ACC", 20), ("PREC", 52), ("RATE", 50)]:
        codec = getattr(blosc2.Codec, f"ZFP_{name}")
        options = {"codec": codec, "codec_meta": meta, "filters": [blosc2.Filter.NOFILTER] * 6, "splitmode": blosc2.SplitMode.NEVER_SPLIT}
        file = f"codec-zfp-{name.lower()}.b2nd"
        blosc2.asarray(smooth, urlpath=file, mode="w", chunks=(32, 32), blocks=(16, 16), cparams=options)
        add(file, "ndarray", blosc2.open(file, mode="r")[:])
    for filter_ in ["BITSHUFFLE", "DELTA", "TRUNC_PREC", "BYTEDELTA", "NDCELL", "NDMEAN", "INT_TRUNC"]:
        meta = {"TRUNC_PREC": 20, "NDCELL": 4, "NDMEAN": 4, "INT_TRUNC": 10}.get(filter_, 0)
        values = smooth.astype("<f4") if filter_ != "INT_TRUNC" else smooth.astype("<i8")
        filters = [getattr(blosc2.Filter, filter_), blosc2.Filter.SHUFFLE]
        if filter_ == "BYTEDELTA":
            filters.reverse()
        options = {"filters": filters, "filters_meta": [meta if it.name == filter_ else 0 for it in filters]}
        file = f"filter-{filter_.lower()}.b2nd"
        blosc2.asarray(values, urlpath=file, mode="w", chunks=(32, 32), blocks=(16, 16), cparams=options)
        add(file, "ndarray", blosc2.open(file, mode="r")[:])


def frames():
    data = np.arange(10_000, dtype="<i4")
    blosc2.SChunk(chunksize=8000, data=data, urlpath="frame-i4.b2frame", mode="w", cparams={"typesize": 4})
    add("frame-i4.b2frame", "schunk", data.tobytes())
    blosc2.SChunk(chunksize=8000, data=data.tobytes(), urlpath="frame-bytes.b2frame", mode="w", cparams={"typesize": 1})
    add("frame-bytes.b2frame", "schunk", data.tobytes())
    blosc2.SChunk(chunksize=8000, data=data, urlpath="frame-sparse.b2frame", mode="w", contiguous=False, cparams={"typesize": 4})
    add("frame-sparse.b2frame", "schunk", data.tobytes())
    blosc2.SChunk(chunksize=8000, urlpath="frame-empty.b2frame", mode="w")
    add("frame-empty.b2frame", "schunk", b"")
    blosc2.SChunk(chunksize=1024, data=b"14 bytes here!", urlpath="frame-remainder.b2frame", mode="w", cparams={"typesize": 5})
    add("frame-remainder.b2frame", "schunk", b"14 bytes here!")
    odd = blosc2.SChunk(chunksize=-1, urlpath="frame-lengths.b2frame", mode="w", cparams={"typesize": 1})
    try:
        for text in [b"one", b"three", b"", b"twelve words"]:
            odd.append_data(np.frombuffer(text, "u1"))
        add("frame-lengths.b2frame", "schunk", b"onethreetwelve words")
    except Exception:
        os.remove("frame-lengths.b2frame")
    values = np.arange(4.0 * 5 * 6).reshape(4, 5, 6)
    blosc2.save_array(values, "packed-array.b2frame", mode="w", chunksize=104)
    blosc2.save_tensor(values, "tensor.bl2", mode="w")
    for file in ["packed-array.b2frame", "tensor.bl2"]:
        add(file, "tensor", values)


def recipes():
    base = blosc2.asarray(np.arange(12.0).reshape(3, 4), urlpath="base.b2nd", mode="w")
    base = blosc2.open("base.b2nd", mode="r")
    (base * 2 + 1).save("lazy-expression.b2nd")
    blosc2.lazyexpr("a + b * 3", operands={"a": base, "b": base}).save("lazy-string.b2nd")
    for file in ["lazy-expression.b2nd", "lazy-string.b2nd"]:
        add(file, "lazyexpr")

    @blosc2.dsl_kernel
    def kernel(x):
        return x * 2

    blosc2.lazyudf(kernel, (base,), dtype=base.dtype).save("lazy-kernel.b2nd")
    add("lazy-kernel.b2nd", "lazyudf")
    proxy = blosc2.Proxy(base, urlpath="proxy.b2nd", mode="w")
    proxy[0:1]
    add("proxy.b2nd", "proxy")
    labelled = blosc2.asarray(np.ones((2, 3), "<f4"), urlpath="labelled.b2nd", mode="w", meta={"station": {"id": 17}})
    for name, value in {"dims": ["y", "x"], "units": "°C", "attrs": json.dumps({"a": 1})}.items():
        labelled.schunk.vlmeta[name] = value
    add("labelled.b2nd", "ndarray", np.ones((2, 3), "<f4"))


@dataclasses.dataclass
class Row:
    id: int = blosc2.field(blosc2.int64(ge=0))
    name: str = blosc2.field(blosc2.utf8(nullable=True))
    note: str = blosc2.field(blosc2.vlstring())
    value: float = blosc2.field(blosc2.float64())


def rows(count):
    return [(i, None if i % 3 == 0 else f"n{i % 5}", f"note {i}", i / 4) for i in range(count)]


def columns(count):
    return dict(zip(["id", "name", "note", "value"], map(list, zip(*rows(count))))) if count else {name: [] for name in ["id", "name", "note", "value"]}


def fill(table, count):
    for row in rows(count):
        table.append(row)


def stores():
    for file in ["table.b2z", "table.b2d", "table-empty.b2z"]:
        count = 0 if "empty" in file else 20
        with blosc2.CTable(Row, urlpath=file, mode="w") as table:
            fill(table, count)
        add(file, "ctable", columns(count))
    rowless = blosc2.CTable(Row, urlpath="table-deleted.b2z", mode="w")
    fill(rowless, 20)
    rowless.delete([0, 5])
    rowless.close()
    kept = [row for place, row in enumerate(rows(20)) if place not in (0, 5)]
    add("table-deleted.b2z", "ctable", dict(zip(["id", "name", "note", "value"], map(list, zip(*kept)))))

    @dataclasses.dataclass
    class Wide:
        c: complex = blosc2.field(blosc2.complex128())
        b: bool = blosc2.field(blosc2.bool())
        l: list[int] = blosc2.field(blosc2.list(blosc2.int64(), nullable=True))
        t: np.datetime64 = blosc2.field(blosc2.timestamp())
        s: str = blosc2.field(blosc2.string(max_length=8))

    with blosc2.CTable(Wide, urlpath="table-wide.b2z", mode="w") as table:
        for i in range(5):
            table.append((complex(i, -i), i % 2 == 0, None if i == 1 else [i] * i, np.datetime64(i, "us"), f"s{i}"))
    complex_numbers = [complex(i, -i) for i in range(5)]
    add("table-wide.b2z", "ctable", {"c": complex_numbers, "b": [i % 2 == 0 for i in range(5)], "s": [f"s{i}" for i in range(5)]})

    leaf = np.arange(6.0).reshape(2, 3)
    for file in ["tree.b2z", "tree.b2d"]:
        with blosc2.TreeStore(file, mode="w") as tree:
            tree["/group/x"] = leaf
            tree["/group/deep/y"] = np.arange(5)
            tree["/z"] = blosc2.SChunk(data=b"abcdef", cparams={"typesize": 1})
            tree.vlmeta["title"] = "a tree"
            tree["/group"].vlmeta["units"] = "m"
            table = blosc2.CTable(Row)
            fill(table, 7)
            tree["/table"] = table
        add(file, "treestore")
        add(file, "ndarray", leaf, word=f"{file}::/group/x")
        add(file, "schunk", b"abcdef", word=f"{file}::/z")
        add(file, "ctable", columns(7), word=f"{file}::/table")
    # Leaves whose names have other endings are recognized by their contents.
    shutil.copytree("tree.b2d", "tree-renamed.b2d")
    os.rename("tree-renamed.b2d/group/x.b2nd", "tree-renamed.b2d/group/x.weird")
    add("tree-renamed.b2d", "ndarray", leaf, word="tree-renamed.b2d::/group/x")
    escaped = pa.table({"trip.info": pa.array([{"begin/point": 1}, {"begin/point": 2}]), "p/q": pa.array([1, 2])})
    blosc2.CTable.from_arrow(escaped, urlpath="table-escaped.b2d").close()
    add("table-escaped.b2d", "ctable", {"p\\/q": [1, 2]})
    for file in ["dict.b2z", "dict.b2d"]:
        with blosc2.DictStore(file, mode="w") as store:
            store["/a"] = leaf
            store["/b"] = np.arange(4)
        add(file, "dictstore")
        add(file, "ndarray", leaf, word=f"{file}::/a")
    store = blosc2.EmbedStore(urlpath="embed.b2e", mode="w")
    store["/a"] = leaf
    store["/b"] = np.arange(4)
    del store
    add("embed.b2e", "embedstore")
    add("embed.b2e", "ndarray", leaf, word="embed.b2e::/a")


def objects():
    values = [{"a": 1}, [1, 2, None], "text", 2.5, b"\x00\xff"]
    store = blosc2.ObjectArray(urlpath="objects.b2frame", mode="w")
    for value in values:
        store.append(value)
    add("objects.b2frame", "object_array", values)
    batches = blosc2.BatchArray(urlpath="batches.b2b", mode="w")
    batches.append([1, 2, 3])
    batches.append(["ab"] * 2)
    add("batches.b2b", "batch_array", [1, 2, 3, "ab", "ab"])
    lists = blosc2.ListArray(item_spec=blosc2.int64(), urlpath="lists.b2b", mode="w")
    for value in [[1, 2], [], [3]]:
        lists.append(value)
    lists.flush()
    add("lists.b2b", "list_array", [[1, 2], [], [3]])


# Files of these kinds do not contain all their values, or contain them only in leaves. Most commands that need values print an error.
NO_VALUES = {"lazyexpr", "lazyudf", "proxy", "treestore", "dictstore", "embedstore"}
STORES = {"treestore", "dictstore", "embedstore"}
OBJECTS = {"object_array", "batch_array", "list_array"}
# python-blosc2 opens these only if it is told to trust them, and `check` reports that.
RECIPES = {"lazyexpr", "lazyudf", "proxy"}


class Failed(Exception):
    pass


def run(*words, status=0):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL)
    text = done.stderr.decode()
    if done.returncode != status or "panicked" in text:
        raise Failed(f"status {done.returncode}, not {status}: {text.strip() or done.stdout.decode(errors='replace')[:300]}")
    if status == 0 and text:
        raise Failed(f"says {text.strip()}")
    return done.stdout if status == 0 else done.stderr.decode()


def refused(sentence, *words, status=1):
    text = run(*words, status=status)
    if not re.search(sentence, text) or text.count("\n") != 1:
        raise Failed(f"{text.strip()!r} is not {sentence!r}")


def plain(value):
    """Converts a value from JSON to a Python value."""
    if isinstance(value, dict):
        if set(value) == {"float"}:
            return float(value["float"])
        if set(value) == {"complex"}:
            return complex(*[math.nan if part is None else plain(part) for part in value["complex"]])
        if set(value) == {"bytes"}:
            return bytes.fromhex(value["bytes"])
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


def python(value):
    """Converts a NumPy value to the value that `plain` returns for it."""
    if isinstance(value, np.void) and value.dtype.names:
        return {name: python(value[name]) for name in value.dtype.names}
    if isinstance(value, np.ndarray):
        return [python(part) for part in value] if value.shape else python(value[()])
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, np.timedelta64):
        unit = np.datetime_data(value.dtype)[0]
        return str(value) if np.isnat(value) else f"{value.astype('i8')} {unit}".removesuffix(" generic")
    if isinstance(value, bytes) and value.isascii():
        return value.decode()
    if isinstance(value, np.void):
        return bytes(value)
    if isinstance(value, np.str_ | np.bytes_):
        return python(value.item())
    return value.item() if isinstance(value, np.generic) else value


def same(found, expected):
    if isinstance(expected, float) and found is None:
        return not math.isfinite(expected)
    if isinstance(expected, float) and isinstance(found, float) and math.isnan(expected) and math.isnan(found):
        return True
    if isinstance(expected, complex) and isinstance(found, complex):
        return same([found.real, found.imag], [expected.real, expected.imag])
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, dict) and isinstance(found, dict):
        return set(found) == set(expected) and all(same(found[name], expected[name]) for name in expected)
    return type(found) is type(expected) and found == expected or isinstance(expected, float) and found == expected


def equal(found, expected):
    if not same(found, expected):
        raise Failed(f"{str(found)[:200]} is not {str(expected)[:200]}")


def object_of(kind):
    """The output of `info --json`: the last line for a table, because its store has the first line; otherwise the first."""
    lines = [json.loads(line) for line in run("info", "--json", kind.word).splitlines()]
    return lines[-1 if kind.kind == "ctable" else 0]


def info(kind):
    run("info", kind.word)
    found = object_of(kind)
    equal(found["kind"], kind.kind)
    if kind.kind == "ndarray":
        equal(found["array"]["shape"], list(kind.values.shape))
    if kind.kind == "ctable":
        equal(found["rows"], len(next(iter(kind.values.values()))))


def values_of(text, kind):
    if kind.kind == "ctable":
        found = [json.loads(line) for line in text.splitlines()]
        for name, expected in kind.values.items():
            equal([plain(row.get(name)) for row in found], expected)
    elif isinstance(kind.values, np.ndarray):
        equal(plain(json.loads(text)) if kind.values.size else [], python(kind.values) if kind.values.size else [])
    elif isinstance(kind.values, bytes):
        found = plain(json.loads(text))
        equal(b"".join(found) if found and isinstance(found[0], bytes) else bytes(found), kind.values)
    else:
        values = [json.loads(line)["values"] for line in text.splitlines()]
        # Objects have no Arrow type, so each is exported as JSON text.
        equal([plain(json.loads(value)) if kind.kind != "list_array" else value for value in values], kind.values)


def cat(kind):
    if kind.kind in NO_VALUES:
        return refused(WHY[kind.kind], "cat", kind.word)
    values_of(run("cat", "--json", kind.word).decode(), kind)


WHY = {
    "lazyexpr": "python-blosc2 computes or fetches them",
    "lazyudf": "python-blosc2 computes or fetches them",
    "proxy": "python-blosc2 computes or fetches them",
    "treestore": "name a leaf, as in .*::/",
    "dictstore": "name a leaf, as in .*::/",
    "embedstore": "name a leaf, as in .*::/",
}


def screen(command, kind):
    if kind.kind in NO_VALUES:
        return refused(WHY[kind.kind], command, kind.word)
    lines = run(command, kind.word).decode().splitlines()
    wide = [line for line in lines if len(line) > 80]
    if wide or len(lines) > 25:
        raise Failed(f"{len(lines)} lines, {wide[:1]}")


def head(kind):
    screen("head", kind)


def tail(kind):
    screen("tail", kind)


def show(kind):
    if kind.kind in NO_VALUES:
        return refused(WHY[kind.kind], "show", kind.word)
    if kind.kind in OBJECTS:
        return refused("use `b2nd cat` or `b2nd stats`", "show", kind.word)
    if isinstance(kind.values, np.ndarray) and kind.values.ndim == 0 and kind.values.dtype.kind not in "SUV":
        return refused("a single value has no picture", "show", kind.word)
    if isinstance(kind.values, np.ndarray) and kind.values.dtype.kind in "SUV":
        return refused("print the values with `b2nd head`|choose one of their fields with --field", "show", kind.word)
    if kind.file in ("frame-i4.b2frame", "frame-sparse.b2frame"):
        return refused("give it with --dtype", "show", kind.word)
    run("show", kind.word)


def stats(kind):
    if kind.kind in NO_VALUES - STORES:
        return refused(WHY[kind.kind], "stats", "--json", kind.word)
    lines = [json.loads(line) for line in run("stats", "--json", kind.word).splitlines()]
    if not isinstance(kind.values, np.ndarray) or kind.values.dtype.names:
        return
    [found] = lines
    values = kind.values
    nan = int(np.isnan(values).sum()) if values.dtype.kind in "fcMm" else 0
    equal(found["count"], values.size - nan)
    if values.dtype.kind in "SUVMmc" or values.size == 0:
        return
    values = values.astype("<f8") if values.dtype.kind == "f" else values
    finite = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    equal(found["nan"], int(values.size - finite.size))
    if finite.size:
        equal(float(plain(found["min"])), float(finite.min()))
        equal(float(plain(found["max"])), float(finite.max()))
        mean = plain(found["mean"])
        if np.isfinite(finite).all() and not math.isclose(mean, finite.mean(), rel_tol=1e-12, abs_tol=1e-12):
            raise Failed(f"mean {mean}, not {finite.mean()}")


def export(kind):
    if kind.kind in NO_VALUES:
        return refused(WHY[kind.kind], "export", kind.word, "-")
    if kind.kind == "ctable" or kind.kind in OBJECTS:
        return values_of(run("export", "--format", "json", kind.word, "-").decode(), kind)
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        run("export", "--overwrite", kind.word, file.name)
        found = np.load(file.name)
    if isinstance(kind.values, bytes):
        return equal(found.tobytes(), kind.values)
    equal(found.dtype.str, kind.values.dtype.str)
    equal([*found.shape, found.tobytes()], [*kind.values.shape, kind.values.tobytes()])


def check(kind):
    checked(kind, kind.word)


def checked(kind, word):
    """Checks the file with `check`. A recipe is intact but gives a finding, because python-blosc2 does not open it by default."""
    done = subprocess.run([TOOL, "check", "--data", word], capture_output=True, stdin=subprocess.DEVNULL)
    found = done.stdout.decode()
    expected = "opens only with deserialize" if kind.kind in RECIPES else ""
    if done.stderr or done.returncode != (1 if expected else 0) or [line for line in found.splitlines() if ": ok: " not in line and (not expected or expected not in line)] or expected not in found:
        raise Failed(f"check: status {done.returncode}: {found}{done.stderr.decode()}")


def copy(file, directory):
    copied = os.path.join(directory, os.path.basename(file))
    (shutil.copytree if os.path.isdir(file) else shutil.copy)(file, copied)
    return copied


def diff(kind):
    with tempfile.TemporaryDirectory() as directory:
        copied = copy(kind.file, directory)
        status = 3 if kind.kind in RECIPES else 0
        run("diff", "--data", kind.word, kind.word.replace(kind.file, copied), status=status)


def meta(kind):
    with tempfile.TemporaryDirectory() as directory:
        copied = copy(kind.file, directory)
        word = kind.word.replace(kind.file, copied)
        run("meta", "list", word)
        if kind.kind == "dictstore":
            return refused(WHY[kind.kind], "meta", "set", word, "ours", "--json", "1")
        if ".b2e::" in word:
            return refused("b2nd cannot change its metadata", "meta", "set", word, "ours", "--json", "1")
        run("meta", "set", word, "ours", "--json", '[1, "ä"]')
        equal(json.loads(run("meta", "get", word, "ours")), [1, "ä"])
        checked(kind, copied)


def slice_(kind):
    if kind.kind != "ndarray":
        return
    found = json.loads(run("info", "--json", "--slice", "...", kind.word))
    equal(len(found["array"]["grid"]["slice"]["chunks"]), found["array"]["grid"]["nchunks"])


def repack(kind):
    with tempfile.TemporaryDirectory() as directory:
        ending = Path(kind.file).suffix
        if "::" in kind.word and kind.kind in ("ndarray", "schunk"):
            ending = ".b2nd"
        copied = os.path.join(directory, "new" + ending)
        if kind.kind == "ctable" and "::" in kind.word:
            return refused("is a table, not a frame", "repack", kind.word, copied)
        for options in [[], ["--overwrite", "--codec", "zstd", "--level", "1"]]:
            if options and kind.file == "filter-delta.b2nd":
                refused("other filters are needed", "repack", *options, kind.word, copied)
                options += ["--filters", "shuffle"]
            if options and os.path.isdir(copied):
                refused("a directory is not replaced", "repack", *options, kind.word, copied)
                shutil.rmtree(copied)
            run("repack", *options, kind.word, copied)
            checked(kind, copied)
            if not isinstance(kind.values, np.ndarray) or "::" in kind.word and ending != ".b2nd":
                continue
            if kind.kind == "tensor":
                equal(blosc2.load_tensor(copied).tolist(), kind.values.tolist())
                continue
            found = blosc2.open(copied, mode="r")[:] if kind.values.shape else blosc2.open(copied, mode="r")[()]
            equal(np.asarray(found).tobytes(), kind.values.tobytes())


def page(words):
    """Checks what `view` returns for each file: the leaves of a store, or the metadata of a frame."""
    server = subprocess.Popen([TOOL, "view", "--no-open", *words], stdout=subprocess.PIPE, text=True)
    try:
        root = server.stdout.readline().strip().split("?")[0]

        def ask(door, method):
            question = json.dumps({"reader": [None, method]}).encode()
            with urllib.request.urlopen(urllib.request.Request(root + door, question)) as answer:
                return json.load(answer)

        with urllib.request.urlopen(root + "files.json") as answer:
            listed = json.load(answer)
        for file, word in zip(listed, words, strict=True):
            equal(file["name"], os.path.basename(word))
            seen = ask(file["door"], "look")
            if "error" in seen or not seen["store"] and "kind" not in ask(file["door"], "info"):
                raise Failed(f"view {word}: {seen}")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


COMMANDS = {"info": info, "cat": cat, "head": head, "tail": tail, "show": show, "stats": stats, "export": export, "check": check}
COMMANDS |= {"diff": diff, "meta": meta, "slice": slice_, "repack": repack}


def cell(pair):
    kind, command = pair
    try:
        COMMANDS[command](kind)
    except Failed as error:
        return f"{command} {kind.word} ({kind.kind}): {error}"
    except Exception as error:
        return f"{command} {kind.word} ({kind.kind}): {type(error).__name__}: {error}"
    return None


def main():
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for make in [arrays, frames, recipes, stores, objects]:
            make()
        cells = [(kind, command) for kind in kinds for command in COMMANDS]
        with ThreadPoolExecutor(2) as pool:
            wrong = [text for text in pool.map(cell, cells) if text]
        try:
            page(sorted({kind.file for kind in kinds}))
        except Exception as error:
            wrong.append(f"view: {error}")
        os.chdir("/")
    if wrong:
        sys.exit("\n".join(wrong) + f"\n{len(wrong)} of {len(cells)} cells are wrong")
    print(f"{len(kinds)} kinds of files by {len(COMMANDS)} commands: values are those of python-blosc2 {blosc2.__version__}")


if __name__ == "__main__":
    main()
