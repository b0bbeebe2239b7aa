// Reads values through a worker, which decompresses chunks and asks this page for the bytes that are missing.

import { ServedReader } from "./served.js";

/** The reader of a file's values: of the leaf of a store with this key, or of the file itself. `keep` are the readers that stay open. */
export function readerOf(file, key, keep = []) {
  return file.door ? new ServedReader(file.door, key) : new Reader(file.sources, key, keep);
}

let worker = null;
/** Pending requests, by number. */
const waiting = new Map();
let last = 0;
/** The number of the last reader. */
let numbers = 0;
/** The readers whose arrays are open in the worker. */
const open = new Set();

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
    for (const { resolve } of waiting.values())
      resolve({ error: event.message || "the worker that reads values failed or could not be started" });
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

/** An open array. Opening one closes the others, except those in `keep`. */
class Reader {
  /** `sources` are pairs of a path and a source; `key` names the leaf of a store. */
  constructor(sources, key, keep = []) {
    this.sources = sources;
    this.key = key;
    this.keep = keep;
    numbers += 1;
    this.number = numbers;
    this.fetched = 0;
    this.requests = 0;
    this.onprogress = null;
    this.isBatches = false;
  }

  /** The array's shape, chunks and columns; an empty object for a file of batches; or an error. */
  open(isBatches = this.isBatches) {
    this.isBatches = isBatches;
    const kept = [...open].filter((reader) => this.keep.includes(reader));
    open.clear();
    for (const reader of [...kept, this]) open.add(reader);
    const files = this.sources.map(([path, { size }]) => [path, size]);
    return this.post({ type: "open", files, key: this.key, isBatches, kept: kept.map(({ number }) => number) });
  }

  post(message) {
    return post(this, { ...message, array: this.number });
  }

  /** Reads a view. Null if another was requested before it was ready. */
  async look(want) {
    return (await this.reopened()) ?? this.post({ type: "look", want });
  }

  /** The cells of batches in ranges, as JSON. */
  async cells(ranges) {
    return (await this.reopened()) ?? this.post({ type: "cells", ranges });
  }

  /** Opens the array again if another one closed it. Returns an error, or undefined. */
  async reopened() {
    const opened = open.has(this) ? {} : await this.open();
    return opened.error === undefined ? undefined : opened;
  }

  /** The text of an element of the view. */
  async text(element) {
    return (await this.post({ type: "text", element })).text;
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
      // A copy, because a transferred buffer would be lost to a source that caches it.
      const bytes = (await this.sources[file][1].read(start, end)).slice();
      this.fetched += bytes.length;
      this.requests += 1;
      return { file, start, end, bytes };
    } catch (error) {
      return { file, start, end, error: error.message ?? String(error) };
    }
  }
}
