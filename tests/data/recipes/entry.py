"""One manifest entry from the bytes of a file.

    python entry.py DATADIR FILE WRITER VERSION FAMILY CASE KIND     (FILE relative to DATADIR)
"""
import hashlib
import json
import os
import sys

import b2parse


def content(d, key):
    if key in d and len(d[key]) > 4096:
        b = bytes.fromhex(d[key])
        d[key] = {"len": len(b), "sha256": hashlib.sha256(b).hexdigest(), "first64": d[key][:128]}


def drop(d, *keys):
    for k in keys:
        if not d.get(k):
            d.pop(k, None)


def compact(p):
    for k in ("frame_type_raw", "other_flags_raw", "fingerprint_hex"):
        p.pop(k, None)
    drop(p, "deviations", "bytes_after_frame", "codec_meta", "other_flags2", "variable_chunks", "vl_blocks", "fingerprint_type",
         "reserved_pipeline15")
    for k in ("chunk_offsets", "index_chunk"):
        if k in p and p[k] is None:
            del p[k]
    for m in p.get("metalayers", []) + p.get("vlmetalayers", []):
        try:
            m["name"].encode()
            if any(ord(c) < 32 for c in m["name"]):
                m["name"] = None
        except UnicodeEncodeError:
            m["name"] = None
        m["len"] = m.pop("content_len")
        if "chunk" in m:
            m.pop("content_hex")
            m.pop("decoded_len", None)
            ks = ("version", "versionlz", "flags", "typesize", "nbytes", "blocksize", "cbytes", "special", "compformat", "memcpyed")
            m["chunk"] = {k: m["chunk"][k] for k in ks}
        content(m, "content_hex")
        content(m, "decoded_hex")
    if "chunk_offsets" in p:
        p["chunk_offsets"] = p["chunk_offsets"][:16]
    if "index_chunk" in p:
        ks = ("flags", "typesize", "nbytes", "blocksize", "cbytes", "special", "memcpyed")
        p["index_chunk"] = {k: p["index_chunk"][k] for k in ks}
    nd = p.get("nd")
    if nd:
        nd.pop("layout", None)
        drop(nd, "version", "trailing", "deviations")
        if all(int(x, 16) == 0x90 + nd["ndim"] for x in nd["array_markers"]):
            nd.pop("array_markers")
    return p


def entry(base, name, writer, version, clib, family, case, kind, api_source="S5", **extra):
    path = os.path.join(base, name)
    b = open(os.path.join(path, "chunks.b2frame") if kind == "sframe" else path, "rb").read()
    if kind == "metalayer":
        p = compact({"nd": b2parse.parse_nd(b)})
    elif kind == "cframe-beta":
        p = compact(b2parse.parse_frame_beta(b))
    else:
        p = compact(b2parse.parse_frame(b, sframe=kind == "sframe"))
    e = {"id": "%s-%s/%s/%s" % (writer, version, family, case), "writer": writer, "version": version, "clib": clib, "file": name,
         "kind": kind, "offset": 0, "family": family, "case": case, "size": len(b), "sha256": hashlib.sha256(b).hexdigest(),
         "api_source": api_source, "api": {}, "api_equal": [], "parsed": p}
    e.update(extra)
    return e


if __name__ == "__main__":
    d, f, w, v, fam, case, kind = sys.argv[1:]
    print(json.dumps(entry(d, f, w, v, v, fam, case, kind), separators=(",", ":")))
