"""Writes the tables in this directory, most with a NAME.arrow, which has what to_arrow() returns, and files that are not tables.

    python recipe.py [DIRECTORY]

Needs the packages of ../../python/requirements.txt. Each run writes the same .b2z except for the times in its zip entries.
"""
import dataclasses
import os
import sys

import blosc2 as b
import numpy as np
import pyarrow as pa

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
b.set_nthreads(1)
NAN = float("nan")


def annotation(spec):
    if hasattr(spec, "item_spec"):
        return list[annotation(spec.item_spec)]
    return np.ndarray if hasattr(spec, "item_shape") else str if "Dictionary" in type(spec).__name__ else spec.python_type


def row(grid=None, **specs):
    """Creates a row class whose fields can have any names. `grid` sets the chunks and blocks of the columns."""
    names = {"__annotations__": {name: annotation(spec) for name, spec in specs.items()}}
    names |= {name: b.field(spec, **(grid or {})) for name, spec in specs.items()}
    return dataclasses.dataclass(type("Row", (), names), init=False, repr=False, eq=False, match_args=False)


def write(name, specs, rows, then=None, grid=None, **more):
    path = os.path.join(OUT, name)
    table = b.CTable(row(grid, **specs), urlpath=path, mode="w", validate=False, expected_size=16, **more)
    for values in rows:
        # A null is stored as the sentinel of its column.
        nulls = [getattr(spec, "null_value", None) for spec in specs.values()]
        values = [null if value is None and null is not None else value for null, value in zip(nulls, values)]
        table.append(tuple(values))
    if then:
        then(table)
    table.close()
    finish(name, path)


def finish(name, path, columns=None):
    with b.CTable.open(path, mode="r") as table:
        export(name.split(".")[0], table, columns)


def export(name, table, columns=None):
    batches = list(table.iter_arrow_batches(columns=columns))
    # Builds the table from these columns as to_arrow() does.
    schema = table._arrow_schema_for_columns(columns)
    whole = pa.Table.from_arrays(pa.Table.from_batches(batches).columns, schema=schema) if batches else schema.empty_table()
    with pa.OSFile(os.path.join(OUT, name + ".arrow"), "wb") as sink:
        with pa.ipc.new_file(sink, whole.schema) as writer:
            writer.write_table(whole.combine_chunks())


KINDS = dict(
    i=b.int32(nullable=True),
    f=b.float64(null_value=NAN, nullable=True),
    o=b.bool(nullable=True),
    w=b.bool(nullable=True, null_value=255),
    s=b.string(max_length=5, nullable=True),
    y=b.bytes(max_length=4),
    t=b.timestamp(unit="ms", timezone="UTC", nullable=True),
    u=b.utf8(nullable=True),
    d=b.dictionary(nullable=True),
    v=b.vlstring(nullable=True, batch_rows=4, items_per_block=2),
    b=b.vlbytes(),
    l=b.list(b.int16(nullable=True), nullable=True, batch_rows=3),
    a=b.list(b.string(max_length=9), nullable=True, serializer="arrow"),
    c=b.list(b.float32(), storage="vl"),
    g=b.struct({"x": b.int64(), "z": b.list(b.string(max_length=4, nullable=True))}, nullable=True),
    n=b.ndarray((2, 2), dtype=np.dtype("<i2"), nullable=True),
)
ROWS = [
    [1, 0.5, True, True, "é", b"a\0b\0", 0, "", "red", "x", b"", [1, None], ["p"], [0.5], {"x": 1, "z": ["a", None]}, [[1, 2], [3, 4]]],
    [None, NAN, None, None, None, b"", None, None, None, None, b"\0", None, None, [], None, None],
    [-(2**31), -0.0, False, False, "", b"abcd", 1, "日本", "blue", "", b"xyz", [], [], [1.0, 2.0], {"x": -1, "z": []}, [[0, 0], [0, -1]]],
    [3, 1e300, True, True, "abcde", b"z", -1, "two", "red", "y", b"1", [7], ["q", "r"], [3.0], {"x": 2**40, "z": ["b"]}, [[9, 9], [9, 9]]],
    [4, float("inf"), False, None, "4", b"4", 4, "gone", "green", "gone", b"4", [4], ["gone"], [4.0], {"x": 4, "z": []}, [[4, 4], [4, 4]]],
    [5, 2.0, None, False, "five", b"5", 5, None, None, "five", b"55", [5, 6], None, [], None, [[5, 5], [5, 5]]],
    [6, 3.0, True, True, None, b"6", None, "six", "red", None, b"6", None, ["s"], [6.0], {"x": 6, "z": ["c", "d"]}, None],
]

