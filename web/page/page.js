// Opens files and shows what is in them.

import { bytes } from "./bytes.js";
import { count, el, problem, size, thousands, visible, visibleJson } from "./dom.js";
import { Opened, load } from "./engine.js";
import { axisNames, facts, lengths, ratio } from "./facts.js";
import { Picture } from "./picture.js";
import { Served } from "./served.js";
import { FileSource, Folder, UrlSource, listed, ofAddress } from "./source.js";
import { forgetAddress, fromAddress } from "./state.js";
import { tree, words } from "./tree.js";
import { entries, folded, json } from "./values.js";

const view = document.getElementById("view");
const start = document.getElementById("start");
const status = document.getElementById("status");

let opened = null;
/** The number of the last request to show a file or the start. */
let turn = 0;
/** The sources in the browser's history, which refers to them by index. */
const sources = [];

/** A promise of the files that the page's own URL names, or null. */
let chosen = null;
/** The parameters of the page's own URL, which can name files. */
const named = new URLSearchParams(location.search);
const isNamed = named.has("url") || named.has("list");
const isAtHome = named.getAll("url").every((url) => URL.parse?.(url, location.href)?.origin === location.origin);
if (isAtHome) stayHome();
// A list may come from `b2nd view`, without which the page does not work, so the page is not cached.
if (!named.has("list")) keepForOffline();
listen();
visited(history.state);

/** Shows an entry of the browser's history. */
function visited(state) {
  if (sources[state?.source] !== undefined) open(() => sources[state.source]);
  else if (isNamed) open(async () => (await choices())[0].open());
  else goHome();
}

/** Finds the files that the page's URL names. Several get a menu. */
function choices() {
  chosen ??= (async () => {
    const list = named.get("list");
    const all = list === null ? named.getAll("url").map(ofAddress) : await listed(new URL(list, location.href));
    if (all.length > 1) {
      const select = el(
        "select",
        { id: "files", "aria-label": "file", onchange: () => visit(() => all[select.selectedIndex].open()) },
        all.map(({ name }) => el("option", {}, visible(name))),
      );
      document.querySelector(".open").before(select);
    }
    return all;
  })();
  // A server that could not be reached may answer the next time.
  chosen.catch(() => (chosen = null));
  return chosen;
}

function goHome() {
  turn += 1;
  opened?.close();
  opened = null;
  view.hidden = true;
  view.replaceChildren();
  start.hidden = false;
  document.body.classList.remove("is-open");
  document.title = "b2nd: what is in a Blosc2 file";
  status.textContent = "";
}

/** Opens a source, and adds it to the browser's history. */
function visit(find) {
  return open(async () => {
    const source = await find();
    // The view of values after # belongs to another file, so the new URL omits it.
    history.pushState({ source: sources.push(source) - 1 }, "", location.pathname + location.search);
    return source;
  });
}

/** Allows connections only to this page's own host. A policy that is added later can only be narrower. */
function stayHome() {
  document.head.append(el("meta", { "http-equiv": "Content-Security-Policy", content: "connect-src 'self'" }));
}

function keepForOffline() {
  // Without a service worker, for example over http from another machine, the page does not open offline.
  navigator.serviceWorker?.register("offline.js").catch(() => {});
}

function listen() {
  document.getElementById("pick-file").addEventListener("change", (event) => picked(event, (files) => new FileSource(files[0])));
  document.getElementById("pick-folder").addEventListener("change", (event) => picked(event, (files) => Folder.fromPicked(files)));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-example]"))) {
    button.addEventListener("click", () => visit(() => example(button.dataset.example)));
  }
  document.getElementById("drop").addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("button, label") === null) document.getElementById("pick-file").click();
  });
  document.getElementById("address").addEventListener("submit", (event) => {
    event.preventDefault();
    // Loads the page again, because this one may not connect to other hosts.
    const { value } = /** @type {HTMLInputElement} */ (document.getElementById("url"));
    location.search = String(new URLSearchParams({ url: value.trim() }));
  });
  addEventListener("popstate", (event) => visited(event.state));
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (document.body.classList.contains("is-served")) {
      status.textContent = "To show another file, start `b2nd view` with its name.";
      return;
    }
    // Both have to be read before the first await.
    const entry = event.dataTransfer.items[0]?.webkitGetAsEntry?.();
    const file = event.dataTransfer.files[0];
    if (entry?.isDirectory) visit(() => Folder.fromEntry(entry));
    else if (file) visit(() => new FileSource(file));
  });
}

