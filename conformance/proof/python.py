"""The worker with python-blosc2: for each line with the path of a frame, `python.py` prints `ok -`, `no CALL: ERROR`, `crashed SIGNAL in
CALL`, or `hung SIGNAL in CALL`. Each frame is opened in a forked process, and used with the calls that users make."""

import os
import resource
import select
import signal
import sys

import blosc2
import numpy as np

# The limits on memory and processor time for a frame, and the number of seconds without a new call after which a process is
# killed.
MEMORY = 4 << 30
SECONDS = 10
PATIENCE = 60

# At most this number of chunks is read one by one.
MOST_CHUNKS = 100


def array(found, call):
    """Reads an NDArray: as a whole, with indices, and in slices."""
    if found.ndim == 0:
        call("[()]", lambda: found[()])
        return
    call("[...]", lambda: found[...])
    if all(found.shape):
        call("[0]", lambda: found[0])
        call("[-1]", lambda: found[(-1,) * found.ndim])
    call("[slice]", lambda: found[tuple(slice(length // 3, length - length // 4) for length in found.shape)])
    # With a step, the package may make a list of all coordinates along an axis, even if it is huge.
    if all(found.shape):
        call("[::2]", lambda: found[tuple(slice(None, None, 2) for _ in found.shape)])


def items(found, call):
    """Reads an object with a length and elements of any kind."""
    length = call("len", lambda: len(found))
    try:
        if length:
            call("[0]", lambda: found[0])
            call("[-1]", lambda: found[length - 1])
        call("[:]", lambda: found[:])
    except (ValueError, TypeError):
        # These errors may come from unpacking an object, so they count only if a super-chunk is read.
        if isinstance(found, blosc2.SChunk):
            raise


def use(path, call):
    found = call("open", lambda: blosc2.open(path))
    if isinstance(found, blosc2.NDArray):
        array(found, call)
    elif hasattr(found, "__getitem__") and hasattr(found, "__len__") and not hasattr(found, "keys"):
        items(found, call)
    elif hasattr(found, "keys"):
        for key in call("keys", lambda: list(found.keys())):
            call("[key]", lambda key=key: found[key])
    schunk = getattr(found, "schunk", found)
    if isinstance(schunk, blosc2.SChunk):
        call("iterchunks_info", lambda: list(schunk.iterchunks_info()))
        for number in range(min(schunk.nchunks, MOST_CHUNKS)):
            call("decompress_chunk", lambda number=number: schunk.decompress_chunk(number))
        call("vlmeta[:]", lambda: schunk.vlmeta[:])


def child(path, out):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The messages that the library prints are discarded.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    def call(name, function):
        os.write(out, f"{name}\n".encode())
        return function()

    try:
        use(path, call)
        os.write(out, b"ok\n")
    except BaseException as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        os.write(out, f"no {text}\n".encode("utf-8", "backslashreplace")[:500])
    os._exit(0)


def answer(path):
    into, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(into)
        child(path, out)
    os.close(out)
    said = b""
    while select.select([into], [], [], PATIENCE)[0]:
        part = os.read(into, 1 << 16)
        if not part:
            break
        said += part
    else:
        os.kill(pid, signal.SIGXCPU)
    os.close(into)
    status = os.waitpid(pid, 0)[1]
    lines = said.decode("utf-8", "replace").split("\n")[:-1] or ["start"]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        word = "hung" if number == signal.SIGXCPU else "crashed"
        return f"{word} {signal.Signals(number).name} in {lines[-1]}"
    if lines[-1] == "ok":
        return "ok -"
    return f"no {lines[-2] if len(lines) > 1 else ''}: {lines[-1].removeprefix('no ')}"


def main():
    blosc2.set_nthreads(1)
    # Loads everything that is loaded with the first array, so that the forks share it.
    np.array(blosc2.asarray(np.arange(10))[...])
    for line in sys.stdin:
        print(answer(line.rstrip("\n")), flush=True)


main()
