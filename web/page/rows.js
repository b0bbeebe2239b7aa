// The rows of a table: a grid of the columns that are arrays. Rows that were deleted are left out, null is told from text.

import { Column, Leaf } from "./columns.js";
import { count, el, problem, quiet, size, thousands, visible } from "./dom.js";
import { Sheet } from "./sheet.js";

/** Rows between two that are wanted, which are rather read than left out. */
const GAP = 256;

/** Rows whose marks are read at once, and the most that a table may have here, deleted ones too. */
const MARKS = 1 << 25;
const MOST = 1 << 27;

export class Rows {
  /** `leaf` is the table, as the store lists it. */
  constructor(element, sources, leaf) {
    this.element = element;
    this.sources = sources;
    this.leaf = leaf;
    this.readers = [];
    this.prefix = leaf.key === "/" ? "" : leaf.key;
  }

  async open() {
    this.element.dataset.loading = "";
    this.element.replaceChildren(quiet("Reading …"));
    try {
      await this.live();
      const all = this.leaf.columns.map((spec, at) => new Column(this, spec, this.leaf.paths[at]));
      for (const column of all) await column.open();
      this.columns = all.filter(({ why }) => why === null);
      this.show(all.filter(({ why }) => why !== null));
    } catch (error) {
      this.element.replaceChildren(problem(error.message ?? String(error)));
    }
    delete this.element.dataset.loading;
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

  show(hidden) {
    this.notes = el("div", { class: "look-notes" });
    const names = this.columns.map(({ name }) => name);
    const sheet = new Sheet({
      rows: this.rows,
      columns: names.length,
      names,
      width: 16,
      get: (...part) => this.get(...part),
      moved: null,
    });
    const why = hidden.map(({ name, why }) => el("li", {}, el("code", {}, visible(name)), `: ${visible(why)}`));
    this.element.replaceChildren(
      el("p", { class: "summary" }, `${count(this.rows, "row")}, ${count(names.length, "column")}`),
      names.length && this.rows ? el("div", { class: "look-stage" }, sheet.element) : "",
      why.length ? el("div", { class: "hidden-columns" }, quiet("Columns that are not shown:"), el("ul", {}, why)) : "",
      this.notes,
    );
  }

  /** The cells of some live rows of some columns. */
  async get(from, to, left, right) {
    const columns = this.columns.slice(left, right);
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
    const mistakes = this.columns.flatMap(({ name, mistakes }) =>
      [...mistakes.keys()].map((message) => problem(`column ${JSON.stringify(name)}: ${message}`)),
    );
    const fetched = this.readers.reduce((sum, reader) => sum + reader.fetched, 0);
    this.notes.replaceChildren(...mistakes.slice(0, 5), el("p", { class: "quiet fetched" }, `${size(fetched)} read for the rows`));
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
