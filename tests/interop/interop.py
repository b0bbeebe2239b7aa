"""Compares b2nd with python-blosc2 and its C library. `run` calls it with the path of the Rust program as an argument."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import blosc2

import ours
import verdicts
from cases import Cases
from python_files import grid
from rust import Rust
from said import compare
from together import together
from values import values


def main():
    rust, cases = Rust(sys.argv[1]), Cases()
    print(f"python-blosc2 {blosc2.__version__}, C-Blosc2 {blosc2.blosclib_version.split()[0]}")
    blosc2.set_nthreads(2)
    with tempfile.TemporaryDirectory(prefix="b2nd-interop-") as directory:
        directory = Path(directory)
        for number, (name, write) in enumerate(grid()):
            with cases.case(name):
                path = directory / f"python-{number}.b2nd"
                write(path)
                compare(rust, path)
        ours.run(rust, cases, directory)
        together(rust, cases, directory)
        values(rust, cases, directory)
    malformed = os.environ.get("B2ND_MALFORMED")
    if malformed:
        verdicts.run(rust, cases, Path(malformed), update="--update" in sys.argv)
    else:
        print("B2ND_MALFORMED is not set: hostile input is not tested")
    print(f"{cases.passed} passed, {cases.failed} failed")
    sys.exit(1 if cases.failed else 0)


if __name__ == "__main__":
    main()
