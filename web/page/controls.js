// The controls of the views: tabs for the kind of view, its axes, fields and range, and sliders for the other axes.

import { colorMaps } from "./pixels.js";
import { el, thousands, visible } from "./dom.js";

/** The views and the names of their tabs. */
export const VIEWS = { table: "Table", map: "Map", image: "Image", line: "Line", histogram: "Histogram" };

/** @param {import("./array_view.js").ArrayView} look */
export function build(look) {
  const { state, info } = look;
  const tabs = look.views.map((view) =>
    el(
      "button",
      {
        class: "tab",
        type: "button",
        role: "tab",
        "aria-selected": String(view === state.view),
        "data-view": view,
        onclick: () => look.change({ view }),
      },
      VIEWS[view],
    ),
  );
  const tablist = el("div", { class: "tabs", role: "tablist", "aria-label": "view" }, tabs);
  tablist.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = look.views[(look.views.indexOf(state.view) + step + look.views.length) % look.views.length];
    look.change({ view: next });
    event.preventDefault();
  });
  const choose = (label, value, options, change, name) => {
    const select = el(
      "select",
      { "data-control": name, onchange: () => change(select.value) },
      options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)),
    );
    return el("label", {}, label, select);
  };
  const controls = [];
  const numbered = info.shape
    .map((length, axis) => [axis, `${look.names[axis]} (${thousands(length)})`])
    .filter(([axis]) => !look.fixed().includes(axis));
  if (state.view === "line" && numbered.length > 1) {
    controls.push(choose("along", state.rows, numbered, (axis) => look.axis("rows", Number(axis)), "rows"));
  } else if (state.view !== "line" && state.columns >= 0) {
    controls.push(choose("down", state.rows, numbered, (axis) => look.axis("rows", Number(axis)), "rows"));
    controls.push(choose("across", state.columns, numbered, (axis) => look.axis("columns", Number(axis)), "columns"));
  }
  const draws = state.view !== "table" && state.view !== "image";
  if (draws && look.drawable.length > 1) {
    controls.push(
      choose(
        "field",
        state.column,
        look.drawable.map(({ at, name }) => [at, visible(name ?? "")]),
        (column) => look.change({ column: Number(column), low: null, high: null }),
        "field",
      ),
    );
  }
  if (draws && info.columns[state.column]?.complex) {
    controls.push(
      choose(
        "show",
        state.part,
        [
          [0, "magnitude"],
          [1, "phase"],
        ],
        (part) => look.change({ part: Number(part), low: null, high: null }),
        "part",
      ),
    );
  }
  const check = (name, label) => {
    const input = el("input", {
      type: "checkbox",
      checked: state[name],
      "data-control": name,
      onchange: () => look.change({ [name]: input.checked }),
    });
    return el("label", {}, input, label);
  };
  if (state.view === "map") {
    const names = Object.keys(colorMaps()).map((name) => [name, name]);
    controls.push(choose("colors", state.colors, names, (colors) => look.change({ colors }), "colors"));
  }
  if (state.view === "map" || state.view === "image") controls.push(check("ratio", "keep aspect ratio"));
  if (draws) {
    controls.push(check("log", "log scale"));
    const end = (name, label) => {
      const input = el("input", {
        type: "text",
        inputmode: "decimal",
        class: "end",
        value: state[name] ?? "",
        placeholder: "auto",
        "data-control": name,
        onchange: () => {
          const text = input.value.trim();
          const number = text === "" ? null : Number(text);
          input.setCustomValidity(Number.isNaN(number) ? "enter a number, or leave this empty" : "");
          if (Number.isNaN(number)) return;
          state[name] = number;
          look.update();
        },
      });
      return el("label", {}, label, input);
    };
    // Both ends are in one item, so that they stay together.
    controls.push(el("span", { class: "ends" }, end("low", "range from"), end("high", "to")));
  }
  const shown = look.axes().concat(look.fixed());
  const sliders = info.shape.flatMap((length, axis) => {
    if (shown.includes(axis) || length < 2) return [];
    const go = (value) => {
      const at = Math.min(Math.max(Math.round(value) || 0, 0), length - 1);
      slider.value = number.value = String(at);
      if (at === state.at[axis]) return;
      state.at[axis] = at;
      look.update();
    };
    const bounds = { min: 0, max: length - 1, value: state.at[axis] };
    const slider = el("input", { type: "range", ...bounds, "data-axis-at": axis, oninput: () => go(slider.valueAsNumber) });
    const number = el("input", {
      type: "number",
      class: "end",
      ...bounds,
      "aria-label": `index along ${look.names[axis]}`,
      onchange: () => go(number.valueAsNumber),
    });
    return [el("label", {}, look.names[axis], slider, el("span", {}, number, ` from 0 to ${thousands(length - 1)}`))];
  });
  const whole = el(
    "button",
    { class: "button", type: "button", "data-control": "whole", hidden: true, onclick: () => look.zoomTo(null) },
    "Show all",
  );
  look.whole = whole;
  const png =
    state.view === "table" ? null : el("button", { class: "button", type: "button", onclick: () => look.png() }, "Save PNG");
  const csv =
    state.view === "image" ? null : el("button", { class: "button", type: "button", onclick: () => look.csv() }, "Save CSV");
  look.controls.replaceChildren(
    el("div", { class: "look-bar" }, tablist, el("div", { class: "look-save" }, whole, png, csv)),
    controls.length ? el("div", { class: "controls" }, controls) : "",
    sliders.length ? el("div", { class: "sliders" }, sliders) : "",
  );
}
