// The controls of a view: which one, its axes and fields, its range, sliders for the other axes.

import { el, thousands, visible } from "./dom.js";

/** The views, and what their tabs are called. */
export const VIEWS = { table: "Table", map: "Map", image: "Image", line: "Line", histogram: "Histogram" };

/** @param {import("./look.js").Look} look */
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
  const tablist = el("div", { class: "tabs", role: "tablist", "aria-label": "how values are shown" }, tabs);
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
    .map((length, axis) => [axis, `axis ${axis} (${thousands(length)})`])
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
  if (draws) {
    const log = el("input", {
      type: "checkbox",
      checked: state.log,
      "data-control": "log",
      onchange: () => look.change({ log: log.checked }),
    });
    controls.push(el("label", {}, log, "log scale"));
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
          input.setCustomValidity(Number.isNaN(number) ? "a number" : "");
          if (Number.isNaN(number)) return;
          state[name] = number;
          look.update();
        },
      });
      return el("label", {}, label, input);
    };
    controls.push(end("low", "from"), end("high", "to"));
  }
  const shown = look.axes().concat(look.fixed());
  const sliders = info.shape.flatMap((length, axis) => {
    if (shown.includes(axis) || length < 2) return [];
    const value = el("output", {}, `${thousands(state.at[axis])} of ${thousands(length)}`);
    const slider = el("input", {
      type: "range",
      min: 0,
      max: length - 1,
      value: state.at[axis],
      "data-axis-at": axis,
      oninput: () => {
        value.textContent = `${thousands(Number(slider.value))} of ${thousands(length)}`;
        state.at[axis] = Number(slider.value);
        look.update();
      },
    });
    return [el("label", {}, `axis ${axis}`, slider, value)];
  });
  const whole = el(
    "button",
    { class: "button", type: "button", "data-control": "whole", hidden: true, onclick: () => look.zoomTo(null) },
    "Show all",
  );
  look.whole = whole;
  const png = state.view === "table" ? null : el("button", { class: "button", type: "button", onclick: () => look.png() }, "PNG");
  const csv = state.view === "image" ? null : el("button", { class: "button", type: "button", onclick: () => look.csv() }, "CSV");
  look.controls.replaceChildren(
    el("div", { class: "look-bar" }, tablist, el("div", { class: "look-save" }, whole, png, csv)),
    controls.length ? el("div", { class: "controls" }, controls) : "",
    sliders.length ? el("div", { class: "sliders" }, sliders) : "",
  );
}
