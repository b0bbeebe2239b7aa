// The view of values as part of the URL, after #.

/** The view in a URL, or null. */
export function fromAddress(hash) {
  const words = new URLSearchParams(hash.slice(1));
  if (!words.has("view")) return null;
  const number = (name) =>
    words.has(name) && words.get(name) !== "" && Number.isFinite(Number(words.get(name))) ? Number(words.get(name)) : null;
  const zoom = [];
  for (const each of (words.get("zoom") ?? "").split(",")) {
    const found = /^(\d+):(\d+)-(\d+)$/.exec(each);
    if (found) zoom[Number(found[1])] = [Number(found[2]), Number(found[3])];
  }
  return {
    view: words.get("view"),
    leaf: words.get("leaf"),
    rows: number("rows") ?? undefined,
    columns: number("columns") ?? undefined,
    at: (words.get("at") ?? "")
      .split(",")
      .filter((each) => /^\d+$/.test(each))
      .map(Number),
    field: words.get("field"),
    part: words.get("part"),
    log: words.has("log"),
    colors: words.get("colors"),
    ratio: !words.has("stretch"),
    low: number("from"),
    high: number("to"),
    zoom,
    top: number("top") ?? 0,
    left: number("left") ?? 0,
  };
}

/** Writes the view to the URL, without a new entry in the browser's history. */
export function toAddress(state, info, key) {
  const words = new URLSearchParams({ view: state.view });
  if (key !== null && key !== undefined) words.set("leaf", key);
  if (info.shape.length > 1) {
    words.set("rows", state.rows);
    if (state.columns >= 0) words.set("columns", state.columns);
    words.set("at", state.at.join(","));
  }
  const name = info.columns[state.column]?.name;
  if (name !== null && name !== undefined) words.set("field", name);
  if (state.part === 1) words.set("part", "phase");
  if (state.log) words.set("log", "");
  if (state.colors !== "viridis") words.set("colors", state.colors);
  if (!state.ratio) words.set("stretch", "");
  if (state.low !== null) words.set("from", state.low);
  if (state.high !== null) words.set("to", state.high);
  const zoom = state.zoom.map((range, axis) => range && `${axis}:${range[0]}-${range[1]}`).filter(Boolean);
  if (zoom.length) words.set("zoom", zoom.join(","));
  if (state.view === "table") {
    words.set("top", state.top);
    words.set("left", state.left);
  }
  clearTimeout(waiting);
  // Browsers reject URLs that change too often, such as during scrolling. Each file has its own entry in the history.
  const place = JSON.stringify(history.state);
  waiting = setTimeout(() => {
    if (JSON.stringify(history.state) === place) history.replaceState(history.state, "", `#${words}`);
  }, 150);
}

let waiting;

/** Removes the view from the URL. */
export function forgetAddress() {
  clearTimeout(waiting);
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
}
