"""Runs the commands in README.md on new files, and compares their output.

    python readme.py PROGRAM [--write]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import blosc2
import numpy

README = pathlib.Path(__file__).parent.parent / "README.md"
PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def write_cases(directory):
    """Writes files like those of medical imaging: images and their labels. The first file of labels is cut off."""
    for number in range(60):
        shape = (40 + number, 64, 64)
        values = numpy.arange(numpy.prod(shape)).reshape(shape)
        image = values.astype("<f4" if number % 5 else "<f8")
        # Without these shapes, python-blosc2 would choose others, which depend on the machine's caches.
        shapes = {"chunks": (5, 64, 64), "blocks": (5, 32, 64), "mode": "w"}
        image = blosc2.asarray(image, urlpath=str(directory / f"case{number:02}.b2nd"), **shapes)
        image.schunk.vlmeta["units"] = "HU"
        blosc2.asarray((values % 7).astype("|u1"), urlpath=str(directory / f"case{number:02}-labels.b2nd"), **shapes)
    cut = directory / "case00-labels.b2nd"
    cut.write_bytes(cut.read_bytes()[:120])


def steady(text):
    """Replaces the seconds, which vary."""
    return re.sub(r"in \d+\.\d s", "in 0.1 s", text)


with tempfile.TemporaryDirectory() as temporary:
    directory = pathlib.Path(temporary)
    (directory / "cases").mkdir()
    write_cases(directory / "cases")
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"

    def answered(block):
        out = []
        for command in re.findall(r"^\$ (.*(?:(?<=\\)\n.*)*)$", block[1], re.MULTILINE):
            done = subprocess.run(command, shell=True, cwd=directory, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            out += [f"$ {command}", steady(done.stdout.replace(str(directory), "/data")).rstrip("\n")]
        return "```console\n" + "\n".join(line for line in out if line) + "\n```"

    before = README.read_text()
    after = re.sub(r"```console\n(.*?)\n```", answered, before, flags=re.DOTALL)
    if "--write" in sys.argv:
        README.write_text(after)
    elif before != after:
        sys.exit(f"README.md differs from the output of the program, which is:\n{after}")
    print(f"README.md: {before.count('$ b2nd-catalog')} commands")
