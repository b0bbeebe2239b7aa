"""Writes dtypes.json, exceptions.json, odd.json and refused.json next to this file. See README.md.

    python recipe.py            write the four files
    python recipe.py --check    and compare with what python-blosc2 puts into the b2nd metalayer
"""

import ast
import json
import pathlib
import random
import re
import sys
import warnings

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent
assert sys.byteorder == "little"

# ---------------------------------------------------------------- helpers


def written(dt):
    """The string that python-blosc2 writes for a dtype."""
    return str(dt) if dt.kind == "V" else dt.str


def parse(s):
    """Parses a stored string as python-blosc2 does. Returns the dtype and the name of a warning, or None."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            dt = np.dtype(s)
        except (ValueError, TypeError) as first:
            try:
                value = ast.literal_eval(s)
            except (ValueError, SyntaxError):
                if s.lstrip()[:1] in tuple("[({'\""):
                    raise
                raise first from None  # does not look like a literal: the first message says more
            dt = np.dtype(value)
    return dt, (caught[0].category.__name__ if caught else None)


def titled(dt, name):
    f = dt.fields[name]
    return f[2] if len(f) > 2 else None


def describe(dt):
    out = {
        "str": str(dt),
        "itemsize": dt.itemsize,
        "alignment": dt.alignment,
        "kind": dt.kind,
        "byteorder": dt.byteorder,
        "isalignedstruct": dt.isalignedstruct,
        "fields": None,
        "subshape": None,
        "base": None,
    }
    if dt.names is not None:
        out["fields"] = []
        for n in dt.names:
            f, title = dt.fields[n][0], titled(dt, n)
            if title is not None and not isinstance(title, str):
                title = repr(title)  # only in odd.json
            out["fields"].append({"name": n, "title": title, "offset": dt.fields[n][1], "itemsize": f.itemsize, "s": written(f)})
    if dt.subdtype is not None:
        out["base"] = written(dt.subdtype[0])
        out["subshape"] = list(dt.subdtype[1])
    return out


def deep(dt):
    """Everything that two equal dtypes have in common, at any depth."""
    return (
        (dt.kind, dt.str, dt.type.__name__, dt.itemsize, dt.alignment, dt.isalignedstruct),
        None if dt.names is None else [(n, titled(dt, n), dt.fields[n][1], deep(dt.fields[n][0])) for n in dt.names],
        None if dt.subdtype is None else (deep(dt.subdtype[0]), dt.subdtype[1]),
    )


def message(e):
    return re.sub(r" at 0x[0-9a-f]+", "", f"{type(e).__name__}: {e}")


def told(value):
    """Removes what is null or false."""
    if isinstance(value, list):
        return [told(v) for v in value]
    if isinstance(value, dict):
        return {k: told(v) for k, v in value.items() if v is not None and v is not False}
    return value


def save(name, rows):
    text = "[\n" + ",\n".join(json.dumps(told(r), separators=(",", ":")) for r in rows) + "\n]\n"
    assert len(text) < 220_000, (name, len(text))
    (HERE / name).write_text(text, encoding="ascii", newline="\n")
    print(f"{name}: {len(rows)} rows, {len(text)} bytes")


# ---------------------------------------------------------------- dtypes that a writer can have

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
PLAIN = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32"]
NAMES = [
    "a", "A", "_", "x1", "two words", " ", "  lead", "trail ", "a,b", "a:b", "a.b", "(", ")", "[", "]", "{", "}", "()", "[('a', '<i4')]",
    "<i4", "names", "formats", "offsets", "itemsize", "aligned", "titles", "#", "# no comment", "%s", "0", "1", "-1", "None", "True", "f0", "f1", "f10",
    "it's", 'say "hi"', "both ' and \"", "'", '"', "''", '""', "'''", '"""', "'\"", "\\", "\\\\", "\\n", "\\'", '\\"', "ends\\", "'\\", '"\\',
    "line\nfeed", "carriage\rreturn", "tab\there", "\x00", "a\x00b", "\x01", "\x07\x08\x0b\x0c", "\x1b[0m", "\x1f", "\x7f", "\x80", "\x85", "\x9f",
    "\xa0", "\xad", "caf\xe9", "e\u0301", "\xff", "\u0100", "\u0378", "\u03b1\u03b2\u03b3", "\u0416", "\u05d0", "\u0627\u0644", "\u200b", "\u200d", "\u200e",
    "\u2028", "\u2029", "\u202e", "\u2060", "\u3000", "\u65e5\u672c\u8a9e", "\uac00", "\ue000", "\ufdd0", "\ufe0f", "\ufeff", "\ufffd", "\ufffe", "\uffff",
    "\U00010000", "\U0001d11e", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1ea\U0001f1f8", "\U00020000", "\U000e0001",
    "\U000f0000", "\U0010ffff", "\xb7", "\u2026 \u2014 \u201cq\u201d", "'\xe9\"\n\\\t\x00\U0001f600", "x" * 300,
]  # fmt: skip


