// The picture of chunks and blocks along two axes. It can be dragged; sliders select a chunk.

import { el, problem, size, thousands } from "./dom.js";
import { Overview } from "./overview.js";

/** The maximum number of chunks along an axis, by level of zoom. */
const ZOOM = [2, 4, 6, 10, 16];

/** The picture of an array; `perAxis` has the number of chunks along each axis, `names` the names of the axes. `opened` is the open file. */
export class Picture {
  constructor(opened, array, perAxis, names) {
    this.opened = opened;
    this.array = array;
    this.perAxis = perAxis;
    this.names = names;
    const ndim = array.shape.length;
    this.axes = ndim > 1 ? [ndim - 2, ndim - 1] : [null, ndim - 1];
    this.at = this.perAxis.map(() => 0);
    this.first = this.perAxis.map(() => 0);
    this.zoom = 1;
    /** The latest question of each kind. Answers to older questions are ignored. */
    this.asked = {};
    this.element = this.build();
    this.draw();
    this.point(null);
    this.loadIndex();
  }

  async loadIndex() {
    try {
      this.index = await this.opened.ask("index");
    } catch (error) {
      this.index = { error: String(error.message ?? error) };
    }
    this.drawOverview();
    this.point(null);
  }

  /** Asks a question of a kind. Undefined if another one was asked meanwhile, or if the answer is an error, which is shown. */
  async ask(kind, ...about) {
    const mine = (this.asked[kind] = {});
    const answer = await this.opened.ask(kind, ...about).catch(({ message }) => ({ error: message }));
    if (this.asked[kind] !== mine) return undefined;
    if (answer?.error === undefined) return answer;
    this.pointed.replaceChildren(problem(answer.error));
    return undefined;
  }

