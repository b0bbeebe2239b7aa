// Reads slices of an array, or cells of a file of batches. The module reads synchronously and returns the ranges that are missing, which `get` provides.

import { Module } from "./b2nd_values.js";
import { unframed } from "./view.js";

/** Lets pending messages arrive. */
const breath = () => new Promise((go) => setTimeout(go, 0));

export class Slices {
  /**
   * `files` are pairs of a path and a length. `get` receives the missing ranges as a flat list (file, start, end, …) and returns an object for
   * each, with `bytes` or an `error`.
   */
  constructor(files, get) {
    this.values = new Module("");
    this.get = get;
    /** The last slice that was read. */
    this.held = null;
    for (const [path, size] of files) this.values.add(path, size);
  }

  /** Opens the array, or the file of batches: the file itself, or the leaf of a store with this key. */
  open(key, isBatches = false) {
    return this.ask((values) => values.open(key ?? undefined, isBatches));
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

  /** Answers a question after the needed bytes have been fetched. */
  async ask(question) {
    for (;;) {
      const text = question(this.values);
      const missing = this.values.missing();
      if (missing.length === 0) return JSON.parse(text);
      await this.bring(missing);
    }
  }

  /**
   * Decompresses a slice. Returns its shape and the damaged chunks (`broken`), or an error. `goesOn` is called with the number of
   * finished chunks and the number of all chunks; if it returns false, the result is null.
   *
   * @param {(done: number, of: number) => boolean} goesOn
   */
  async read(want, goesOn = () => true) {
    const shape = await this.ask((values) => values.begin(JSON.stringify(want)));
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
   * Reads a view. Returns the requested forms and their buffers, or an error; null if `goesOn` returns false.
   *
   * @param {(done: number, of: number) => boolean} [goesOn]
   */
  async look(want, goesOn) {
    const slice = JSON.stringify([want.start, want.end, want.step, want.drawn, want.room, want.square, want.budget]);
    if (this.held?.slice !== slice) {
      this.held = null;
      const read = await this.read(want, goesOn);
      if (read === null || read.error !== undefined) return read;
      this.held = { slice, read };
    }
    return { ...this.held.read, ...unframed(this.values.forms(JSON.stringify(want))) };
  }

  free() {
    this.values.free();
  }
}
