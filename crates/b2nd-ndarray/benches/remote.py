"""Compares the requests that `b2nd cat URL SLICE` and python-blosc2 (with fsspec and aiohttp, if installed) send for slices of a cube of
46 MB. The server responds after 30 ms. Prints requests, rounds of simultaneous requests, bytes and seconds.

    cargo build --release -p b2nd-cli && python benches/remote.py ../../target/release/b2nd
"""

import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import blosc2
import numpy

DELAY = 0.03
requests = []  # for each request: its time, the time of the response, and the bytes


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        start = time.monotonic()
        time.sleep(DELAY)
        first, last = map(int, re.match(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        body = data[first : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"1"')
        self.end_headers()
        self.wfile.write(body)
        requests.append((start, time.monotonic(), len(body)))


def took(name, read):
    requests.clear()
    start = time.monotonic()
    read()
    seconds = time.monotonic() - start
    rounds, end = 0, 0
    for came, answered, _ in sorted(requests):
        if came >= end:
            rounds, end = rounds + 1, answered
    print(f"{name:24} {len(requests):4} requests {rounds:3} rounds {sum(r[2] for r in requests):10,} bytes {seconds:6.2f} s")


random = numpy.random.default_rng(1)
cube = numpy.sin(numpy.arange(365) / 58)[:, None, None] * 10 + numpy.linspace(0, 30, 200)[:, None] + numpy.linspace(0, 5, 300)
cube = (numpy.round((cube + random.normal(0, 0.3, cube.shape)) * 50) / 50).astype("<f4")
with tempfile.TemporaryDirectory() as directory:
    path = pathlib.Path(directory, "cube.b2nd")
    blosc2.asarray(cube, chunks=(32, 100, 150), urlpath=str(path), mode="w")
    data = path.read_bytes()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/cube.b2nd"
for name, text, place in [
    ("one element", "100,100,100", (100, 100, 100)),
    ("a plane", "100", (100,)),
    ("a line in time", ":,100,100", (slice(None), 100, 100)),
]:
    took(name, lambda: subprocess.run([sys.argv[1], "cat", url, text], check=True, stdout=subprocess.DEVNULL))
    try:
        took("  python-blosc2", lambda: blosc2.open(url)[place])
    except ImportError as error:
        print(f"  python-blosc2: {error}")