  build() {
    const ndim = this.array.shape.length;
    this.canvas = el("div", {
      class: "picture-scroll",
      tabindex: "0",
      role: "group",
      "aria-label": "Chunks and blocks. Arrow keys move from chunk to chunk; plus and minus zoom.",
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointerover", (event) => {
      this.point(coordinates(event.target));
    });
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => {
      const at = coordinates(event.target);
      if (at !== null && !this.dragged) this.select(at);
    });
    this.drag();
    this.pointed = el("div", { class: "pointed", "aria-live": "polite" });
    this.legend = el("ul", { class: "legend" });
    this.overview = new Overview((row, column) => this.jump(row, column));
    return el(
      "div",
      {},
      ndim > 2 || Math.max(...this.perAxis.map(Number)) > ZOOM[0] ? this.controls() : null,
      this.canvas,
      this.pointed,
      this.legend,
      this.overview.element,
      this.sliders(),
    );
  }

  /** Selects the first chunk of a cell of the overview. */
  jump(row, column) {
    let at = this.at;
    for (const [axis, to] of [
      [this.axes[0], row],
      [this.axes[1], column],
    ])
      if (axis !== null && axis >= 0) at = at.with(axis, to);
    this.select(at);
  }

  /** The overview of all chunks along the two axes, if the picture does not show them all. */
  async drawOverview() {
    // The overview is drawn after the picture.
    if (this.shown === undefined) return;
    this.asked.overview = null;
    const axes = this.axes.map((axis) => (axis === null || axis < 0 ? -1 : axis));
    const hidden = axes.some((axis) => axis >= 0 && Number(this.perAxis[axis]) > (this.shown?.[axis] ?? 1));
    const isKnown = hidden && this.index !== undefined && this.index.error === undefined;
    const drawn = isKnown ? await this.ask("overview", axes, this.at) : null;
    if (drawn === undefined) return;
    this.overview.draw(
      drawn,
      axes.map((axis) => (axis < 0 ? [0, 1] : [this.first[axis], this.shown[axis] ?? 1])),
    );
  }

  controls() {
    const axis = (label, place) => {
      const chosen = el(
        "select",
        { "data-axis": place },
        this.array.shape.map((length, index) =>
          el("option", { value: index, selected: index === this.axes[place] }, `${this.names[index]} (${thousands(length)})`),
        ),
      );
      chosen.addEventListener("change", () => {
        const [now, other] = [Number(chosen.value), 1 - place];
        if (this.axes[other] === now) this.axes[other] = this.axes[place];
        this.axes[place] = now;
        this.selects.forEach((select, index) => {
          select.value = this.axes[index];
        });
        this.draw();
      });
      return [el("label", {}, label, chosen), chosen];
    };
    const parts = this.array.shape.length > 1 ? [axis("down", 0), axis("across", 1)] : [];
    this.selects = parts.map(([, select]) => select);
    const zoom = (sign, label) =>
      el(
        "button",
        { class: "button", type: "button", "aria-label": label, onclick: () => this.zoomBy(sign) },
        sign > 0 ? "+ larger" : "− smaller",
      );
    return el(
      "div",
      { class: "controls" },
      parts.map(([label]) => label),
      el("span", { class: "zoom" }, zoom(1, "fewer and larger chunks"), " ", zoom(-1, "more and smaller chunks")),
    );
  }

  sliders() {
    this.inputs = [];
    const rows = this.perAxis.map((chunks, axis) => {
      const input = el("input", {
        type: "range",
        min: "0",
        max: String(Math.max(Number(chunks) - 1, 0)),
        value: "0",
        "aria-label": `chunk along ${this.names[axis]}`,
      });
      const text = el("span", { class: "quiet" });
      input.addEventListener("input", () => this.select(this.at.with(axis, Number(input.value))));
      this.inputs.push({ input, text });
      return Number(chunks) > 1 ? el("label", {}, el("span", {}, this.names[axis]), input, text) : null;
    });
    return el("div", { class: "sliders" }, rows);
  }

  /** Selects a chunk and moves the window to it. */
  select(at) {
    this.at = at.map((coordinate, axis) => Math.min(Math.max(coordinate, 0), Number(this.perAxis[axis]) - 1));
    for (const axis of this.axes) {
      if (axis === null || axis < 0) continue;
      const shown = this.shown?.[axis] ?? 1;
      this.first[axis] = Math.min(this.first[axis], this.at[axis]);
      this.first[axis] = Math.max(this.first[axis], this.at[axis] - shown + 1);
    }
    this.draw();
    this.point(null);
  }

  async zoomBy(step) {
    this.zoom = Math.min(Math.max(this.zoom - step, 0), ZOOM.length - 1);
    await this.draw();
    this.select(this.at);
  }

  key(event) {
    const [down, across] = this.axes;
    const moves = { ArrowDown: [down, 1], ArrowUp: [down, -1], ArrowRight: [across, 1], ArrowLeft: [across, -1] };
    if (event.key === "+" || event.key === "=") this.zoomBy(1);
    else if (event.key === "-") this.zoomBy(-1);
    else if (moves[event.key]) {
      const [axis, step] = moves[event.key];
      if (axis === null || axis < 0) return;
      this.select(this.at.with(axis, this.at[axis] + step));
    } else return;
    event.preventDefault();
  }

  /** Dragging moves the window by whole chunks. */
  drag() {
    let start = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX, y: event.clientY, first: [...this.first], id: event.pointerId };
      this.dragged = false;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (start === null || !this.step) return;
      const scale = this.canvas.clientWidth / this.width;
      const moved = [event.clientY - start.y, event.clientX - start.x];
      if (!this.dragged && Math.hypot(...moved) < 6) return;
      if (!this.dragged) {
        this.dragged = true;
        this.canvas.setPointerCapture(start.id);
        this.canvas.classList.add("dragging");
      }
      this.axes.forEach((axis, place) => {
        if (axis === null || axis < 0) return;
        const chunks = Math.round(-moved[place] / (this.step[place] * scale));
        const last = Math.max(Number(this.perAxis[axis]) - this.shown[axis], 0);
        this.first[axis] = Math.min(Math.max(start.first[axis] + chunks, 0), last);
      });
      this.draw();
    });
    const end = () => {
      start = null;
      this.canvas.classList.remove("dragging");
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
  }

  async draw() {
    const axes = this.axes.map((axis) => (axis === null || axis < 0 ? -1 : axis));
    const first = this.at.map((at, axis) => (axes.includes(axis) ? this.first[axis] : at));
    const drawn = await this.ask("picture", axes, ZOOM[this.zoom], first);
    if (!drawn) return;
    this.shown = [];
    axes.forEach((axis, place) => {
      if (axis >= 0) this.shown[axis] = drawn.shown[place];
    });
    this.step = drawn.step;
    this.width = drawn.width;
    // The SVG contains no text from the file.
    const svg = new DOMParser().parseFromString(drawn.svg, "image/svg+xml").documentElement;
    svg.classList.add("picture");
    // The picture is enlarged by at most a fifth, so that a few small chunks stay small.
    svg.style.maxWidth = `${drawn.width * 1.2}px`;
    this.canvas.replaceChildren(svg);
    this.mark();
    this.drawOverview();
    const padding = { "to-chunks": "padding to whole chunks", "to-blocks": "padding to whole blocks" };
    const keys = [
      ["array", "elements"],
      ["chunk", "chunk"],
      ["block", "block"],
      ...Object.entries(padding).filter((entry, index) => drawn.pads[index]),
    ];
    this.legend.replaceChildren(...keys.map(([kind, text]) => el("li", {}, el("span", { class: `swatch swatch-${kind}` }), text)));
    if (!drawn.to_scale) this.legend.append(el("li", {}, "not to scale"));
    this.inputs?.forEach(({ input, text }, axis) => {
      input.value = String(this.at[axis]);
      const start = this.at[axis] * Number(this.array.chunkshape[axis]);
      const stop = Math.min(start + Number(this.array.chunkshape[axis]), Number(this.array.shape[axis]));
      const last = Number(this.perAxis[axis]) - 1;
      text.textContent = `chunk ${thousands(this.at[axis])} (from 0 to ${thousands(last)}), elements ${thousands(start)}:${thousands(stop)}`;
    });
  }

  mark() {
    const at = this.at.join(",");
    for (const chunk of this.canvas.querySelectorAll("[data-at]")) chunk.classList.toggle("selected", chunk.dataset.at === at);
  }

  /** Describes a chunk, or the selected one. */
  async point(at) {
    const isKnown = this.index !== undefined && this.index.error === undefined;
    const chunk = await this.ask("chunk", isKnown, at ?? this.at);
    if (!chunk) return;
    const ranges = chunk.ranges.map(([start, end]) => `${thousands(start)}:${thousands(end)}`).join(", ");
    const lines = [
      el("div", {}, el("strong", {}, `chunk ${thousands(chunk.number)}`), ` at (${chunk.coords.map(thousands).join(", ")})`),
      el("div", {}, `elements [${ranges}]`),
      el("div", { class: "quiet" }, this.place(chunk)),
    ];
    this.pointed.replaceChildren(...lines);
    this.pointed.dataset.chunk = chunk.number;
  }

  place(chunk) {
    if (this.index === undefined) return "looking for its position …";
    if (this.index.error !== undefined) return `its position is unknown: ${this.index.error}`;
    if (chunk.special) return `special chunk (${chunk.special}), which has no bytes of its own`;
    if (chunk.range) return `${size(chunk.range[1] - chunk.range[0])} at byte ${thousands(chunk.range[0])}`;
    if (chunk.file) return `${size(chunk.file[1])} in ${chunk.file[0]}`;
    return "this chunk is missing or damaged";
  }
}

/** The coordinates of the chunk that an SVG element belongs to. */
function coordinates(element) {
  const at = element.closest?.("[data-at]")?.dataset.at;
  return at === undefined ? null : at.split(",").filter(Boolean).map(Number);
}
