// A map of all chunks along two axes; larger chunks have a stronger color. A rectangle marks the part that the picture shows.

import { el, size, thousands } from "./dom.js";

/** The maximum length of a side of the overview in pixels. */
const LARGE = 400;

export class Overview {
  /** `jump` is called with the row and column of the first chunk of a clicked cell. */
  constructor(jump) {
    this.canvas = el("canvas", { role: "img", onclick: (event) => this.click(event, jump) });
    this.caption = el("p", { class: "quiet" });
    this.element = el("div", { class: "overview", hidden: true }, this.canvas, this.caption);
  }

  /** `drawn` is the module's overview, or null; `window` the first chunk and the number of chunks of the picture, by axis. */
  draw(drawn, window) {
    this.element.hidden = drawn === null;
    if (drawn === null) return;
    this.drawn = drawn;
    const [rows, columns] = drawn.cells;
    const zoom = Math.max(1, Math.floor(LARGE / Math.max(rows, columns)));
    this.zoom = zoom;
    this.canvas.width = columns * zoom;
    this.canvas.height = rows * zoom;
    const known = drawn.bytes.filter((bytes) => bytes !== null).map(Number);
    const [least, most] = [Math.min(...known), Math.max(...known)];
    const share = (bytes) => (most > least ? Math.log(Number(bytes) / least) / Math.log(most / least) : 0.5);
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(this.element);
    context.fillStyle = style.getPropertyValue("--array-fill");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.fillStyle = style.getPropertyValue("--chunk");
    drawn.bytes.forEach((bytes, index) => {
      if (bytes === null) return;
      context.globalAlpha = 0.15 + 0.85 * share(bytes);
      context.fillRect((index % columns) * zoom, Math.floor(index / columns) * zoom, zoom, zoom);
    });
    context.globalAlpha = 1;
    context.strokeStyle = style.getPropertyValue("--text");
    context.lineWidth = 2;
    const [[top, height], [left, width]] = window.map(([first, count], axis) =>
      [first, count].map((chunks) => (chunks / drawn.step[axis]) * zoom),
    );
    context.strokeRect(left + 1, top + 1, Math.max(width - 2, 2), Math.max(height - 2, 2));
    const stride = drawn.step.every((step) => step === 1)
      ? ""
      : ` Each cell represents up to ${drawn.step.map(thousands).join(" × ")} chunks and shows the size of the first.`;
    const range =
      known.length === 0
        ? "None of the drawn chunks has bytes in this file: they are special, missing, or in files of their own"
        : `Chunks of ${size(least)} to ${size(most)}; larger ones have a stronger color`;
    this.caption.textContent = `${range}.${stride} Click a cell to see its chunks.`;
    this.canvas.setAttribute("aria-label", `overview of ${thousands(rows)} by ${thousands(columns)} cells`);
  }

  click(event, jump) {
    const { clientHeight: height, clientWidth: width } = this.canvas;
    const cell = (place, length, cells) => Math.min(Math.max(Math.floor((place / length) * cells), 0), cells - 1);
    const [rows, columns] = this.drawn.cells;
    jump(cell(event.offsetY, height, rows) * this.drawn.step[0], cell(event.offsetX, width, columns) * this.drawn.step[1]);
  }
}
