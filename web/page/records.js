// The live rows of a table, and their cells.

import { Column, Leaf } from "./columns.js";
import { thousands } from "./dom.js";

/** Gaps of fewer rows are read too, instead of starting another read. */
const GAP = 256;

/** The number of rows whose marks are read at once, and the maximum number of rows of a table, deleted and unused ones included. */
const MARKS = 1 << 25;
const MOST = 1 << 27;

export class Records {
  /** `leaf` is the table in the store's listing; `reader` returns the reader of one of its files by key, with `open`, `look` and `cells`. */
  constructor(leaf, reader) {
    this.leaf = leaf;
    this.reader = reader;
    this.prefix = leaf.key === "/" ? "" : leaf.key;
  }

  /** Opens the columns. Those that cannot be shown go to `hidden`, with the reason. */
  async open() {
    await this.live();
    const all = this.leaf.columns.map((spec, at) => new Column(this, spec, this.leaf.paths[at]));
    for (const column of all) await column.open();
    this.columns = all.filter(({ why }) => why === null);
    this.hidden = all.filter(({ why }) => why !== null);
  }

  /** Finds the live rows. `places` are their indices, or null if all rows are live. */
  async live() {
    const marks = new Leaf(this, "_valid_rows");
    if (!(await marks.open())) throw new Error("the store lists no file that marks deleted rows (_valid_rows)");
    const [length] = marks.info.shape;
    if (marks.info.shape.length !== 1 || marks.info.dtype !== "|b1")
      throw new Error(
        `the file that marks deleted rows (_valid_rows): expected one dimension and the dtype |b1, found the shape [${marks.info.shape}] and the dtype ${marks.info.dtype ?? "none"}`,
      );
    if (length > MOST)
      throw new Error(
        `the table has ${thousands(length)} rows, including deleted and unused ones: at most ${thousands(MOST)} are supported`,
      );
    const live = new Uint32Array(length);
    this.rows = 0;
    for (let start = 0; start < length; start += MARKS) {
      const seen = await marks.bytes(start, Math.min(start + MARKS, length));
      if (seen.broken.length > 0)
        throw new Error(`the file that marks deleted rows (_valid_rows) cannot be read: ${seen.broken[0].message}`);
      seen.bytes.forEach((mark, at) => {
        if (mark) live[this.rows++] = start + at;
      });
    }
    this.places = this.rows === length ? null : live.slice(0, this.rows);
  }

  /** The cells of some live rows and columns; null if another view was requested meanwhile. */
  async cells(from, to, columns) {
    const runs = this.runs(from, to);
    const lines = Array.from({ length: to - from }, () => columns.map(() => null));
    for (const [at, column] of columns.entries()) {
      try {
        let line = 0;
        for (const { start, end, wanted } of runs) {
          const cells = await column.cells(start, end);
          if (cells === null) return null;
          for (const place of wanted) lines[line++][at] = cells[place - start];
        }
      } catch (error) {
        column.mistakes.set(error.message, error.message);
      }
    }
    return lines;
  }

  /** The ranges of physical rows that contain these live rows. */
  runs(from, to) {
    const runs = [];
    for (let row = from; row < to; row += 1) {
      const place = this.places === null ? row : this.places[row];
      const run = runs.at(-1);
      if (run !== undefined && place - run.end < GAP) {
        run.end = place + 1;
        run.wanted.push(place);
      } else runs.push({ start: place, end: place + 1, wanted: [place] });
    }
    return runs;
  }
}
