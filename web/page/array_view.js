// The card that shows an array's values: as a table, a map, an image, a line, a histogram.

import { colorMaps, loadColors } from "./pixels.js";
import { VIEWS, build } from "./controls.js";
import { count, el, problem, quiet, size, thousands, visible } from "./dom.js";
import { drawings } from "./drawings.js";
import { span } from "./heatmap.js";
import { readerOf } from "./reader.js";
import { toAddress } from "./state.js";
import { table } from "./table.js";

/** The maximum number of elements along a side of a picture, and of a line. */
const ROOM = { side: 512, line: 4096 };

/** About how many bytes of chunks a drawing reads at most: in the browser for local files and for URLs, and in `b2nd view`. */
const BUDGET = { here: 64 << 20, far: 8 << 20, served: 1 << 30 };

export class ArrayView {
  /**
   * `element` is the parent; `file` is the open file; `key` is the key of a store's leaf; `names` are those of the axes; `far` is true if
   * bytes come over a network.
   */
  constructor(element, file, key, names, far) {
    this.element = element;
    this.file = file;
    this.name = file.name;
    this.reader = readerOf(file, key);
    this.key = key;
    this.names = names;
    this.budget = file.door ? BUDGET.served : far ? BUDGET.far : BUDGET.here;
    /** The drawing that can be saved as a picture. */
    this.figure = null;
    /** The table, if it is the current view. */
    this.sheet = null;
    /** The button that zooms out. */
    this.whole = null;
  }

  /** Opens the array in the view that the URL describes. */
  async open(state) {
    this.element.replaceChildren(quiet("Reading …"));
    this.element.dataset.loading = "";
    const [info] = await Promise.all([this.reader.open(), loadColors(this.file)]);
    if (info.error !== undefined) {
      this.element.replaceChildren(problem(info.error));
      delete this.element.dataset.loading;
      return;
    }
    this.info = info;
    const { shape, columns } = info;
    const last = shape.length - 1;
    this.drawable = columns.map((column, at) => ({ ...column, at })).filter(({ drawable }) => drawable);
    this.views = Object.keys(VIEWS).filter((view) => this.has(view));
    const axes = info.channels ? [last - 2, last - 1] : shape.length > 1 ? [last - 1, last] : [last, -1];
    const first = info.channels
      ? "image"
      : !this.drawable.length || shape.length === 0
        ? "table"
        : shape.length > 1
          ? "map"
          : "line";
    const own = (axis, otherwise) => (Number.isInteger(axis) && axis < shape.length && axis >= 0 ? axis : otherwise);
    const field = this.drawable.find(({ name }) => name === state.field) ?? this.drawable[0];
    this.state = {
      view: this.views.includes(state.view) ? state.view : first,
      rows: own(state.rows, axes[0]),
      columns: own(state.columns, axes[1]),
      at: shape.map((length, axis) => Math.min(Math.max(state.at?.[axis] ?? 0, 0), Math.max(length - 1, 0))),
      column: field?.at ?? 0,
      part: state.part === "phase" ? 1 : 0,
      log: Boolean(state.log),
      colors: state.colors in colorMaps() ? state.colors : "viridis",
      ratio: state.ratio ?? true,
      low: state.low ?? null,
      high: state.high ?? null,
      zoom: shape.map((length, axis) => clip(state.zoom?.[axis], length)),
      top: state.top ?? 0,
      left: state.left ?? 0,
    };
    if (this.state.rows === this.state.columns) [this.state.rows, this.state.columns] = axes;
    this.stage = el("div", { class: "look-stage" });
    this.notes = el("div", { class: "look-notes" });
    this.controls = el("div", { class: "look-controls" });
    this.element.replaceChildren(this.controls, this.stage, this.notes);
    build(this);
    await this.update();
  }

  has(view) {
    const { shape, channels } = this.info;
    if (view === "table") return true;
    if (view === "image") return Boolean(channels);
    if (!this.drawable.length || shape.length === 0) return false;
    return view !== "map" || shape.length > 1;
  }

  /** The axes that the view shows. */
  axes() {
    const { view, rows, columns } = this.state;
    if (this.info.shape.length === 0) return [];
    return view === "line" || columns < 0 ? [rows] : [rows, columns];
  }

  /** The axes that cannot be chosen: the channels of an image. */
  fixed() {
    return this.state.view === "image" ? [this.info.shape.length - 1] : [];
  }

  async change(changes) {
    Object.assign(this.state, changes);
    this.sheet = null;
    // Keyboard focus stays on the control that was changed.
    const { control, view } = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset ?? {};
    build(this);
    const same = control ? `[data-control="${control}"]` : view ? `[data-view="${this.state.view}"]` : null;
    if (same !== null) this.controls.querySelector(same)?.focus();
    await this.update();
  }

  axis(which, axis) {
    const other = which === "rows" ? "columns" : "rows";
    const swap = this.state[other] === axis ? { [other]: this.state[which] } : {};
    return this.change({ [which]: axis, ...swap });
  }

