"""Measures scans of b2nd-catalog. They are compared with a loop of blosc2.open in one process per core, and with the minimum time of
requests that take 20 ms each. Also measures how the memory of a scan grows with the number of names.

    python speed.py PROGRAM [FILES]
"""

import asyncio
import multiprocessing
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import blosc2
import numpy

PROGRAM = sys.argv[1]
FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
LATENCY = 0.02

# The times on a disk and of requests are medians of this number of runs.
RUNS = 5


def describe(path):
    array = blosc2.open(path)
    return path, array.shape, array.chunks, array.blocks, array.dtype, array.schunk.nbytes, array.schunk.cbytes


def scan(*arguments):
    """Returns the seconds and the peak memory in MiB."""
    process = subprocess.Popen([PROGRAM, "scan", *map(str, arguments)], stderr=subprocess.DEVNULL)
    started, most = time.perf_counter(), 0
    # wait4 would include the memory of this process, because the child is a copy of it at first.
    while process.poll() is None:
        found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        most = int(found[1]) / 1024 if found else most
        time.sleep(0.005)
    assert process.returncode == 0, arguments
    return time.perf_counter() - started, most


class Files(asyncio.Protocol):
    """A server that delays each response by 20 ms. It returns a listing, or the same file for any name."""

    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, data):
        self.received += data
        head, end, rest = self.received.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if not end or len(rest) < (int(length[1]) if length else 0):
            return
        self.received = b""
        if head.startswith(b"PROPFIND"):
            listing = b"" if re.search(rb"depth: 0", head, re.IGNORECASE) else Files.listing
            answer = b"HTTP/1.1 207 Multi-Status\r\nContent-Length: %d\r\n\r\n" % len(listing) + listing
        else:
            answer = b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-%d/%d\r\nContent-Length: %d\r\n\r\n" % (
                len(Files.content) - 1, len(Files.content), len(Files.content)) + Files.content
        asyncio.get_running_loop().call_later(LATENCY, self.transport.write, answer)


def serve(content, files, port):
    entry = (
        "<D:response><D:href>/{}.b2nd</D:href><D:propstat><D:prop><D:getlastmodified>Wed, 21 Oct 2015 07:28:00 GMT</D:getlastmodified>"
        "<D:getcontentlength>{}</D:getcontentlength><D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )
    entries = "".join(entry.format(number, len(content)) for number in range(files))
    Files.content, Files.listing = content, f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{entries}</D:multistatus>'.encode()

    async def run():
        server = await asyncio.get_running_loop().create_server(Files, "127.0.0.1", 0, backlog=1024)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def measure_disk(directory, content):
    for number in range(FILES):
        path = directory / "arrays" / str(number // 1000) / f"{number}.b2nd"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    paths = [str(path) for path in (directory / "arrays").rglob("*.b2nd")]
    ours, theirs = [], []
    with multiprocessing.Pool() as pool:
        for _ in range(RUNS):
            ours.append(scan(directory / "arrays", "--out", directory / "out.parquet")[0])
            started = time.perf_counter()
            pool.map(describe, paths, chunksize=200)
            theirs.append(time.perf_counter() - started)
    ours, theirs = statistics.median(ours), statistics.median(theirs)
    print(f"{FILES} files on a disk: scan {ours:.2f} s, blosc2.open in {os.cpu_count()} processes {theirs:.2f} s: {theirs / ours:.1f} times (10 wanted)")
    return theirs >= 10 * ours


def measure_latency(directory, content):
    files, jobs, port = 20_000, 256, multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(content, files, port), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{port.get()}/"
    took = statistics.median(scan(url, "--jobs", jobs, "--out", directory / "out.parquet")[0] for _ in range(RUNS))
    server.terminate()
    least = files * LATENCY / jobs
    print(f"{files} requests of {LATENCY * 1000:.0f} ms, {jobs} in flight: {took:.2f} s, {took / least:.1f} times {least:.2f} s (at most 3 wanted)")
    return took <= 3 * least


def measure_memory(directory, content):
    used = {}
    for names in (10_000, 100_000, 1_000_000):
        for number in range(names):
            path = directory / "names" / str(number // 10_000) / f"{number}.b2nd"
            if number % 10_000 == 0:
                path.parent.mkdir(parents=True, exist_ok=True)
                (path.parent / "first").write_bytes(content)
            if not path.exists():
                os.link(path.parent / "first", path)
        took, used[names] = scan(directory / "names", "--out", directory / "out.parquet")
        print(f"{names} names: at most {used[names]:.0f} MiB, {took:.1f} s")
    return used[1_000_000] <= 1.5 * used[100_000]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/dev/shm")) as temporary:
        values = numpy.random.default_rng(0).integers(0, 255, 3800, "u1")
        content = blosc2.asarray(values, cparams={"clevel": 0}).to_cframe()
        print(f"files of {len(content)} bytes, {os.cpu_count()} cores")
        measures = [measure_disk, measure_latency, measure_memory]
        if not all([measure(pathlib.Path(temporary), content) for measure in measures]):
            sys.exit("a target was not reached")
