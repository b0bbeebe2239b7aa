// Values of an array, from a worker that decompresses them and asks this page for the bytes that it lacks.

let worker = null;
/** Readers that wait for an answer, by its number. */
const waiting = new Map();
let last = 0;
/** The array that the worker has open. */
let current = null;

function start() {
  worker = new Worker("worker.js", { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    const { reader, resolve } = waiting.get(data.id);
    if (data.type === "need") reader.send(data.missing);
    else if (data.type === "progress") reader.onprogress?.(data.done, data.of);
    else {
      waiting.delete(data.id);
      resolve(data.answer);
    }
  });
  worker.addEventListener("error", (event) => {
    for (const { resolve } of waiting.values()) resolve({ error: event.message || "the worker that reads values does not start" });
    waiting.clear();
  });
}

function post(reader, message) {
  if (worker === null) start();
  last += 1;
  const id = last;
  const answer = new Promise((resolve) => waiting.set(id, { reader, resolve }));
  worker.postMessage({ ...message, id });
  return answer;
}

/** An array that is looked at. Only one is open at a time. */
export class Reader {
  /** `sources` are pairs of a path and a source; `key` names the leaf of a store. */
  constructor(sources, key) {
    this.sources = sources;
    this.key = key;
    this.fetched = 0;
    this.requests = 0;
    this.onprogress = null;
  }

  /** What there is to look at: its shape, chunks and columns, or an error. */
  open() {
    current = this;
    return post(this, { type: "open", files: this.sources.map(([path, { size }]) => [path, size]), key: this.key });
  }

  /** A view. Null where another was asked for before it was ready. */
  async look(want) {
    if (current !== this) {
      const opened = await this.open();
      if (opened.error !== undefined) return opened;
    }
    return post(this, { type: "look", want });
  }

  /** The text of an element of the view. */
  async text(element) {
    return (await post(this, { type: "text", element })).text;
  }

  async send(missing) {
    const ranges = [];
    for (let at = 0; at < missing.length; at += 3) ranges.push(missing.slice(at, at + 3));
    const pieces = await Promise.all(ranges.map(([file, start, end]) => this.piece(file, start, end)));
    worker.postMessage(
      { type: "bytes", pieces },
      pieces.flatMap(({ bytes }) => (bytes ? [bytes.buffer] : [])),
    );
  }

  async piece(file, start, end) {
    try {
      // A copy: what a source keeps must not be taken away from it.
      const bytes = (await this.sources[file][1].read(start, end)).slice();
      this.fetched += bytes.length;
      this.requests += 1;
      return { file, start, end, bytes };
    } catch (error) {
      return { file, start, end, error: error.message ?? String(error) };
    }
  }
}
