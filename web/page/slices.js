// Reads slices of an array. The module reads synchronously and returns the ranges that are missing, which `get` provides.

import { Values } from "./b2nd_values.js";

/** Lets pending messages arrive. */
const breath = () => new Promise((go) => setTimeout(go, 0));

export class Slices {
  /**
   * `files` are pairs of a path and a length. `get` receives the missing ranges as a flat list (file, start, end, …) and returns an object for
   * each, with `bytes` or an `error`.
   */
  constructor(files, get) {
    this.values = new Values();
    this.get = get;
    /** The last slice that was read. */
    this.held = null;
    for (const [path, size] of files) this.values.add(path, size);
  }

  /** Opens the array, or the file of batches: the file itself, or the leaf of a store with this key. */
  open(key, isBatches = false) {
    return this.ask((values) => (isBatches ? values.open_cells(key) : values.open(key ?? undefined)));
  }

  /** The cells of batches in ranges, as JSON. */
  cells(ranges) {
    return this.ask((values) => values.cells(Float64Array.from(ranges)));
  }

  async bring(missing) {
    for (const { file, start, end, bytes, error } of await this.get([...missing])) {
      if (error === undefined) this.values.put(file, start, end, bytes);
      else this.values.fail(file, start, end, error);
    }
  }

  /** The answer to a question, once the bytes for it are there. */
  async ask(question) {
    for (;;) {
      const text = question(this.values);
      const missing = this.values.missing();
      if (missing.length === 0) return JSON.parse(text);
      await this.bring(missing);
    }
  }

  /**
   * Decompresses a slice, which `begin` starts. Returns its shape and the damaged chunks (`broken`), or an error. `goesOn` is called with the
   * number of finished chunks; if it returns false, the result is null.
   *
   * @param {(values: Values) => string} begin
   * @param {(done: number, of: number) => boolean} goesOn
   */
  async read(begin, goesOn = () => true) {
    const shape = await this.ask(begin);
    if (shape.error !== undefined) return shape;
    const asked = await this.ask((values) => values.ask());
    if (asked?.error !== undefined) return asked;
    for (;;) {
      const { missing, done, of, broken } = JSON.parse(this.values.advance());
      if (missing.length > 0) await this.bring(missing);
      else if (done === of) return { ...shape, broken };
      await breath();
      if (!goesOn(done, of)) return null;
    }
  }

  /**
   * Reads a view in the requested forms, and its buffers, or an error. Null if `goesOn` returns false.
   *
   * @param {(done: number, of: number) => boolean} [goesOn]
   */
  async look(want, goesOn) {
    const slice = JSON.stringify([want.start, want.end, want.drawn, want.room, want.square, want.budget]);
    if (this.held?.slice !== slice) {
      this.held = null;
      const begin = (values) =>
        values.begin(
          Float64Array.from(want.start),
          Float64Array.from(want.end),
          Uint32Array.from(want.drawn),
          Float64Array.from(want.room),
          want.square,
          want.budget,
        );
      const read = await this.read(begin, goesOn);
      if (read === null) return null;
      if (read.error !== undefined) return { answer: read, transfer: [] };
      this.held = { slice, read };
    }
    const { rows, columns, column, part, range, log } = want;
    const { values } = this;
    const answer = { ...this.held.read };
    const transfer = [];
    const send = (name, array) => {
      answer[name] = array;
      transfer.push(array.buffer);
    };
    for (const form of want.forms) {
      if (form === "texts") answer.texts = JSON.parse(values.texts(rows, columns, want.fields));
      else if (form === "csv") answer.csv = values.csv(rows, columns, want.fields);
      else if (form === "bytes") send("bytes", values.bytes());
      else if (form === "numbers") send("numbers", values.numbers(rows, columns, column, part));
      else if (form === "image") send("pixels", values.image(rows, columns));
      else if (form === "count")
        answer.count = JSON.parse(values.count(rows, columns, column, part, Float64Array.from(range), log));
    }
    return { answer, transfer };
  }

  free() {
    this.values.free();
  }
}
