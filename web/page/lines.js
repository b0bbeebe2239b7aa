// Lines and histograms, drawn on a canvas.

import { el } from "./dom.js";

/** The height of a drawing, without its axes. */
export const HEIGHT = 320;

/** A canvas with the screen's resolution in a figure; `paint` draws on it. */
export function plot(figure, label, paint) {
  const canvas = el("canvas", { class: "drawn", role: "img", "aria-label": label });
  const { width, height } = figure.box;
  const sharp = devicePixelRatio || 1;
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(height * sharp);
  figure.hold(canvas, paint);
  // The colors come from the page's style.
  canvas.draw = () => {
    const context = canvas.getContext("2d");
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    paint(context, figure.box, getComputedStyle(canvas));
  };
  return canvas;
}

function grid(context, { width }, style, lines) {
  context.strokeStyle = style.getPropertyValue("--line");
  context.lineWidth = 1;
  for (const y of lines) {
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }
}

/** A line of numbers, with gaps where they are not finite. `x` gives the position of an element, `y` that of a number. */
export function line(numbers, x, y, lines) {
  return (context, box, style) => {
    grid(context, box, style, lines);
    context.beginPath();
    context.rect(0, 0, box.width, box.height);
    context.clip();
    const at = (element) => x(element) * box.width;
    const down = (number) => (1 - y(number)) * box.height;
    context.strokeStyle = style.getPropertyValue("--accent");
    context.fillStyle = style.getPropertyValue("--accent");
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.beginPath();
    let open = false;
    for (const [element, number] of numbers.entries()) {
      const has = Number.isFinite(down(number));
      if (has && open) context.lineTo(at(element), down(number));
      else if (has) context.moveTo(at(element), down(number));
      open = has;
    }
    context.stroke();
    // If there are few values, points are drawn too.
    if (numbers.length > 200) return;
    for (const [element, number] of numbers.entries()) {
      if (!Number.isFinite(down(number))) continue;
      context.beginPath();
      context.arc(at(element), down(number), 2.5, 0, 2 * Math.PI);
      context.fill();
    }
  };
}

/** The bars of a histogram. */
export function histogram(bins, lines) {
  return (context, box, style) => {
    grid(context, box, style, lines);
    const most = Math.max(...bins, 1);
    const step = box.width / bins.length;
    context.fillStyle = style.getPropertyValue("--accent");
    for (const [at, count] of bins.entries()) {
      // The bar of a bin with values is at least one pixel high, so that a single value among a million is visible.
      const height = count === 0 ? 0 : Math.max((count / most) * box.height, 1);
      context.fillRect(at * step + 0.5, box.height - height, Math.max(step - 1, 1), height);
    }
  };
}
