// The columns of a table as its schema describes them.

import { count, el, visible } from "./dom.js";

/** Plain names for some types of a schema. */
const NAMES = { utf8: "string", vlstring: "string", vlbytes: "bytes", expression: "computed", dsl: "computed" };

/** A NumPy dtype as a word: `<i2` is int16. */
function dtype(text) {
  const [, code, size] = /^[<>|=]?([iufc])(\d+)$/.exec(text) ?? [];
  return code ? `${{ i: "int", u: "uint", f: "float", c: "complex" }[code]}${8 * Number(size)}` : text;
}

/** The type of a column, an item or a field as text. */
function type(spec) {
  const { kind } = spec;
  if (kind === "list") return `list of ${type(spec.item ?? {})}`;
  if (kind === "struct") return `struct of ${(spec.fields ?? []).map((field) => `${field.name}: ${type(field)}`).join(", ")}`;
  if (kind === "dictionary") return `dictionary of ${type(spec.value_type ?? {})}`;
  if (kind === "ndarray") return `array of ${(spec.item_shape ?? []).join(" × ")} ${dtype(spec.dtype_str ?? "")}`;
  const name = NAMES[kind] ?? String(kind ?? "unknown");
  const unit = name.includes("bytes") ? "byte" : "character";
  return (spec.max_length ?? null) === null ? name : `${name}, at most ${count(spec.max_length, unit)}`;
}

/** A table of the columns: name, type, nullable, unit. */
export function columns({ columns }) {
  const units = columns.map((column) => [column.unit, column.timezone].filter(Boolean).join(", "));
  const heads = ["column", "type", "nullable", ...(units.some(Boolean) ? ["unit"] : [])];
  const row = (column, at) => {
    const texts = [String(column.name), type(column), column.nullable ? "yes" : "no", units[at]];
    return el(
      "tr",
      {},
      heads.map((_, place) => el("td", {}, visible(texts[place]))),
    );
  };
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "columns" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((head) => el("th", {}, head)),
        ),
      ),
      el("tbody", {}, columns.map(row)),
    ),
  );
}
