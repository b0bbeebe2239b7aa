// The worker that decompresses values. It asks the page for the bytes that it needs.

import init from "./b2nd_values.js";
import { Slices } from "./slices.js";

const ready = init();
/** Open arrays, by the numbers of their readers: their slices, and the last view that was requested. Older requests are canceled. */
const arrays = new Map();
/** Resolves the pending request for bytes. */
let arrived = null;
let turn = Promise.resolve();
/** The number of the current request. */
let asking = 0;

addEventListener("message", ({ data }) => {
  if (data.type === "bytes") {
    arrived?.(data.pieces);
    return;
  }
  if (data.type === "open") arrays.set(data.array, { slices: null, newest: 0 });
  const array = arrays.get(data.array);
  if (data.type === "look") array.newest = data.id;
  turn = turn
    .then(() => answer(data, array))
    .catch((error) => postMessage({ type: "answer", id: data.id, answer: { error: String(error) } }));
});

async function answer(request, array) {
  await ready;
  asking = request.id;
  if (request.type === "open") return open(request, array);
  if (request.type === "text") return reply(request, { text: JSON.parse(array.slices.values.text(request.element)) });
  if (request.type === "cells") return reply(request, await array.slices.cells(request.ranges));
  if (request.id !== array.newest) return reply(request, null);
  return look(request, array);
}

function reply({ id }, answer, transfer = []) {
  postMessage({ type: "answer", id, answer }, transfer);
}

/** Gets the bytes of ranges from the page, or an error for each. */
function get(missing) {
  return new Promise((resolve) => {
    arrived = resolve;
    postMessage({ type: "need", id: asking, missing });
  });
}

async function open(request, array) {
  for (const [number, { slices }] of arrays) {
    if (number === request.array || request.kept.includes(number) || slices === null) continue;
    slices.free();
    arrays.delete(number);
  }
  array.slices = new Slices(request.files, get);
  reply(request, await array.slices.open(request.key, request.isBatches));
}

async function look(request, array) {
  const seen = await array.slices.look(request.want, (done, of) => {
    postMessage({ type: "progress", id: request.id, done, of });
    return request.id === array.newest;
  });
  reply(
    request,
    seen,
    Object.values(seen ?? {}).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer] : [])),
  );
}
