"""An adapter for one layer, `grid`, with nothing but Python: `grid.py LAYER PATH`."""

import json
import sys
from itertools import product
from math import prod


def grid(text):
    lines = {words[0]: words[1:] for words in map(str.split, text.splitlines())}
    shape, chunks, blocks = ([int(word) for word in lines[name]] for name in ("shape", "chunkshape", "blockshape"))
    ranges = [[int(word) for word in range.split(":")] for range in lines["slice"]]
    if not len(shape) == len(chunks) == len(blocks) == len(ranges) <= 16:
        raise ValueError("dimensions differ, or are more than 16")
    for length, chunk, block, (start, stop) in zip(shape, chunks, blocks, ranges):
        if min(length, chunk, block) < 0 or (length and not chunk) or (chunk and not block) or not 0 <= start <= stop <= length:
            raise ValueError(f"{start}:{stop} of {length} in chunks of {chunk} and blocks of {block}")
    counts = [-(-length // chunk) if chunk else 0 for length, chunk in zip(shape, chunks)]
    inside = [-(-chunk // block) if block else 0 for chunk, block in zip(chunks, blocks)]
    extshape = [count * chunk for count, chunk in zip(counts, chunks)]
    extchunkshape = [count * block for count, block in zip(inside, blocks)]
    if max(prod(shape), prod(extshape)) >= 1 << 63 or max(prod(chunks), prod(extchunkshape), prod(blocks)) >= 1 << 31:
        raise ValueError("too many elements")
    touched = [range(start // chunk, -(-stop // chunk)) if start < stop else [] for (start, stop), chunk in zip(ranges, chunks)]
    strides = [prod(counts[axis + 1 :]) for axis in range(len(counts))]
    numbers = [sum(index * stride for index, stride in zip(place, strides)) for place in product(*touched)]
    says = {"nchunks": prod(counts), "blocks_per_chunk": prod(inside)}
    lists = {"extshape": extshape, "extchunkshape": extchunkshape, "chunks": numbers}
    tagged = {name: {"int": str(value)} for name, value in says.items()}
    return tagged | {name: [{"int": str(value)} for value in values] for name, values in lists.items()}


layer, path = sys.argv[1:]
if layer != "grid":
    sys.exit(2)
try:
    print(json.dumps(grid(open(path).read())))
except ValueError as error:
    sys.exit(str(error))
