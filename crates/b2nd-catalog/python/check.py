"""Runs b2nd-catalog on files written by python-blosc2: on disk, in buckets (of moto and Azurite), and behind Python's HTTP server. DuckDB
and pyarrow read the catalogue.

    python check.py PROGRAM AZURITE
"""

import functools
import http.server
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import azure.storage.blob
import blosc2
import boto3
import duckdb
import numpy
import pyarrow.parquet
from moto.server import ThreadedMotoServer

PROGRAM, AZURITE = sys.argv[1:]
logging.getLogger("werkzeug").setLevel(logging.ERROR)
# The settings of this machine, such as proxies and cloud accounts, must not affect the results.
for name in list(os.environ):
    if name.upper().startswith(("AWS_", "AZURE_", "GOOGLE_")) or name.lower().endswith("_proxy"):
        del os.environ[name]


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stderr}"
    return done


def write_arrays(directory):
    """Writes arrays of several dtypes and shapes, with attributes, a tree in a `.b2z` and in a `.b2d`, and a bad file. Returns the arrays
    by file name and key."""
    arrays = {}
    for number in range(40):
        shape = (number + 1, 7)
        dtype = ["<f4", "<f8", "<i2", "|u1"][number % 4]
        path = directory / f"{'deep/' if number % 2 else ''}array {number} é.b2nd"
        path.parent.mkdir(exist_ok=True)
        array = blosc2.asarray(numpy.ones(shape, dtype), urlpath=str(path), mode="w", cparams={"codec": blosc2.Codec.ZSTD})
        array.schunk.vlmeta["dims"] = ["time", "depth"]
        array.schunk.vlmeta["units"] = "m"
        array.schunk.vlmeta["note"] = "x" * (100 * number)
        arrays[path.name, None] = array
    for ending in ("b2z", "b2d"):
        with blosc2.TreeStore(str(directory / f"tree.{ending}"), mode="w", threshold=0) as store:
            store["/group/small"] = numpy.arange(10)
            store["/group/large"] = blosc2.asarray(numpy.zeros((300, 300)))
        store = blosc2.TreeStore(str(directory / f"tree.{ending}"), mode="r")
        for key in ("/group/small", "/group/large"):
            arrays[f"tree.{ending}", key] = store[key]
    (directory / "bad.b2nd").write_bytes(b"no frame")
    return arrays


def compare(catalog, arrays):
    """Checks that the catalogue, read by pyarrow, has the same facts as python-blosc2 about the files."""
    rows = pyarrow.parquet.read_table(catalog).to_pylist()
    bad = [row for row in rows if row["error"]]
    assert [row["url"].rsplit("/", 1)[1] for row in bad] == ["bad.b2nd"], [row["error"] for row in bad[:3]]
    found = {}
    for row in rows:
        name = urllib.parse.unquote(row["url"]).rsplit("/", 1)[1]
        assert (name, row["key"]) not in found, f"{name} {row['key']} comes twice"
        found[name, row["key"]] = row
    stores = {(name, None) for name, key in arrays if key}
    assert {found[store]["kind"] for store in stores} == {"treestore"}
    assert found.keys() == arrays.keys() | stores | {("bad.b2nd", None)}, found.keys() ^ arrays.keys()
    for name, array in arrays.items():
        row, schunk = found[name], array.schunk
        expected = {
            "kind": "ndarray",
            "ndim": array.ndim,
            "shape": list(array.shape),
            "chunkshape": list(array.chunks),
            "blockshape": list(array.blocks),
            "dtype": array.dtype.str,
            "itemsize": array.dtype.itemsize,
            "nbytes": schunk.nbytes,
            "cbytes": schunk.cbytes,
            "codec": schunk.cparams.codec.name.lower(),
            "level": schunk.cparams.clevel,
            "nchunks": schunk.nchunks,
            "metalayers": list(schunk.meta),
        }
        assert {column: row[column] for column in expected} == expected, f"{name}: {row}\n{expected}"
        attributes = schunk.vlmeta[:]
        if row["attributes"] is not None:
            assert json.loads(row["attributes"]) == attributes, f"{name}: {row['attributes']}"
            assert (row["dims"], row["units"]) == (attributes.get("dims"), attributes.get("units")), name
    return len(rows)


def check_readers(catalog):
    """Checks that DuckDB and the program give the same result, and that pyarrow reads the metadata of the catalogue."""
    query = "select dtype, count(*) as n, sum(cbytes)::bigint as bytes, max(len(shape))::bigint as dims from arrays where error is null group by dtype order by dtype"
    theirs = duckdb.sql(query.replace("arrays", f"'{catalog}'")).fetchall()
    ours = [json.loads(line) for line in run("sql", query.replace("len(", "cardinality("), "--catalog", catalog, "--format", "json").stdout.splitlines()]
    assert theirs == [(row.get("dtype"), row["n"], row.get("bytes"), row.get("dims")) for row in ours], (theirs, ours)
    file = pyarrow.parquet.ParquetFile(catalog)
    notes = {name.decode(): value.decode() for name, value in file.metadata.metadata.items()}
    assert file.metadata.created_by.startswith("b2nd-catalog ") and notes["b2nd-catalog.version"] == file.metadata.created_by.split()[1], notes
    column = file.metadata.row_group(0).column(0)
    assert column.compression == "ZSTD" and column.statistics.has_min_max, column


