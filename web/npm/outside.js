// A file that is open in a worker. Calls are sent to the worker. Slices that are typed arrays are transferred back without a copy.

export async function outside(source) {
  const isNode = globalThis.Worker === undefined;
  const worker = isNode
    ? new (await import("node:worker_threads")).Worker(new URL("./inside.js", import.meta.url))
    : new Worker(new URL("./inside.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  let last = 0;
  let closed = false;
  const answered = ({ id, value, error }) => {
    const asked = waiting.get(id);
    // An answer may arrive after the file was closed. The call that it answers was already rejected.
    if (asked === undefined) return;
    waiting.delete(id);
    if (error === undefined) asked.resolve(value);
    else asked.reject(new Error(error));
  };
  /** Rejects all pending and future calls. */
  const end = (why) => {
    closed = true;
    failed(new Error(why));
  };
  const failed = (error) => {
    for (const { reject } of waiting.values()) reject(new Error(error.message || "the worker failed"));
    waiting.clear();
  };
  if (isNode)
    worker
      .on("message", answered)
      .on("error", failed)
      .on("exit", () => end("the worker has ended"));
  else {
    worker.addEventListener("message", ({ data }) => answered(data));
    worker.addEventListener("error", failed);
  }
  const ask = (file, method, ...words) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error("the file is closed"));
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ id: last, file, method, words });
    });
  // Relative URLs have a different base in a worker, and URL objects cannot be sent, so both become absolute strings.
  const address =
    source instanceof URL
      ? source.href
      : typeof source === "string" && globalThis.document
        ? new URL(source, document.baseURI).href
        : source;
  const file = (number) => ({
    info: () => ask(number, "info"),
    keys: () => ask(number, "keys"),
    leaf: async (key) => file(await ask(number, "leaf", key)),
    read: (slice) => ask(number, "read", slice),
    rows: (start, end, names) => ask(number, "rows", start, end, names),
    close: () => {
      if (number !== 0) return void ask(number, "close").catch(() => {});
      end("the file is closed");
      worker.terminate();
    },
  });
  try {
    return file(await ask(null, "open", address));
  } catch (error) {
    worker.terminate();
    throw error;
  }
}
