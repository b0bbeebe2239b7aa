"""Reads the files that the example export has written, with PyArrow, DuckDB and Polars, and compares them with the expected contents.

    python read.py TRUTH EXPORTED
"""
import os
import sys

import duckdb
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

truths, exported = sys.argv[1:]
compared = 0
for name in ("kinds", "names", "nested", "empty"):
    truth = pa.ipc.open_file(os.path.join(truths, name + ".arrow")).read_all()
    path = os.path.join(exported, name)
    # Rows are compared as text, because NaN is not equal to itself.
    want = str(truth.to_pylist())
    read = {
        "pyarrow, arrow": pa.ipc.open_file(path + ".arrow").read_all(),
        "pyarrow, parquet": pa.parquet.read_table(path + ".parquet"),
    }
    for how, table in read.items():
        assert str(table.to_pylist()) == want, (name, how, table.to_pylist(), want)
        assert table.schema.names == truth.schema.names, (name, how)
        compared += 1
    assert read["pyarrow, arrow"].schema.equals(truth.schema), (read["pyarrow, arrow"].schema, truth.schema)
    # DuckDB and Polars have different types, so their values are not compared.
    nulls = [column.null_count for column in truth.columns]
    count = ", ".join(f'count(*) - count("{column}")' for column in truth.column_names)
    for ending in ("parquet", "csv", "json"):
        if ending == "json" and not truth.num_rows:
            continue
        columns = duckdb.sql(f"select * from '{path}.{ending}'").columns
        assert len(columns) <= len(truth.column_names), (name, ending, columns)
        rows, *found = duckdb.sql(f"select count(*), {count} from '{path}.{ending}'").fetchall()[0]
        assert rows == truth.num_rows, (name, ending, rows)
        if ending == "parquet":
            assert found == nulls, (name, ending, found, nulls)
        compared += 1
    for how, frame in {"parquet": polars.read_parquet(path + ".parquet"), "arrow": polars.read_ipc(path + ".arrow")}.items():
        assert frame.height == truth.num_rows and frame.columns == truth.column_names, (name, how)
        assert [column.null_count() for column in frame.iter_columns()] == nulls, (name, how)
        compared += 1
print(f"{compared} readings agree")
