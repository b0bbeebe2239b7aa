// Metalayers and attributes: names, and values as JSON.

import { count, el, visible, visibleJson } from "./dom.js";

const WIDTH = 84;

/** The number of lines of a long value that are shown at first. */
const LINES = 12;

/** A value as JSON, on one line if that is short enough. */
export function json(value, indent = "") {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return visibleJson(JSON.stringify(value));
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => json(item, inner))
    : Object.entries(value).map(([key, item]) => `${visibleJson(JSON.stringify(key))}: ${json(item, inner)}`);
  const line = `${open}${parts.join(", ")}${close}`;
  if (!line.includes("\n") && indent.length + line.length <= WIDTH) return line;
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

/** Lines of text: the first ones, and a button for the rest. */
export function folded(text) {
  const lines = text.split("\n").flatMap((line) => line.match(/.{1,2000}/gsu) ?? [""]);
  if (lines.length <= LINES && text.length <= 2000) return el("pre", {}, text);
  const shown = lines.slice(0, LINES).join("\n").slice(0, 1200);
  const pre = el("pre", {}, `${shown}\n…`);
  const all = el(
    "button",
    {
      class: "link",
      onclick: () => {
        pre.textContent = text;
        all.remove();
      },
    },
    `show all, ${count(lines.length, "line")}`,
  );
  return el("div", {}, pre, all);
}

/** A name in quotes, or its bytes if it is not text. */
export function name(entry) {
  return entry.name === null ? `bytes ${entry.name_hex}` : visibleJson(JSON.stringify(entry.name));
}

/** A value as JSON or text, or its bytes if it is neither. */
function content(entry) {
  if (entry.error !== undefined) return el("p", { class: "problem" }, `cannot be read: ${entry.error}`);
  if (entry.value_error !== undefined) return el("p", { class: "problem" }, `cannot be read: ${entry.value_error}`);
  // A string with several lines is shown as text.
  if (typeof entry.value === "string" && entry.value.includes("\n")) {
    return folded(entry.value.split("\n").map(visible).join("\n"));
  }
  // Attributes of a store have only values.
  if (["c0", undefined].includes(entry.content) || (entry.value !== null && entry.value !== undefined))
    return folded(json(entry.value));
  if (entry.content)
    return el(
      "div",
      {},
      el("span", { class: "quiet" }, "cannot be read as MessagePack: "),
      el("code", {}, entry.content.slice(0, 400) + (entry.content.length > 400 ? "…" : "")),
    );
  return el("span", { class: "quiet" }, "empty");
}

function stored(entry) {
  if (entry.nbytes === undefined) return entry.length === undefined ? "" : count(entry.length, "byte");
  const kind = entry.kind === "stored" ? "" : `, ${count(entry.cbytes, "byte")} in the file (${entry.kind})`;
  return count(entry.nbytes, "byte") + kind;
}

/** A list of metalayers or attributes. */
export function entries(list) {
  return el(
    "div",
    { class: "entries" },
    list.map((entry) =>
      el(
        "div",
        { class: "entry", "data-name": entry.name_hex },
        el(
          "div",
          { class: "entry-head" },
          el("span", { class: "entry-name" }, name(entry)),
          el("span", { class: "quiet" }, stored(entry)),
        ),
        content(entry),
      ),
    ),
  );
}
