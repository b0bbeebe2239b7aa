// A file that `b2nd view` reads: the server answers the questions that WebAssembly answers for other files.

import { parse, question } from "./engine.js";
import { unframed } from "./view.js";

/** Sends a question to the server. */
async function post(door, question, signal) {
  const response = await fetch(door, { method: "POST", body: JSON.stringify(question), signal }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new Error("`b2nd view` does not answer: has it ended?");
  });
  if (!response.ok) throw new Error(`${door}: status ${response.status} ${response.statusText}`.trim());
  return response;
}

/** Like `Opened`, for a file of the server. */
export class Served {
  constructor({ name, door }) {
    this.name = name;
    this.door = door;
    this.size = null;
    this.leaf = undefined;
  }

  async ask(...words) {
    return parse(await (await post(this.door, { reader: [this.leaf ?? null, question(...words)] })).text());
  }

  close() {}
}

/** Like `Reader`, for a file of the server. */
export class ServedReader {
  constructor(door, key) {
    this.door = door;
    this.key = key ?? null;
    this.fetched = 0;
    this.requests = 0;
    this.onprogress = null;
    /** Cancels the last view that was requested. */
    this.running = null;
    /** The last view. */
    this.seen = null;
  }

  /** Asks a question. An error is an answer too. Null if the question was canceled. */
  async post(question, signal) {
    try {
      const response = await post(this.door, { values: [this.key, question] }, signal);
      const bytes = new Uint8Array(await response.arrayBuffer());
      this.requests += 1;
      this.fetched += bytes.length;
      const isJson = response.headers.get("Content-Type") === "application/json";
      return isJson ? JSON.parse(new TextDecoder().decode(bytes)) : unframed(bytes);
    } catch (error) {
      return signal?.aborted ? null : { error: error.message ?? String(error) };
    }
  }

  open(isBatches = false) {
    return this.post({ open: { batches: isBatches } });
  }

  cells(ranges) {
    return this.post({ cells: ranges });
  }

  async look(want) {
    this.running?.abort();
    this.running = new AbortController();
    const answer = await this.post({ view: want }, this.running.signal);
    if (answer !== null && answer.error === undefined) this.seen = { want, answer };
    return answer;
  }

  /** Requests the text of an element of the last view. */
  async text(element) {
    const { want, answer } = this.seen;
    const at = [];
    for (let axis = answer.shape.length - 1; axis >= 0; axis -= 1) {
      at[axis] = want.start[axis] + (element % answer.shape[axis]) * answer.steps[axis];
      element = Math.floor(element / answer.shape[axis]);
    }
    const view = { start: at, end: at.map((each) => each + 1), rows: -1, columns: -1, forms: ["texts"] };
    return (await this.post({ view })).texts?.[0][0] ?? null;
  }
}
