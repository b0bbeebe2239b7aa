"""Hostile input: compares what b2nd does with each file of a directory to what C-Blosc2 does, according to the manifest.

`verdicts.md` has the verdicts. The test fails if a verdict differs from it, or if the two disagree without a reason in this file. The errors
in its last column are not compared."""

import json
import re
from pathlib import Path

import numpy as np

from cases import equal
from rust import Refused

TABLE = Path(__file__).with_name("verdicts.md")

INTRODUCTION = """\
# Verdicts on hostile input

The tables show which files, nearly all of them damaged, `b2nd` and C-Blosc2 3.3.5 (through python-blosc2 4.14.1) accept. `tests/interop/run --update` writes
this file, and `tests/interop/run` fails if a verdict changes.

C-Blosc2 accepts a frame if python-blosc2 opens the frame and reads its elements, metalayers and attributes. `b2nd` accepts a frame if it can read the
header, array metalayer, dtype, geometry, trailer, chunk index and, without decompressing them, the attributes and the first 10,000
chunks. C-Blosc2 accepts a bare metalayer if `b2nd_deserialize_meta` does, and `b2nd` accepts it if it is a `B2ndMeta`.

If both reject a file, the last column has the error of `b2nd`.
"""

OURS, THEIRS, DIFFERENT, ACCEPTED, REFUSED = GROUPS = (
    "b2nd accepts, C-Blosc2 rejects",
    "b2nd rejects, C-Blosc2 accepts",
    "Both accept, but read different values",
    "Both accept",
    "Both reject",
)

# Group, a pattern for the name or the error, and why the two disagree. The first match counts.
REASONS = [
    (OURS, r"six_fields", "C-Blosc2 wrote this layout in February 2023 and no longer reads it; files with it exist."),
    (OURS, r"^meta_(17|200)\b", "C-Blosc2 reads at most 16 metalayers; b2nd reads any number, but adds none beyond 16."),
    (OURS, r"UnicodeDecodeError", "The C library reads such names, but python-blosc2 decodes names as UTF-8. In b2nd, names are bytes, because such files exist."),
    (
        OURS,
        r"Error while getting the buffer",
        "C-Blosc2 opens the frame too, but cannot read the elements: typesize, dtype, shapes and the chunks' lengths contradict one "
        "another. Each of them is valid, and b2nd does not read the elements here.",
    ),
    (OURS, r"vlmetas", "The chunk's header is valid. Only decompression shows whether the compressed data is valid."),
    (
        THEIRS,
        r"array: caterva",
        "python-blosc2 does not read `caterva` metalayers, and opens a frame without an array.",
    ),
    (THEIRS, r"invalid length [56], expected a b2nd metalayer", "The count is that of another layout, which `ArrayMeta` reads; a `B2ndMeta` has the current layout."),
    (THEIRS, r"trailing byte", "`from_slice` has to consume its whole input. In a frame, bytes after the metalayer are accepted."),
    (THEIRS, r"dtype_format needs", "The content ends before the dtype. C-Blosc2 accepts this, and python-blosc2 then makes up a dtype."),
    (THEIRS, r"the name is repeated", "C-Blosc2 reads the first of two metalayers with the same name, and would lose the other. No known writer makes them."),
    (THEIRS, r"magic: expected", "C-Blosc2 does not check the magic of a file."),
    (THEIRS, r"frame version", "Version 1 is that of betas, whose frames have another layout. No known file has version 0."),
    (
        THEIRS,
        r"length of 0 or more|only an axis of length 0",
        "No array has such lengths. C-Blosc2 detects them when it opens the frame.",
    ),
    (THEIRS, r"not UTF-8", "A dtype is text. C-Blosc2 returns its bytes, which Python then rejects."),
    (THEIRS, r"dtype_nul", "C's strings end at a NUL, so C-Blosc2 reads only the part before the NUL."),
    (
        THEIRS,
        r"(idx|offset|header_len|trailer_len): expected \d",
        "A number differs from the one that follows from the metalayers, so b2nd could not write it back.",
    ),
    (THEIRS, r"chunk\[\d\].nbytes", "A chunk's length contradicts the header's sizes. C-Blosc2 uses the chunk's."),
    (
        THEIRS,
        r"not a valid special value",
        "This byte is not a valid special value. C-Blosc2 checks single bits of it, and reads zeros.",
    ),
    (
        THEIRS,
        r"chunk version",
        "In a newer version, fields may have another meaning. C-Blosc2 3 rejects a newer version only if byte 30 has an unknown flag, "
        "C-Blosc2 2 always.",
    ),
    (THEIRS, r"more than one chunk has the offset", "Two chunks have the same offset: writing one would change the other."),
    (
        THEIRS,
        r"entries, |elements( \(9e\))?, found|header elements|invalid length|dimensions?, but ndim|shortest marker|found [\w ]+ \([0-9a-f]{2}\)",
        "b2nd checks markers and counts, because it writes back what it accepts. C-Blosc2 skips most of them.",
    ),
    (
        DIFFERENT,
        r"five_marker_seven|outer_95",
        "The count says five entries: Caterva's layout with stale bytes after it. C-Blosc2 does not check the count.",
    ),
    (DIFFERENT, r"_nul", "C's strings end at a NUL. In b2nd, names are bytes and a dtype may have any characters."),
]


