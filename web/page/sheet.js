// A spreadsheet of any size. Only cells in or near the view are fetched.

import { count, el, fewer, thousands, visible } from "./dom.js";

const ROW = 26;
/** The maximum height and width of an element, since browsers clip larger ones. In a larger table, scroll bars move in larger steps. */
const TALLEST = 8_000_000;
/** The number of rows and columns outside the view that are fetched too. */
const AROUND = { rows: 30, columns: 6 };

export class Sheet {
  /**
   * `get(from, to, left, right)` returns the texts of rows and columns, or null if the reader was asked for another view meanwhile;
   * `moved` is called with the first row and column in view; `rounds` is true for columns whose floats are shown with six
   * digits; `isText` for columns of text, which is aligned at the left.
   */
  constructor({ rows, columns, names = null, width = 12, get, moved, rounds, isText = (column) => column < 0 }) {
    this.rows = rows;
    this.columns = columns;
    this.names = names;
    this.get = get;
    this.moved = moved;
    this.rounds = rounds;
    this.isText = isText;
    this.cell = Math.min(Math.max(width, 6), 40);
    this.top = 0;
    this.left = 0;
    this.known = null;
    this.isFetching = false;
    /** The number of times that the cells have changed. */
    this.changes = 0;
    this.table = el("table", { class: "sheet-cells" });
    this.window = el("div", { class: "sheet-window" }, this.table);
    this.room = el("div", { class: "sheet-room" }, this.window);
    this.element = el(
      "div",
      {
        class: "sheet",
        tabindex: "0",
        role: "region",
        "aria-label": `values: ${count(rows, "row")}, ${count(columns, "column")}`,
      },
      this.room,
    );
    // At most as high as its rows and a scroll bar.
    this.element.style.maxHeight = `min(70vh, ${(rows + 1) * ROW + 18}px)`;
    this.element.addEventListener("scroll", () => this.scrolled());
    this.element.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  /** Computes sizes in pixels, and the number of rows and columns in view. */
  resized() {
    const ch = parseFloat(getComputedStyle(this.element).fontSize) * 0.62;
    this.column = Math.ceil((this.cell + 2) * ch);
    this.head = Math.ceil((thousands(Math.max(this.rows - 1, 0)).length + 2) * ch);
    const { clientHeight, clientWidth } = this.element;
    this.room.style.height = `${Math.min((this.rows + 1) * ROW, TALLEST)}px`;
    this.room.style.width = `${Math.min(this.head + this.columns * this.column, TALLEST)}px`;
    this.seen = {
      rows: Math.max(Math.floor(clientHeight / ROW) - 1, 1),
      columns: Math.max(Math.floor((clientWidth - this.head) / this.column), 1),
    };
    this.window.style.height = `${clientHeight}px`;
    this.window.style.width = `${clientWidth}px`;
    this.go(this.top, this.left);
  }

  /** The maximum scroll position: in pixels, and in rows or columns. */
  ends() {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = this.element;
    return {
      y: Math.max(scrollHeight - clientHeight, 0),
      top: Math.max(this.rows - this.seen.rows, 0),
      x: Math.max(scrollWidth - clientWidth, 0),
      left: Math.max(this.columns - this.seen.columns, 0),
    };
  }

  scrolled() {
    const { scrollTop, scrollLeft } = this.element;
    // A scroll position that was set from a row is less exact than the row.
    if (this.expected && Math.abs(this.expected.top - scrollTop) < 1 && Math.abs(this.expected.left - scrollLeft) < 1) return;
    this.expected = null;
    const ends = this.ends();
    this.top = ends.y === 0 ? 0 : Math.round((scrollTop / ends.y) * ends.top);
    this.left = ends.x === 0 ? 0 : Math.round((scrollLeft / ends.x) * ends.left);
    this.draw();
  }

  /** Scrolls to a row and a column. */
  go(top, left) {
    const ends = this.ends();
    this.top = Math.min(Math.max(top, 0), ends.top);
    this.left = Math.min(Math.max(left, 0), ends.left);
    this.element.scrollTop = ends.top === 0 ? 0 : (this.top / ends.top) * ends.y;
    this.element.scrollLeft = ends.left === 0 ? 0 : (this.left / ends.left) * ends.x;
    this.expected = { top: this.element.scrollTop, left: this.element.scrollLeft };
    this.draw();
  }

  key(event) {
    const { rows, columns } = this.seen;
    const ends = this.ends();
    const far = event.ctrlKey || event.metaKey;
    const steps = {
      ArrowDown: [this.top + 1, this.left],
      ArrowUp: [this.top - 1, this.left],
      ArrowRight: [this.top, this.left + 1],
      ArrowLeft: [this.top, this.left - 1],
      PageDown: [this.top + rows, this.left],
      PageUp: [this.top - rows, this.left],
      Home: [far ? 0 : this.top, 0],
      End: [far ? ends.top : this.top, ends.left],
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.go(...step);
  }

  /** The range in view, with one more row and column, which are partly visible. */
  view() {
    return {
      from: this.top,
      to: Math.min(this.top + this.seen.rows + 1, this.rows),
      left: this.left,
      right: Math.min(this.left + this.seen.columns + 1, this.columns),
    };
  }

  draw() {
    if (!this.seen || !this.element.isConnected) return;
    this.fill(this.view());
    this.moved?.(this.top, this.left);
    this.fetch();
  }

  /** Forgets the cells, because they have changed. A pending response has the old ones. */
  reset() {
    this.known = null;
    this.changes += 1;
  }

  /** True if the cells of a view are known. */
  knows(view) {
    const { known } = this;
    return known && known.from <= view.from && known.to >= view.to && known.left <= view.left && known.right >= view.right;
  }

  /**
   * Gets the cells in the view and around it. Only one request is pending at a time: a second one would cancel the first, and an older
   * answer could replace a newer one. If the view has moved or the cells have changed meanwhile, another request follows.
   */
  async fetch() {
    if (this.isFetching) return;
    this.isFetching = true;
    this.element.setAttribute("aria-busy", "true");
    try {
      for (let view = this.view(); this.element.isConnected && !this.knows(view); view = this.view()) {
        const wanted = {
          from: Math.max(view.from - AROUND.rows, 0),
          to: Math.min(view.to + AROUND.rows, this.rows),
          left: Math.max(view.left - AROUND.columns, 0),
          right: Math.min(view.right + AROUND.columns, this.columns),
        };
        const { changes } = this;
        const texts = await this.get(wanted.from, wanted.to, wanted.left, wanted.right);
        if (texts === null) return;
        if (changes !== this.changes) continue;
        this.known = { ...wanted, texts };
        this.fill(this.view());
      }
      this.element.removeAttribute("aria-busy");
    } finally {
      this.isFetching = false;
    }
  }

  fill(view) {
    const { known } = this;
    const text = (row, column) => {
      const inside = known && row >= known.from && row < known.to && column >= known.left && column < known.right;
      return inside ? known.texts[row - known.from]?.[column - known.left] : undefined;
    };
    const columns = Array.from({ length: Math.max(view.right - view.left, 0) }, (_, at) => view.left + at);
    const rows = Array.from({ length: Math.max(view.to - view.from, 0) }, (_, at) => view.from + at);
    const name = (column) => (this.names ? visible(this.names[column]) : thousands(column));
    const kind = (column) => (this.isText(column) ? "text" : null);
    const cell = (row, column) => {
      const value = text(row, column);
      if (value === undefined) return el("td", { class: "quiet" }, "…");
      if (value === null) return el("td", { class: "broken", title: "cannot be read" }, "✕");
      if (value.quiet !== undefined) return el("td", { class: `quiet ${kind(column) ?? ""}` }, value.quiet);
      const whole = visible(value);
      const shown = this.rounds(column) ? fewer(whole) : whole;
      const isCut = shown !== whole || shown.length > this.cell;
      return el("td", { title: isCut ? whole : null, class: kind(column) }, shown.length > 200 ? `${shown.slice(0, 200)}…` : shown);
    };
    const head = el(
      "tr",
      {},
      el("th", {}),
      columns.map((column) => el("th", { scope: "col", class: kind(column) }, name(column))),
    );
    const lines = rows.map((row) =>
      el(
        "tr",
        { "data-row": row },
        el("th", { scope: "row" }, thousands(row)),
        columns.map((column) => cell(row, column)),
      ),
    );
    this.table.replaceChildren(el("thead", {}, head), el("tbody", {}, lines));
    this.table.style.setProperty("--cell", `${this.column}px`);
    this.table.style.setProperty("--head", `${this.head}px`);
    this.table.style.width = `${this.head + columns.length * this.column}px`;
  }
}