def held():
    """dtypes made through NumPy's API, in the order of the file."""
    d = np.dtype

    # scalars
    for code in PLAIN:
        yield d("<" + code)
        yield d(">" + code)
    yield d("O")
    for n in (0, 1, 2, 3, 5, 8, 10, 16, 25, 100, 255, 256, 1000, 65536, 536870911):
        yield d(f"<U{n}")
        yield d(f">U{n}")
    for n in (0, 1, 2, 3, 4, 5, 7, 8, 16, 25, 100, 255, 256, 300, 1000, 65536, 2147483647):
        yield d(f"S{n}")
        yield d(f"V{n}")
    for kind in "Mm":
        yield d(f"<{kind}8")
        yield d(f">{kind}8")
        for i, unit in enumerate(UNITS):
            yield d(f"<{kind}8[{unit}]")
            yield d(f">{kind}8[{unit}]")
            yield d(f"<{kind}8[{(2, 25, 1000, 10, 7)[i % 5]}{unit}]")
        yield d(f"<{kind}8[2147483647s]")
        yield d(f">{kind}8[25s]")

    # ml_dtypes
    for name in sorted(n for n in dir(ml_dtypes) if re.fullmatch(r"b?(float|u?int|complex)\d\w*", n)):
        yield d(getattr(ml_dtypes, name))
    for inside in (ml_dtypes.bfloat16, ml_dtypes.int4, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        yield d([("a", inside), ("b", "<i4")])
        yield d((inside, (2,)))
    yield d({"names": ["a", "b"], "formats": ["u1", ml_dtypes.bfloat16]}, align=True)

    # one field of every scalar kind
    for code in ["<" + c for c in PLAIN] + [">" + c for c in PLAIN if c not in ("b1", "i1", "u1")]:
        yield d([("x", code)])
    for code in ["O", "S0", "S1", "S10", "U0", "<U3", ">U3", "V0", "V4", "<M8", ">M8[ns]", "<m8[25s]", "<m8", ">m8[Y]", "<M8[10ms]"]:
        yield d([("x", code)])
        yield d([("x", code), ("y", "<i4")])
    yield d([])
    yield d([("e", [])])
    yield d([("e", []), ("y", "<i4")])

    # names and titles
    for name in NAMES:
        yield d([(name, "<i4")])
    for i, name in enumerate(NAMES):
        if i % 3 == 0:
            yield d([((name + "!", "n"), "<i4")])
        elif i % 3 == 1:
            yield d({"names": [name, "z"], "formats": ["u1", "<f8"], "offsets": [0, 8]})
    yield d([("", "<i4")])
    yield d([("", "<i4"), ("", "<f8")])
    yield d("i4,f8,(2,3)u1")
    yield d({"names": [""], "formats": ["<i4"]})
    yield d({"names": ["", "b"], "formats": ["<i4", "<i4"]})
    yield d([(("", "a"), "<i4")])
    yield d([(("title", "name"), "<i4")])
    yield d([(("Title A", "a"), "<i4"), ("b", "<i4"), (("Title C", "c"), "<f8", (2,))])
    yield d([(("it's", 'q"'), [(("inner", "x"), "u1")])])
    yield d([(f"f{i:02}", "<i2") for i in range(40)])
    yield d([(f"c{i}", ("<f8", "u1", ">i4", "S3")[i % 4]) for i in range(50)])

    # subarrays
    for shape in [(1,), (0,), (2,), (3,), (2, 3), (1, 1), (0, 3), (3, 0), (2, 0, 3), (2, 3, 4), (1, 2, 1, 2), (2,) * 8, (1,) * 32, (1,) * 64, (1000000,)]:
        yield d(("<i4", shape))
        yield d([("a", "<i4", shape)])
        yield d([("a", "u1"), ("b", ">f8", shape), ("c", "?")])
    for code in ["?", "i1", ">c16", "S3", "<U2", ">U2", "V5", "O", "<M8[s]", "m8", "<f2", "<f16"]:
        yield d((code, (2, 3)))
        yield d([("s", code, (2,))])
    yield d((("<i4", (2,)), (3,)))
    yield d([("a", ("<i4", (2,)), (3,))])
    yield d([("a", (("<i4", (2,)), (3, 1)), (4,))])
    yield d(("u1", (2147483647,)))
    yield d(([("a", "<i4"), ("b", "<f8")], (2,)))
    yield d(([("a", "<i4"), ("b", "<f8")], (2, 0, 3)))
    yield d(([("a", ([("x", "u1", (3,))], (2,)))], (1,)))
    yield d(([], (2,)))
    yield d([("a", [("x", "<i4"), ("y", "<f8", (2,))], (3, 4))])
    yield d(({"names": ["a", "b"], "formats": ["<i4", "u1"], "offsets": [4, 0], "itemsize": 12}, (2,)))
    yield d([("a", {"names": ["a", "b"], "formats": ["<i4", "u1"], "offsets": [4, 0], "itemsize": 12}, (2, 2))])

    # nesting
    yield d([("a", [("x", "<i4"), ("y", "S3")]), ("b", "V4")])
    yield d([("a", [("b", "<i4")])])
    yield d([("a", [("b", [("c", "<i4")])])])
    yield d([("a", [("b", [("c", [("d", "<i4"), ("e", "<U3")]), ("f", ">f4", (2,))])]), ("g", "O")])
    yield d([("a", [("b", [("c", [("d", "<i4", (2,))], (3,))], (4,))], (5,))])
    yield d([("p", {"names": ["u", "v"], "formats": ["u1", "<i4"], "offsets": [0, 4], "itemsize": 12}), ("q", "u1")])
    yield d({"names": ["p", "q"], "formats": [[("u", "u1"), ("v", "<i4")], "<f8"], "offsets": [3, 16], "itemsize": 32})
    yield d({"names": ["p"], "formats": [{"names": ["p"], "formats": [{"names": ["p"], "formats": ["u1"], "itemsize": 3}], "itemsize": 5}], "itemsize": 9})
    for depth in (10, 50, 90):
        t = d("<i4")
        for _ in range(depth):
            t = d([("f", t)])
        yield t

    # the dictionary form: padding, order, overlap
    def form(**k):
        return d({"names": list("abcdefgh")[: len(k["formats"])], **k})

    yield form(formats=["<i4", "<f8"], offsets=[0, 8])
    yield form(formats=["<i4", "<f8"], offsets=[0, 8], itemsize=32)
    yield form(formats=["<i4", "<f8"], offsets=[0, 4], itemsize=13)
    yield form(formats=["<i4", "<f8"], offsets=[4, 12], itemsize=24)
    yield form(formats=["<i4", "<f8"], offsets=[8, 0])
    yield form(formats=["<i4", "<f8"], offsets=[100, 0], itemsize=1000)
    yield form(formats=["<i4", "<i4"], offsets=[0, 0])
    yield form(formats=["<i4", "<i2", "<i2"], offsets=[0, 0, 2])
    yield form(formats=["<i2", "<i2", "<i4"], offsets=[0, 2, 0])
    yield form(formats=["<f8", "u1"], offsets=[0, 7])
    yield form(formats=["<f8", "u1"], offsets=[0, 3], itemsize=9)
    yield form(formats=["<i4"], offsets=[4])
    yield form(formats=["<i4"], itemsize=5)
    yield form(formats=["u1"], offsets=[2147483646])
    yield form(formats=["u1"], itemsize=2147483647)
    yield form(formats=["O", "O"], offsets=[0, 8])
    yield form(formats=["O", "u1"], offsets=[4, 0])
    yield form(formats=["V4", "S0", "<U0", "V0"], offsets=[0, 2, 1, 4], itemsize=6)
    yield form(formats=[("<i4", (2, 3)), "S3"], offsets=[0, 30])
    yield form(formats=[("<i4", (0,)), "S3"], offsets=[5, 0])
    yield form(formats=["<M8[25s]", ">m8[Y]", "<M8"], offsets=[0, 16, 8], itemsize=40)
    yield form(formats=[[("x", "u1"), ("y", "<i4")], ([("z", "<f8")], (2,))], offsets=[0, 8])
    yield form(formats=["<i4", "<f8"], offsets=[0, 8], titles=["T", None])
    yield form(formats=["<i4", "<f8"], offsets=[0, 8], titles=[None, "it's"])
    yield form(formats=["<i4", "<f8"], offsets=[8, 0], titles=["one", "two"], itemsize=20)
    yield form(formats=["<i4", "<f8"], offsets=[8, 0], titles=["", "\xe9\n"], itemsize=20)
    yield form(formats=[], itemsize=8)
    yield form(formats=[], itemsize=0)
    yield d([("a", "u1"), ("b", "<f8"), ("c", "<i2")])[["a", "c"]]  # a view of some fields
    yield d([("a", "u1"), ("b", "<f8"), ("c", "<i2")])[["c", "a"]]
    yield d([("a", "u1"), (("Tb", "b"), "<f8", (2,)), ("c", "<i2")])[["b"]]

    # aligned
    for fmts in [
        ["u1"], ["<i4"], ["u1", "<i2"], ["u1", "<i4"], ["u1", "<i8"], ["u1", "<f2"], ["u1", "<f16"], ["u1", "<c8"], ["u1", "<c16"], ["u1", "<c32"],
        ["u1", ">i4"], ["u1", "S5"], ["u1", "<U3"], ["u1", "V6"], ["u1", "O"], ["u1", "<M8[s]"], ["u1", "m8"], ["?", "?"], ["<i4", "<f8"],
        ["u1", "<f8", "<i2"], ["<f8", "u1"], ["<f8", "<i4"], ["u1", ("<i4", (3,))], ["u1", ("<i4", (0,))], ["u1", ("u1", (7,)), "<i2"], ["u1", "<U0"],
        ["u1", "V0", "<i4"], ["u1", "S0"], ["u1", ("<f8", (2, 2)), "u1"], ["<i2", "<i4", "<i2", "<i8", "u1"], [],
    ]:  # fmt: skip
        yield d({"names": [f"f{i}" for i in range(len(fmts))], "formats": fmts}, align=True)
    yield d({"names": ["a", "b"], "formats": ["u1", "<i4"], "offsets": [4, 0]}, align=True)
    yield d({"names": ["a", "b"], "formats": ["u1", "<i4"], "offsets": [0, 8], "itemsize": 24}, align=True)
    yield d({"names": ["a", "b"], "formats": ["u1", "<i4"], "offsets": [0, 0]}, align=True)
    yield d({"names": ["a", "b"], "formats": ["u1", "<i4"], "offsets": [3, 0 + 4], "titles": ["T", None]}, align=True)
    yield d([(("T", "a"), "u1"), (("U", "b"), "<i4")], align=True)
    inner = d([("x", "u1"), ("y", "<i4")], align=True)
    loose = d([("x", "u1"), ("y", "<i4")])
    gaps = d({"names": ["x", "y"], "formats": ["u1", "<i4"], "offsets": [0, 8], "itemsize": 16}, align=True)
    yield d([("p", inner), ("q", "u1")], align=True)
    yield d([("p", gaps), ("q", "u1")], align=True)
    yield d([("p", inner, (2,)), ("q", "u1")], align=True)
    yield d([("o", "u1"), ("p", d([("r", inner), ("s", "<f8")], align=True))], align=True)
    yield d([("p", loose), ("q", "<f8")], align=True)  # not aligned inside aligned
    yield d([("p", d({"names": ["x", "y"], "formats": ["u1", "<i4"], "offsets": [0, 1], "itemsize": 7})), ("q", "<f8")], align=True)
    yield d([("p", d([("x", "<i4"), ("y", "<i4")])), ("q", "<f8")], align=True)
    yield d([("p", inner), ("q", "u1")])  # aligned inside not aligned
    yield d([("p", inner, (2,))])
    yield d([("p", gaps), ("q", "u1")])
    yield d([("p", d([("x", "<i4"), ("y", "<i4")], align=True))])
    yield d({"names": ["p"], "formats": [inner], "offsets": [4], "itemsize": 20})
    yield d((inner, (2,)))
    yield d((gaps, (2,)))

    # classes other than numpy.void
    yield d((np.record, [("a", "<i4"), ("b", "<f8")]))
    yield d([("r", d((np.record, [("a", "<i4")])))])
    yield d([("z", d(("<i4", [("lo", "<i2"), ("hi", "<i2")])))])

    # at random
    rnd = random.Random(20240229)
    for i in range(24):
        yield random_struct(rnd, 1 + i % 4, align=i % 5 == 0)


def random_struct(rnd, depth, align):
    names = rnd.sample(NAMES[:-1], rnd.randint(1, 4))
    formats = []
    for _ in names:
        if depth > 1 and rnd.random() < 0.45:
            f = random_struct(rnd, depth - 1, align)
        else:
            f = rnd.choice(
                [rnd.choice("<>") + rnd.choice(PLAIN), f"S{rnd.randint(0, 12)}", f"{rnd.choice('<>')}U{rnd.randint(0, 9)}", f"V{rnd.randint(0, 12)}",
                 f"{rnd.choice('<>')}{rnd.choice('Mm')}8[{rnd.choice(UNITS)}]", "O"]  # fmt: skip
            )
        if rnd.random() < 0.25 and np.dtype(f).itemsize:
            f = (f, tuple(rnd.randint(1, 4) for _ in range(rnd.randint(1, 3))))
        formats.append(np.dtype(f))
    spec = {"names": names, "formats": formats}
    if rnd.random() < 0.3:
        spec["titles"] = [rnd.choice([None, f"t{i} {n}"]) for i, n in enumerate(names)]
    if rnd.random() < 0.35:
        at, offsets = 0, []
        for f in formats:
            at += rnd.randint(0, 5)
            if align:
                at += -at % f.alignment
            offsets.append(at)
            at += f.itemsize
        spec["offsets"] = offsets
        most = max(f.alignment for f in formats) if align else 1
        spec["itemsize"] = at + -at % most + most * rnd.randint(0, 3)
    return np.dtype(spec, align=align)


# ---------------------------------------------------------------- strings that NumPy accepts and that programs may write

BARE = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float128 complex64 complex128 complex256 "
    "object datetime64 timedelta64 str bytes void str_ bytes_ object_ bool_ int uint float complex intp uintp"
).split()