function picked(event, source) {
  const files = [...event.target.files];
  event.target.value = "";
  if (files.length > 0) visit(() => source(files));
}

async function example(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return new FileSource(new File([await response.blob()], name));
}

/** Opens what `find` returns, unless another file was requested meanwhile. */
async function open(find) {
  const mine = ++turn;
  const waiting = setTimeout(() => {
    status.textContent = "Reading …";
  }, 300);
  try {
    const next = await openedFrom(await find());
    const seen = await next.ask("look");
    if (mine !== turn) return next.close();
    opened?.close();
    opened = next;
    await show(next, seen);
  } catch (error) {
    if (mine === turn)
      present(el("div", { class: "head" }, el("h1", {}, "Cannot be opened"), problem(error.message ?? String(error))));
  } finally {
    clearTimeout(waiting);
    if (mine === turn) status.textContent = "";
  }
}

/** Opens a source in WebAssembly, or a file of `b2nd view` on its server. */
async function openedFrom(source) {
  if (source.door) {
    // The page of `b2nd view` has no WebAssembly, and shows only the files of its list.
    document.body.classList.add("is-served");
    document.querySelector(".brand").setAttribute("href", location.search);
    return new Served(source);
  }
  await load();
  return new Opened(source);
}

function present(...children) {
  start.hidden = true;
  view.hidden = false;
  view.replaceChildren(...children);
  document.body.classList.add("is-open");
  scrollTo(0, 0);
}

async function show(file, seen) {
  const name = visible(file.name);
  document.title = `${name}: b2nd`;
  if (seen.error !== undefined) {
    return present(el("div", { class: "head" }, el("h1", {}, name), problem(seen.error)));
  }
  if (!seen.store) {
    return present(...(await frame(file, name)));
  }
  const place = el("div", { class: "stack leaf-view", "data-loading": true });
  const buttons = () => [.../** @type {NodeListOf<HTMLElement>} */ (view.querySelectorAll(".leaf"))];
  let chosen = null;
  const choose = async (leaf) => {
    // If the leaf is already shown, its open parts and selections are kept.
    if (chosen === leaf && place.dataset.shown === leaf.key) return;
    chosen = leaf;
    buttons().forEach((button) => button.toggleAttribute("aria-current", button.dataset.key === leaf.key));
    place.dataset.loading = "";
    file.leaf = seen.leaves.indexOf(leaf);
    const children = await leafView(file, leaf);
    if (chosen !== leaf) return;
    place.replaceChildren(...children);
    delete place.dataset.loading;
    place.dataset.shown = leaf.key;
  };
  const { store, leaves } = seen;
  // A store that is one table is shown without a tree.
  const isTable = leaves.length === 1 && leaves[0].key === "/" && leaves[0].columns;
  const content = isTable ? words(leaves[0]) : count(leaves.length, "leaf").replace("leafs", "leaves");
  const go = (leaf) => {
    forgetAddress();
    return choose(leaf);
  };
  const nav = () =>
    el(
      "nav",
      { class: "stack", "aria-label": "In the store" },
      card("In the store", leaves.length ? tree(leaves, words, go) : el("p", { class: "quiet" }, "nothing")),
      attributes("Attributes of the store", store.vlmeta),
      ...Object.entries(store.groups ?? {}).map(([key, values]) => attributes(`Attributes of ${visible(key)}`, values)),
    );
  present(
    el(
      "div",
      { class: "head" },
      el("h1", {}, name, badge(store.kind ?? store.format ?? "folder")),
      el("p", { class: "summary" }, content + (file.size === null ? "" : `, ${size(file.size)}`)),
    ),
    isTable ? place : el("div", { class: "store" }, nav(), place),
  );
  const linked = fromAddress(location.hash)?.leaf;
  if (leaves.length > 0) await choose(leaves.find(({ key }) => key === linked) ?? leaves[0]);
}

