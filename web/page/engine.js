// The WebAssembly module, which reads synchronously, over files that do not: it says which bytes it lacks, gets them, and is
// asked again.

import init, { Reader } from "./b2nd_web.js";

/** Numbers that a double does not hold come as BigInt, where the browser lets us see their digits. */
export function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source)
      : value,
  );
}

let ready;
/** Compiles the module, once: from beside this script, or from where `wasm` says. */
export function load(wasm) {
  ready ??= init(wasm);
  return ready;
}

/** A file or a folder that the module looks into. What it asked for stays in its memory, and that is little. */
export class Opened {
  constructor(source) {
    this.name = source.name;
    this.size = source.size ?? null;
    this.reader = new Reader(source.name);
    this.sources = source.files ? [...source.files] : [["", source]];
    for (const [path, { size }] of this.sources) this.reader.add(path, size);
  }

  /** What a question to the reader gives, as soon as it has the bytes that it takes. */
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

  /** Looks at this leaf of a store from now on. */
  choose(leaf) {
    this.reader.choose(leaf);
  }

  close() {
    this.reader.free();
  }
}