ACCEPTED = (
    ["=" + c for c in PLAIN]
    + PLAIN
    + ["O", "=O", "=S5", "=U5", "=V5", "=M8[ns]", "=m8[s]", "U10", "S5", "V10", "M8[ns]", "m8", "m8[25s]", "M8", "<U10", "?"]
    + ["<b1", "<i1", ">i1", "<u1", ">u1", "=b1", ">b1", "<S5", ">S5", "<V5", ">V5", "<O", ">O"]
    + [f"{t}64[{u}]" for u in UNITS for t in ("datetime", "timedelta")]
    + ["datetime64[25s]", "timedelta64[10ms]", "datetime64[1D]", "M8[1s]", "M8[generic]", "<m8[generic]", "M8[\u03bcs]"]
    + [
        "[('a', 'i4'), ('b', 'f8')]",
        "[('a', '=i4'), ('b', '=f8')]",
        "[('a', '|u1'), ('b', '|S3'), ('c', '|b1'), ('d', '|O'), ('e', '|V2'), ('f', '|i1')]",
        "[('a', 'int32'), ('b', 'float64'), ('c', 'bool'), ('d', 'datetime64[ns]')]",
        "[('a', 'bfloat16'), ('b', '<i4')]",
        "[('a', 'float8_e5m2')]",
        "('bfloat16', (2, 3))",
        "('int4', (2,))",
        "{'names': ['a', 'b'], 'formats': ['u1', 'bfloat16'], 'aligned': True}",
        '[("a", "<i4"), ("b", "<f8")]',
        "[('a','<i4'),('b','<f8')]",
        "[ ( 'a' , '<i4' ) , ( 'b' , '<f8' ) ]",
        "[('a', '<i4'), ('b', '<f8'),]",
        "[('a', '<i4', (2, 3,))]",
        "[('', '<i4'), ('', '<f8')]",
        "[('', '<i4'), ('b', '<f8'), ('', 'u1')]",
        "[('a', '<i4', (1,)), ('b', '<i4', ())]",
        "[('a', ('<i4', (2, 3)))]",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8']}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'aligned': True}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'aligned': False}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'itemsize': 40}",
        "{'names': ['a', 'b'], 'formats': ['u1', '<f8'], 'itemsize': 40, 'aligned': True}",
        "{'names': ['a', 'b'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'aligned': True}",
        "{'itemsize': 20, 'offsets': [0, 8], 'formats': ['<i4', '<f8'], 'names': ['a', 'b']}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 4], 'itemsize': 12}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 4], 'titles': [None, None], 'itemsize': 12}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'titles': ['T', 'U']}",
        "{'names': ('a', 'b'), 'formats': ('<i4', '<f8'), 'offsets': (0, 8), 'itemsize': 16}",
        "{'names': ['p', 'q'], 'formats': [[('x', 'u1'), ('y', '<i4')], '<f8'], 'aligned': True}",
        "{'names': ['p', 'q'], 'formats': [{'names': ['x', 'y'], 'formats': ['u1', '<i4'], 'aligned': True}, 'u1']}",
        "[('p', {'names': ['x', 'y'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}), ('q', 'u1')]",
        "({'names': ['x', 'y'], 'formats': ['u1', '<i4'], 'aligned': True}, (2,))",
        "{'names': ['p'], 'formats': [([('x', 'u1'), ('y', '<i4')], (2,))], 'aligned': True}",
        "{'names': [], 'formats': []}",
        "('<i4', (2,3))",
        "('i4', (2,))",
        "('<i4', [2, 3])",
        "('<i4', ())",
        "('|S3', (2,))",
    ]
)

