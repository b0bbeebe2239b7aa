"""Interrupts commands that write, at random moments, with SIGINT, SIGTERM and SIGKILL. Each file must then be as before the
command or as after it, and the next run must remove all temporary files. Usage: interrupted.py PATH-OF-B2ND [TRIALS [SEED]]."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import blosc2
import numpy as np

TOOL = os.path.abspath(sys.argv[1])
TRIALS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]

# The arguments of each command. Each command writes a new file or directory named `out.*`, or replaces or changes another one.
COMMANDS = [
    "import a.npy out.b2nd",
    "import f.npy out.b2nd",
    "import a.csv out.b2nd",
    "import --dtype <f8 a.raw out.b2nd",
    "import --overwrite a.npy old.b2nd",
    "export a.b2nd out.npy",
    "export a.b2nd out.csv",
    "export a.b2nd out.json",
    "export a.b2nd out.zarr",
    "repack a.b2nd",
    "repack --sparse a.b2nd out.b2frame",
    "repack --level 1 s.b2frame",
    "repack t.b2z out.b2d",
    "repack t.b2d out.b2z",
    "repack --level 1 t.b2z",
    "rewrite a.b2nd out.b2nd --set note=1",
    "salvage a.b2nd out.b2nd",
    "meta set a.b2nd key --json 1",
    "meta set t.b2z::/x key --json 1",
    "check --digest a.b2nd",
    "show a.b2nd --png out.png",
]


def run(words, directory):
    return subprocess.run([TOOL, *words], cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def start(words, directory):
    return subprocess.Popen([TOOL, *words], cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare(directory):
    os.chdir(directory)
    values = np.random.default_rng(7).normal(size=(300, 500))
    np.save("a.npy", values)
    np.save("f.npy", np.asfortranarray(values))
    values.tofile("a.raw")
    np.savetxt("a.csv", values[:, :50], delimiter=",")
    blosc2.asarray(values, urlpath="a.b2nd", mode="w", chunks=(10, 100))
    blosc2.asarray(values, urlpath="s.b2frame", mode="w", chunks=(10, 100), contiguous=False)
    blosc2.asarray(values[:9], urlpath="old.b2nd", mode="w")
    for name in ["t.b2z", "t.b2d"]:
        with blosc2.TreeStore(name, mode="w") as tree:
            for key in ["/x", "/g/y", "/g/z"]:
                tree[key] = values[:100]


def state(directory):
    """Maps each name at the top level of a directory to a hash of its contents."""
    found = {}
    for path in sorted(Path(directory).iterdir()):
        digest = hashlib.sha256()
        for file in sorted([path, *path.rglob("*")]):
            digest.update(str(file.relative_to(directory)).encode())
            if file.is_file():
                digest.update(file.read_bytes())
        found[path.name] = digest.hexdigest()
    return found


def is_leftover(name):
    return name.startswith(".")


def archives_are_equal(one, other):
    """True if the members of two archives are equal. Their times may differ."""
    import zipfile

    try:
        with zipfile.ZipFile(one) as one, zipfile.ZipFile(other) as other:
            return [(name, one.read(name)) for name in one.namelist()] == [(name, other.read(name)) for name in other.namelist()]
    except (OSError, zipfile.BadZipFile):
        return False


def frames_are_equal(one, other):
    """True if two files hold the same array and attributes. The bytes may differ: an edit that was not committed leaves bytes after the
    frame."""

    def content(path):
        array = blosc2.open(str(path), mode="r")
        return array[:].tobytes(), array.schunk.vlmeta.getall()

    try:
        return content(one) == content(other)
    except (OSError, RuntimeError, ValueError):
        return False


def has_only_more_chunks(sparse, old):
    """True if a sparse frame is equal to `old`, except for chunk files that its index does not name, and temporary files. The next edit
    removes those."""
    files = {file.name: file.read_bytes() if file.is_file() else b"" for file in sparse.iterdir()}
    return all(files.pop(file.name, None) == file.read_bytes() for file in old.iterdir()) and all(
        name.endswith((".chunk", ".tmp")) for name in files
    )


def main():
    random.seed(SEED)
    scratch = Path(tempfile.mkdtemp(prefix="b2nd-interrupted-"))
    template = scratch / "template"
    template.mkdir()
    prepare(template)
    before, failures, done = state(template), 0, 0

    def fail(message):
        nonlocal failures
        failures += 1
        print(message, flush=True)

    for command in COMMANDS:
        words = command.split()
        after_run = scratch / "after"
        shutil.copytree(template, after_run)
        started = time.monotonic()
        whole = run(words, after_run)
        length = time.monotonic() - started
        assert whole.returncode == 0, f"{command}: {whole.stderr}"
        after, ended = state(after_run), 0
        # Each repack gives the chunk files new numbers, so these files are counted, not compared, after a second repack.
        expected = len(list((after_run / "s.b2frame").iterdir()))
        for trial in range(TRIALS):
            work = scratch / "work"
            shutil.copytree(template, work)
            process = start(words, work)
            time.sleep(random.uniform(0, length * 1.1))
            sent = SIGNALS[trial % 3]
            process.send_signal(sent)
            ended += process.wait() == 0
            when = f"{command}, trial {trial}, {sent.name}"
            found = state(work)
            for name in before.keys() | after.keys() | found.keys():
                is_known = found.get(name) in (before.get(name), after.get(name))
                if not is_known and name.endswith(".b2z"):
                    is_known = archives_are_equal(work / name, after_run / name)
                if not is_known and name.endswith(".b2nd") and not is_leftover(name) and name in found:
                    sides = [path for path in (template / name, after_run / name) if path.exists()]
                    is_known = any(frames_are_equal(work / name, path) for path in sides)
                # Chunk files that the index does not contain may remain: old ones after the new index has been moved into place and, after
                # SIGKILL, new ones next to the old index.
                if not is_known and name == "s.b2frame":
                    sides = [after_run] + ([template] if sent == signal.SIGKILL else [])
                    is_known = any(has_only_more_chunks(work / name, side / name) for side in sides)
                if is_leftover(name) and sent != signal.SIGKILL or not is_leftover(name) and not is_known:
                    fail(f"{when}: {name} is {'left' if is_leftover(name) else 'neither old nor new'}")
            # Run the same command again, after removing its output.
            for name in found.keys() - before.keys():
                if not is_leftover(name):
                    path = work / name
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            again = run(words, work)
            left = [name for name in state(work) if is_leftover(name)]
            # The last old chunk file may be kept so that its number is not used again.
            files = len(list((work / "s.b2frame").iterdir()))
            left += [f"{files - expected} files in s.b2frame"] if files > expected + 1 and "s.b2frame" in command else []
            if again.returncode or left:
                fail(f"{when}, then again: status {again.returncode} {again.stderr.strip()}; left: {left}")
            shutil.rmtree(work)
            done += 1
        print(f"{command}: {length:.2f} s, {TRIALS} signals, {ended} after the end", flush=True)
        shutil.rmtree(after_run)
    shutil.rmtree(scratch)
    print(f"{done} signals, {failures} failures")
    return bool(failures)


sys.exit(main())
