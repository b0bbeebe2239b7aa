// Drawings of a slice: a map, an image, a line, a histogram; and the value under the pointer.

import { places, short, values } from "./axes.js";
import { colorMaps, pixels } from "./pixels.js";
import { el, fewer, quiet, thousands, visible } from "./dom.js";
import { Figure } from "./figure.js";
import { PixelMap } from "./heatmap.js";
import { HEIGHT, histogram, line, plot } from "./lines.js";
import { toAddress } from "./state.js";

/** The function that draws each view. */
export const drawings = { map: drawMap, image: drawImage, line: drawLine, histogram: drawHistogram };

/** The maximum height of a map, in CSS pixels. */
const TALL = 520;

/** @param {import("./array_view.js").ArrayView} look */
function drawMap(look, want, answer) {
  const bar = scale(look, want, answer);
  const stops = colorMaps()[look.state.colors];
  const colored = pixels(answer.numbers, stops, bar.share);
  const { element, pointer } = mapped(look, want, answer, "heat map", colored, { ...bar, stops });
  const [low, high] = ends(answer);
  const range = el(
    "p",
    { class: "map-scale quiet" },
    bar.name || "values",
    " from ",
    el("span", {}, low),
    " to ",
    el("span", {}, high),
  );
  look.stage.replaceChildren(element, pointer ? range : "", pointer?.element ?? "", figures(answer));
}

/** @param {import("./array_view.js").ArrayView} look */
function drawImage(look, want, answer) {
  const { element, pointer } = mapped(look, want, answer, "image", answer.pixels);
  look.stage.replaceChildren(element, pointer?.element ?? "");
}

/**
 * The axis of values.
 * @param {import("./array_view.js").ArrayView} look
 */
function scale({ info, state }, { log }, { count: counted }) {
  const { name, dtype, complex } = info.columns[state.column];
  const part = complex ? ["magnitude", "phase"][state.part] : null;
  const words = [part, name === null ? null : visible(name), log ? "log scale" : null].filter(Boolean);
  return values(counted.range[0], counted.range[1], { log, dtype, name: words.join(", ") });
}

/**
 * The axis of indices.
 * @param {import("./array_view.js").ArrayView} look
 */
function along({ names }, want, answer, axis, isPixels) {
  return places(want.start[axis], answer.shape[axis], answer.steps[axis], names[axis], isPixels);
}

/** @param {import("./array_view.js").ArrayView} look */
function mapped(look, want, answer, label, colored, bar = null) {
  const rows = answer.shape[want.rows];
  const columns = answer.shape[want.columns];
  if (rows * columns === 0) return { element: quiet("no elements"), pointer: null };
  const pointer = pointing(look, want, answer);
  const value = (row, column) =>
    answer.numbers
      ? short(answer.numbers[row * columns + column])
      : `(${[...answer.pixels.slice(4 * (row * columns + column)).slice(0, look.info.channels)].join(", ")})`;
  const figure = new Figure({
    room: look.width(),
    height: TALL,
    ratio: look.state.ratio ? (columns * answer.steps[want.columns]) / (rows * answer.steps[want.rows]) : null,
    x: along(look, want, answer, want.columns, true),
    y: along(look, want, answer, want.rows, true),
    isDown: true,
    bar,
  });
  const map = new PixelMap({
    pixels: colored,
    rows,
    columns,
    box: figure.box,
    label,
    pointed: (row, column) => pointer.pointed(row, column, value(row, column)),
    picked: (row, column) => pointer.picked(row, column),
    zoom: (down, across) => look.zoomTo(down, across),
  });
  figure.hold(map.frame, (context, box) => map.paint(context, box));
  look.figure = figure;
  return { element: figure.element, pointer };
}

/**
 * The element under the pointer, and buttons for lines through it.
 * @param {import("./array_view.js").ArrayView} look
 */
