// Creates elements. Text is inserted as text nodes and attributes, so names from a file are never parsed as HTML.

/** An element. Attributes `on…` are event listeners; those that are `false`, and children that are `null`, are left out. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number or BigInt with thousands separators. */
export function thousands(number) {
  return number.toLocaleString("en-US");
}

/** A count with its noun in the singular or plural. */
export function count(number, thing) {
  return `${thousands(number)} ${thing}${Number(number) === 1 ? "" : "s"}`;
}

/** A length in bytes, and from 1,024 bytes also in a larger unit. */
export function size(bytes) {
  const exact = count(bytes, "byte");
  let value = Number(bytes);
  if (value < 1024) return exact;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = -1;
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${exact} (${value.toFixed(1)} ${units[unit]})`;
}

/** Rounds the floats of a text to six significant digits, except in quotes. */
export function fewer(text) {
  const float = /"(?:[^"\\]|\\.)*"|(?<![\w.:])-?\d+(?:\.\d*(?:[eE][-+]?\d+)?|[eE][-+]?\d+)(?=[ij](?!\w)|[^\w.:]|$)/g;
  return text.replace(float, (number) => {
    const digits = number
      .replace(/[eE].*/, "")
      .replace(/\D/g, "")
      .replace(/^0+/, "");
    if (number.startsWith('"') || digits.length <= 6) return number;
    const rounded = Number(Number(number).toPrecision(6));
    const isLong = rounded !== 0 && (Math.abs(rounded) >= 1e6 || Math.abs(rounded) < 1e-4);
    return isLong ? rounded.toExponential().replace("e+", "e") : String(rounded);
  });
}

/** A name with its control and direction characters escaped. */
export function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);
}

/** JSON with the same characters escaped, except line breaks. */
export function visibleJson(text) {
  const escape = (mark) =>
    [...Array(mark.length).keys()].map((at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return text.replace(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, escape);
}

/** An error message. */
export function problem(message) {
  return el("p", { class: "problem", role: "alert" }, visible(message));
}

/** Secondary text. */
export function quiet(text) {
  return el("span", { class: "quiet" }, text);
}
