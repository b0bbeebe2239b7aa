// The worker that has a file open.

import { open } from "./index.js";

const files = [];

async function answer({ id, file, method, words }, post) {
  try {
    if (method === "open") {
      const [source] = words;
      files.push(await open(typeof source === "string" && /^[a-z][a-z\d+.-]+:/i.test(source) ? new URL(source) : source));
      return post({ id, value: 0 }, []);
    }
    const value = await files[file][method](...words);
    if (method === "leaf") return post({ id, value: files.push(value) - 1 }, []);
    post({ id, value }, value?.data?.buffer ? [value.data.buffer] : []);
  } catch (error) {
    post({ id, error: error.message ?? String(error) }, []);
  }
}

if (typeof postMessage === "function") {
  addEventListener("message", ({ data }) => answer(data, (message, transfer) => postMessage(message, transfer)));
} else {
  const { parentPort } = await import("node:worker_threads");
  parentPort.on("message", (message) => answer(message, (message, transfer) => parentPort.postMessage(message, transfer)));
}
