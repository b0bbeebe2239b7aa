"""Compares what C-Blosc2 reports about a frame with what b2nd reports."""

import blosc2
import numpy as np

from cases import equal

# The maximum number of chunks of a frame that are compared.
CHUNKS = 40

# The elements of arrays with more bytes than this are not compared.
ELEMENTS = 1 << 18


def open_frame(path):
    """The frame at `path`, as an NDArray or an SChunk."""
    found = blosc2.blosc2_ext.open(str(path), "r", 0)
    return found, getattr(found, "schunk", found)


def dtype_string(dtype):
    """The string that python-blosc2 stores for a dtype."""
    return str(dtype) if dtype.kind == "V" else dtype.str


def metalayers(schunk):
    return {name: bytes(blosc2.blosc2_ext.meta__getitem__(schunk, name)) for name in schunk.meta}


def vlmetalayers(schunk):
    return {name: bytes(schunk.vlmeta.get_vlmeta(name)) for name in schunk.vlmeta}


def compare(rust, path, expect_array=None):
    """Checks that b2nd writes all metadata of the frame back byte for byte, and reads the same from it as C-Blosc2."""
    read = rust.ask("read", path=str(path), chunks=CHUNKS)
    frame, schunk = open_frame(path)
    is_array = isinstance(frame, blosc2.NDArray)

    for name in ("nbytes", "cbytes", "typesize", "chunksize", "blocksize"):
        equal(name, read[name], getattr(schunk, name))
    equal("sparse", read["sparse"], not schunk.contiguous)
    equal("codec", read["codec"], schunk.cparams.codec.value)
    equal("level", read["level"], schunk.cparams.clevel)
    slots = zip(schunk.cparams.filters, schunk.cparams.filters_meta, strict=True)
    equal("filters", read["filters"], [[getattr(f, "value", f), meta] for f, meta in slots if getattr(f, "value", f) != 0])

    found = {bytes.fromhex(name).decode(): bytes.fromhex(content) for name, content in read["metalayers"]}
    equal("metalayers", found, metalayers(schunk))
    equal("order of metalayers", list(found), list(schunk.meta))
    values = vlmetalayers(schunk)
    found = {bytes.fromhex(name).decode(): bytes.fromhex(content) for name, content in read["vlmetalayers"]}
    equal("vlmetalayers", {name: bytes(blosc2.decompress2(chunk)) for name, chunk in found.items()}, values)
    for stored, value in zip(read["stored_values"], values.values(), strict=True):
        equal("a stored vlmetalayer", stored, None if stored is None else value.hex())

    equal("has_vlmetalayers", read["has_vlmetalayers"], bool(values))
    equal("variable_chunks", read["variable_chunks"], schunk.chunksize == 0)
    equal("version", read["version"], 3 if read["variable_chunks"] or read["variable_blocks"] else 2)

    if is_array:
        compare_array(read["array"], frame)
        compare_elements(rust, frame)
    else:
        equal("array", read["array"], None)
    if expect_array is not None:
        equal("is an array", is_array, expect_array)
    compare_chunks(read, schunk)
    return read


def compare_array(read, array):
    for name, value in (("shape", array.shape), ("chunkshape", array.chunks), ("blockshape", array.blocks)):
        equal(name, read[name], list(value))
    equal("extshape", read["extshape"], list(array.ext_shape))
    equal("extchunkshape", read["extchunkshape"], list(array.ext_chunks))
    equal("nitems", read["nitems"], int(np.prod(array.shape, dtype=object)))
    equal("dtype", read["dtype"], dtype_string(array.dtype))
    equal("itemsize", read["itemsize"], array.dtype.itemsize)
    equal("chunks by geometry", read["nchunks"], array.schunk.nchunks)


def compare_elements(rust, array):
    """Compares the array and a slice of it, which b2nd unpacks from chunks that C-Blosc2 decompresses."""
    schunk = array.schunk
    if schunk.nbytes > ELEMENTS or any(is_uninitialized(bytes(schunk.get_chunk(n)).hex()) for n in range(schunk.nchunks)):
        return
    shapes = {"ndim": array.ndim, "shape": array.shape, "chunkshape": array.chunks, "blockshape": array.blocks}
    chunks = [bytes(schunk.decompress_chunk(number)).hex() for number in range(schunk.nchunks)]
    # The whole array is read, because C-Blosc2 returns wrong values for parts of a chunk that has the filter delta. It is converted to raw
    # bytes, because NumPy does not copy the padding of structures. An array without dimensions gives a scalar that has lost the byte order and
    # the trailing zeros, so it is converted back.
    whole = array[...] if array.ndim else np.asarray(array[()], array.dtype)
    whole = np.frombuffer(whole.tobytes(), f"V{schunk.typesize}").reshape(array.shape)
    for ranges in ([(0, n) for n in array.shape], [(n // 3, n - n // 4) for n in array.shape]):
        slices = [{"start": start, "end": stop} for start, stop in ranges]
        found = rust.ask("unpack", geometry=shapes, itemsize=schunk.typesize, chunks=chunks, slice=slices)
        equal(f"elements of {ranges}", found, whole[tuple(slice(*r) for r in ranges)].tobytes().hex())


def compare_chunks(read, schunk):
    if read["nchunks_of_sizes"] is not None:
        equal("nchunks by sizes", read["nchunks_of_sizes"], schunk.nchunks)
    equal("nchunks", read["nchunks"], schunk.nchunks)
    for number, chunk in enumerate(read["chunks"]):
        equal(f"chunk {number}", chunk, bytes(schunk.get_chunk(number)).hex())
        data = read["stored_chunks"][number]
        if data is not None and not is_uninitialized(chunk):
            equal(f"data of chunk {number}", data, bytes(schunk.decompress_chunk(number)).hex())


def is_uninitialized(chunk):
    return bytes.fromhex(chunk[:64])[31] >> 4 & 7 == 4
