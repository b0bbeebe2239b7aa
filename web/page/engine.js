// The WebAssembly module reads synchronously, the browser's files do not. So the module returns the ranges that are missing, the page reads
// them, and asks again.

import init, { Reader } from "./b2nd_web.js";

/** Parses JSON. Integers that a double cannot hold become BigInt if the browser gives access to their digits. */
export function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source)
      : value,
  );
}

let ready;
/** Compiles the module, once: from this script's directory, or from `wasm`. */
export function load(wasm) {
  ready ??= init(wasm);
  return ready;
}

/** A file or folder in the module. It keeps the ranges that it has read, which are small. */
export class Opened {
  constructor(source) {
    this.name = source.name;
    this.size = source.size ?? null;
    this.reader = new Reader(source.name);
    this.sources = source.files ? [...source.files] : [["", source]];
    for (const [path, { size }] of this.sources) this.reader.add(path, size);
  }

  /** The answer to a question, once the bytes for it are there. */
  async ask(question) {
    for (;;) {
      const answer = question(this.reader);
      const missing = this.reader.missing();
      if (missing.length === 0) return parse(answer);
      const fetches = [];
      for (let i = 0; i < missing.length; i += 3) fetches.push(this.fetch(missing[i], missing[i + 1], missing[i + 2]));
      await Promise.all(fetches);
    }
  }

  async fetch(file, start, end) {
    const [, source] = this.sources[file];
    this.reader.put(file, start, end, await source.read(start, end));
  }

  /** Selects a leaf of a store. */
  choose(leaf) {
    this.reader.choose(leaf);
  }

  close() {
    this.reader.free();
  }
}
