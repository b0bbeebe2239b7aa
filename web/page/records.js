// The rows of a table: those that are live, in the columns that are arrays.

import { Column, Leaf } from "./columns.js";
import { thousands } from "./dom.js";

/** Rows between two that are wanted, which are rather read than left out. */
const GAP = 256;

/** Rows whose marks are read at once, and the most that a table may have here, deleted ones too. */
const MARKS = 1 << 25;
const MOST = 1 << 27;

export class Records {
  /** `leaf` is the table, as the store lists it; `reader` gives what reads one of its arrays, by its key: it has `open` and `look`. */
  constructor(leaf, reader) {
    this.leaf = leaf;
    this.reader = reader;
    this.prefix = leaf.key === "/" ? "" : leaf.key;
  }

  /** Opens the columns: those that are read here, and those that are `hidden`, with the reason. */
  async open() {
    await this.live();
    const all = this.leaf.columns.map((spec, at) => new Column(this, spec, this.leaf.paths[at]));
    for (const column of all) await column.open();
    this.columns = all.filter(({ why }) => why === null);
    this.hidden = all.filter(({ why }) => why !== null);
  }

  /** Which rows are live: their places, or null where all are. */
  async live() {
    const marks = new Leaf(this, "_valid_rows");
    if (!(await marks.open())) throw new Error("the table does not say which of its rows are live");
    const [length] = marks.info.shape;
    if (marks.info.shape.length !== 1 || marks.info.dtype !== "|b1")
      throw new Error("the marks of live rows are no list of booleans");
    if (length > MOST) throw new Error(`the table has place for ${thousands(length)} rows, at most ${thousands(MOST)} are shown`);
    const live = new Uint32Array(length);
    this.rows = 0;
    for (let start = 0; start < length; start += MARKS) {
      const seen = await marks.bytes(start, Math.min(start + MARKS, length));
      if (seen.broken.length > 0) throw new Error(`which rows are live cannot be read: ${seen.broken[0].message}`);
      seen.bytes.forEach((mark, at) => {
        if (mark) live[this.rows++] = start + at;
      });
    }
    this.places = this.rows === length ? null : live.slice(0, this.rows);
  }

  /** The cells of some live rows of some columns; null where another view was asked for. */
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

  /** Runs of physical rows that hold these live ones. */
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