function pointing(look, want, answer) {
  const { state, info } = look;
  const help = state.view === "image" ? "" : ", or click it to see the lines through it";
  const text = el("span", { class: "quiet" }, `Point at an element to see its value${help}. Drag to zoom in.`);
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
    text.className = "";
    text.textContent = value === undefined ? name : `${name}  ${value}`;
    if (state.view === "image") return;
    const exact = await look.reader.text(index(row, column));
    if (mine === newest && exact !== undefined) text.textContent = `${name}  ${exact === null ? "cannot be read" : visible(exact)}`;
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
        `line along ${look.names[axis]} through [${state.at.map(thousands).join(", ")}]`,
      );
    lines.replaceChildren(...(state.view === "image" ? [] : [along(want.columns), " ", along(want.rows)]));
  };
  return { element: el("p", { class: "look-pointed", "aria-live": "polite" }, text, " ", lines), pointed, picked };
}

/** @param {import("./array_view.js").ArrayView} look */
function drawLine(look, want, answer) {
  const length = answer.numbers.length;
  if (length === 0) return look.stage.replaceChildren(quiet("no elements"));
  const x = along(look, want, answer, want.rows, false);
  const y = scale(look, want, answer);
  const index = (element) => want.start[want.rows] + element * answer.steps[want.rows];
  const figure = new Figure({ room: look.width(), height: HEIGHT, x, y });
  const drawn = plot(
    figure,
    `line of length ${length}`,
    line(answer.numbers, (element) => x.share(index(element)), y.share, figure.lines),
  );
  const pointed = el(
    "p",
    { class: "look-pointed", "aria-live": "polite" },
    quiet("Point at the line to see values. Drag to zoom in."),
  );
  const at = ({ clientX }) => {
    const box = drawn.getBoundingClientRect();
    return Math.min(Math.max(Math.round(((clientX - box.left) / box.width) * (length - 1)), 0), length - 1);
  };
  let from = null;
  let newest = 0;
  drawn.addEventListener("pointermove", async (event) => {
    const mine = ++newest;
    const exact = await look.reader.text(at(event));
    if (mine === newest && exact !== undefined)
      pointed.textContent = `[${thousands(index(at(event)))}]  ${exact === null ? "cannot be read" : visible(exact)}`;
  });
  drawn.addEventListener("pointerdown", (event) => {
    from = at(event);
    drawn.setPointerCapture(event.pointerId);
  });
  drawn.addEventListener("pointerup", (event) => {
    const to = at(event);
    if (from !== null && Math.abs(to - from) > 2) look.zoomTo([Math.min(from, to), Math.max(from, to) + 1]);
    from = null;
  });
  drawn.addEventListener("dblclick", () => look.zoomTo(null));
  figure.element.classList.add("plot");
  look.stage.replaceChildren(figure.element, pointed, figures(answer));
  look.figure = figure;
  drawn.draw();
}

/** @param {import("./array_view.js").ArrayView} look */
function drawHistogram(look, want, answer) {
  const { bins } = answer.count;
  const x = scale(look, want, answer);
  const figure = new Figure({
    room: look.width(),
    height: HEIGHT,
    x: { ...x, name: x.name || "values" },
    y: values(0, Math.max(...bins, 1), { name: "elements" }),
  });
  const drawn = plot(figure, `histogram with ${bins.length} bins`, histogram(bins, figure.lines));
  figure.element.classList.add("plot");
  look.stage.replaceChildren(figure.element, figures(answer));
  look.figure = figure;
  drawn.draw();
}

/** Statistics of the shown elements, which are a sample if the view has steps. */
function figures({ count: counted, steps, shape }) {
  const elements = shape.reduce((all, length) => all * length, 1);
  const isSample = steps.some((step) => step > 1);
  const rows = [
    ["count", thousands(counted.count)],
    ["NaN", thousands(counted.nan)],
    ["zeros", thousands(counted.zeros)],
    ...counted.figures,
  ];
  return el(
    "div",
    { class: "statistics" },
    isSample ? el("p", { class: "quiet sampled" }, `of ${thousands(elements)} sampled elements:`) : null,
    el(
      "dl",
      { class: "figures" },
      rows.map(([label, text]) =>
        el("div", {}, el("dt", {}, label), el("dd", { "data-figure": label, title: visible(text) }, visible(fewer(text)))),
      ),
    ),
  );
}

/** The ends of the range as text. */
function ends({ count: counted }) {
  return counted.labels ?? counted.range.map(short);
}