def check_disk(directory, arrays):
    catalog = directory.parent / "disk.parquet"
    run("scan", directory, "--attributes", "--out", catalog)
    rows = compare(catalog, arrays)
    check_readers(catalog)
    print(f"disk: {rows} rows as python-blosc2, DuckDB and pyarrow say")


def check_bucket(bucket, directory, arrays, put, delete):
    """Scans a bucket, updates the catalogue, and queries the bucket directly. `put` and `delete` change the bucket."""
    for path in directory.rglob("*"):
        if path.is_file():
            put(f"some/prefix/{path.relative_to(directory)}", path)
    put("elsewhere.b2nd", directory / "bad.b2nd")
    catalog = directory.parent / "bucket.parquet"
    run("scan", f"{bucket}/some/prefix", "--attributes", "--out", catalog)
    rows = compare(catalog, arrays)
    assert all(row["etag"] for row in pyarrow.parquet.read_table(catalog).to_pylist() if not row["url"].endswith(".b2d"))

    # An update reads new files and removes rows of deleted ones.
    delete("some/prefix/array 0 é.b2nd")
    put("some/prefix/new.b2nd", directory / "array 2 é.b2nd")
    said = run("scan", f"{bucket}/some/prefix/", "--attributes", "--update", "--out", catalog).stderr
    assert said.startswith("1 file read") and " 1 gone" in said, said
    query = f"select shape, attributes is not null as has from b2nd('{bucket}/some/prefix') where url like '{bucket}/some/prefix/new%'"
    assert json.loads(run("sql", query, "--format", "json").stdout) == {"shape": [3, 7], "has": True}
    # A catalogue in a bucket can be queried.
    put("catalog.parquet", catalog)
    counted = run("sql", "select count(*) as n from arrays", "--catalog", f"{bucket}/catalog.parquet", "--format", "json")
    assert json.loads(counted.stdout)["n"] == rows
    catalog.unlink()
    print(f"{bucket}: {rows} rows, an update, a live scan, a catalogue in it")


def check_s3_and_gs(directory, arrays):
    """Tests S3 and Google Cloud Storage. Both use moto, because Google's storage also supports the S3 protocol."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    settings = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}
    os.environ.update(settings, AWS_ENDPOINT_URL=endpoint, AWS_ALLOW_HTTP="true")
    account = directory.parent / "account.json"
    account.write_text(json.dumps({"gcs_base_url": endpoint, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}))
    os.environ["GOOGLE_SERVICE_ACCOUNT"] = str(account)
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    for scheme in ("s3", "gs"):
        bucket = f"{scheme}bucket"
        client.create_bucket(Bucket=bucket)
        put = lambda name, path: client.upload_file(str(path), bucket, name, ExtraArgs={"ACL": "public-read"})
        check_bucket(f"{scheme}://{bucket}", directory, arrays, put, lambda name: client.delete_object(Bucket=bucket, Key=name))
    server.stop()


def check_az(directory, arrays):
    # Azurite chooses a free port and prints it when it is ready.
    arguments = ["--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobPort", "0"]
    server = subprocess.Popen([AZURITE, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        said = next(line for line in server.stdout if "successfully listens on" in line or "successfully listening" in line)
        port = re.search(r":(\d+)\s*$", said)[1]
        threading.Thread(target=server.stdout.read, daemon=True).start()
        account, key = "devstoreaccount1", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
        endpoint = f"http://127.0.0.1:{port}/{account}"
        os.environ.update(AZURE_STORAGE_USE_EMULATOR="true", AZURITE_BLOB_STORAGE_URL=f"http://127.0.0.1:{port}")
        client = azure.storage.blob.ContainerClient(endpoint, "container", credential={"account_name": account, "account_key": key}, retry_total=20)
        client.create_container()
        check_bucket("az://container", directory, arrays, lambda name, path: client.upload_blob(name, path.read_bytes()), client.delete_blob)
    finally:
        server.kill()


def check_http(directory, arrays):
    """Scans a list of URLs. Python's own server neither lists directories with WebDAV nor supports ranges."""
    handler = functools.partial(Quiet, directory=directory.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        catalog = directory.parent / "http.parquet"
        files = [path for path in directory.rglob("*") if path.is_file() and "tree.b2d" not in path.parts]
        paths = [urllib.parse.quote(str(path.relative_to(directory.parent))) for path in files]
        urls = [f"http://127.0.0.1:{server.server_port}/{path}" for path in paths]
        run("scan", *urls, "--attributes", "--jobs", "4", "--out", catalog)
        of_files = {name: array for name, array in arrays.items() if name[0] != "tree.b2d"}
        print(f"http.server: {compare(catalog, of_files)} rows")
        done = run("scan", urls[0].rsplit("/", 1)[0] + "/", "--out", catalog.with_name("none.parquet"), code=1)
        assert "not everything could be listed" in done.stderr, done.stderr
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


with tempfile.TemporaryDirectory() as temporary:
    directory = pathlib.Path(temporary, "arrays")
    directory.mkdir()
    arrays = write_arrays(directory)
    check_disk(directory, arrays)
    check_s3_and_gs(directory, arrays)
    check_az(directory, arrays)
    check_http(directory, arrays)
