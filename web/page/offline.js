// Keeps the page's own files, so that it opens without a network. With one, what is new comes first.

const KEPT = "b2nd";
const FILES = ["./", "index.html", "style.css", "page.js", "bytes.js", "dom.js", "engine.js", "facts.js", "overview.js", "picture.js", "source.js", "tree.js", "values.js", "b2nd_web.js", "b2nd_web_bg.wasm", "example.b2nd", "four-dimensions.b2nd", "store.b2z", "broken.b2nd"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  // A file behind ?url= is the network's alone.
  if (request.method !== "GET" || request.headers.has("Range") || !request.url.startsWith(registration.scope)) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    if (response.ok && (await cache.match(request, { ignoreSearch: true }))) await cache.put(new URL(request.url).pathname, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
