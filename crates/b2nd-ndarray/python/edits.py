"""Compares arrays that tests/python_edits.rs edited in DIR with NumPy after the same edits. Then edits the arrays with python-blosc2.

    python edits.py DIR       (blosc2==4.14.1, numpy)

DIR/after.tsv names the edited files, and NUMBER.after has the bytes of each array after the edit.
"""

import faulthandler
import json
import random
import sys
from pathlib import Path

import blosc2
import numpy as np


def indices(select, length):
    """The indices that a selection along one axis represents."""
    kind, *rest = select
    every = np.arange(length)
    if kind == "all":
        return every
    if kind == "step":
        return every[slice(*rest)]
    return every[np.array(rest[0], bool if kind == "mask" else int)]


def resized(array, shape, value):
    new = np.full(shape, value, array.dtype)
    shared = tuple(slice(0, min(pair)) for pair in zip(array.shape, shape))
    new[shared] = array[shared]
    return new


def main(directory):
    rng, after, counts = random.Random(26), [], dict.fromkeys(("write", "resize", "select"), 0)
    for line in (directory / "edits.jsonl").read_text().splitlines():
        case = json.loads(line)
        number, dtype = case["number"], np.dtype(case["dtype"])
        want = np.frombuffer((directory / f"{number}.base").read_bytes(), dtype).reshape(case["shape"]).copy()
        for at, step in enumerate(case["steps"]):
            if "resize" in step:
                want = resized(want, step["resize"], np.frombuffer(bytes(step["value"]), dtype)[0])
            elif "write" in step:
                place = tuple(slice(*pair) for pair in step["write"])
                want[place] = np.frombuffer((directory / f"{number}.{at}").read_bytes(), dtype).reshape(want[place].shape)
            else:
                taken = want[np.ix_(*map(indices, step["select"], want.shape))]
                assert taken.tobytes() == (directory / f"{number}.{at}").read_bytes(), (case, at)
            counts[next(iter(step))] += 1
        path = str(directory / case["file"])
        array = blosc2.open(path, mode="a")
        assert array.shape == want.shape and array.dtype == want.dtype, (case, array.info)
        assert array[...].tobytes() == want.tobytes(), case
        place = tuple(slice(n // 3, n - n // 4) for n in want.shape)
        assert array[place].tobytes() == want[place].tobytes(), case

        # C-Blosc2 edits the files that this crate wrote.
        new = np.frombuffer(rng.randbytes(want[place].nbytes), "u1") % 50
        want[place] = new.view(dtype).reshape(want[place].shape)
        array[place] = np.ascontiguousarray(want[place])
        shape = [length + rng.randrange(5) for length in want.shape]
        array.resize(shape)
        want = resized(want, shape, np.zeros(1, dtype)[0])
        array[...] = want
        assert array[...].tobytes() == want.tobytes(), case
        (directory / f"{number}.after").write_bytes(want.tobytes())
        after.append(f"{case['file']}\t{number}")
    (directory / "after.tsv").write_text("\n".join(after) + "\n")
    assert all(counts.values()), counts
    print(f"python-blosc2 {blosc2.__version__}: the same values in {len(after)} edited files after {counts}")


if __name__ == "__main__":
    # Without this, a deadlock in C would never end.
    faulthandler.dump_traceback_later(120, exit=True)
    main(Path(sys.argv[1]))
