// The service worker: caches the page's own files, so that it opens offline. Online, the server's files are used.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const KEPT = "b2nd";
const FILES = [
  "./",
  "index.html",
  "style.css",
  "page.js",
  "bytes.js",
  "dom.js",
  "engine.js",
  "facts.js",
  "overview.js",
  "picture.js",
  "schema.js",
  "served.js",
  "source.js",
  "state.js",
  "strange.js",
  "tree.js",
  "values.js",
  "view.js",
  "b2nd_web.js",
  "b2nd_web_bg.wasm",
  "example.b2nd",
  "four-dimensions.b2nd",
  "store.b2z",
  "broken.b2nd",
];
/** Cached on first use: the files that show values. */
const LATER = [
  "rows.js",
  "records.js",
  "columns.js",
  "cells.js",
  "moment.js",
  "array_view.js",
  "axes.js",
  "pixels.js",
  "controls.js",
  "drawings.js",
  "figure.js",
  "table.js",
  "heatmap.js",
  "lines.js",
  "reader.js",
  "sheet.js",
  "slices.js",
  "worker.js",
  "b2nd_values.js",
  "b2nd_values_bg.wasm",
];

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(KEPT)
      .then((cache) => cache.addAll(FILES))
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  // Files opened with ?url= are read with range requests, which are not cached.
  if (request.method !== "GET" || request.headers.has("Range") || !request.url.startsWith(worker.registration.scope)) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    const { pathname } = new URL(request.url);
    const isKept = LATER.some((name) => pathname.endsWith(`/${name}`)) || (await cache.match(request, { ignoreSearch: true }));
    if (response.ok && isKept) await cache.put(pathname, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
