"""Files that the Python layer of python-blosc2 cannot write: calls the C library in the 4.14.1 wheel
(C-Blosc2 3.3.5) with ctypes.

    python gen_clib.py OUTDIR
"""
import ctypes as ct
import os
import sys

import blosc2

here = os.path.join(os.path.dirname(blosc2.__file__), "lib")
L = ct.CDLL(os.path.join(here, [f for f in sorted(os.listdir(here)) if f.startswith("libblosc2.so") or f == "libblosc2.dylib"][0]))
L.blosc2_init()
L.b2nd_serialize_meta.argtypes = [ct.c_int8, ct.c_void_p, ct.c_void_p, ct.c_void_p, ct.c_char_p, ct.c_int8, ct.c_void_p]
L.blosc2_meta_add.argtypes = [ct.c_void_p, ct.c_char_p, ct.c_char_p, ct.c_int32]
L.blosc2_vlmeta_add.argtypes = [ct.c_void_p, ct.c_char_p, ct.c_char_p, ct.c_int32, ct.c_void_p]
out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def save(name, b):
    with open(os.path.join(out, name), "wb") as f:
        f.write(b)


def nd_meta(shape, chunks, blocks, dtype, fmt=0):
    n = len(shape)
    p = ct.POINTER(ct.c_uint8)()
    k = max(n, 1)
    r = L.b2nd_serialize_meta(n, (ct.c_int64 * k)(*shape), (ct.c_int32 * k)(*chunks), (ct.c_int32 * k)(*blocks), dtype, fmt, ct.byref(p))
    assert r > 0, r
    return ct.string_at(p, r)


def schunk(typesize=1, chunksize=100):
    return blosc2.SChunk(chunksize=chunksize, contiguous=True, cparams={"typesize": typesize, "nthreads": 1, "codec": blosc2.Codec.BLOSCLZ},
                         dparams={"nthreads": 1})


def meta(s, name, b):
    r = L.blosc2_meta_add(s.c_schunk, name, b, len(b))
    assert r >= 0, r


def vlmeta(s, name, b):
    r = L.blosc2_vlmeta_add(s.c_schunk, name, b, len(b), None)
    assert r >= 0, r


# ------------------------------------------------------- bare metalayers
for n in (0, 1, 2, 8, 15, 16):
    r = range(n)
    save("clib-b2ndmeta__nd%d.b2ndmeta" % n,
         nd_meta([1000 + 37 * i for i in r], [100 + i for i in r], [10 + i for i in r], b"<f8" if n else None))
save("clib-b2ndmeta__struct.b2ndmeta", nd_meta([0, 5], [0, 5], [0, 5], b"[('a', '>i4'), ('b', '<U3'), ('d', '<i2', (2, 3))]"))
save("clib-b2ndmeta__fmt127.b2ndmeta", nd_meta([1000, 1037], [100, 101], [10, 11], b"x", 127))

# ------------------------------------------------------- b2nd arrays that no Python call writes
s = schunk()
meta(s, b"b2nd", nd_meta([25, 8], [10, 10], [5, 5], None))
for i in range(3):
    s.append_data(bytes(range(i, i + 100)))
save("clib-b2nd__null_dtype.b2nd", s.to_cframe())
s = schunk()
meta(s, b"b2nd", nd_meta([90], [100], [10], b"some other notation", 5))
meta(s, b"empty", b"")
s.append_data(bytes(100))
save("clib-b2nd__format5.b2nd", s.to_cframe())

# ------------------------------------------------------- names of any bytes, empty names and contents
s = schunk()
meta(s, b"\xff\xfe\x80", b"notutf8")
meta(s, "é".encode(), b"utf8")
meta(s, b"tab\tnl\n", b"ctl")
meta(s, b"", b"emptyname")
meta(s, b"void", b"")
s.append_data(bytes(range(100)))
save("clib-meta__rawnames.b2frame", s.to_cframe())
s = schunk()
meta(s, b"b2nd", b"not an array")
s.append_data(bytes(range(100)))
save("clib-meta__b2nd_is_not_an_array.b2frame", s.to_cframe())
s = schunk()
s.append_data(bytes(range(100)))
vlmeta(s, b"\xff\xfe", b"not UTF-8")
vlmeta(s, b"", b"empty name")
vlmeta(s, b"stored", bytes(range(64)))
vlmeta(s, b"compressed", b"hello world " * 400)
vlmeta(s, b"zeros", bytes(5000))
save("clib-vlmeta__rawnames.b2frame", s.to_cframe())

# ------------------------------------------------------- frames
s = schunk(4, 400)
for i in range(30):
    s.append_data(bytes((i + j // 100) % 256 for j in range(400)))
save("clib-frame__thirty.b2frame", s.to_cframe())