def run(rust, cases, directory, update):
    rows = []
    for entry in json.loads((directory / "manifest.json").read_text()):
        with cases.case(f"verdict: {entry['kind']} {entry['name']}"):
            if entry["kind"] == "metalayer":
                rows.append(metalayer(rust, directory, entry))
                rows.append(frame(rust, directory, entry, entry["in_frame"], "Metalayers in a frame"))
            else:
                rows.append(frame(rust, directory, entry, entry["file"], "Frames"))
    table = write(rows)
    if update:
        TABLE.write_text(table)
    with cases.case("verdicts.md"):
        compare(TABLE.read_text(), table)


def metalayer(rust, directory, entry):
    """Judges a bare metalayer."""
    theirs = entry["b2nd_deserialize_meta"]
    ours, refused = ask(rust, "judge_metalayer", directory / entry["file"])
    error = None if theirs["result"] == "ok" else f"b2nd_deserialize_meta returns {theirs['rc']}"
    same = True
    if ours and not error:
        same = all(ours["array"][name] == theirs[name] for name in ("shape", "chunks", "blocks"))
        same &= agrees(ours["array"]["dtype"], theirs.get("dtype", ""))
    return judge("Bare metalayers", entry, refused, error, same)


def frame(rust, directory, entry, path, section):
    ours, refused = ask(rust, "judge_frame", directory / path)
    error = unreadable(entry["blosc2.open"])
    same = ours is None or error or says_the_same(ours, entry["blosc2.open"], control(directory, entry["kind"]))
    return judge(section, entry, refused, error, same)


def ask(rust, request, path):
    try:
        return rust.ask(request, path=str(path)), None
    except Refused as refused:
        return None, str(refused).replace(str(path), path.name)


def control(directory, kind):
    """What C-Blosc2 reads from the undamaged file. The manifest lists only the differences to it."""
    if kind == "sframe":
        return {}
    entries = json.loads((directory / "manifest.json").read_text())
    return next(entry["blosc2.open"] for entry in entries if (entry["kind"], entry["name"]) == (kind, "control_good"))


def unreadable(theirs):
    """Why C-Blosc2 rejects the frame or a part of it."""
    if theirs["result"] != "ok":
        return theirs["error"]
    for part in ("data", "metas", "vlmetas"):
        found = theirs.get(part, "")
        for name, value in found.items() if isinstance(found, dict) else [("", found)]:
            if isinstance(value, str) and value.startswith("!"):
                return f"{part} {name}: {value[1:]}"
    return None


def says_the_same(ours, theirs, control):
    theirs = control | theirs
    sizes = [name for name in ("nchunks", "nbytes", "cbytes", "typesize", "chunksize", "blocksize") if name in theirs]
    same = all(ours[name] == theirs[name] for name in sizes)
    found = named(ours["metalayers"])
    same &= list(found) == list(theirs["metas"]) and all(map(agrees, found.values(), theirs["metas"].values()))
    same &= list(named(ours["vlmetalayers"])) == list(theirs["vlmetas"])
    if theirs["open"] == "NDArray":
        array = ours["array"]
        same &= array is not None and all(array[name] == theirs[name] for name in ("shape", "chunks", "blocks"))
        # If the metalayer has no dtype, python-blosc2 uses a byte string of the typesize.
        dtype = f"|S{ours['typesize']}" if array["dtype"] is None else str(np.dtype(array["dtype"]))
        same &= dtype == theirs["dtype"]
    return same


def agrees(found, listed):
    """Compares with the manifest, which shortens long values: `start...`."""
    start, cut, _ = listed.partition("...")
    return found.startswith(start) if cut else found == listed


def named(pairs):
    """Metalayers by name. If a name is repeated, the first one counts."""
    found = {}
    for name, content in pairs:
        found.setdefault(bytes.fromhex(name).decode(), content)
    return found


def judge(section, entry, refused, error, same):
    if refused and error:
        return section, REFUSED, "", entry, refused
    if not refused and not error:
        group, said = (ACCEPTED if same else DIFFERENT), ""
    else:
        group, said = (THEIRS, refused) if refused else (OURS, error)
    if group == ACCEPTED:
        return section, group, "", entry, said
    for of, pattern, reason in REASONS:
        if of == group and re.search(pattern, f"{entry['name']} {said}"):
            return section, group, reason, entry, said
    raise AssertionError(f"{group}, for no known reason: {entry['what']}: {said}")


def write(rows):
    lines = [INTRODUCTION]
    sections = list(dict.fromkeys(row[0] for row in rows))
    lines += ["| | " + " | ".join(sections) + " |", "| --- |" + " --- |" * len(sections)]
    for group in GROUPS:
        lines.append(
            f"| {group} | " + " | ".join(str(sum(row[:2] == (section, group) for row in rows)) for section in sections) + " |"
        )
    for group in GROUPS:
        lines += ["", f"## {group}"]
        inside = [row for row in rows if row[1] == group]
        for reason in dict.fromkeys(row[2] for row in inside):
            if reason:
                lines += ["", f"### {reason}"]
            lines += ["", "| where | file | what was done | the error |", "| --- | --- | --- | --- |"]
            for section, _, of, entry, said in inside:
                if of == reason:
                    lines.append(f"| {section} | {entry['name']} | {cell(entry['what'])} | {cell(said)} |")
    return "\n".join(lines) + "\n"


def cell(text):
    return re.sub(r" at 0x[0-9a-f]+>", ">", text).replace("|", "\\|").replace("\n", " ")


def compare(committed, table):
    """Compares the tables line by line, without the errors."""
    committed, table = ([line.rsplit(" | ", 1)[0] for line in text.splitlines()] for text in (committed, table))
    for old, new in zip(committed, table):
        equal("a line", new, old)
    equal("the number of lines", len(table), len(committed))
