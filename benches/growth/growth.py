"""Measures how the time of reading, writing, slicing, scans and table queries grows with the size, and draws the result.

    python growth.py SPEED CATALOG [--most 4096] [--files 1000000] [--rows 10000000]      (blosc2==4.14.1, numpy)

SPEED is the compiled benchmark `speed` of b2nd-ndarray, and CATALOG the program b2nd-catalog. `growth` in this directory builds both and
calls this script, which writes growth.svg and the tables in README.md. Files are in /dev/shm if it exists, so that no disk is measured.
"""

import argparse
import dataclasses
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import blosc2
import numpy as np

HERE = Path(__file__).parent
THREADS = (1, 2)

# Each measurement is repeated for this many seconds, but at least three times and at most 200 times. The minimum counts, because noise only
# adds time.
ENOUGH = 1


@dataclasses.dataclass
class Row:
    id: int = blosc2.field(blosc2.int64())
    temperature: float = blosc2.field(blosc2.float64())
    station: int = blosc2.field(blosc2.int32())


@dataclasses.dataclass
class Curve:
    """Points of (size, seconds), for each number of threads."""

    name: str
    unit: str
    points: dict = dataclasses.field(default_factory=lambda: {threads: [] for threads in THREADS})

    def slope(self, threads):
        """Returns the exponent with which time grows with the size, for the larger sizes, at least half of them. It is fitted to the
        logarithms by least squares."""
        points = self.points[threads]
        x, y = np.log(points[len(points) // 2 - (len(points) % 2 == 0) :]).T
        return float(np.polyfit(x, y, 1)[0])

    def gain(self):
        """Returns the speed of two threads relative to one, at the largest size."""
        return self.points[1][-1][1] / self.points[2][-1][1]


def least(measure):
    """Returns the minimum of the times that a function returns."""
    times, start = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - start < ENOUGH and len(times) < 200):
        times.append(measure())
    return min(times)


class Speed:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline().split()[0]) / 1e9


def write_array(path, mib):
    """Writes running sums of noise as a two-dimensional int32 array, with LZ4 after a byte shuffle. Only a part is in memory at a time."""
    random, rows = np.random.default_rng(1), mib << 8
    array = blosc2.empty((rows, 1024), dtype="i4", urlpath=path, mode="w", cparams=blosc2.CParams(codec=blosc2.Codec.LZ4, clevel=5))
    for start in range(0, rows, 4096):
        count = min(4096, rows - start)
        array[start : start + count] = np.cumsum(random.integers(0, 64, (count, 1024), dtype="i4"), axis=1)


def measure_arrays(speed, directory, most):
    read, write, slices = Curve("read", "MiB"), Curve("write", "MiB"), Curve("200 slices", "MiB")
    path, target, mib = directory / "array.b2nd", directory / "copy.b2nd", 1
    while mib <= most:
        write_array(str(path), mib)
        for threads in THREADS:
            read.points[threads].append((mib, least(lambda: speed.ask("read", threads, path))))
            write.points[threads].append((mib, least(lambda: speed.ask("write", threads, 1, 5, path, target))))
            slices.points[threads].append((mib, least(lambda: speed.ask("slices", threads, 200, path))))
        print(f"arrays of {mib} MiB", file=sys.stderr)
        mib *= 4
    path.unlink()
    target.unlink()
    return [read, write, slices]


