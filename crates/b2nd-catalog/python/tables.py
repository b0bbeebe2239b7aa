"""Measures queries on a table of python-blosc2: b2nd-catalog on the table, DuckDB on the same rows in Parquet, and python-blosc2 itself.

    python tables.py PROGRAM [ROWS]

Fails if the results differ. With at least 10 million rows, it also fails if a target is not reached.
"""

import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import blosc2
import duckdb
import numpy
import pyarrow
import pyarrow.parquet

PROGRAM = sys.argv[1]
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000

# The median of this number of runs is reported.
RUNS = 5


@dataclasses.dataclass
class Row:
    id: int = blosc2.field(blosc2.int64())
    time: int = blosc2.field(blosc2.timestamp(unit="us"))
    station: int = blosc2.field(blosc2.int32())
    kind: int = blosc2.field(blosc2.uint8())
    temperature: float = blosc2.field(blosc2.float64())
    pressure: float = blosc2.field(blosc2.float64())
    wind: float = blosc2.field(blosc2.float32())
    rain: float = blosc2.field(blosc2.float32())
    count: int = blosc2.field(blosc2.uint16())
    good: bool = blosc2.field(blosc2.bool())


def columns(start, stop):
    """Weather at 500 stations as it would be recorded: in order of time, with one or two decimals."""
    random = numpy.random.default_rng(start)
    rows = numpy.arange(start, stop)
    size = stop - start
    return {
        "id": rows,
        "time": numpy.datetime64("2020-01-01", "us") + (rows * 1_000_000).astype("timedelta64[us]"),
        "station": random.integers(0, 500, size, "i4"),
        "kind": random.integers(0, 12, size, "u1"),
        "temperature": (15 + 10 * numpy.sin(rows / 86400) + random.normal(0, 2, size)).round(1),
        "pressure": (1013 + 5 * numpy.cos(rows / 400_000) + random.normal(0, 3, size)).round(2),
        "wind": random.gamma(2, 3, size).round(1).astype("f4"),
        "rain": numpy.where(random.random(size) < 0.9, 0, random.gamma(1, 2, size)).round(1).astype("f4"),
        "count": random.poisson(40, size).astype("u2"),
        "good": random.random(size) < 0.98,
    }


def write(table, parquet):
    with blosc2.CTable(Row, urlpath=str(table), mode="w", validate=False, expected_size=ROWS) as made:
        for start in range(0, ROWS, 1_000_000):
            made.extend(columns(start, min(start + 1_000_000, ROWS)), validate=False)
    with blosc2.CTable.open(str(table), mode="r") as made:
        for name, codec in parquet.items():
            batches = made.iter_arrow_batches()
            first = next(batches)
            with pyarrow.parquet.ParquetWriter(name, first.schema, compression=codec) as writer:
                rows = [first]
                for batch in batches:
                    rows.append(batch)
                    if len(rows) == 16:
                        writer.write_table(pyarrow.Table.from_batches(rows))
                        rows = []
                if rows:
                    writer.write_table(pyarrow.Table.from_batches(rows))


LOW, HIGH = ROWS // 2, ROWS // 2 + 1000

QUERIES = {
    "scan": "select sum(temperature) as a, sum(wind) as b from {}",
    "filter": f"select count(*) as n, avg(temperature) as a from {{}} where id >= {LOW} and id < {HIGH}",
    "group": "select station, count(*) as n, avg(temperature) as a from {} group by station order by station",
    "ends": "select min(temperature) as a, max(temperature) as b, count(*) as n from {}",
}


def in_python(query, table):
    with blosc2.CTable.open(str(table), mode="r") as rows:
        if query == "scan":
            return [(float(rows["temperature"].sum()), float(rows["wind"].sum()))]
        if query == "filter":
            found = rows.where(f"(id >= {LOW}) & (id < {HIGH})")
            return [(found.nrows, float(found["temperature"].mean()))]
        if query == "ends":
            return [(float(rows["temperature"].min()), float(rows["temperature"].max()), rows.nrows)]
        groups = rows.group_by("station", sort=True).agg(n=("station", "count"), a=("temperature", "mean"))
        return list(zip(groups["station"][:].tolist(), groups["n"][:].tolist(), groups["a"][:].tolist()))


def in_program(query, table):
    done = subprocess.run([PROGRAM, "sql", QUERIES[query].format(f"'{table}'"), "--format", "json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]


def in_duckdb(query, parquet):
    return duckdb.connect().sql(QUERIES[query].format(f"'{parquet}'")).fetchall()


def read():
    """Returns the number of bytes that this process and its finished children have read with system calls."""
    return int(re.search(r"rchar: (\d+)", pathlib.Path("/proc/self/io").read_text())[1])


def measure(ask, *arguments):
    """Returns the result, the median of the seconds, and the bytes read."""
    answer, seconds, before = ask(*arguments), [], read()
    for _ in range(RUNS):
        started = time.perf_counter()
        ask(*arguments)
        seconds.append(time.perf_counter() - started)
    return answer, statistics.median(seconds), (read() - before) / RUNS


def same(one, other):
    return len(one) == len(other) and all(
        abs(a - b) <= 1e-6 * max(abs(a), 1) for rows in zip(one, other) for a, b in zip(*rows, strict=True))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/tmp")) as temporary:
        directory = pathlib.Path(temporary)
        table, snappy, zstd = (directory / name for name in ("table.b2z", "snappy.parquet", "zstd.parquet"))
        write(table, {snappy: "snappy", zstd: "zstd"})
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in (table, snappy, zstd))
        print(f"{ROWS} rows of 10 columns, {os.cpu_count()} cores: {sizes}")
        asked = {
            "b2nd-catalog": (in_program, table),
            "DuckDB, Parquet with Snappy": (in_duckdb, snappy),
            "DuckDB, Parquet with Zstandard": (in_duckdb, zstd),
            "python-blosc2": (in_python, table),
        }
        reached = True
        for query in QUERIES:
            answers, took = {}, {}
            for name, (ask, path) in asked.items():
                answers[name], took[name], bytes_read = measure(ask, query, path)
                print(f"{query}: {name} {took[name] * 1000:.0f} ms, {bytes_read / 1e6:.2f} MB read")
            ours, *theirs = answers.values()
            assert all(same(ours, other) for other in theirs), f"{query}: the answers differ: {[answer[:3] for answer in answers.values()]}"
            reached &= took["b2nd-catalog"] <= took["python-blosc2"]
            reached &= query != "scan" or took["b2nd-catalog"] <= 2 * took["DuckDB, Parquet with Snappy"]
        if not reached and ROWS >= 10_000_000:
            sys.exit("a target was not reached")