# ---------------------------------------------------------------- strings that no program writes; NumPy determines the file of each
# "M8[Y/0]" is left out, because it crashes NumPy 2.4.6 (division by zero, SIGFPE).

STRANGE = (
    list("bBhHiIlLqQpPnNefdgFDGScUVMmaOwWAtxsu")
    + "byte ubyte short ushort intc uintc long ulong longlong ulonglong half single double longdouble csingle cdouble clongdouble int_ unicode".split()
    + ["", " ", "<", ">", "=", "|", "|i4", "|f8", "|c16", "|U3", "|M8[s]", "<?", ">?", "|?", "=?", "<i", ">d", "=l", "|q", "<U", ">U", "=U", "|S", "|V"]
    + ["a5", "|a5", "<a3", "S0", "U0", "V0", "|S0", "<U0", "|V0", "O8", "|O8", "O4", "<O8", "O1", "O16", "i04", "i+4", "S010", "S+5", "S 5", "U\t3"]
    + [">int32", "<float64", ">datetime64[ns]", "<datetime64", "=uint8", "|bool", ">bool", ">object", "<str", ">str", "<bytes"]
    + ["M8[0s]", "M8[3generic]", "m8[2generic]", "M8[Y/12]", "M8[2Y/3]", "M8[Y/365]", "M8[W/7]", "M8[h/60]", "M8[3s/2]", "M8[s/2]", "M8[s/1]", "m8[ns/1000]", "M8[Y/52]", "M8[Y/-1]", "M8[01s]", "M8[+2s]"]
    + ["i4,f8", "i4, f8", "i4 ,f8", "i4,", "i4,f8,", "3i4", "1i4", "0i4", "2 i4", "(2,3)i4", "(2,)i4", "( 2,3 )i4", "()i4", "(0,)i4", "3i4,f8", "<i4,>f8", ">(2,)i4", "(2,)>i4", "(2,3)<i4,S3",
       "i1,i2 ", "S3,U2", "O,i4", "a3,b", "?,?", "i8,M8[ns]", "M8[ns],M8", "i4,i4,i4", "int32,float64", "bfloat16,i4", "2bfloat16", "f,d"]
    + ["<x4", "i3", "<i3", "<i0", "<i5", "<i6", "<i16", "<i32", "<u3", "<u0", "<f1", "<f3", "<f5", "<f10", "<f12", "<f32", "<c2", "<c4", "<c12", "<c64", "b0", "<b2", "b4", "b8", "?1", "?8"]
    + ["<i4garbage", "<i4 ", " <i4", "<i4\n", "\t<i4", "<i4\x00", "<i4,,f8", ",i4", ",", "i4;f8", "<<i4", "<>i4", "!i4", "@i4", "^i4", "-i4", "i-4", "i4.0", "i4e0", "i1_6", "4", "2", "(2)i4", "(2,3", "2,3)i4", "<2>i4", "(2,3)", "[2]i4", "(-1,)i4", "-1i4", "99999999999i4"]
    + ["S-1", "S5x", "S5.0", "S\uff11", "S1_0", "S0x3", "S2147483648", "S4294967297", "S99999999999", "S99999999999999999999", "U-3", "U536870912", "U2147483648", "U9999999999", "V-1", "V2147483648", "V3.5", "V1e2", "v5", "s5"]
    + ["M4", "M16", "M8[", "M8]", "M8[]", "M8[xx]", "M8[NS]", "M8[S]", "M8[ s]", "M8[s ]", "M8[s]x", "m8[s]]", "M8[25]", "M8[-1s]", "M8[1e3s]", "M8[1.5s]", "M8[2147483648s]", "M8[3000000000s/2]", "M8[B]", "M8[D/7]", "M8[as/2]", "M8[s/]", "M8[/2]", "M8[s/x]", "M8s", "M8(s)", "m8[ns", "datetime64[]", "datetime64[xx]", "datetime64[ns", "datetime32", "datetime", "timedelta"]
    + "Int32 INT32 Float64 Bool int3 int128 uint128 float8 float80 float96 float256 complex32x complex512 int0 object0 bytes0 str0 str8 bytes8 string string_ unicode_ float_ complex_ uint_ longfloat cfloat".split()
    + "void128 record generic number integer flexible character numpy.int32 np.int32 torch.float32 <bfloat16x bfloat BFLOAT16 float8_e9m9 int5 <W4 <bfloat16 >bfloat16 |int4".split()
    + [
        "'<i4'", '"<i4"', "('<i4')", "(('<i4'))", "None", "'i4,f8'", "'M8[ns]'", "[]", "{}", "(None, (2,))", "[('a', None)]",
        "('a', '<i4')", "('<i4', 2)", "('<i4', 1)", "('<i4', 0)", "('<i4', (1,))", "('S', 5)", "('U', 5)", "('V', 5)", "('S0', 5)", "('S3', 2)",
        "('S0', (2,))", "('U0', (3,))", "('V0', (2, 3))", "[('a', 'S0', (2,))]", "[('a', 'V', (2, 3))]",
        "('<i4', '<i4')", "('<i4', '>i4')", "('V4', '<i4')", "('<i4', [('a', '<i2'), ('b', '<i2')])", "('<i4', {'a': ('<i2', 0), 'b': ('<i2', 2)})", "('<f8', [('re', '<f4'), ('im', '<f4')])",
        "[('a', '<i4', 2)]", "[('a', '<i4', 1)]", "[('a', '<i4', 0)]", "[('a', '<i4', [2, 3])]", "[('a', '<i4', ())]", "[('a', 'i4,f8')]", "[('a', '(2,)i4')]", "[('a', '3i4', (2,))]",
        "[('a', ('S', 5))]", "[('a', 'L'), ('b', 'd'), ('c', '?')]", "[('a', 'O8')]", "[(('', 'a'), '<i4')]", "[((1, 'a'), '<i4')]", "[((None, 'a'), '<i4')]", "[((('t',), 'a'), '<i4')]",
        "{'names': 'ab', 'formats': ['<i4', '<f8']}", "{'names': ['a'], 'formats': 'i'}", "{'names': ['a', 'b'], 'formats': 'id'}", "{'names': ['a'], 'formats': ['<i4'], 'extra': 1}",
        "{'names': ['a'], 'formats': ['<i4'], 'titles': [1]}", "{'names': ['a'], 'formats': ['<i4'], 'formats': ['<f8']}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': True, 'itemsize': 4}",
        "{'names': ['a'], 'formats': [None]}", "{'names': ['a'], 'formats': ['u1'], 'offsets': [True]}",
        "{'a': ('<i4', 0), 'b': ('<f8', 4)}", "{'b': ('<i4', 8), 'a': ('<f8', 0)}", "{'a': ('<i4', 0, 'T'), 'b': ('<f8', 4)}", "{-1: ['b', 'a'], 'a': ('<i4', 0), 'b': ('<f8', 4)}", "{'a': ('<i4', '3')}",
        " [('a', '<i4')]", "\t[('a', '<i4')]", "\n[('a', '<i4')]", "[('a', '<i4')]\n", "[('a', '<i4')] ", "[('a', '<i4')] # comment", "[('a',\n'<i4')]", "\x0c[('a', '<i4')]",
        "[('a' 'b', '<i4')]", "[(u'a', '<i4')]", "[(r'a\\n', '<i4')]", "[('''a\nb''', '<i4')]", "[('a\\101', '<i4')]", "[('a\\x41\\u0041\\U00000041', '<i4')]", "[('\\N{EM DASH}', '<i4')]",
        "[('a\\q', '<i4')]", "[('a\\\nb', '<i4')]", "[('a\\0b', '<i4')]", "[('\\a\\b\\f\\v\\r\\n\\t', '<i4')]",
        "[('a', '<i4', (0x2, 0b11, 0o4, 1_0))]", "[('a', '<i4', (+2,))]", "[('a', '<i4', (00,))]", "('<i4', (2,)) ", "(\n'<i4', (2,))", "[('a', '<i4', (2))]",
        "[('a', 'V2147483647'), ('b', 'u1')]", "{'names': ['a'], 'formats': ['u1'], 'offsets': [2147483647]}", "{'names': ['a'], 'formats': ['V2147483647'], 'offsets': [1]}",
        "[('a', 'V2147483647'), ('b', 'V2147483647'), ('c', 'V3')]", "{'names': ['a', 'b'], 'formats': ['V2147483645', '<i4'], 'aligned': True}",
        "1", "-1", "1.5", "True", "1j", "...", "b'<i4'", "f'<i4'", "()", "('<i4',)", "(('<i4', (2,)),)", "('<i4', (2, 3), 1)", "((2, 3), '<i4')", "(2, 3)", "('<i4', (-1,))", "('<i4', -1)", "('<i4', (2, -3))", "('<i4', (2.0,))", "('<i4', ('2',))",
        "('<i4', (True,))", "('<i4', (None,))", "('<i4', 2.5)", "('<i4', ((2,),))", "('<i3', (2,))", "('', (2,))", "('<i4', (2147483648,))", "('<i4', (536870912,))", "('<i4', (65536, 65536))", "('u1', (65536, 32768))", "('u1', (0, 2147483648))", "('u1', (9223372036854775808,))",
        "('<i4', (2, 3)", "('<i4', (2, 3)))", "('<i4' (2, 3))", "('<i4', (2 3))", "('<i4', (02,))", "('<i4', (2**3,))", "('<i4', (1+1,))", "('<i4', (2_,))", "('<i8', [('a', '<i2'), ('b', '<i2')])", "('V8', [('a', '<i4')])", "('O', [('a', '<i8')])",
        "('u1', " + repr((1,) * 65) + ")", "[('a', 'u1', " + repr((1,) * 65) + ")]", "[('a', '<i4', " + repr((2,) * 33) + ")]",
        "[", "]", "[[]]", "[()]", "['<i4']", "[1]", "[None]", "['a', '<i4']", "[['a', '<i4']]", "[('a',)]", "[('a', '<i4', 2, 3)]", "[('a', '<i4'), 'b']", "[(1, '<i4')]", "[(None, '<i4')]", "[(b'a', '<i4')]", "[(('t', 'a', 'b'), '<i4')]", "[(('a',), '<i4')]", "[((), '<i4')]", "[(('t', 1), '<i4')]", "[(['t', 'a'], '<i4')]",
        "[('a', '<i3')]", "[('a', '')]", "[('a', '<i4garbage')]", "[('a', 1)]", "[('a', 'T')]", "[('a', '<W4')]", "[('a', '<f1')]", "[('a', ('<i4',))]", "[('a', [('b', [('c', '<i3')])])]",
        "[('a', '<i4', -1)]", "[('a', '<i4', (-1,))]", "[('a', '<i4', 'x')]", "[('a', '<i4', (2.5,))]", "[('a', '<i4', None)]", "[('a', '<i4', (2147483648,))]", "[('a', '<i4', (46341, 46341))]",
        "[('a', '<i4'), ('a', '<f8')]", "[('a', '<i4'), ('b', '<f8'), ('a', 'u1')]", "[('', '<i4'), ('f0', '<f8')]", "[('f1', '<i4'), ('', '<f8')]", "[(('t', 'a'), '<i4'), ('t', '<f8')]", "[('t', '<i4'), (('t', 'a'), '<f8')]", "[(('t', 'a'), '<i4'), (('t', 'b'), '<f8')]", "[(('a', 'a'), '<i4')]", "[(('t', ''), '<i4')]",
        "[('a', '<i4')", "[('a', '<i4'", "[('a', '<i4]", "[('a, '<i4')]", "('a', '<i4'))", "[('a' '<i4')]", "[('a', '<i4')) ]", "[('a', '<i4'}]", "[('a': '<i4')]", "[('a', '<i4');]", "[('a', '<i4')] [('b', '<i4')]", "[('a', '<i4')]garbage", "[a, '<i4']", "[(a, '<i4')]", "[('a', int)]", "[('a', np.int32)]",
        "[('a\nb', '<i4')]", "[('a\\x4', '<i4')]", "[('a\\u12', '<i4')]", "[('a\\U00110000', '<i4')]", "[('a\\N{DASH}', '<i4')]", "[('a\\', '<i4')]", "[('a\x00', '<i4')]", "[('a',\xa0'<i4')]", "\ufeff[('a', '<i4')]", "[(\u2018a\u2019, '<i4')]", "[*(1,)]", "[('a', '<i4') for x in 'a']", "list([('a', '<i4')])", "__import__('os')",
        "{", "{'names': ['a']}", "{'formats': ['<i4']}", "{'names': [], 'formats': ['<i4']}", "{'names': ['a', 'b'], 'formats': ['<i4']}", "{'names': ['a'], 'formats': ['<i4', '<f8']}", "{'names': 'a', 'formats': '<i4'}", "{'Names': ['a'], 'Formats': ['<i4']}", "{'names': ['a'], 'format': ['<i4']}", "{'a': '<i4'}", "{'a': ('<i4',)}", "{'a': ('<i4', -1)}", "{'a': ('<i4', 0, 'T', 1)}",
        "{'names': ['a', 'a'], 'formats': ['<i4', '<f8']}", "{'names': ['', ''], 'formats': ['<i4', '<f8']}", "{'names': [1], 'formats': ['<i4']}", "{'names': [b'a'], 'formats': ['<i4']}", "{'names': [None], 'formats': ['<i4']}", "{'names': ['a'], 'formats': ['<i3']}", "{'names': ['a'], 'formats': ['']}", "{'names': ['a'], 'formats': [1]}", "{'names': 1, 'formats': ['<i4']}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0]}", "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 4, 12]}", "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': []}", "{'names': ['a'], 'formats': ['<i4'], 'offsets': [-1]}", "{'names': ['a'], 'formats': ['<i4'], 'offsets': ['0']}", "{'names': ['a'], 'formats': ['<i4'], 'offsets': [0.0]}", "{'names': ['a'], 'formats': ['<i4'], 'offsets': [2147483648]}", "{'names': ['a'], 'formats': ['<i4'], 'offsets': None}", "{'names': ['a'], 'formats': ['<i4'], 'offsets': 0}",
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'titles': ['T']}", "{'names': ['a'], 'formats': ['<i4'], 'titles': None}", "{'names': ['a'], 'formats': ['<i4'], 'titles': ['a']}", "{'names': ['a', 'b'], 'formats': ['<i4', '<i4'], 'titles': ['T', 'T']}", "{'names': ['a', 'b'], 'formats': ['<i4', '<i4'], 'titles': ['T', 'b']}", "{'names': ['a', 'b'], 'formats': ['<i4', '<i4'], 'titles': ['b', None]}",
        "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 3}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 0}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': -1}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': '8'}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 8.0}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': None}", "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 2147483648}", "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 8], 'itemsize': 15}",
        "{'names': ['a', 'b'], 'formats': ['u1', '<f8'], 'offsets': [0, 4], 'aligned': True}", "{'names': ['a', 'b'], 'formats': ['u1', '<f8'], 'offsets': [0, 8], 'itemsize': 17, 'aligned': True}", "{'names': ['a', 'b'], 'formats': ['<f8', 'u1'], 'offsets': [0, 8], 'itemsize': 9, 'aligned': True}", "{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 4, 'aligned': True}",
        "{'names': ['a'], 'formats': ['<i4'], 'aligned': 1}", "{'names': ['a'], 'formats': ['<i4'], 'aligned': 0}", "{'names': ['a'], 'formats': ['<i4'], 'aligned': None}", "{'names': ['a'], 'formats': ['<i4'], 'aligned': 'True'}",
        "{'names': ['p'], 'formats': [{'names': ['x', 'y'], 'formats': ['u1', '<i4'], 'offsets': [0, 1]}], 'aligned': True}", "{'names': ['p'], 'formats': [{'names': ['x', 'y'], 'formats': ['u1', '<i4'], 'offsets': [0, 1], 'itemsize': 5, 'aligned': False}], 'aligned': True}",
        "{'names': ['a', 'b'], 'formats': ['O', '<f8'], 'offsets': [0, 4]}", "{'names': ['a', 'b'], 'formats': ['O', 'O'], 'offsets': [0, 0]}", "{'names': ['a', 'b'], 'formats': ['u1', [('o', 'O')]], 'offsets': [7, 0]}",
        "{'names': ['a'], 'formats': ['<i4']", "{'names': ['a', 'formats': ['<i4']}", "{'names' ['a'], 'formats': ['<i4']}", "{'names': ['a'] 'formats': ['<i4']}", "{'names': ['a'], 'formats': ['<i4'],, 'itemsize': 4}", "{names: ['a'], formats: ['<i4']}", "{'names'}", "{**{}}",
        "dtype('<i4')", "dtype([('a', '<i4')])", "<class 'numpy.int32'>", "'<i4", "<i4'", "\"<i4'", "'<i3'", "''",
        "[" * 150, "[" * 150 + "]" * 150, "[('f', " * 120 + "'<i4'" + ")]" * 120, "(" * 250 + "'<i4'" + ", (2,))" * 250,
    ]
)  # fmt: skip


