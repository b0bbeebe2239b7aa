// Lists of labels and texts about a header and an array.

import { el, thousands, visible } from "./dom.js";

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

/** The compression ratio, as the tool prints it. The padding of an array's chunks does not count as data. */
export function ratio({ nbytes, cbytes, typesize, array }) {
  const bytes = array?.grid?.nitems === undefined ? Number(nbytes) : Number(array.grid.nitems) * typesize;
  return bytes > 0 && Number(cbytes) > 0 ? (bytes / Number(cbytes)).toFixed(1) : null;
}

/** The names of an array's axes: those of the attribute `dims`, or of xarray's `_ARRAY_DIMENSIONS`, or `axis 0`. */
export function axisNames({ array, trailer }) {
  const valueOf = (name) => trailer.vlmetalayers?.find((layer) => layer.name === name)?.value;
  const dims = valueOf("dims") ?? valueOf("_ARRAY_DIMENSIONS");
  const given = (axis) => Array.isArray(dims) && typeof dims[axis] === "string" && visible(dims[axis]);
  return array.shape.map((_, axis) => given(axis) || `axis ${axis}`);
}
