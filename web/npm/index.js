// Opens Blosc2 files and reads metadata, slices of arrays and rows of tables.

import initValues from "./b2nd_values.js";
import { elements, ranges, structures, turn } from "./elements.js";
import { Opened, load } from "./engine.js";
import { outside } from "./outside.js";
import { Records } from "./records.js";
import { record } from "./row.js";
import { Slices } from "./slices.js";
import { sourceOf } from "./sources.js";

let ready;
/** Compiles both modules, once. Node reads them from disk, because its fetch does not support files. */
function start() {
  const module = async (name) => {
    if (globalThis.process?.versions?.node === undefined) return undefined;
    const { readFile } = await import("node:fs/promises");
    return { module_or_path: await readFile(new URL(name, import.meta.url)) };
  };
  ready ??= Promise.all([module("b2nd_web_bg.wasm").then(load), module("b2nd_values_bg.wasm").then(initValues)]);
  // A download that failed may succeed the next time.
  ready.catch(() => (ready = undefined));
  return ready;
}

export async function open(source, { worker = false } = {}) {
  if (worker) return outside(source);
  await start();
  const opened = new Opened(await sourceOf(source));
  try {
    const seen = await opened.ask("look");
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
  #records = null;
  /** Reads the arrays of a table. */
  #readers = [];
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
          : await this.#opened.ask("info");
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

  /** Reads one slice at a time, because the module holds only one. */
  read(slice = []) {
    const result = this.#turn.then(() => this.#read(slice));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #read(slice) {
    const array = await this.#open();
    const { start, end, step, kept } = ranges(slice, array.shape);
    const read = await this.#slices.look({ start, end, step: step.map(Math.abs), forms: ["bytes"] });
    if (read.error !== undefined) throw new Error(read.error);
    if (read.broken.length > 0) throw new Error(read.broken.map(({ message }) => message).join("; "));
    const shape = read.shape.filter((_, axis) => kept[axis]);
    const count = read.shape.reduce((all, length) => all * length, 1);
    const { bytes } = read;
    turn(bytes, read.shape, step);
    const { fields, itemsize } = array.element;
    const data = fields?.length ? structures(fields, itemsize, bytes, count) : elements(array.dtype, bytes, count);
    return { dtype: array.dtype, shape, data };
  }

  async #open() {
    if (this.#array !== null) return this.#array;
    const info = await this.info();
    if (info.columns || info.leaves?.some(({ key, columns }) => key === "/" && columns))
      throw new Error(`${this.#name()} is a table: rows() reads it`);
    if (info.leaves) {
      const keys = info.leaves.slice(0, 5).map(({ key }) => JSON.stringify(key));
      const more = info.leaves.length > 5 ? " and more" : "";
      if (keys.length === 0) throw new Error(`${this.#name()} is a store without leaves`);
      throw new Error(`${this.#name()} is a store: leaf(key) opens one of its leaves, ${keys.join(", ")}${more}`);
    }
    this.#slices ??= this.#reader();
    const array = await this.#slices.open(this.#key);
    if (array.error !== undefined) throw new Error(array.error);
    this.#array = { ...array, element: info.array?.element ?? {} };
    return this.#array;
  }

  /** The reader of an array of this file. */
  #reader() {
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
    return new Slices(
      sources.map(([path, { size }]) => [path, size]),
      get,
    );
  }

  /** Reads one part at a time, like slices. */
  rows(start = 0, end = Infinity, names = null) {
    const result = this.#turn.then(() => this.#rows(start, end, names));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #rows(start, end, names) {
    const records = await this.#table();
    const unknown = names?.find((name) => !records.columns.some((column) => column.name === name));
    if (unknown !== undefined) {
      const why = records.hidden.find(({ name }) => name === unknown)?.why ?? "there is no such column";
      throw new Error(`${this.#name()}: column ${JSON.stringify(unknown)}: ${why}`);
    }
    const columns = names === null ? records.columns : names.map((name) => records.columns.find((column) => column.name === name));
    const within = (row) => Math.min(Math.max(row < 0 ? row + records.rows : row, 0), records.rows);
    const [from, to] = [within(start), within(end)];
    columns.forEach(({ mistakes }) => mistakes.clear());
    const cells = await records.cells(from, Math.max(to, from), columns);
    for (const { name, mistakes } of columns) {
      if (mistakes.size > 0) throw new Error(`${this.#name()}: column ${JSON.stringify(name)}: ${[...mistakes.keys()].join("; ")}`);
    }
    return cells.map((line) => record(columns, line));
  }

  async #table() {
    if (this.#records !== null) return this.#records;
    const { leaves } = this.#seen;
    const leaf = leaves?.find(({ key }) => key === (this.#key ?? "/"));
    if (!leaf?.columns) throw new Error(`${this.#name()} is not a table${leaves ? ": leaf(key) opens a leaf of the store" : ""}`);
    const records = new Records(leaf, (key) => {
      const slices = this.#reader();
      this.#readers.push(slices);
      return {
        open: (isBatches) => slices.open(key, isBatches),
        look: (want) => slices.look(want),
        cells: (ranges) => slices.cells(ranges),
      };
    });
    await records.open();
    this.#records = records;
    return records;
  }

  #name() {
    return this.#key === null ? this.#opened.name : `${this.#opened.name}: ${this.#key}`;
  }

  close() {
    this.#slices?.free();
    for (const slices of this.#readers) slices.free();
    this.#slices = this.#array = this.#records = null;
    this.#readers = [];
    if (this.#key === null && !this.#closed) close(this.#opened);
    this.#closed = true;
  }
}
