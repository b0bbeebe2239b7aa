// The worker that decompresses values. It reads nothing itself: it names the bytes that it lacks, and the page sends them.

import init, { Values, colors } from "./b2nd_values.js";

const ready = init();
let values = null;
/** Views that were asked for last; older ones are given up. */
let newest = 0;
/** Whoever waits for bytes. */
let arrived = null;
let turn = Promise.resolve();
/** The slice that is decompressed, as it was asked for. */
let held = null;
/** The request that is answered now. */
let asking = 0;

addEventListener("message", ({ data }) => {
  if (data.type === "bytes") {
    arrived?.(data);
    return;
  }
  if (data.type === "look") newest = data.id;
  turn = turn
    .then(() => answer(data))
    .catch((error) => postMessage({ type: "answer", id: data.id, answer: { error: String(error) } }));
});

async function answer(request) {
  await ready;
  asking = request.id;
  if (request.type === "open") return open(request);
  if (request.type === "text") return reply(request, { text: JSON.parse(values.text(request.element)) });
  if (request.id !== newest) return reply(request, null);
  return look(request);
}

function reply({ id }, answer, transfer = []) {
  postMessage({ type: "answer", id, answer }, transfer);
}

/** Gets bytes from the page: each range's, or why it cannot be had. */
async function get(missing) {
  const pieces = await new Promise((resolve) => {
    arrived = ({ pieces }) => resolve(pieces);
    postMessage({ type: "need", id: asking, missing });
  });
  for (const { file, start, end, bytes, error } of pieces) {
    if (error === undefined) values.put(file, start, end, bytes);
    else values.fail(file, start, end, error);
  }
}

/** What a question gives, as soon as the bytes are there that it takes. */
async function ask(question) {
  for (;;) {
    const text = question();
    const missing = values.missing();
    if (missing.length === 0) return JSON.parse(text);
    await get([...missing]);
  }
}

async function open(request) {
  values?.free();
  values = new Values();
  held = null;
  for (const [path, size] of request.files) values.add(path, size);
  reply(request, await ask(() => values.open(request.key ?? undefined)));
}

/** Lets messages come in. */
const breath = () => new Promise((go) => setTimeout(go, 0));

async function look(request) {
  const { want } = request;
  const slice = JSON.stringify([want.start, want.end, want.drawn, want.room, want.square, want.budget]);
  if (held?.slice !== slice) {
    held = null;
    const shape = await ask(() =>
      values.begin(
        Float64Array.from(want.start),
        Float64Array.from(want.end),
        Uint32Array.from(want.drawn),
        Float64Array.from(want.room),
        want.square,
        want.budget,
      ),
    );
    if (shape.error !== undefined) return reply(request, shape);
    const asked = await ask(() => values.ask());
    if (asked?.error !== undefined) return reply(request, asked);
    for (;;) {
      const progress = JSON.parse(values.advance());
      if (progress.missing.length > 0) await get(progress.missing);
      else if (progress.done === progress.of) {
        held = { slice, shape, broken: progress.broken };
        break;
      } else {
        postMessage({ type: "progress", id: request.id, done: progress.done, of: progress.of });
      }
      await breath();
      if (request.id !== newest) return reply(request, null);
    }
  }
  const { rows, columns, column, part, range, log } = want;
  const answer = { ...held.shape, broken: held.broken };
  const transfer = [];
  const send = (name, array) => {
    answer[name] = array;
    transfer.push(array.buffer);
  };
  for (const form of want.forms) {
    if (form === "texts") answer.texts = JSON.parse(values.texts(rows, columns, want.fields));
    else if (form === "csv") answer.csv = values.csv(rows, columns, want.fields);
    else if (form === "numbers") send("numbers", values.numbers(rows, columns, column, part));
    else if (form === "pixels") send("pixels", values.pixels(rows, columns, column, part, Float64Array.from(range), log));
    else if (form === "image") send("pixels", values.image(rows, columns));
    else if (form === "count") answer.count = JSON.parse(values.count(rows, columns, column, part, Float64Array.from(range), log));
    else if (form === "colors") send("colors", colors(256));
  }
  reply(request, answer, transfer);
}
