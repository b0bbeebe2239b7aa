// Lines and histograms, drawn on a canvas.

import { el } from "./dom.js";

const HEIGHT = 300;
const MARGIN = { left: 12, right: 12, top: 10, bottom: 10 };

/** A canvas as sharp as the screen, and what draws on it; lengths are those of the page. */
function surface(canvas, width) {
  const sharp = devicePixelRatio || 1;
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(HEIGHT * sharp);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${HEIGHT}px`;
  const context = canvas.getContext("2d");
  context.scale(sharp, sharp);
  const style = getComputedStyle(canvas);
  return {
    context,
    accent: style.getPropertyValue("--accent"),
    line: style.getPropertyValue("--line"),
    back: style.getPropertyValue("--card"),
  };
}

function background({ context, back, line }, width) {
  context.fillStyle = back;
  context.fillRect(0, 0, width, HEIGHT);
  context.strokeStyle = line;
  context.lineWidth = 1;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const y = MARGIN.top + share * (HEIGHT - MARGIN.top - MARGIN.bottom);
    context.beginPath();
    context.moveTo(MARGIN.left, y + 0.5);
    context.lineTo(width - MARGIN.right, y + 0.5);
    context.stroke();
  }
}

/** A picture with the ends of its axes beside it. */
function framed(canvas, { low, high, first, last, label }) {
  return el(
    "figure",
    { class: "plot" },
    el("div", { class: "plot-values" }, el("span", {}, high), el("span", {}, low)),
    el(
      "div",
      { class: "plot-canvas" },
      canvas,
      el("div", { class: "plot-places" }, el("span", {}, first), el("span", {}, label ?? ""), el("span", {}, last)),
    ),
  );
}

/** Numbers in order as a line; what is not finite is a gap. */
export function line(numbers, { width, range, log, low, high, first, last, label }) {
  const canvas = el("canvas", { class: "drawn", role: "img", "aria-label": `line of ${numbers.length} values` });
  const draw = () => {
    const drawn = surface(canvas, width);
    background(drawn, width);
    const { context } = drawn;
    const place = log ? Math.log : (number) => number;
    const [low, high] = range.map(place);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
    const x = (at) => MARGIN.left + (numbers.length > 1 ? (at / (numbers.length - 1)) * inner.width : inner.width / 2);
    const y = (number) => MARGIN.top + (high > low ? 1 - (place(number) - low) / (high - low) : 0.5) * inner.height;
    context.strokeStyle = drawn.accent;
    context.fillStyle = drawn.accent;
    context.lineWidth = 1.5;
    context.save();
    context.beginPath();
    context.rect(0, 0, width, HEIGHT);
    context.clip();
    context.beginPath();
    let open = false;
    for (const [at, number] of numbers.entries()) {
      const has = Number.isFinite(place(number));
      if (!has) open = false;
      else if (open) context.lineTo(x(at), y(number));
      else {
        context.moveTo(x(at), y(number));
        open = true;
      }
    }
    context.stroke();
    // Few values are seen as points, and so are those between gaps.
    if (numbers.length <= 200) {
      for (const [at, number] of numbers.entries()) {
        if (!Number.isFinite(place(number))) continue;
        context.beginPath();
        context.arc(x(at), y(number), 2.5, 0, 2 * Math.PI);
        context.fill();
      }
    }
    context.restore();
  };
  return { element: framed(canvas, { low, high, first, last, label }), canvas, draw };
}

/** How many values are in each of even steps of their range. */
export function histogram(bins, { width, low, high, first, last, label }) {
  const canvas = el("canvas", { class: "drawn", role: "img", "aria-label": "histogram" });
  const draw = () => {
    const drawn = surface(canvas, width);
    background(drawn, width);
    const { context } = drawn;
    const most = Math.max(...bins, 1);
    const step = (width - MARGIN.left - MARGIN.right) / bins.length;
    const inner = HEIGHT - MARGIN.top - MARGIN.bottom;
    context.fillStyle = drawn.accent;
    for (const [at, count] of bins.entries()) {
      // One value among a million is seen too.
      const height = count === 0 ? 0 : Math.max((count / most) * inner, 1);
      context.fillRect(MARGIN.left + at * step + 0.5, MARGIN.top + inner - height, Math.max(step - 1, 1), height);
    }
  };
  return { element: framed(canvas, { low, high, first, last, label }), canvas, draw };
}