def timed(threads, *command):
    """Returns the seconds that a program takes on this number of cores."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - start


def measure_scan(catalog, directory, most):
    scan, files, made = Curve("scan", "files"), 10, 0
    array = blosc2.asarray(np.zeros((100, 100), dtype="i4"), urlpath=str(directory / "one.b2nd"), mode="w")
    array.schunk.vlmeta["unit"] = "K"
    root, out = directory / "files", directory / "out.parquet"
    while files <= most:
        for number in range(made, files):
            path = root / str(number // 10_000) / f"{number}.b2nd"
            if number % 10_000 == 0:
                path.parent.mkdir(parents=True)
            # All names are links to the same file, so that memory does not fill up.
            os.link(directory / "one.b2nd", path)
        made = files
        for threads in THREADS:
            scan.points[threads].append((files, least(lambda: timed(threads, catalog, "scan", root, "--out", out))))
        print(f"scans of {files} files", file=sys.stderr)
        files *= 10
    return [scan]


def measure_tables(catalog, directory, most):
    query, rows = Curve("table, sum of two columns", "rows"), 1000
    path = directory / "table.b2z"
    while rows <= most:
        path.unlink(missing_ok=True)
        with blosc2.CTable(Row, urlpath=str(path), mode="w", validate=False, expected_size=rows) as table:
            for start in range(0, rows, 1_000_000):
                numbers = np.arange(start, min(start + 1_000_000, rows))
                random = np.random.default_rng(start)
                table.extend(
                    {
                        "id": numbers,
                        "temperature": (15 + random.normal(0, 5, len(numbers))).round(1),
                        "station": random.integers(0, 500, len(numbers), "i4"),
                    },
                    validate=False,
                )
        sql = f"select sum(temperature), sum(station) from '{path}'"
        for threads in THREADS:
            query.points[threads].append((rows, least(lambda: timed(threads, catalog, "sql", sql))))
        print(f"tables of {rows} rows", file=sys.stderr)
        rows *= 10
    return [query]


WIDTH, HEIGHT, LEFT, TOP = 300, 200, 58, 34
COLORS = {1: "#1f77b4", 2: "#d95f02"}


def draw(curves):
    """Draws a panel for each curve, with logarithmic axes and a line for each number of threads."""
    columns, panels = 3, []
    for number, curve in enumerate(curves):
        x, y = number % columns * (WIDTH + 90) + LEFT, number // columns * (HEIGHT + 90) + TOP
        panels.append(f'<g transform="translate({x} {y})">{"".join(panel(curve))}</g>')
    width = columns * (WIDTH + 90)
    height = -(-len(curves) // columns) * (HEIGHT + 90)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(panels) + "\n</svg>\n"
    )


def panel(curve):
    points = [point for threads in THREADS for point in curve.points[threads]]
    (least_x, most_x), (least_y, most_y) = ((min(side), max(side)) for side in zip(*points))
    decades = range(math.floor(math.log10(least_y)), math.ceil(math.log10(most_y)) + 1)
    low, high = decades[0], decades[-1]

    def place(size, seconds):
        across = math.log(size / least_x) / math.log(most_x / least_x)
        return across * WIDTH, HEIGHT - (math.log10(seconds) - low) / (high - low) * HEIGHT

    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>'
    yield f'<text x="0" y="-10" font-weight="bold">{curve.name}: seconds by {curve.unit}</text>'
    for decade in decades:
        height = place(least_x, 10.0**decade)[1]
        yield f'<path d="M0 {height:.1f}h{WIDTH}" stroke="#ddd"/>'
        yield f'<text x="-6" y="{height + 4:.1f}" text-anchor="end">{10.0**decade:g}</text>'
    for size, _ in curve.points[1]:
        across = place(size, 10.0**low)[0]
        yield f'<path d="M{across:.1f} 0v{HEIGHT}" stroke="#eee"/>'
        yield f'<text x="{across:.1f}" y="{HEIGHT + 16}" text-anchor="middle">{short(size)}</text>'
    for threads in THREADS:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in curve.points[threads]))
        yield f'<polyline points="{line}" fill="none" stroke="{COLORS[threads]}" stroke-width="2"/>'
        said = f"{threads} thread{'s' * (threads > 1)}: slope {curve.slope(threads):.2f}"
        yield f'<text x="{WIDTH - 6}" y="{HEIGHT - 30 + 18 * (threads - 1)}" text-anchor="end" fill="{COLORS[threads]}">{said}</text>'


def short(size):
    """Returns a size as a label, such as 4Ki for 4096."""
    if size >= 1024 and size % 1024 == 0 and size & (size - 1) == 0:
        return f"{size // 1024}Ki"
    for factor, name in ((10**6, "M"), (10**3, "k")):
        if size >= factor:
            return f"{size // factor}{name}"
    return str(size)


def tables(curves):
    lines = ["| what | slope, one thread | slope, two threads | speed-up of two threads, at the largest size |", "| --- | --- | --- | --- |"]
    for curve in curves:
        lines.append(f"| {curve.name} | {curve.slope(1):.2f} | {curve.slope(2):.2f} | {curve.gain():.2f} |")
    for curve in curves:
        sizes = [size for size, _ in curve.points[1]]
        lines += ["", f"| {curve.name}: {curve.unit} | " + " | ".join(map(str, sizes)) + " |", "| --- |" + " --- |" * len(sizes)]
        for threads in THREADS:
            times = " | ".join(milliseconds(seconds) for _, seconds in curve.points[threads])
            lines.append(f"| ms, {threads} thread{'s' * (threads > 1)} | {times} |")
    return "\n".join(lines)


def milliseconds(seconds):
    """Formats a time in milliseconds with at least three digits and without an exponent."""
    return f"{seconds * 1000:.{max(0, 2 - math.floor(math.log10(seconds * 1000)))}f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("speed")
    parser.add_argument("catalog")
    parser.add_argument("--most", type=int, default=4096, help="MiB of the largest array")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as temporary:
        directory = Path(temporary)
        curves = measure_arrays(Speed(options.speed), directory, options.most)
        curves += measure_scan(options.catalog, directory, options.files)
        curves += measure_tables(options.catalog, directory, options.rows)
    (options.out / "growth.svg").write_text(draw(curves))
    page = options.out / "README.md"
    text = page.read_text() if page.exists() else "<!-- tables -->\n<!-- end of tables -->\n"
    new = f"<!-- tables -->\n{tables(curves)}\n<!-- end of tables -->"
    page.write_text(re.sub(r"<!-- tables -->.*<!-- end of tables -->", lambda _: new, text, flags=re.DOTALL))


if __name__ == "__main__":
    sys.exit(main())
