// A slice as it is drawn: a map, an image, a line, a histogram; and what is pointed at in it.

import { el, quiet, thousands, visible } from "./dom.js";
import { PixelMap, bar } from "./heatmap.js";
import { histogram, line } from "./lines.js";
import { toAddress } from "./state.js";

/** The drawings, by their views. */
export const drawings = { map: drawMap, image: drawImage, line: drawLine, histogram: drawHistogram };

/** @param {import("./look.js").Look} look */
function drawMap(look, want, answer) {
  const [low, high] = ends(answer);
  const { element, pointer } = pixels(look, want, answer, "heat map");
  look.stage.replaceChildren(element, pointer ? bar(answer.colors, low, high) : "", pointer?.element ?? "", figures(answer));
}

/** @param {import("./look.js").Look} look */
function drawImage(look, want, answer) {
  const { element, pointer } = pixels(look, want, answer, "image");
  look.stage.replaceChildren(element, pointer?.element ?? "");
}

/** @param {import("./look.js").Look} look */
function pixels(look, want, answer, label) {
  const rows = answer.shape[want.rows];
  const columns = answer.shape[want.columns];
  if (rows * columns === 0) return { element: quiet("no elements"), map: null };
  const pointer = pointing(look, want, answer);
  const value = (row, column) =>
    answer.numbers
      ? short(answer.numbers[row * columns + column])
      : `(${[...answer.pixels.slice(4 * (row * columns + column)).slice(0, look.info.channels)].join(", ")})`;
  const map = new PixelMap({
    pixels: answer.pixels,
    rows,
    columns,
    width: look.width() - 70,
    label,
    pointed: (row, column) => pointer.pointed(row, column, value(row, column)),
    picked: (row, column) => pointer.picked(row, column),
    zoom: (down, across) => look.zoomTo(down, across),
  });
  look.canvas = map.canvas;
  const place = (axis, at) => thousands(want.start[axis] + at * answer.steps[axis]);
  const ends = (direction, axis, length) =>
    el(
      "div",
      { class: `map-${direction}` },
      el("span", {}, place(axis, 0)),
      el("span", { class: "quiet" }, `axis ${axis}`),
      el("span", {}, place(axis, length - 1)),
    );
  const down = ends("down", want.rows, rows);
  down.style.height = `${map.height}px`;
  const across = ends("across", want.columns, columns);
  across.style.width = `${map.width}px`;
  return { element: el("div", { class: "map" }, down, el("div", {}, map.frame, across)), pointer };
}

/**
 * What is pointed at, and lines through it.
 * @param {import("./look.js").Look} look
 */
function pointing(look, want, answer) {
  const { state, info } = look;
  const text = el("span", {});
  const lines = el("span", { class: "look-lines" });
  const at = (row, column) => {
    const place = [...state.at];
    place[want.rows] = want.start[want.rows] + row * answer.steps[want.rows];
    place[want.columns] = want.start[want.columns] + column * answer.steps[want.columns];
    return place;
  };
  const index = (row, column) => {
    const place = answer.shape.map((_, axis) => (axis === want.rows ? row : axis === want.columns ? column : 0));
    return place.reduce((sum, each, axis) => sum * answer.shape[axis] + each, 0);
  };
  let newest = 0;
  const pointed = async (row, column, value) => {
    const mine = ++newest;
    const name = `[${at(row, column)
      .slice(0, info.shape.length - look.fixed().length)
      .map(thousands)
      .join(", ")}]`;
    text.textContent = value === undefined ? name : `${name}  ${value}`;
    if (state.view === "image") return;
    const exact = await look.reader.text(index(row, column));
    if (mine === newest && exact !== undefined)
      text.textContent = `${name}  ${exact === null ? "its chunk cannot be read" : visible(exact)}`;
  };
  const picked = (row, column) => {
    state.at = at(row, column);
    toAddress(state, info, look.key);
    const along = (axis) =>
      el(
        "button",
        {
          class: "link",
          type: "button",
          onclick: () => look.change({ view: "line", rows: axis, columns: want.rows === axis ? want.columns : want.rows }),
        },
        `line along axis ${axis} through [${state.at.map(thousands).join(", ")}]`,
      );
    lines.replaceChildren(...(state.view === "image" ? [] : [along(want.columns), " ", along(want.rows)]));
  };
  return { element: el("p", { class: "look-pointed", "aria-live": "polite" }, text, " ", lines), pointed, picked };
}

/** @param {import("./look.js").Look} look */
function drawLine(look, want, answer) {
  const [low, high] = ends(answer);
  const axis = want.rows;
  const place = (at) => thousands(want.start[axis] + at * answer.steps[axis]);
  const length = answer.numbers.length;
  if (length === 0) return look.stage.replaceChildren(quiet("no elements"));
  const drawn = line(answer.numbers, {
    width: look.width() - 110,
    range: answer.count.range,
    log: want.log,
    low,
    high,
    first: place(0),
    last: place(length - 1),
    label: `axis ${axis}`,
  });
  const pointed = el("p", { class: "look-pointed", "aria-live": "polite" });
  const at = ({ clientX }) => {
    const box = drawn.canvas.getBoundingClientRect();
    return Math.min(Math.max(Math.round(((clientX - box.left - 12) / (box.width - 24)) * (length - 1)), 0), length - 1);
  };
  let from = null;
  let newest = 0;
  drawn.canvas.addEventListener("pointermove", async (event) => {
    const mine = ++newest;
    const exact = await look.reader.text(at(event));
    if (mine === newest && exact !== undefined)
      pointed.textContent = `[${place(at(event))}]  ${exact === null ? "its chunk cannot be read" : visible(exact)}`;
  });
  drawn.canvas.addEventListener("pointerdown", (event) => {
    from = at(event);
    drawn.canvas.setPointerCapture(event.pointerId);
  });
  drawn.canvas.addEventListener("pointerup", (event) => {
    const to = at(event);
    if (from !== null && Math.abs(to - from) > 2) look.zoomTo([Math.min(from, to), Math.max(from, to) + 1]);
    from = null;
  });
  drawn.canvas.addEventListener("dblclick", () => look.zoomTo(null));
  look.stage.replaceChildren(drawn.element, pointed, figures(answer));
  drawn.draw();
  look.canvas = drawn.canvas;
}

/** @param {import("./look.js").Look} look */
function drawHistogram(look, want, answer) {
  const [first, last] = ends(answer);
  const { bins } = answer.count;
  const drawn = histogram(bins, {
    width: look.width() - 110,
    low: "0",
    high: thousands(Math.max(...bins, 0)),
    first,
    last,
    label: `${bins.length} steps${want.log ? " of the logarithm" : ""}`,
  });
  look.stage.replaceChildren(drawn.element, figures(answer));
  drawn.draw();
  look.canvas = drawn.canvas;
}

function figures({ count: counted }) {
  const rows = [
    ["count", thousands(counted.count)],
    ["NaN", thousands(counted.nan)],
    ["zeros", thousands(counted.zeros)],
    ...counted.figures,
  ];
  return el(
    "dl",
    { class: "figures" },
    rows.map(([label, text]) => el("div", {}, el("dt", {}, label), el("dd", { "data-figure": label }, visible(text)))),
  );
}

/** The ends of the range as texts. */
function ends({ count: counted }) {
  return counted.labels ?? counted.range.map(short);
}

/** A number in few characters. */
function short(number) {
  if (Number.isNaN(number)) return "NaN";
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return thousands(number);
  return String(Number(number.toPrecision(7)));
}
