"""Opens files written by `b2nd check --digest` and `b2nd salvage` with python-blosc2. Usage: digests.py PATH-OF-B2ND"""

import os
import subprocess
import sys
import tempfile

import blosc2
import numpy as np

tool = sys.argv[1]


def run(*words):
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as directory:
    for contiguous in (True, False):
        for codec in (blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD):
            path = os.path.join(directory, f"{contiguous}-{codec.name}.b2nd")
            values = np.arange(60_000, dtype="<f8").reshape(300, 200) % 977
            values[100:200] = 0
            array = blosc2.asarray(
                values, chunks=(100, 100), blocks=(25, 50), urlpath=path, contiguous=contiguous, cparams={"codec": codec}
            )
            array.schunk.vlmeta["note"] = "theirs"
            assert run("check", "--digest", path) == (0, f"{path}: 6 digests\n")
            assert run("check", "--strict", path) == (0, f"{path}: ok: 6 chunks decoded, digests match\n")
            array = blosc2.open(path, mode="a")
            assert np.array_equal(array[:], values) and array.schunk.vlmeta["note"] == "theirs"
            version, name, digests = array.schunk.vlmeta["b2nd_digests"]
            assert (version, name, len(digests)) == (1, "xxh3-64", 6 * 8)
            # An edit by python-blosc2 keeps the digests. If it changes values, `check --data` fails until the digests are computed again.
            array.schunk.vlmeta["more"] = list(range(100))
            assert run("check", "--strict", path) == (0, f"{path}: ok: 6 chunks decoded, digests match\n")
            array[0, 0] = -1
            status, text = run("check", "--data", path)
            assert status == 1 and text.count("\n") == 1 and ": chunk 0" in text, text
            run("check", "--digest", path)
            assert run("check", "--strict", path) == (0, f"{path}: ok: 6 chunks decoded, digests match\n")
            if contiguous:
                cut, new = path + ".cut", path + ".new"
                with open(path, "rb") as file, open(cut, "wb") as short:
                    short.write(file.read()[:-100])
                assert run("salvage", cut, new)[0] == 1
                assert np.array_equal(blosc2.open(new)[:], array[:])
print(f"digests and salvaged files: python-blosc2 {blosc2.__version__} reads them")