  /** The part of the array that the view shows, as a request to the reader. */
  want() {
    const { state, info } = this;
    const axes = this.axes();
    const kept = axes.concat(this.fixed());
    const zoomed = (axis) => state.zoom[axis] ?? [0, info.shape[axis]];
    const ends = info.shape.map((length, axis) =>
      this.fixed().includes(axis) ? [0, length] : kept.includes(axis) ? zoomed(axis) : [state.at[axis], state.at[axis] + 1],
    );
    const range = state.low !== null && state.high !== null ? [state.low, state.high] : [];
    return {
      start: ends.map(([from]) => from),
      end: ends.map(([, to]) => to),
      drawn: axes,
      room: axes.map(() => (state.view === "line" || axes.length === 1 ? ROOM.line : ROOM.side)),
      square: state.view === "image",
      budget: this.budget,
      rows: axes[0] ?? -1,
      columns: axes[1] ?? -1,
      column: state.column,
      part: state.part,
      range,
      log: state.log,
      fields: false,
      forms: { map: ["numbers", "count"], image: ["image"], line: ["numbers", "count"], histogram: ["count"] }[state.view],
    };
  }

  async update() {
    const { state } = this;
    toAddress(state, this.info, this.key);
    this.whole.hidden = state.view === "table" || this.axes().every((axis) => state.zoom[axis] === null);
    if (state.view === "table") return table(this);
    this.element.dataset.loading = "";
    const want = this.want();
    const late = setTimeout(() => this.stage.classList.add("is-late"), 250);
    this.reader.onprogress = (done, of) => {
      this.notes.replaceChildren(quiet(`${thousands(done)} of ${count(of, "chunk")} decompressed …`));
    };
    let answer = await this.reader.look(want);
    if (answer !== null && answer.error === undefined && answer.count && (state.low === null) !== (state.high === null)) {
      const [low, high] = answer.count.range;
      want.range = [state.low ?? low, state.high ?? high];
      answer = await this.reader.look(want);
    }
    clearTimeout(late);
    if (answer === null) return;
    this.stage.classList.remove("is-late");
    this.shown = { want, answer };
    if (answer.error !== undefined) {
      this.stage.replaceChildren(problem(answer.error));
      this.notes.replaceChildren();
    } else {
      drawings[state.view](this, want, answer);
      this.say(want, answer);
    }
    delete this.element.dataset.loading;
  }

  /** Notes: what the view leaves out, which chunks are damaged, how much was read. */
  say(want, answer) {
    const [all, read] = answer.chunks;
    const steps = want.drawn
      .filter((axis) => answer.steps[axis] > 1)
      .map(
        (axis) =>
          `along ${this.names[axis]} one in ${thousands(answer.steps[axis])} elements (${thousands(answer.shape[axis])} shown)`,
      );
    if (read < all) steps.push(`${thousands(read)} of ${count(all, "chunk")} read`);
    const coarse = steps.length
      ? el("p", { class: "coarse" }, `A coarse view, which leaves elements out: ${steps.join("; ")}. Zoom in to see every element.`)
      : "";
    const { fetched, requests } = this.reader;
    this.notes.replaceChildren(
      coarse,
      ...this.mistakes(answer),
      el("p", { class: "quiet fetched" }, `${size(fetched)} read for the values, in ${count(requests, "request")}`),
    );
  }

  mistakes({ broken }) {
    const shown = broken
      .slice(0, 5)
      .map(({ message, elements }) =>
        problem(`${message} (elements [${elements.map(([from, to]) => span(from, to, 1)).join(", ")}])`),
      );
    if (broken.length > 5) shown.push(problem(`and ${count(broken.length - 5, "more chunk")}`));
    return shown;
  }

  width() {
    return Math.max(this.stage.clientWidth || this.element.clientWidth, 200);
  }

  zoomTo(rows, columns) {
    const { state, info } = this;
    const { want, answer } = this.shown;
    if (rows === null) {
      for (const axis of this.axes()) state.zoom[axis] = null;
      return this.update();
    }
    for (const [axis, range] of [
      [want.rows, rows],
      [want.columns, columns],
    ]) {
      if (axis < 0 || !range) continue;
      const [from, to] = range.map((at) => want.start[axis] + at * answer.steps[axis]);
      state.zoom[axis] = clip([from, to], info.shape[axis]);
    }
    return this.update();
  }

  async csv() {
    if (!this.shown) return;
    const answer = await this.reader.look({ ...this.shown.want, forms: ["csv"] });
    if (answer?.csv !== undefined) save(new Blob([answer.csv], { type: "text/csv" }), `${this.title("_")}.csv`);
  }

  async png() {
    if (!this.figure) return;
    const canvas = await this.figure.picture(this.title(" "));
    canvas.toBlob((blob) => blob && save(blob, `${this.title("_")}.png`));
  }

  /** The names of file and leaf and the slice: as a title, or joined with `_` as a file name. */
  title(gap) {
    const { start, end } = this.shown.want;
    const isFile = gap === "_";
    const ranges = start.map((from, axis) => (end[axis] - from === 1 ? from : `${from}${isFile ? "-" : ":"}${end[axis]}`));
    const field = this.drawable.length > 1 && this.state.view !== "table" ? this.info.columns[this.state.column].name : null;
    const words = [this.name, this.key, field, isFile ? ranges.join("_") : `[${ranges.join(", ")}]`];
    const text = words.filter((word) => word !== null && word !== undefined && word !== "").join(gap);
    return isFile ? text.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_") : visible(text);
  }
}

/** Downloads a file that was created here. */
function save(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A range inside a dimension, or null for all of it. */
function clip(range, length) {
  if (!range) return null;
  const from = Math.min(Math.max(Math.floor(range[0]), 0), Math.max(length - 1, 0));
  const to = Math.min(Math.max(Math.ceil(range[1]), from + 1), length);
  return from === 0 && to === length ? null : [from, to];
}
