// What a header and an array say, as lists of labels and texts.

import { el, thousands } from "./dom.js";

/** Colours of what is coloured elsewhere too. */
const KINDS = { shape: "is-shape", chunkshape: "is-chunk", blockshape: "is-block", dtype: "is-dtype" };

/** A list of [label, text, field]. */
export function facts(rows) {
  return el(
    "dl",
    { class: "facts" },
    rows.map(([label, text, field]) =>
      el("div", {}, el("dt", {}, label), el("dd", { class: KINDS[field], "data-field": field }, text)),
    ),
  );
}

/** Lengths as they are read: 10 × 13 × 7. */
export function lengths(shape) {
  return shape.length === 0 ? "()" : shape.map(thousands).join(" × ");
}

/** How much smaller the data are. */
export function ratio(frame) {
  return Number(frame.cbytes) > 0 ? (Number(frame.nbytes) / Number(frame.cbytes)).toFixed(1) : null;
}
