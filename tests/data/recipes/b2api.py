"""Facts that python-blosc2's own API returns about an opened object (used by gen_b2.py and gen_objects.py)."""
import blosc2

VER = blosc2.__version__
CLIB = getattr(blosc2, "blosclib_version", None) or getattr(blosc2, "VERSION_STRING", "?")
SRC = "python-blosc2 object attributes"


def _get(a, k):
    try:
        v = getattr(a, k)
        return list(v) if isinstance(v, tuple) else v
    except Exception as e:
        return "!%s: %s" % (type(e).__name__, str(e)[:200])


def _items(m):
    out = {}
    try:
        for k in list(m):
            k = k.decode("utf-8", "replace") if isinstance(k, bytes) else k
            try:
                out[k] = m[k]
            except Exception as e:
                out[k] = "!%s: %s" % (type(e).__name__, str(e)[:200])
    except Exception as e:
        out["!"] = str(e)[:200]
    return out


def api_any(a):
    d = {"class": type(a).__name__}
    s = a
    if hasattr(a, "schunk"):
        s = a.schunk
        for k in ("ndim", "shape", "chunks", "blocks"):
            d[k] = _get(a, k)
        d["dtype_str"] = str(_get(a, "dtype"))
    for k in ("typesize", "nbytes", "cbytes", "chunksize", "blocksize", "nchunks"):
        if hasattr(type(s), k):
            d[k] = _get(s, k)
    if hasattr(s, "meta"):
        d["meta_values"] = _items(s.meta)
    if hasattr(s, "vlmeta"):
        d["vlmeta_values"] = _items(s.vlmeta)
    return d
