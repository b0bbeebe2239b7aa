"""Compares what `b2nd` prints about files behind an HTTPS server with what it prints about the local files. The certificate of the server
comes from a new authority: if SSL_CERT_FILE names it, both outputs are equal; otherwise the tool rejects the URL. Arguments: the tool,
built with the feature https, and files whose values it can print."""

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
FILES = [DATA / "example.b2nd", *map(Path, sys.argv[2:])]
BYTES = {f"/{file.name}": file.read_bytes() for file in FILES}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        start, end = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        data = BYTES[self.path]
        part = data[start : end + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *args):
        pass


def b2nd(command, word, **environment):
    return subprocess.run([sys.argv[1], command, word], env=os.environ | environment, capture_output=True, text=True)


authority = trustme.CA()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
authority.issue_cert("localhost").configure_cert(context)
server = ThreadingHTTPServer(("localhost", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()

with tempfile.NamedTemporaryFile() as certificate:
    certificate.write(authority.cert_pem.bytes())
    certificate.flush()
    for file in FILES:
        url = f"https://localhost:{server.server_port}/{file.name}"
        for command in ["info", "cat"]:
            here, there = b2nd(command, str(file)), b2nd(command, url, SSL_CERT_FILE=certificate.name)
            assert there.returncode == 0 and here.stdout and there.stdout == here.stdout.replace(str(file), url), (here, there)
        unknown = b2nd("info", url)
        assert unknown.returncode == 1 and not unknown.stdout and "UnknownIssuer" in unknown.stderr, unknown
print(f"https: {len(FILES)} files, and a certificate refused")
