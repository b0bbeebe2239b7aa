// Lists of labels and texts about a header and an array.

import { el, thousands } from "./dom.js";

/** Colors that the picture also uses. */
const KINDS = { shape: "is-shape", chunkshape: "is-chunk", blockshape: "is-block", dtype: "is-dtype" };

/** A definition list from [label, text, field]. */
export function facts(rows) {
  return el(
    "dl",
    { class: "facts" },
    rows.map(([label, text, field]) =>
      el("div", {}, el("dt", {}, label), el("dd", { class: KINDS[field], "data-field": field }, text)),
    ),
  );
}

/** A shape as text: 10 × 13 × 7. */
export function lengths(shape) {
  return shape.length === 0 ? "()" : shape.map(thousands).join(" × ");
}

/** The compression ratio. */
export function ratio(frame) {
  return Number(frame.cbytes) > 0 ? (Number(frame.nbytes) / Number(frame.cbytes)).toFixed(1) : null;
}
