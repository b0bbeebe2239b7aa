// Opens Blosc2 files: what they say, and slices of their arrays.

import initValues from "./b2nd_values.js";
import { elements, ranges } from "./elements.js";
import { Opened, load } from "./engine.js";
import { outside } from "./outside.js";
import { Slices } from "./slices.js";
import { sourceOf } from "./sources.js";

let ready;
/** Compiles both modules, once. Node's fetch gets no files, so there they are read. */
function start() {
  const module = async (name) => {
    if (globalThis.process?.versions?.node === undefined) return undefined;
    const { readFile } = await import("node:fs/promises");
    return { module_or_path: await readFile(new URL(name, import.meta.url)) };
  };
  ready ??= Promise.all([module("b2nd_web_bg.wasm").then(load), module("b2nd_values_bg.wasm").then(initValues)]);
  // What could not be fetched may be there the next time.
  ready.catch(() => (ready = undefined));
  return ready;
}

export async function open(source, { worker = false } = {}) {
  if (worker) return outside(source);
  await start();
  const opened = new Opened(await sourceOf(source));
  try {
    const seen = await opened.ask((reader) => reader.look());
    if (seen.error !== undefined) throw new Error(seen.error);
    return new File(opened, seen, null);
  } catch (error) {
    close(opened);
    throw error;
  }
}

function close(opened) {
  opened.close();
  for (const [, source] of opened.sources) source.close?.();
}

/** An open file, or a leaf of a store in one. */
class File {
  #opened;
  #seen;
  #key;
  #slices = null;
  #array = null;
  #turn = Promise.resolve();
  #closed = false;

  constructor(opened, seen, key) {
    this.#opened = opened;
    this.#seen = seen;
    this.#key = key;
  }

  async info() {
    const { store, leaves } = this.#seen;
    const answer =
      this.#key !== null
        ? leaves.find(({ key }) => key === this.#key)
        : store
          ? { ...store, leaves }
          : await this.#opened.ask((reader) => reader.info());
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  async keys() {
    return (this.#seen.leaves ?? []).map(({ key }) => key);
  }

  async leaf(key) {
    if (!(await this.keys()).includes(key)) throw new Error(`there is no leaf ${JSON.stringify(key)}`);
    return new File(this.#opened, this.#seen, key);
  }

  /** One slice after the other: the module holds one at a time. */
  read(slice = []) {
    const result = this.#turn.then(() => this.#read(slice));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #read(slice) {
    const array = await this.#open();
    const { start, end, step, kept } = ranges(slice, array.shape);
    const numbers = (list) => Float64Array.from(list);
    const read = await this.#slices.read((values) => values.slice(numbers(start), numbers(end), numbers(step)));
    if (read.error !== undefined) throw new Error(read.error);
    if (read.broken.length > 0) throw new Error(read.broken.map(({ message }) => message).join("; "));
    const shape = read.shape.filter((_, axis) => kept[axis]);
    return {
      dtype: array.dtype,
      shape,
      data: elements(
        array.dtype,
        this.#slices.values.bytes(),
        read.shape.reduce((all, length) => all * length, 1),
      ),
    };
  }

  async #open() {
    if (this.#array !== null) return this.#array;
    const { sources } = this.#opened;
    const piece = async ([file, start, end]) => {
      try {
        return { file, start, end, bytes: await sources[file][1].read(start, end) };
      } catch (error) {
        return { file, start, end, error: error.message ?? String(error) };
      }
    };
    const get = (missing) =>
      Promise.all(Array.from({ length: missing.length / 3 }, (_, at) => piece(missing.slice(3 * at, 3 * at + 3))));
    this.#slices ??= new Slices(
      sources.map(([path, { size }]) => [path, size]),
      get,
    );
    const array = await this.#slices.open(this.#key);
    if (array.error !== undefined) throw new Error(array.error);
    this.#array = array;
    return array;
  }

  close() {
    this.#slices?.free();
    this.#slices = this.#array = null;
    if (this.#key === null && !this.#closed) close(this.#opened);
    this.#closed = true;
  }
}