# ---------------------------------------------------------------- the four files


def main(check):
    rows, exceptions, done, excepted = [], [], set(), set()

    def add(s, dt, source):
        if s not in done:
            done.add(s)
            rows.append({"s": s, **describe(dt), "source": source})

    objects = list(held())
    for dt in objects:
        s = written(dt)
        try:
            back, _ = parse(s)
        except (ValueError, TypeError, SyntaxError) as e:
            if s not in excepted:
                excepted.add(s)
                exceptions.append({"s": s, "what": "refused", "error": message(e), "written": describe(dt), "read": None})
            continue
        if deep(back) != deep(dt) and s not in excepted:
            excepted.add(s)
            exceptions.append({"s": s, "what": "changed", "error": None, "written": describe(dt), "read": describe(back)})
        add(s, back, "str(dtype)" if dt.kind == "V" else "dtype.str")
        t = str(dt)
        if t != s:  # the six-entry layout wrote str(dtype) for every kind
            back, _ = parse(t)
            assert deep(back) == deep(dt), t
            add(t, back, "str(dtype)")

    seen_bad = []
    for item in json.loads((HERE / "seen.json").read_text(encoding="ascii")):
        if item.get("dtype_format", 0) != 0:
            continue  # not NumPy's
        s = item["s"]
        try:
            dt, _ = parse(s)
        except (ValueError, TypeError, SyntaxError) as e:
            seen_bad.append({"s": s, "error": message(e)})
            continue
        add(s, dt, ("str(dtype)" if dt.kind == "V" else "dtype.str") if s == written(dt) else "str(dtype)" if s == str(dt) else "accepted")

    for s in BARE + ACCEPTED:
        dt, warning = parse(s)
        assert warning is None, (s, warning)
        add(s, dt, "str(dtype)" if s == str(dt) else "accepted")

    for r in rows:  # parsing each string gives the facts in its row
        assert {**r, **describe(parse(r["s"])[0])} == r, r
        r["s"].encode("utf-8")
    save("dtypes.json", rows)
    save("exceptions.json", exceptions)

    odd, refused = [], []
    for s in STRANGE:
        if s in done or s in excepted:
            continue
        done.add(s)
        try:
            dt, warning = parse(s)
        except (ValueError, TypeError, SyntaxError) as e:
            refused.append({"s": s, "error": message(e)})
            continue
        text = written(dt)
        try:
            stable = deep(parse(text)[0]) == deep(dt)
        except (ValueError, TypeError, SyntaxError):
            stable = False
        odd.append({"s": s, "canonical": text, "stable": stable, "warning": warning, **describe(dt)})
    save("odd.json", odd)
    save("refused.json", refused + [r for r in seen_bad if r["s"] not in done])

    if check:
        import blosc2

        n = 0
        for dt in objects:
            if 0 < dt.itemsize < 1 << 20 and dt.subdtype is None and "O" not in str(dt) and dt.str != "|O":
                try:
                    a = blosc2.empty((2,), dtype=dt)
                except Exception as e:  # noqa: BLE001
                    print("python-blosc2 refuses", written(dt)[:100], message(e)[:100])
                    continue
                assert a.schunk.meta["b2nd"][6] == written(dt), (a.schunk.meta["b2nd"], written(dt))
                assert a.schunk.typesize == dt.itemsize
                n += 1
        print(f"{n} metalayers of python-blosc2 {blosc2.__version__} hold the same text")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
