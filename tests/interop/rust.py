"""Sends requests to the Rust program, with a process for each, so that a crash, a hang or a large allocation belongs to one request."""

import json
import resource
import subprocess

# Far more than any file here needs, and far less than a hostile length would need.
MEMORY = 512 << 20
SECONDS = 60


class Refused(Exception):
    """An error that b2nd reports."""


class Rust:
    def __init__(self, binary):
        self.binary = binary

    def ask(self, request, **arguments):
        done = subprocess.run(
            [self.binary],
            input=json.dumps({"request": request, **arguments}),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        if done.returncode != 0:
            raise RuntimeError(f"the Rust program ended with {done.returncode}: {done.stderr.strip()}")
        reply = json.loads(done.stdout)
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["ok"]
