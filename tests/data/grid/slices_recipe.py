"""Writes slices.json from the .b2nd files next to this file. See README.md."""

import hashlib
import json
import pathlib
import random

import blosc2

HERE = pathlib.Path(__file__).parent


def slices(shape, rnd):
    yield [(0, length) for length in shape]
    for _ in range(5):
        yield [sorted((rnd.randint(0, length), rnd.randint(0, length))) for length in shape]


def row(path, rnd):
    array = blosc2.open(str(path), mode="r")
    whole = array[...].tobytes()
    rows = []
    for ranges in slices(array.shape, rnd):
        found = array[tuple(slice(*r) for r in ranges)].tobytes()
        rows.append({"slice": ranges, "nbytes": len(found), "sha256": hashlib.sha256(found).hexdigest()})
    assert rows[0]["nbytes"] == len(whole)
    return {"file": path.name, "slices": rows}


rnd = random.Random(11)
rows = [row(path, rnd) for path in sorted(HERE.glob("*.b2nd"))]
text = "[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n"
(HERE / "slices.json").write_text(text, encoding="ascii", newline="\n")
print(f"slices.json: {len(rows)} files, {sum(len(r['slices']) for r in rows)} slices, {len(text)} bytes")
