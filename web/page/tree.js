// A store's leaves as a tree.

import { count, el, visible } from "./dom.js";
import { lengths } from "./facts.js";

/** `leaves` have a `key` such as /group/name. `choose` is called with a clicked leaf; `describe` returns the text after its name. */
export function tree(leaves, describe, choose) {
  const root = { groups: new Map(), leaves: [] };
  for (const leaf of leaves) {
    const names = leaf.key.split("/").slice(1);
    let group = root;
    for (const name of names.slice(0, -1)) {
      if (!group.groups.has(name)) group.groups.set(name, { groups: new Map(), leaves: [] });
      group = group.groups.get(name);
    }
    group.leaves.push([names.at(-1) ?? leaf.key, leaf]);
  }
  const list = draw(root, describe, choose);
  list.classList.add("tree");
  return list;
}

function draw(group, describe, choose) {
  const groups = [...group.groups].map(([name, inner]) =>
    el("li", {}, el("details", { open: true }, el("summary", {}, `${visible(name)}/`), draw(inner, describe, choose))),
  );
  const leaves = group.leaves.map(([name, leaf]) =>
    el(
      "li",
      {},
      el(
        "button",
        { class: "leaf", type: "button", "data-key": leaf.key, onclick: () => choose(leaf) },
        el("span", { class: "leaf-name" }, visible(name) || "(the whole store)"),
        el("span", { class: "quiet" }, describe(leaf)),
      ),
    ),
  );
  return el("ul", {}, groups, leaves);
}

/** A short description of a leaf. */
export function words(frame) {
  if (frame.error !== undefined) return frame.error;
  if (frame.columns) return `table of ${count(frame.columns.length, "column")}, ${count(frame.rows ?? 0, "row")}`;
  if (!frame.array) return frame.kind.replaceAll("_", " ");
  const { dtype, element, shape } = frame.array;
  const type = element?.description?.split(", ")[0] ?? dtype;
  return lengths(shape) + (type === undefined ? "" : `: ${visible(type).slice(0, 40)}`);
}
