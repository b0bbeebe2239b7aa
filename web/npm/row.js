// A row of a table as an object.

import { NULL } from "./columns.js";

/** Makes a row from its cells, which are texts or values. */
export function record(columns, cells) {
  const one = ({ spec }, cell) => (cell === NULL ? null : (cell.value ?? value(spec, cell)));
  return Object.fromEntries(columns.map((column, at) => [column.name, one(column, cells[at])]));
}

function value({ kind }, text) {
  if (/^u?int(8|16|32)$/.test(kind)) return Number(text);
  if (/^u?int64$/.test(kind)) return BigInt(text);
  if (/^float/.test(kind)) return number(text);
  if (/^complex/.test(kind)) return [.../^(.+)([+-].+)j$/.exec(text)].slice(1).map(number);
  if (kind === "bool") return text === "true";
  if (kind === "bytes") return bytes(text);
  // An array becomes a list of its items in C order.
  if (kind === "ndarray") return text === "[]" ? [] : text.slice(1, -1).split(", ").map(item);
  return text;
}

/** A number from its text, in which infinity is `inf`. */
function number(text) {
  return text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
}

function item(text) {
  if (text === "true" || text === "false") return text === "true";
  const value = number(text);
  return Number.isNaN(value) && text !== "NaN" ? text : value;
}

/** Bytes from a quoted text with escapes. */
function bytes(text) {
  const plain = text
    .slice(1, -1)
    .replace(/\\(?:x(..)|(.))/gs, (_, hex, char) =>
      hex ? String.fromCharCode(parseInt(hex, 16)) : ({ 0: "\0", n: "\n", r: "\r", t: "\t" }[char] ?? char),
    );
  return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}
