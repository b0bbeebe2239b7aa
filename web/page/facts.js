// What a header, an array and a trailer say, as lists of labels and texts.

import { count, el, size, thousands, visible } from "./dom.js";

/** A list of [label, text, field, class]; a row without text is left out. */
export function facts(rows) {
  const list = el("dl", { class: "facts" });
  for (const [label, text, field, kind] of rows) {
    if (text === undefined || text === null) continue;
    list.append(el("div", {}, el("dt", {}, label), el("dd", { class: kind, "data-field": field }, text)));
  }
  return list;
}

/** Lengths as they are read: 10 × 13 × 7. */
export function lengths(shape) {
  return shape.length === 0 ? "()" : shape.map(thousands).join(" × ");
}

/** A codec or filter, and its parameter where it has one. */
function withMeta(name, meta) {
  return meta === 0 ? name : `${name} (meta ${meta})`;
}

/** How much smaller the data are. */
export function ratio(frame) {
  return Number(frame.cbytes) > 0 ? (Number(frame.nbytes) / Number(frame.cbytes)).toFixed(1) : null;
}

export function array(frame) {
  const { array } = frame;
  const { grid, element } = array;
  return facts([
    ["shape", lengths(array.shape), "shape", "is-shape"],
    ["chunkshape", lengths(array.chunkshape), "chunkshape", "is-chunk"],
    ["blockshape", lengths(array.blockshape), "blockshape", "is-block"],
    ["dtype", array.dtype === undefined ? null : visible(array.dtype), "dtype", "is-dtype"],
    ["element", element && (element.error ? `not known: ${element.error}` : element.description), "element"],
    ["elements", grid.error ?? thousands(grid.nitems), "nitems"],
    ["chunks", grid.error ? null : thousands(grid.nchunks), "nchunks"],
    ["blocks", grid.error ? null : `${thousands(grid.nblocks)}, ${thousands(grid.blocks_per_chunk)} in each chunk`, "nblocks"],
    ["padding", padding(grid.padding), "padding"],
    ["layout", `${array.layout}, version ${array.version}`, "layout"],
    ["stale", array.stale_bytes ? `${count(array.stale_bytes, "byte")} after the metadata` : null, "stale_bytes"],
  ]);
}

function padding(share) {
  if (share === undefined || share === null) return null;
  return share === 0 ? "none" : `${(100 * share).toFixed(1)}% of the chunks`;
}

export function storage(frame) {
  const filters = frame.filters.map(({ filter, meta }) => withMeta(filter, meta)).join(", ");
  const sign = [frame.variable_chunks && "variable chunks", frame.variable_blocks && "variable-length blocks"].filter(Boolean);
  return facts([
    ["frame", [frame.frame_type, `version ${frame.version}`, ...sign].join(", "), "frame_type"],
    ["length", size(frame.frame_len), "frame_len"],
    ["data", size(frame.nbytes), "nbytes"],
    ["compressed", size(frame.cbytes) + (ratio(frame) ? `, ratio ${ratio(frame)}` : ""), "cbytes"],
    ["codec", `${withMeta(frame.codec, frame.codec_meta)}, level ${frame.level}`, "codec"],
    ["filters", filters || "none", "filters"],
    ["split mode", frame.split_mode ?? "unknown", "split_mode"],
    ["typesize", size(frame.typesize), "typesize"],
    ["chunksize", size(frame.chunksize), "chunksize"],
    ["blocksize", size(frame.blocksize), "blocksize"],
    ["threads", `${frame.compression_threads} to compress, ${frame.decompression_threads} to decompress`, "threads"],
  ]);
}
