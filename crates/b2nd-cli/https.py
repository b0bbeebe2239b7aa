"""https: what `b2nd` (its path is the argument, built with the feature https) says of a file behind a server whose certificate
was made here. With the authority in SSL_CERT_FILE it is the file's page; without it the address is refused."""

import os
import re
import ssl
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import trustme

DATA = Path(__file__).parents[2] / "tests/data"
BYTES = (DATA / "example.b2nd").read_bytes()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        start, end = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        part = BYTES[start : end + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(BYTES)}")
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *args):
        pass


def b2nd(address, **environment):
    return subprocess.run([sys.argv[1], "info", address], env=os.environ | environment, capture_output=True, text=True)


authority = trustme.CA()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
authority.issue_cert("localhost").configure_cert(context)
server = ThreadingHTTPServer(("localhost", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"https://localhost:{server.server_port}/example.b2nd"

with tempfile.NamedTemporaryFile() as file:
    file.write(authority.cert_pem.bytes())
    file.flush()
    known = b2nd(address, SSL_CERT_FILE=file.name)
page = b2nd(str(DATA / "example.b2nd")).stdout.split("\n", 1)[1]
assert known.returncode == 0 and known.stdout == f"{address}\n{page}", known
unknown = b2nd(address)
assert unknown.returncode == 1 and not unknown.stdout and "UnknownIssuer" in unknown.stderr, unknown
print("https: a page, and a certificate refused")
