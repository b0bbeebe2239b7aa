// The rows of a table as a grid, and the columns that it omits.

import { text } from "./cells.js";
import { count, el, problem, quiet, size, visible } from "./dom.js";
import { readerOf } from "./reader.js";
import { Records } from "./records.js";
import { Sheet } from "./sheet.js";

export class Rows {
  /** `leaf` is the table in the store's listing. */
  constructor(element, file, leaf) {
    this.element = element;
    this.readers = [];
    this.records = new Records(leaf, (key) => {
      const reader = readerOf(file, key, this.readers);
      this.readers.push(reader);
      return reader;
    });
  }

  async open() {
    try {
      await this.records.open();
      this.show();
    } catch (error) {
      this.element.replaceChildren(problem(error.message ?? String(error)));
    }
  }

  show() {
    const { columns, hidden, rows } = this.records;
    this.notes = el("div", { class: "look-notes" });
    const names = columns.map(({ name }) => name);
    const sheet = new Sheet({
      rows,
      columns: names.length,
      names,
      // The width fits times with seconds.
      width: columns.some(({ spec }) => spec.kind === "timestamp") ? 20 : 16,
      get: (...part) => this.get(...part),
      moved: null,
      isText: (column) => !/^(u?int|float|complex|bool)/.test(columns[column].spec.kind),
      rounds: (column) => /^(float|complex|ndarray|list|struct)/.test(columns[column].spec.kind),
    });
    const why = hidden.map(({ name, why }) => el("li", {}, el("code", {}, visible(name)), `: ${visible(why)}`));
    this.element.replaceChildren(
      el("p", { class: "summary" }, `${count(rows, "row")}, ${count(names.length, "column")}`),
      names.length && rows ? el("div", { class: "look-stage" }, sheet.element) : "",
      why.length ? el("div", { class: "hidden-columns" }, quiet("These columns cannot be shown:"), el("ul", {}, why)) : "",
      this.notes,
    );
  }

  /** The cells of some live rows and columns. */
  async get(from, to, left, right) {
    const { columns } = this.records;
    const lines = await this.records.cells(from, to, columns.slice(left, right));
    const mistakes = columns.flatMap(({ name, mistakes }) =>
      [...mistakes.keys()].map((message) => problem(`column ${JSON.stringify(name)}: ${message}`)),
    );
    const fetched = this.readers.reduce((sum, reader) => sum + reader.fetched, 0);
    this.notes.replaceChildren(...mistakes.slice(0, 5), el("p", { class: "quiet fetched" }, `${size(fetched)} read for the rows`));
    return lines?.map((line) => line.map((cell) => (cell?.value === undefined ? cell : text(cell.value)))) ?? null;
  }
}
