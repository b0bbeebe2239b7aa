// The worker that decompresses values. It reads nothing itself: it names the bytes that it lacks, and the page sends them.

import init, { colors } from "./b2nd_values.js";
import { Slices } from "./slices.js";

const ready = init();
/** Arrays that are open, by the numbers of their readers: slices, the one that is `held` as it was asked for, and the view that was asked
 * for last; older ones are given up. */
const arrays = new Map();
/** Whoever waits for bytes. */
let arrived = null;
let turn = Promise.resolve();
/** The request that is answered now. */
let asking = 0;

addEventListener("message", ({ data }) => {
  if (data.type === "bytes") {
    arrived?.(data.pieces);
    return;
  }
  if (data.type === "open") arrays.set(data.array, { slices: null, held: null, newest: 0 });
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
  if (request.id !== array.newest) return reply(request, null);
  return look(request, array);
}

function reply({ id }, answer, transfer = []) {
  postMessage({ type: "answer", id, answer }, transfer);
}

/** Gets bytes from the page: each range's, or why it cannot be had. */
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
  reply(request, await array.slices.open(request.key));
}

async function look(request, array) {
  const { want } = request;
  const { slices } = array;
  const slice = JSON.stringify([want.start, want.end, want.drawn, want.room, want.square, want.budget]);
  if (array.held?.slice !== slice) {
    array.held = null;
    const begin = (values) =>
      values.begin(
        Float64Array.from(want.start),
        Float64Array.from(want.end),
        Uint32Array.from(want.drawn),
        Float64Array.from(want.room),
        want.square,
        want.budget,
      );
    const read = await slices.read(begin, (done, of) => {
      postMessage({ type: "progress", id: request.id, done, of });
      return request.id === array.newest;
    });
    if (read === null || read.error !== undefined) return reply(request, read);
    array.held = { slice, read };
  }
  const { rows, columns, column, part, range, log } = want;
  const { values } = slices;
  const answer = { ...array.held.read };
  const transfer = [];
  const send = (name, array) => {
    answer[name] = array;
    transfer.push(array.buffer);
  };
  for (const form of want.forms) {
    if (form === "texts") answer.texts = JSON.parse(values.texts(rows, columns, want.fields));
    else if (form === "csv") answer.csv = values.csv(rows, columns, want.fields);
    else if (form === "bytes") send("bytes", values.bytes());
    else if (form === "numbers") send("numbers", values.numbers(rows, columns, column, part));
    else if (form === "pixels") send("pixels", values.pixels(rows, columns, column, part, Float64Array.from(range), log));
    else if (form === "image") send("pixels", values.image(rows, columns));
    else if (form === "count") answer.count = JSON.parse(values.count(rows, columns, column, part, Float64Array.from(range), log));
    else if (form === "colors") send("colors", colors(256));
  }
  reply(request, answer, transfer);
}
