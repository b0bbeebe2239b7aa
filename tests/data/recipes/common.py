"""Shared bits of the corpus generators (python >= 3.7, stdlib only).

A generator that uses it is run as `python gen_X.py OUTDIR` with the interpreter of the
venv that has the writer.  It writes files to OUTDIR, and a
OUTDIR/manifest_part.json whose entries have the results of the writer's own
API when the file is opened again.
"""
import hashlib
import json
import os
import random
import shutil
import sys
import traceback


def jsonable(v):
    if isinstance(v, (str, int, bool)) or v is None:
        return v
    if isinstance(v, float):
        return v if v == v and v not in (float("inf"), float("-inf")) else repr(v)
    if isinstance(v, bytes):
        return {"hex": v.hex()}
    if isinstance(v, (list, tuple)):
        return [jsonable(x) for x in v]
    if isinstance(v, dict):
        return {str(k): jsonable(x) for k, x in v.items()}
    return repr(v)


def tree_files(path):
    if os.path.isfile(path):
        return [path]
    out = []
    for d, ds, fs in os.walk(path):
        ds.sort()
        for f in sorted(fs):
            out.append(os.path.join(d, f))
    return out


class Out:
    def __init__(self, outdir, writer, version, clib):
        self.dir = outdir
        self.writer, self.version, self.clib = writer, version, clib
        if os.path.isdir(outdir):
            shutil.rmtree(outdir)
        os.makedirs(outdir)
        self.entries = []
        self.errors = []

    def path(self, name):
        return os.path.join(self.dir, name)

    def add(self, name, kind, family, case, api, offset=0, note=None, api_source=None, extra=None):
        p = self.path(name)
        files = tree_files(p)
        size = sum(os.path.getsize(f) for f in files)
        h = hashlib.sha256()
        for f in files:
            h.update(open(f, "rb").read())
        e = {"writer": self.writer, "version": self.version, "clib": self.clib, "file": name, "kind": kind,
             "family": family, "case": case, "offset": offset, "size": size, "sha256": h.hexdigest(),
             "api": jsonable(api)}
        if not os.path.isfile(p):
            e["files"] = [os.path.relpath(f, p) for f in files]
        if note:
            e["note"] = note
        if api_source:
            e["api_source"] = api_source
        if extra:
            e.update(jsonable(extra))
        self.entries.append(e)
        return e

    def fail(self, family, case, exc):
        tb = traceback.extract_tb(exc.__traceback__)
        self.errors.append({"family": family, "case": case, "writer": self.writer, "version": self.version,
                            "error": "%s: %s" % (type(exc).__name__, str(exc)[:300]),
                            "where": "%s:%s" % (os.path.basename(tb[-1][0]), tb[-1][1]) if tb else ""})

    def guarded(self, family, case, name, fn, timeout=60):
        """Run fn() (which may call add()) in a forked child, so that a writer that
        crashes only loses its own case.  A case whose child died leaves an error."""
        import select
        import signal
        import time
        p = self.path(name)
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(r)
            self.entries, self.errors = [], []
            try:
                fn()
            except BaseException as e:  # noqa: B036
                self.fail(family, case, e)
            data = json.dumps([self.entries, self.errors]).encode()
            try:
                while data:
                    n = os.write(w, data)
                    data = data[n:]
            finally:
                os._exit(0)
        os.close(w)
        buf = b""
        end = time.time() + timeout
        while True:
            rd, _, _ = select.select([r], [], [], max(0.1, end - time.time()))
            if not rd:
                if time.time() >= end:
                    os.kill(pid, signal.SIGKILL)
                    break
                continue
            d = os.read(r, 1 << 16)
            if not d:
                break
            buf += d
        os.close(r)
        _, st = os.waitpid(pid, 0)
        ent = None
        if st == 0 and buf:
            ent, err = json.loads(buf.decode())
            self.entries += ent
            self.errors += err
        else:
            self.errors.append({"family": family, "case": case, "writer": self.writer, "version": self.version,
                                "error": "CRASH: signal %d" % (st & 127) if st & 127 else "CRASH: status %d" % st,
                                "where": "child"})
        if not ent:
            if os.path.isdir(p):
                shutil.rmtree(p)
            elif os.path.exists(p):
                os.remove(p)

    def save(self):
        with open(os.path.join(self.dir, "manifest_part.json"), "w") as f:
            json.dump({"writer": self.writer, "version": self.version, "clib": self.clib,
                       "python": sys.version.split()[0], "entries": self.entries, "errors": self.errors}, f, indent=1)
        print("%s %s: %d entries, %d rejected cases" % (self.writer, self.version, len(self.entries), len(self.errors)))


def rng(*k):
    return random.Random(":".join(str(x) for x in k))
