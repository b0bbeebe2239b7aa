// Slices of an array: asks the module, which reads synchronously, and gets the bytes that it lacks from whoever has them.

import { Values } from "./b2nd_values.js";

/** Lets messages come in. */
const breath = () => new Promise((go) => setTimeout(go, 0));

export class Slices {
  /**
   * `files` are pairs of a path and a length. `get` is given what is missing (file, start, end; and again) and gives a piece for each:
   * `bytes`, or the `error` why there are none.
   */
  constructor(files, get) {
    this.values = new Values();
    this.get = get;
    for (const [path, size] of files) this.values.add(path, size);
  }

  /** Opens the array: the file itself, or the leaf of a store with this key. */
  open(key) {
    return this.ask(() => this.values.open(key ?? undefined));
  }

  async bring(missing) {
    for (const { file, start, end, bytes, error } of await this.get([...missing])) {
      if (error === undefined) this.values.put(file, start, end, bytes);
      else this.values.fail(file, start, end, error);
    }
  }

  /** What a question gives, as soon as the bytes are there that it takes. */
  async ask(question) {
    for (;;) {
      const text = question(this.values);
      const missing = this.values.missing();
      if (missing.length === 0) return JSON.parse(text);
      await this.bring(missing);
    }
  }

  /**
   * Decompresses the slice that `begin` begins: its shape, and which chunks are `broken`; or an error. Null where `goesOn`, which is
   * told how many chunks are done, says no.
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

  free() {
    this.values.free();
  }
}
