// Heat maps and images: one pixel for each element, selected with the mouse or the arrow keys.

import { el, thousands } from "./dom.js";

export class PixelMap {
  /**
   * `pixels` are red, green, blue and alpha of `rows` times `columns` elements. `pointed` is called with the element under the pointer, `picked`
   * with the element that was clicked, `zoom` with the rows and columns to zoom to, or null for all.
   */
  constructor({ pixels, rows, columns, box, label, pointed, picked, zoom }) {
    this.rows = rows;
    this.columns = columns;
    this.pointed = pointed;
    this.picked = picked;
    this.zoom = zoom;
    this.canvas = el("canvas", { class: "drawn", role: "img", "aria-label": label });
    this.canvas.width = columns;
    this.canvas.height = rows;
    this.canvas
      .getContext("2d")
      .putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length), columns, rows), 0, 0);
    this.width = box.width;
    this.height = box.height;
    this.mark = el("div", { class: "map-mark", hidden: true });
    this.frame = el(
      "div",
      {
        class: "map-frame",
        tabindex: "0",
        role: "application",
        "aria-label": `${label}. Arrow keys move the pointer; plus and minus zoom; 0 shows everything.`,
      },
      this.canvas,
      this.mark,
    );
    this.at = null;
    this.listen();
  }

  /** Draws the pixels in a saved picture. */
  paint(context, { width, height }) {
    context.imageSmoothingEnabled = false;
    context.drawImage(this.canvas, 0, 0, width, height);
  }

  /** The element at a position of the page. */
  place({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const within = (at, length) => Math.min(Math.max(Math.floor(at * length), 0), length - 1);
    return [within((clientY - box.top) / box.height, this.rows), within((clientX - box.left) / box.width, this.columns)];
  }

  point(at) {
    this.at = at;
    this.pointed(...at);
  }

  /**
   * Draws a frame around rows and columns, from the first to the last.
   * @param {number[]} first
   * @param {number[]} last
   */
  show([top, left], [bottom, right]) {
    const share = (at, of, length) => `${(at / of) * length}px`;
    Object.assign(this.mark.style, {
      top: share(Math.min(top, bottom), this.rows, this.height),
      left: share(Math.min(left, right), this.columns, this.width),
      height: share(Math.abs(bottom - top) + 1, this.rows, this.height),
      width: share(Math.abs(right - left) + 1, this.columns, this.width),
    });
    this.mark.hidden = false;
  }

  listen() {
    const { frame } = this;
    let from = null;
    frame.addEventListener("pointermove", (event) => {
      const at = this.place(event);
      if (from !== null) this.show(from, at);
      this.point(at);
    });
    frame.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = this.place(event);
      frame.setPointerCapture(event.pointerId);
    });
    frame.addEventListener("pointerup", (event) => {
      if (from === null) return;
      const to = this.place(event);
      const start = from;
      from = null;
      if (Math.abs(to[0] - start[0]) < 2 && Math.abs(to[1] - start[1]) < 2) {
        this.show(to, to);
        this.picked(...to);
      } else {
        this.zoom(
          [Math.min(start[0], to[0]), Math.max(start[0], to[0]) + 1],
          [Math.min(start[1], to[1]), Math.max(start[1], to[1]) + 1],
        );
      }
    });
    frame.addEventListener("pointercancel", () => {
      from = null;
    });
    frame.addEventListener("dblclick", () => this.zoom(null));
    frame.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const [row, column] = this.at ?? [Math.floor(this.rows / 2), Math.floor(this.columns / 2)];
    const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
    const step = steps[event.key];
    const half = (at, length) => {
      const count = Math.max(Math.floor(length / 2), 1);
      const first = Math.min(Math.max(at - Math.floor(count / 2), 0), length - count);
      return [first, first + count];
    };
    if (step) {
      const within = (at, length) => Math.min(Math.max(at, 0), length - 1);
      this.point([within(row + step[0], this.rows), within(column + step[1], this.columns)]);
      this.show(this.at, this.at);
    } else if (event.key === "Enter") this.picked(row, column);
    else if (event.key === "+" || event.key === "=") this.zoom(half(row, this.rows), half(column, this.columns));
    else if (event.key === "-")
      this.zoom(
        [-Math.ceil(this.rows / 2), Math.ceil(this.rows * 1.5)],
        [-Math.ceil(this.columns / 2), Math.ceil(this.columns * 1.5)],
      );
    else if (event.key === "0" || event.key === "Escape") this.zoom(null);
    else return;
    event.preventDefault();
  }
}

/** A range of indices as text, such as `0:1,000` or `0:1,000:2`. The second index is excluded. */
export function span(from, to, step) {
  return `${thousands(from)}:${thousands(to)}${step > 1 ? `:${thousands(step)}` : ""}`;
}