# Fifteen blocks of twenty rows. In m, z, y and t, one block has only nulls. In x, one block has only NaN, one some NaN, and one both
# zeros.
BLOCKS = dict(
    n=b.int32(),
    m=b.int16(nullable=True),
    z=b.int64(null_value=-1, nullable=True),
    x=b.float64(),
    y=b.float32(null_value=NAN, nullable=True),
    t=b.timestamp(unit="s", nullable=True),
    o=b.bool(),
    w=b.string(max_length=3),
)


def block_row(i):
    x = NAN if i // 20 == 3 or i == 130 else [0.0, -0.0][i % 2] if i // 20 == 9 else i / 4
    null = 100 <= i < 120 or i % 50 == 49
    return [i // 2, None if null else i % 20 - i // 20, None if null else i, x, None if null else 300 - i, None if null else 60 * i, i // 40 % 2 == 0, "abc"[: i % 4]]


# No row is deleted, so the min and max in an index are those of the column. `p` has neither zeros nor NaN. Of the
# columns q and r, only r has NaT.
WHOLE = BLOCKS | dict(p=b.float64(), q=b.timestamp(unit="ms"), r=b.timestamp(unit="ms"))


def whole_row(i):
    return [*block_row(i), i / 4 - 30.125, 1000 * i - 5, -(2**63) if i == 77 else i]


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    # One row is deleted, so six rows remain.
    write("kinds.b2z", KINDS, ROWS, lambda table: table.delete([4]))
    write("blocks.b2z", BLOCKS, map(block_row, range(300)), lambda table: table.delete(list(range(50, 75))), {"chunks": (100,), "blocks": (20,)})
    write("whole.b2z", WHOLE, map(whole_row, range(300)), None, {"chunks": (100,), "blocks": (20,)})
    write("empty.b2z", {"i": b.int8(), "u": b.utf8(), "d": b.dictionary(), "l": b.list(b.int8())}, [])
    write("names.b2z", {"a.b": b.int8(), "100%": b.int8(), "é/ü": b.utf8(), "esc\\.dot": b.int8()}, [[1, 2, "3", 4]])
    # Nulls are marked by a number of the other kind: a float among integers, and an integer among floats. NumPy compares such numbers as
    # floats, so 2^53 + 1 is null in g.
    specs = dict(i=b.int64(null_value=-1.0), f=b.float64(null_value=-1), n=b.ndarray((2,), dtype=np.float32, null_value=-1), g=b.int64(null_value=2.0**53))
    write("sentinels.b2z", specs, [[-1, -1.0, [-1, 1], 2**53 + 1], [None, None, [-1, -1], None], [2, 0.5, [0, 0], 2**53 + 2]])
    # The expected contents have only the column i, because to_arrow() rejects c and o.
    path = os.path.join(OUT, "refused.b2z")
    table = b.CTable(row(i=b.int16(), c=b.complex64(), o=b.object(nullable=True)), urlpath=path, mode="w", validate=False)
    for values in [(1, 1j, {"a": [1, None]}), (2, 2.5, "text"), (3, 3 - 1j, None)]:
        table.append(values)
    table.add_computed_column("twice", "i * 2")
    table.close()
    finish("refused.b2z", path, ["i"])
    # A row for each second over three midnights, in twenty blocks. The row with a value of m above int16 is deleted. There is no .arrow,
    # because it would be large.
    path = os.path.join(OUT, "nights.b2z")
    rows = np.arange(200_000)
    specs = dict(t=b.timestamp(unit="s"), n=b.int32(), m=b.int64())
    table = b.CTable(row({"chunks": (50_000,), "blocks": (10_000,)}, **specs), urlpath=path, mode="w", validate=False)
    table.extend({"t": 1_577_908_800 + rows, "n": (rows - 1000).astype("i4"), "m": np.where(rows == 5, 2**40, rows % 100)})
    table.delete([5])
    table.close()
    # python-blosc2 stores a struct of an Arrow table as several columns, and reading joins them again.
    struct = pa.struct([("x", pa.int32()), ("deep", pa.struct([("s", pa.string())]))])
    trips = [{"x": 1, "deep": {"s": "a"}}, {"x": None, "deep": {"s": None}}, {"x": 2, "deep": {"s": None}}]
    given = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "trip": pa.array(trips, struct)})
    path = os.path.join(OUT, "nested.b2z")
    b.CTable.from_arrow(given.schema, given.to_batches(), urlpath=path, mode="w").close()
    finish("nested.b2z", path)
    given = pa.table({"b": pa.array([[True, None], [], None, [False]], pa.list_(pa.bool_()))})
    path = os.path.join(OUT, "bools.b2z")
    b.CTable.from_arrow(given.schema, given.to_batches(), urlpath=path, mode="w").close()
    finish("bools.b2z", path)
    # Names in which path separators are escaped.
    points = [{"begin/point": 1, "deep": {"a.b": 2.5}}, {"begin/point": 2, "deep": {"a.b": None}}]
    given = pa.table({"trip.info": pa.array(points), "p/q": pa.array([1, 2], pa.int64())})
    path = os.path.join(OUT, "escaped.b2z")
    b.CTable.from_arrow(given.schema, given.to_batches(), urlpath=path, mode="w").close()
    finish("escaped.b2z", path)
    # A tree with two tables.
    path = os.path.join(OUT, "tree.b2z")
    with b.TreeStore(path, mode="w") as store:
        for key, name in (("/group/people", "Ada"), ("/things", "spoon")):
            table = b.CTable(row(name=b.utf8(), n=b.int8()), validate=False)
            table.append((name, 7))
            store[key] = table
        store["/array"] = np.arange(4)
    with b.TreeStore(path, mode="r") as store:
        export("tree_group_people", store["/group/people"])
        export("tree_things", store["/things"])
    # Values that are not in a table.
    stored = {
        "list.b2b": b.ListArray(item_spec=b.int16(nullable=True), nullable=True, items_per_block=2, batch_rows=3, urlpath=os.path.join(OUT, "list.b2b"), mode="w"),
        "lists.b2b": b.ListArray(item_spec=b.string(max_length=4), storage="vl", urlpath=os.path.join(OUT, "lists.b2b"), mode="w"),
        "objects.b2b": b.ObjectArray(urlpath=os.path.join(OUT, "objects.b2b"), mode="w"),
    }
    for values, name in (([[1, None], None, [], [2]], "list.b2b"), ([["a"], ["b", "c"]], "lists.b2b"), ([{"a": 1}, "text", None, 2.5], "objects.b2b")):
        stored[name].extend(values)
        getattr(stored[name], "flush", lambda: None)()
    batches = b.BatchArray(items_per_block=2, urlpath=os.path.join(OUT, "batches.b2b"), mode="w")
    batches.append([1, "two", None])
    batches.append([[4, 5]])
    for name, contiguous in (("arrow.b2b", True), ("sparse.b2b", False)):
        storage = b.Storage(contiguous=contiguous, urlpath=os.path.join(OUT, name), mode="w")
        arrow = b.BatchArray(items_per_block=2, serializer="arrow", storage=storage)
        arrow.append(pa.array(["a", None, "c"]))
        arrow.append(pa.array(["d"]))
    structs = b.BatchArray(items_per_block=2, serializer="arrow", urlpath=os.path.join(OUT, "structs.b2b"), mode="w")
    structs.append(pa.array([{"x": 1, "y": "a"}, None, {"x": 3, "y": "c"}]))