async function leafView(file, leaf) {
  const title = visible(leaf.key);
  if (leaf.columns) {
    const { columns } = await import("./schema.js");
    return [
      leaf.key === "/" ? null : el("div", { class: "head" }, el("h2", { class: "leaf-title" }, title, badge("ctable"))),
      card("Rows", rows(file, leaf), "wide rows-card"),
      card(count(leaf.columns.length, "column"), columns(leaf), "columns-card"),
      attributes("Attributes", leaf.vlmeta),
    ].filter(Boolean);
  }
  if (leaf.remote)
    return [
      el(
        "div",
        { class: "head" },
        el("h2", { class: "leaf-title" }, title),
        el(
          "p",
          { class: "summary" },
          visible(`A reference to ${leaf.remote[1]} on the server ${leaf.remote[0]}. Its values are not in this file.`),
        ),
      ),
    ];
  return frame(file, title, leaf.key);
}

/** The grid of a table's rows. */
function rows(file, leaf) {
  const place = el("div", { class: "look", "data-loading": true }, el("span", { class: "quiet" }, "Reading …"));
  import("./rows.js")
    .then(({ Rows }) => new Rows(place, file, leaf).open())
    .catch((error) => place.replaceChildren(problem(error.message ?? String(error))))
    .finally(() => delete place.dataset.loading);
  return place;
}

/** The cards that show a frame. */
async function frame(file, title, key = null) {
  const [info, parts] = [await file.ask("info"), await file.ask("bytes")];
  const dump = Array.isArray(parts) ? byteCard(parts) : card("Bytes", problem(parts.error), "wide");
  if (info.error !== undefined) {
    const { strange } = await import("./strange.js");
    const what = Array.isArray(parts) ? strange(parts[0].bytes) : null;
    const said = what === null ? problem(info.error) : [problem(what), el("p", { class: "quiet" }, visible(info.error))];
    return [el("div", { class: "head" }, el("h1", {}, title, badge("cannot be read")), said), dump];
  }
  const [grid, said] = [await file.ask("grid"), await file.ask("facts")];
  const own = info.array && ["b2nd", "caterva"].find((name) => info.metalayers.some((layer) => layer.name === name));
  const others = info.metalayers.filter((layer) => layer.name !== own);
  const trailer = info.trailer;
  return [
    el(
      "div",
      { class: "head" },
      el("h1", {}, title, badge(info.kind.replaceAll("_", " "))),
      el("p", { class: "summary" }, sentence(info)),
      info.array_error === undefined ? null : problem(info.array_error),
      trailer.error === undefined ? null : problem(trailer.error),
    ),
    el(
      "div",
      { class: "cards" },
      info.array && info.array.grid.error === undefined
        ? card("Values", values(file, key, axisNames(info)), "wide values-card")
        : null,
      el(
        "div",
        { class: "stack" },
        said.array ? card("Array", facts(said.array)) : null,
        fields(info.array?.element?.fields),
        card("Frame", facts(said.frame)),
        others.length ? card("Metalayers", entries(others)) : null,
      ),
      el(
        "div",
        { class: "stack" },
        picture(file, info, grid),
        trailer.vlmetalayers?.length ? card("Attributes", entries(trailer.vlmetalayers)) : null,
      ),
      dump,
      card(
        "For programs",
        el(
          "details",
          { class: "for-programs" },
          el("summary", {}, "the output of ", el("code", {}, "b2nd info --json")),
          folded(visibleJson(JSON.stringify(info, bigints, 2))),
        ),
        "wide",
      ),
    ),
  ];
}

