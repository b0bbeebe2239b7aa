// The table view. Rows and columns are fetched when they come into view.

import { el, problem } from "./dom.js";
import { Sheet } from "./sheet.js";
import { toAddress } from "./state.js";

/**
 * Shows the table. Its rows and columns are two axes, one axis and the fields of structures, or one axis.
 * @param {import("./array_view.js").ArrayView} look
 */
export function table(look) {
  const { info, state } = look;
  const names = info.shape.length < 2 && info.fields.length ? info.fields : null;
  if (look.sheet) look.sheet.reset();
  else {
    const across = state.columns >= 0 && info.shape.length > 1;
    look.sheet = new Sheet({
      rows: info.shape.length ? info.shape[state.rows] : 1,
      columns: names ? names.length : across ? info.shape[state.columns] : 1,
      names,
      width: width(info, names),
      // Floats are rounded; strings in structures are in quotes and stay as they are.
      isText: () => names === null && /^[<>|=]?[US]\d/.test(info.dtype ?? ""),
      rounds: () => !/^[<>|=]?[USM]/.test(info.dtype ?? ""),
      get: (from, to, left, right) => cells(look, from, to, left, right, names !== null),
      moved: (top, left) => {
        Object.assign(state, { top, left });
        toAddress(state, info, look.key);
      },
    });
    Object.assign(look.sheet, { top: state.top, left: state.left });
    const row = el("input", { type: "number", min: 0, value: state.top, class: "end", "data-control": "row" });
    const go = el(
      "form",
      {
        class: "look-go",
        onsubmit: (event) => {
          event.preventDefault();
          look.sheet.go(Number(row.value), look.sheet.left);
        },
      },
      el("label", {}, "row ", row),
      el("button", { class: "button", type: "submit" }, "Go"),
    );
    look.stage.replaceChildren(look.sheet.element, go);
  }
  delete look.element.dataset.loading;
  look.sheet.draw();
}

/** @param {import("./array_view.js").ArrayView} look */
async function cells(look, from, to, left, right, fields) {
  const want = { ...look.want(), drawn: [], room: [], fields, forms: ["texts"] };
  if (want.rows >= 0) [want.start[want.rows], want.end[want.rows]] = [from, to];
  if (want.columns >= 0) [want.start[want.columns], want.end[want.columns]] = [left, right];
  const answer = await look.reader.look(want);
  if (answer === null) return null;
  if (answer.error !== undefined) {
    look.notes.replaceChildren(problem(answer.error));
    return [];
  }
  look.shown = { want, answer };
  look.say(want, answer);
  return fields ? answer.texts.map((row) => row.slice(left, right)) : answer.texts;
}

/** The width of a column in characters. */
function width(info, names) {
  if (names) return 18;
  const dtype = info.dtype ?? "";
  if (/^[<>|=]?[iu?b]1?$/.test(dtype) || /[iu][12]$/.test(dtype)) return 8;
  if (/[iu]4$/.test(dtype)) return 12;
  if (/[MSUV]/.test(dtype)) return 26;
  if (/c/.test(dtype)) return 24;
  return /[\[{(]/.test(dtype) ? 36 : 12;
}
