// Reads metadata with WebAssembly. The module reads synchronously, but browsers read files asynchronously. So the module returns the
// missing ranges, and the page reads them and asks again.

/** Parses JSON. Integers outside of the safe range of a double become BigInt if the browser gives access to their digits. */
export function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source)
      : value,
  );
}

/** A question as the module and `b2nd view` understand it. */
export const question = (name, ...about) => (about.length === 0 ? name : { [name]: about });

let ready;
let Module;
/** Compiles the module, once: from this script's directory, or from `wasm`. */
export function load(wasm) {
  ready ??= import("./b2nd_web.js").then(async (module) => {
    Module = module.Module;
    await module.default(wasm);
  });
  // A download that failed may succeed the next time.
  ready.catch(() => (ready = undefined));
  return ready;
}

/** A file or folder in the module, which keeps the ranges that were read. */
export class Opened {
  constructor(source) {
    this.name = source.name;
    this.size = source.size ?? null;
    this.reader = new Module(source.name);
    this.sources = source.files ? [...source.files] : [["", source]];
    for (const [path, { size }] of this.sources) this.reader.add(path, size);
    /** The index of the selected leaf of a store. */
    this.leaf = undefined;
  }

  /** Answers a question, which has a name and arguments, after the needed bytes have been read. */
  async ask(...words) {
    const { leaf } = this;
    for (;;) {
      const answer = this.reader.ask(leaf, JSON.stringify(question(...words)));
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

  close() {
    this.reader.free();
  }
}