/** The card of values. They are read on request, or at once if the URL has a view. */
function values(file, key, names) {
  const place = el("div", { class: "look" });
  const look = async (state) => {
    place.dataset.loading = "";
    place.replaceChildren(el("span", { class: "quiet" }, "Reading …"));
    try {
      const { ArrayView } = await import("./array_view.js");
      await new ArrayView(place, file, key, names, file.sources?.some(([, source]) => source instanceof UrlSource) ?? false).open(
        state,
      );
    } catch (error) {
      place.replaceChildren(problem(error.message ?? String(error)));
      delete place.dataset.loading;
    }
  };
  const state = fromAddress(location.hash);
  // Waits for the layout, since a view is as wide as its parent.
  if (state !== null && state.leaf === key) setTimeout(() => look(state));
  else place.append(el("button", { class: "button primary", type: "button", onclick: () => look({}) }, "Look at the values"));
  if (state !== null && state.leaf === key) place.dataset.loading = "";
  return place;
}

/** The card of header and trailer, byte by byte. It is folded unless it has an error. */
function byteCard(parts) {
  const length = parts.reduce((sum, part) => sum + part.bytes.length / 2, 0);
  const place = el("div", {});
  const fill = () => {
    if (place.childElementCount === 0) place.append(...bytes(parts.map((part) => ({ ...part, bytes: fromHex(part.bytes) }))));
  };
  const fold = el(
    "details",
    { class: "bytes-fold", ontoggle: fill },
    el("summary", {}, `${count(length, "byte")} of header and trailer, and their meaning`),
    place,
  );
  if (parts.some((part) => part.errors.length > 0)) {
    fold.open = true;
    fill();
  }
  return card("Bytes and their meaning", fold, "wide bytes-card");
}

function bigints(key, value) {
  return typeof value === "bigint" ? (/** @type {any} */ (JSON).rawJSON?.(String(value)) ?? String(value)) : value;
}

function sentence(info) {
  // A sparse frame has its chunks in other files.
  const length = info.frame_type === "sparse" ? info.cbytes : info.frame_len;
  const how = `${info.codec} level ${info.level}, ${size(length)}${ratio(info) ? `, ratio ${ratio(info)}` : ""}`;
  if (!info.array) return how;
  const { description, fields, itemsize } = info.array.element ?? {};
  const structures = fields && `structures with ${count(fields.length, "field")}, ${count(itemsize, "byte")}`;
  const what = structures ?? description;
  return `shape ${lengths(info.array.shape)}${what ? `: ${what}` : ""}; ${how}`;
}

function picture(file, info, grid) {
  if (!info.array) return null;
  if (info.array.grid.error !== undefined) return card("Chunks and blocks", problem(info.array.grid.error));
  if (grid === null) return card("Chunks and blocks", el("p", { class: "quiet" }, "The array is empty: it has no chunks."));
  return card("Chunks and blocks", new Picture(file, info.array, grid, axisNames(info)).element);
}

function fields(list) {
  if (!list?.length) return null;
  const row = (field, depth) => {
    const name = el("td", {}, visible(field.name));
    name.style.setProperty("--depth", depth);
    return [
      el(
        "tr",
        {},
        name,
        el("td", {}, el("code", {}, visible(field.dtype))),
        el("td", {}, thousands(field.offset)),
        el("td", {}, thousands(field.itemsize)),
      ),
      ...(field.fields ?? []).flatMap((inner) => row(inner, depth + 1)),
    ];
  };
  return card(
    "Fields",
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "fields" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["field", "dtype", "offset", "bytes"].map((text) => el("th", {}, text)),
          ),
        ),
        el(
          "tbody",
          {},
          list.flatMap((field) => row(field, 0)),
        ),
      ),
    ),
  );
}

function attributes(title, values) {
  const list = Object.entries(values ?? {}).map(([name, value]) => ({ name, name_hex: "", value }));
  return list.length ? card(title, entries(list)) : null;
}

function badge(text) {
  return el("span", { class: "badge" }, text);
}

function card(title, content, kind = "") {
  return el("section", { class: `card ${kind}` }, el("h2", {}, title), content);
}

function fromHex(hex) {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) => parseInt(hex.slice(2 * index, 2 * index + 2), 16));
}
