// Bytes and their meaning. Pointing at one side marks the same row on the other.

import { count, el, thousands, visible } from "./dom.js";

/** The number of bytes of a long part that are shown at first. More are shown if an error is further into the part. */
const SHOWN = 4096;

/**
 * The parts of a frame. Each has a `title`, its position in the file (`start`; for a leaf of a `.b2z` store, in the archive),
 * its `bytes`, and `rows` with `offset` (from the part's first byte), `length`, `depth`, `marker`, `name`, `value`. An error has a
 * `message` and, if it is known, the `position` of the wrong byte.
 */
export function bytes(parts) {
  return parts.map((part) => {
    const limit = part.bytes.length > SHOWN * 1.5 ? SHOWN : part.bytes.length;
    const holder = el("div", { class: "part" });
    fill(holder, part, limit);
    return holder;
  });
}

function fill(holder, part, limit) {
  // If an error is far into a long part, the bytes before and after it are shown too.
  const [error] = part.errors;
  const shown = error?.position >= limit ? Math.min(part.bytes.length, error.position + 256) : limit;
  const perLine = matchMedia("(max-width: 40rem)").matches ? 8 : 16;
  const rows = part.rows.filter((row) => row.offset < shown);
  const dump = el("div", { class: "hex", role: "img", "aria-label": `${part.title} in hexadecimal` }, [
    ...dumpLines(part, rows, shown, perLine),
  ]);
  const list = el(
    "ol",
    { class: "meanings", tabindex: "0", role: "listbox", "aria-label": `meaning of the bytes of the ${part.title}` },
    rows.map(meaning),
  );
  const more = part.bytes.length - shown;
  holder.replaceChildren(
    el("h3", {}, part.title, el("span", { class: "quiet" }, ` ${count(part.bytes.length, "byte")} at ${thousands(part.start)}`)),
    error ? el("p", { class: "problem" }, visible(error.message)) : "",
    el("div", { class: "sides" }, dump, list),
    more > 0
      ? el(
          "button",
          { class: "link", onclick: () => fill(holder, part, part.bytes.length) },
          `show the other ${count(more, "byte")}`,
        )
      : "",
  );
  link(dump, list, rows.length);
  const wrong = dump.querySelector(".wrong");
  if (wrong) requestAnimationFrame(() => bringIntoView(dump, wrong));
}

function meaning(row, index) {
  const item = el(
    "li",
    { "data-row": index, role: "option", class: row.stale ? "stale" : undefined },
    el("span", { class: "meaning-name" }, visible(row.name)),
    el("span", { class: "meaning-value" }, visible(row.value)),
    row.marker ? el("span", { class: "meaning-marker" }, row.marker) : null,
  );
  item.style.setProperty("--depth", Math.min(row.depth, 8));
  return item;
}

/** Lines of bytes, split into runs that belong to one row each. */
function* dumpLines(part, rows, shown, perLine) {
  const [error] = part.errors;
  const digits = Math.max(4, (part.start + part.bytes.length).toString(16).length);
  const wrong = error?.position;
  let row = 0;
  const rowOf = (at) => {
    while (row < rows.length && at >= rows[row].offset + rows[row].length) row += 1;
    return row < rows.length && at >= rows[row].offset ? row : -1;
  };
  for (let at = -(part.start % perLine); at < shown; at += perLine) {
    const line = el(
      "div",
      { class: "hex-line" },
      el("span", { class: "hex-place" }, (part.start + Math.max(at, 0)).toString(16).padStart(digits, "0")),
    );
    const cells = el("span", { class: "hex-bytes" });
    if (at < 0) cells.append(el("span", {}, "   ".repeat(-at)));
    let [run, runRow, text] = [null, -2, ""];
    for (let byte = Math.max(at, 0); byte < Math.min(at + perLine, shown); byte += 1) {
      const [owner, isWrong] = [rowOf(byte), byte === wrong];
      if (owner !== runRow || isWrong || run?.className.includes("wrong")) {
        run = el("span", { class: isWrong ? "run wrong" : "run", "data-row": owner < 0 ? undefined : owner });
        if (isWrong) run.title = error.message;
        cells.append(run);
        runRow = owner;
      }
      run.append(`${part.bytes[byte].toString(16).padStart(2, "0")} `);
      const code = part.bytes[byte];
      text += code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
    }
    if (wrong === shown && at + perLine >= shown) cells.append(el("span", { class: "run wrong", title: error.message }, "⟨end⟩"));
    line.append(cells, el("span", { class: "hex-text", "aria-hidden": "true" }, " ".repeat(Math.max(-at, 0)) + text));
    yield line;
  }
}

/** Marks a row on both sides as the pointer or the arrow keys go over it. */
function link(dump, list, count) {
  let marked = -1;
  const mark = (row, from) => {
    if (row === marked) return;
    for (const side of [dump, list]) {
      side.querySelectorAll(".marked").forEach((element) => element.classList.remove("marked"));
      const elements = side.querySelectorAll(`[data-row="${row}"]`);
      elements.forEach((element) => element.classList.add("marked"));
      if (side !== from && elements.length > 0) bringIntoView(side, elements[0]);
    }
    list.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
    list.querySelector(`[data-row="${row}"]`)?.setAttribute("aria-selected", "true");
    marked = row;
  };
  for (const side of [dump, list]) {
    side.addEventListener("pointerover", (event) => {
      const owner = event.target.closest("[data-row]");
      if (owner) mark(Number(owner.dataset.row), side);
    });
    side.addEventListener("click", (event) => {
      const owner = event.target.closest("[data-row]");
      if (owner) mark(Number(owner.dataset.row), side);
    });
  }
  list.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -count, End: count };
    const step = steps[event.key];
    if (step === undefined || count === 0) return;
    event.preventDefault();
    mark(Math.min(Math.max(marked + step, 0), count - 1), null);
  });
}

/** Scrolls one side without scrolling the page. */
function bringIntoView(side, element) {
  const [outer, inner] = [side.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) side.scrollTop -= outer.top - inner.top + outer.height / 3;
  else if (inner.bottom > outer.bottom) side.scrollTop += inner.bottom - outer.bottom + outer.height / 3;
}
