"""The adapter for python-blosc2. Usage: `LAYER PATH`, or `--serve`."""

import hashlib
import json
import sys

import blosc2
import numpy as np

sys.path.append(sys.path[0] + "/../../tests/interop")
from said import dtype_string, metalayers, vlmetalayers  # noqa: E402


def integer(value):
    return {"int": str(int(value))}


def integers(values):
    return [integer(value) for value in values]


def digest(value):
    return {"sha256": hashlib.sha256(value).hexdigest()}


def pairs(layers):
    return [[{"bytes": name.encode().hex()}, {"bytes": content.hex()}] for name, content in layers.items()]


def frame(path):
    found = blosc2.blosc2_ext.open(path, "r", 0)
    schunk = getattr(found, "schunk", found)
    data = b"".join(schunk.decompress_chunk(number) for number in range(schunk.nchunks))
    names = ("typesize", "chunksize", "blocksize", "nbytes", "cbytes", "nchunks")
    says = {name: integer(getattr(schunk, name)) for name in names}
    says |= {"metalayers": pairs(metalayers(schunk)), "vlmetalayers": pairs(vlmetalayers(schunk)), "data": digest(data)}
    if isinstance(found, blosc2.NDArray):
        says |= array(found)
    return says


def array(found):
    says = {"shape": integers(found.shape), "chunkshape": integers(found.chunks), "blockshape": integers(found.blocks)}
    elements = found[...] if found.ndim else np.asarray(found[()], found.dtype)
    return says | {"dtype": {"text": dtype_string(found.dtype)}, "elements": digest(elements.tobytes())}


def chunk(path):
    data = open(path, "rb").read()
    nbytes, cbytes, blocksize = blosc2.get_cbuffer_sizes(data)
    out = blosc2.decompress2(data)
    return {"nbytes": integer(nbytes), "cbytes": integer(cbytes), "blocksize": integer(blocksize), "data": digest(out)}


def dtype(path):
    import ast

    text = open(path, encoding="utf-8").read()
    found = np.dtype(ast.literal_eval(text) if text[:1] in "[({" else text)
    fields = [[{"text": name}, integer(found.fields[name][1])] for name in found.names or ()]
    return {"itemsize": integer(found.itemsize), "alignment": integer(found.alignment), "fields": fields}


def leaf(key, value):
    if not isinstance(value, blosc2.NDArray):
        return {"key": {"text": key}}
    says = array(value)
    return {"key": {"text": key}, "kind": {"text": "ndarray"}} | {name: says[name] for name in ("shape", "dtype", "elements")}


def store(path):
    if path.endswith(".b2e"):
        found, kind = blosc2.EmbedStore(path, mode="r"), "embedstore"
    else:
        found = blosc2.open(path, mode="r")
        kind = type(found).__name__.lower()
    leaves = sorted((key, found[key]) for key in found.keys())
    return {"kind": {"text": kind}, "leaves": [leaf(key, value) for key, value in leaves if hasattr(value, "shape")]}


def table(path):
    found = blosc2.open(path, mode="r")
    values = [[{"text": name}, digest(np.asarray(found[name][:]).tobytes())] for name in found.col_names]
    return {"rows": integer(len(found)), "values": values}


LAYERS = {"frame": frame, "sparse": frame, "chunk": chunk, "dtype": dtype, "store": store, "table": table}


def answer(layer, path):
    try:
        # UTF-8 cannot encode half of a surrogate pair.
        return "ok " + json.dumps(LAYERS[layer](path), ensure_ascii=False).encode("utf-8", "replace").decode()
    except Exception as error:
        return "no " + f"{type(error).__name__}: {error}".replace("\n", " ")


def main():
    if sys.argv[1:] == ["--serve"]:
        for line in sys.stdin:
            layer, path = line.rstrip("\n").split("\t")
            print(answer(layer, path) if layer in LAYERS else "skip", flush=True)
    elif sys.argv[1] not in LAYERS:
        sys.exit(2)
    else:
        said, text = answer(*sys.argv[1:]).split(" ", 1)
        print(text, file=sys.stdout if said == "ok" else sys.stderr)
        sys.exit(said != "ok")


main()
