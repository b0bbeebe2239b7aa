// The values of an array: as a table, a map, an image, a line, a histogram.

import { count, el, size, thousands, visible } from "./dom.js";
import { PixelMap, bar, span } from "./map.js";
import { histogram, line } from "./plot.js";
import { Reader } from "./reader.js";
import { Sheet } from "./sheet.js";
import { toAddress } from "./state.js";

const NAMES = { table: "Table", map: "Map", image: "Image", line: "Line", histogram: "Histogram" };

/** Elements along a side of a picture, and of a line. */
const ROOM = { side: 512, line: 4096 };

/** The bytes of chunks that one view may take: of a file here, and of one behind an address. */
const BUDGET = { here: 64 << 20, far: 8 << 20 };

const quiet = (text) => el("span", { class: "quiet" }, text);

export class Look {
  /** `element` is where it is shown; `sources` are the opened file's; `key` names the leaf of a store; `far` says that bytes come over a network. */
  constructor(element, sources, key, far) {
    this.element = element;
    this.reader = new Reader(sources, key);
    this.key = key;
    this.budget = far ? BUDGET.far : BUDGET.here;
  }

  /** Opens the array, and shows what an address said of the view. */
  async open(state) {
    this.element.replaceChildren(quiet("Reading …"));
    this.element.dataset.loading = "";
    const info = await this.reader.open();
    if (info.error !== undefined) {
      this.element.replaceChildren(problem(info.error));
      delete this.element.dataset.loading;
      return;
    }
    this.info = info;
    const { shape, columns } = info;
    const last = shape.length - 1;
    this.drawable = columns.map((column, at) => ({ ...column, at })).filter(({ drawable }) => drawable);
    this.views = Object.keys(NAMES).filter((view) => this.has(view));
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
    this.build();
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

  /** The axes that have no choice: the channels of an image. */
  fixed() {
    return this.state.view === "image" ? [this.info.shape.length - 1] : [];
  }

  build() {
    const { state, info } = this;
    const tabs = this.views.map((view) =>
      el(
        "button",
        {
          class: "tab",
          type: "button",
          role: "tab",
          "aria-selected": String(view === state.view),
          "data-view": view,
          onclick: () => this.change({ view }),
        },
        NAMES[view],
      ),
    );
    const tablist = el("div", { class: "tabs", role: "tablist", "aria-label": "how values are shown" }, tabs);
    tablist.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = this.views[(this.views.indexOf(state.view) + step + this.views.length) % this.views.length];
      this.change({ view: next });
      event.preventDefault();
    });
    const choose = (label, value, options, change, name) => {
      const select = el(
        "select",
        { "data-control": name, onchange: () => change(select.value) },
        options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)),
      );
      return el("label", {}, label, select);
    };
    const controls = [];
    const numbered = info.shape
      .map((length, axis) => [axis, `axis ${axis} (${thousands(length)})`])
      .filter(([axis]) => !this.fixed().includes(axis));
    if (state.view === "line" && numbered.length > 1) {
      controls.push(choose("along", state.rows, numbered, (axis) => this.axis("rows", Number(axis)), "rows"));
    } else if (state.view !== "line" && state.columns >= 0) {
      controls.push(choose("down", state.rows, numbered, (axis) => this.axis("rows", Number(axis)), "rows"));
      controls.push(choose("across", state.columns, numbered, (axis) => this.axis("columns", Number(axis)), "columns"));
    }
    const draws = state.view !== "table" && state.view !== "image";
    if (draws && this.drawable.length > 1) {
      controls.push(
        choose(
          "field",
          state.column,
          this.drawable.map(({ at, name }) => [at, visible(name ?? "")]),
          (column) => this.change({ column: Number(column), low: null, high: null }),
          "field",
        ),
      );
    }
    if (draws && info.columns[state.column]?.complex) {
      controls.push(
        choose(
          "show",
          state.part,
          [
            [0, "magnitude"],
            [1, "phase"],
          ],
          (part) => this.change({ part: Number(part), low: null, high: null }),
          "part",
        ),
      );
    }
    if (draws) {
      const log = el("input", {
        type: "checkbox",
        checked: state.log,
        "data-control": "log",
        onchange: () => this.change({ log: log.checked }),
      });
      controls.push(el("label", {}, log, "log scale"));
      const end = (name, label) => {
        const input = el("input", {
          type: "text",
          inputmode: "decimal",
          class: "end",
          value: state[name] ?? "",
          placeholder: "auto",
          "data-control": name,
          onchange: () => {
            const text = input.value.trim();
            const number = text === "" ? null : Number(text);
            input.setCustomValidity(Number.isNaN(number) ? "a number" : "");
            if (Number.isNaN(number)) return;
            state[name] = number;
            this.update();
          },
        });
        return el("label", {}, label, input);
      };
      controls.push(end("low", "from"), end("high", "to"));
    }
    const shown = this.axes().concat(this.fixed());
    const sliders = info.shape.flatMap((length, axis) => {
      if (shown.includes(axis) || length < 2) return [];
      const value = el("output", {}, `${thousands(state.at[axis])} of ${thousands(length)}`);
      const slider = el("input", {
        type: "range",
        min: 0,
        max: length - 1,
        value: state.at[axis],
        "data-axis-at": axis,
        oninput: () => {
          value.textContent = `${thousands(Number(slider.value))} of ${thousands(length)}`;
          state.at[axis] = Number(slider.value);
          this.update();
        },
      });
      return [el("label", {}, `axis ${axis}`, slider, value)];
    });
    const whole = el(
      "button",
      { class: "button", type: "button", "data-control": "whole", hidden: true, onclick: () => this.zoomTo(null) },
      "Show all",
    );
    this.whole = whole;
    const png = state.view === "table" ? null : el("button", { class: "button", type: "button", onclick: () => this.png() }, "PNG");
    const csv = state.view === "image" ? null : el("button", { class: "button", type: "button", onclick: () => this.csv() }, "CSV");
    this.controls.replaceChildren(
      el("div", { class: "look-bar" }, tablist, el("div", { class: "look-save" }, whole, png, csv)),
      controls.length ? el("div", { class: "controls" }, controls) : "",
      sliders.length ? el("div", { class: "sliders" }, sliders) : "",
    );
  }

  async change(changes) {
    Object.assign(this.state, changes);
    this.sheet = null;
    // Whoever works with the keys stays at the control that was changed.
    const { control, view } = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset ?? {};
    this.build();
    const same = control ? `[data-control="${control}"]` : view ? `[data-view="${this.state.view}"]` : null;
    if (same !== null) this.controls.querySelector(same)?.focus();
    await this.update();
  }

  axis(which, axis) {
    const other = which === "rows" ? "columns" : "rows";
    const swap = this.state[other] === axis ? { [other]: this.state[which] } : {};
    return this.change({ [which]: axis, ...swap });
  }

  /** The part of the array that the view shows, as a question to the reader. */
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
      forms: { map: ["numbers", "pixels", "count", "colors"], image: ["image"], line: ["numbers", "count"], histogram: ["count"] }[
        state.view
      ],
    };
  }

  async update() {
    const { state } = this;
    toAddress(state, this.info, this.key);
    this.whole.hidden = state.view === "table" || this.axes().every((axis) => state.zoom[axis] === null);
    if (state.view === "table") return this.table();
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
      this[state.view](want, answer);
      this.say(want, answer);
    }
    delete this.element.dataset.loading;
  }

  /** What is left out, what is broken, and what was read. */
  say(want, answer) {
    const [all, read] = answer.chunks;
    const steps = want.drawn
      .filter((axis) => answer.steps[axis] > 1)
      .map((axis) => `axis ${axis} in steps of ${thousands(answer.steps[axis])}: ${count(answer.shape[axis], "element")}`);
    if (read < all) steps.push(`${thousands(read)} of ${count(all, "chunk")} read`);
    const coarse = steps.length
      ? el("p", { class: "coarse" }, `A coarse view: ${steps.join("; ")}. Zoom in to see all elements.`)
      : "";
    const { fetched, requests } = this.reader;
    this.notes.replaceChildren(
      coarse,
      ...this.mistakes(answer),
      el("p", { class: "quiet fetched" }, `${size(fetched)} read for the values, in ${count(requests, "part")}`),
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

  figures({ count: counted }) {
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
  ends({ count: counted }) {
    return counted.labels ?? counted.range.map(short);
  }

  width() {
    return Math.max(this.stage.clientWidth || this.element.clientWidth, 200);
  }

  /** What is pointed at, and lines through it. */
  pointer(want, answer) {
    const { state, info } = this;
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
        .slice(0, info.shape.length - this.fixed().length)
        .map(thousands)
        .join(", ")}]`;
      text.textContent = value === undefined ? name : `${name}  ${value}`;
      if (state.view === "image") return;
      const exact = await this.reader.text(index(row, column));
      if (mine === newest && exact !== undefined)
        text.textContent = `${name}  ${exact === null ? "its chunk cannot be read" : visible(exact)}`;
    };
    const picked = (row, column) => {
      state.at = at(row, column);
      toAddress(state, info, this.key);
      const along = (axis) =>
        el(
          "button",
          {
            class: "link",
            type: "button",
            onclick: () => this.change({ view: "line", rows: axis, columns: want.rows === axis ? want.columns : want.rows }),
          },
          `line along axis ${axis} through [${state.at.map(thousands).join(", ")}]`,
        );
      lines.replaceChildren(...(state.view === "image" ? [] : [along(want.columns), " ", along(want.rows)]));
    };
    return { element: el("p", { class: "look-pointed", "aria-live": "polite" }, text, " ", lines), pointed, picked };
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

  pixels(want, answer, label) {
    const rows = answer.shape[want.rows];
    const columns = answer.shape[want.columns];
    if (rows * columns === 0) return { element: quiet("no elements"), map: null };
    const pointer = this.pointer(want, answer);
    const value = (row, column) =>
      answer.numbers
        ? short(answer.numbers[row * columns + column])
        : `(${[...answer.pixels.slice(4 * (row * columns + column)).slice(0, this.info.channels)].join(", ")})`;
    const map = new PixelMap({
      pixels: answer.pixels,
      rows,
      columns,
      width: this.width() - 70,
      label,
      pointed: (row, column) => pointer.pointed(row, column, value(row, column)),
      picked: (row, column) => pointer.picked(row, column),
      zoom: (down, across) => this.zoomTo(down, across),
    });
    this.canvas = map.canvas;
    const place = (axis, at) => thousands(want.start[axis] + at * answer.steps[axis]);
    const down = el(
      "div",
      { class: "map-down" },
      el("span", {}, place(want.rows, 0)),
      el("span", { class: "quiet" }, `axis ${want.rows}`),
      el("span", {}, place(want.rows, rows - 1)),
    );
    down.style.height = `${map.height}px`;
    const across = el(
      "div",
      { class: "map-across" },
      el("span", {}, place(want.columns, 0)),
      el("span", { class: "quiet" }, `axis ${want.columns}`),
      el("span", {}, place(want.columns, columns - 1)),
    );
    across.style.width = `${map.width}px`;
    return { element: el("div", { class: "map" }, down, el("div", {}, map.frame, across)), pointer };
  }

  map(want, answer) {
    const [low, high] = this.ends(answer);
    const { element, pointer } = this.pixels(want, answer, "heat map");
    this.stage.replaceChildren(element, pointer ? bar(answer.colors, low, high) : "", pointer?.element ?? "", this.figures(answer));
  }

  image(want, answer) {
    const { element, pointer } = this.pixels(want, answer, "image");
    this.stage.replaceChildren(element, pointer?.element ?? "");
  }

  line(want, answer) {
    const [low, high] = this.ends(answer);
    const axis = want.rows;
    const place = (at) => thousands(want.start[axis] + at * answer.steps[axis]);
    const length = answer.numbers.length;
    if (length === 0) return this.stage.replaceChildren(quiet("no elements"));
    const drawn = line(answer.numbers, {
      width: this.width() - 110,
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
      const exact = await this.reader.text(at(event));
      if (mine === newest && exact !== undefined)
        pointed.textContent = `[${place(at(event))}]  ${exact === null ? "its chunk cannot be read" : visible(exact)}`;
    });
    drawn.canvas.addEventListener("pointerdown", (event) => {
      from = at(event);
      drawn.canvas.setPointerCapture(event.pointerId);
    });
    drawn.canvas.addEventListener("pointerup", (event) => {
      const to = at(event);
      if (from !== null && Math.abs(to - from) > 2) this.zoomTo([Math.min(from, to), Math.max(from, to) + 1]);
      from = null;
    });
    drawn.canvas.addEventListener("dblclick", () => this.zoomTo(null));
    this.stage.replaceChildren(drawn.element, pointed, this.figures(answer));
    drawn.draw();
    this.canvas = drawn.canvas;
  }

  histogram(want, answer) {
    const [first, last] = this.ends(answer);
    const { bins } = answer.count;
    const drawn = histogram(bins, {
      width: this.width() - 110,
      low: "0",
      high: thousands(Math.max(...bins, 0)),
      first,
      last,
      label: `${bins.length} steps${want.log ? " of the logarithm" : ""}`,
    });
    this.stage.replaceChildren(drawn.element, this.figures(answer));
    drawn.draw();
    this.canvas = drawn.canvas;
  }

  /** Rows and columns of the table: two axes, the fields of structures, or a single one. */
  table() {
    const { info, state } = this;
    const names = info.shape.length < 2 && info.fields.length ? info.fields : null;
    if (this.sheet) this.sheet.known = null;
    else {
      const across = state.columns >= 0 && info.shape.length > 1;
      this.sheet = new Sheet({
        rows: info.shape.length ? info.shape[state.rows] : 1,
        columns: names ? names.length : across ? info.shape[state.columns] : 1,
        names,
        width: width(info, names),
        get: (from, to, left, right) => this.cells(from, to, left, right, names !== null),
        moved: (top, left) => {
          Object.assign(state, { top, left });
          toAddress(state, info, this.key);
        },
      });
      Object.assign(this.sheet, { top: state.top, left: state.left });
      const row = el("input", { type: "number", min: 0, value: state.top, class: "end", "data-control": "row" });
      const go = el(
        "form",
        {
          class: "look-go",
          onsubmit: (event) => {
            event.preventDefault();
            this.sheet.go(Number(row.value), this.sheet.left);
          },
        },
        el("label", {}, "row ", row),
        el("button", { class: "button", type: "submit" }, "Go"),
      );
      this.stage.replaceChildren(this.sheet.element, go);
    }
    delete this.element.dataset.loading;
    this.sheet.draw();
  }

  async cells(from, to, left, right, fields) {
    const want = { ...this.want(), drawn: [], room: [], fields, forms: ["texts"] };
    if (want.rows >= 0) [want.start[want.rows], want.end[want.rows]] = [from, to];
    if (want.columns >= 0) [want.start[want.columns], want.end[want.columns]] = [left, right];
    const answer = await this.reader.look(want);
    if (answer === null) return null;
    if (answer.error !== undefined) {
      this.notes.replaceChildren(problem(answer.error));
      return [];
    }
    this.shown = { want, answer };
    this.say(want, answer);
    return fields ? answer.texts.map((row) => row.slice(left, right)) : answer.texts;
  }

  async csv() {
    if (!this.shown) return;
    const answer = await this.reader.look({ ...this.shown.want, forms: ["csv"] });
    if (answer?.csv !== undefined) save(new Blob([answer.csv], { type: "text/csv" }), "values.csv");
  }

  png() {
    this.canvas?.toBlob((blob) => blob && save(blob, "values.png"));
  }
}

/** Offers a file that was made here. */
function save(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function problem(message) {
  return el("p", { class: "problem", role: "alert" }, visible(message));
}

/** A range inside a dimension; null where it is all of it. */
function clip(range, length) {
  if (!range) return null;
  const from = Math.min(Math.max(Math.floor(range[0]), 0), Math.max(length - 1, 0));
  const to = Math.min(Math.max(Math.ceil(range[1]), from + 1), length);
  return from === 0 && to === length ? null : [from, to];
}

/** A number in few characters. */
export function short(number) {
  if (Number.isNaN(number)) return "NaN";
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return thousands(number);
  return String(Number(number.toPrecision(7)));
}

/** How many characters a column of the table has. */
function width(info, names) {
  if (names) return 18;
  const dtype = info.dtype ?? "";
  if (/^[<>|=]?[iu?b]1?$/.test(dtype) || /[iu][12]$/.test(dtype)) return 8;
  if (/[iu]4$/.test(dtype)) return 12;
  if (/[MSUV]/.test(dtype)) return 26;
  if (/c/.test(dtype)) return 30;
  return /[\[{(]/.test(dtype) ? 36 : 20;
}
