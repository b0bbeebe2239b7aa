// Cells of columns in batches: strings, bytes, dictionaries, lists, structs and objects. The module returns them as JSON.

import { parse } from "./engine.js";
import { stamp } from "./moment.js";

/** The number with up to 8 digits that is the same 32-bit float, or the number itself if there is none. */
const float32 = (number) =>
  [6, 7, 8].map((digits) => Number(number.toPrecision(digits))).find((near) => Math.fround(near) === number) ?? number;

/** A struct as an object. If it looks like a special form, the module returns its fields as pairs. */
const named = (value) => (Array.isArray(value.map) ? Object.fromEntries(value.map) : value);

/** The value of a cell, by the type of its column: 64-bit integers as BigInt, times as strings, bytes as arrays. */
export function typed(spec, value) {
  if (value === null || value === undefined) return null;
  const { kind } = spec;
  if (kind === "list") return value.map((item) => typed(spec.item, item));
  if (kind === "struct")
    return Object.fromEntries(spec.fields.map((field) => [field.name, typed(field, named(value)[field.name])]));
  if (kind === "timestamp") return stamp(BigInt(value), spec);
  if (/^u?int64$/.test(kind)) return BigInt(value);
  if (/^float/.test(kind)) {
    const number = Number(value.float?.replace("inf", "Infinity") ?? value);
    return kind === "float32" ? float32(number) : number;
  }
  if (/^complex/.test(kind)) return value.complex;
  if (/bytes$/.test(kind)) return Uint8Array.from(value.bytes.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  return value;
}

/** The text of a value. Strings are in quotes only inside lists and structs. */
export function text(value, isInside = false) {
  if (typeof value === "string") return isInside ? JSON.stringify(value) : value;
  if (value instanceof Uint8Array) return `"${Array.from(value, escaped).join("")}"`;
  if (Array.isArray(value)) return `[${value.map((item) => text(item, true)).join(", ")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}: ${text(inner, true)}`)
      .join(", ")}}`;
  return String(value);
}

/** A byte as text, escaped if it is a quotation mark, a backslash or not printable. */
function escaped(byte) {
  const char = String.fromCharCode(byte);
  if (byte < 0x20 || byte > 0x7e) return `\\x${byte.toString(16).padStart(2, "0")}`;
  return char === '"' || char === "\\" ? `\\${char}` : char;
}

/** The values of cells that the module returned, by the type of their column. */
export const values = (spec, cells) => cells.map((cell) => typed(spec, parse(cell)));
