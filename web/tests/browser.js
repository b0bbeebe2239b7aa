// A browser, local servers, and helpers for the tests.

import { execFile, spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, basename, extname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { chromium } from "playwright-core";

/** True if `b2nd view` reads the files and answers the page's requests; otherwise the browser reads them with WebAssembly. */
export const isServed = process.env.B2ND_SERVED === "1";

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, "../..");
/** The files of the page, with or without WebAssembly. */
export const dist = process.env.B2ND_WEB_DIST ?? join(here, isServed ? "../page" : "../dist");
export const data = join(root, "tests/data");
export const tool = process.env.B2ND_TOOL ?? join(root, "target/debug/b2nd");

/** A test of features that only a page on a web server has: dropped or chosen files, URLs, and the cache. */
export const hosted = isServed ? () => {} : test;

/** The last two `b2nd view` processes of each page. The page may use the older one until it has loaded the newer one. */
const views = new Map();
const addresses = new Set();
let written;
after(() => {
  for (const children of views.values()) children.forEach((child) => child.kill("SIGKILL"));
  if (written) rmSync(written, { recursive: true });
});

/** Starts `b2nd view` for a page and returns the URL. */
export async function view(page, ...words) {
  const child = spawn(tool, ["view", "--no-open", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const children = [...(views.get(page) ?? []), child];
  children.slice(0, -2).forEach((old) => old.kill("SIGKILL"));
  views.set(page, children.slice(-2));
  const url = await new Promise((go, fail) => {
    createInterface({ input: child.stdout }).once("line", go);
    child.once("exit", (code) => fail(new Error(`b2nd view ${words.join(" ")} ended with ${code}`)));
  });
  addresses.add(new URL(url).origin);
  return url;
}

/** Shows a file or a folder on disk. */
export async function openPath(page, path, picker = "#pick-folder") {
  if (isServed) await page.goto(await view(page, path));
  else {
    await page.evaluate(() => document.getElementById("view").replaceChildren());
    await page.setInputFiles(picker, path);
  }
  await shown(page);
}

/** Opens a page that shows the file at a URL. `hash` is the view in the page's URL. */
export async function visitUrl(browser, home, url, hash, options) {
  const key = {};
  const address = isServed ? await view(key, url) : `${home.url}?url=${encodeURIComponent(url)}`;
  return visit(browser, address + hash, options);
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Serves a directory. If `ranges` is true, range requests are supported, also from other sites. `seen` lists the requests. */
export async function serve(directory, ranges = false) {
  const seen = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const file = join(directory, path === "/" ? "index.html" : path);
    seen.push(`${request.method} ${path} ${request.headers.range ?? ""}`.trim());
    const headers = { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" };
    if (ranges) Object.assign(headers, { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "Range" });
    if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404, headers).end();
    const { size } = statSync(file);
    const range = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (!range) {
      response.writeHead(200, { ...headers, "Content-Length": size });
      return request.method === "HEAD" ? response.end() : createReadStream(file).pipe(response);
    }
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), size - 1)];
    response.writeHead(206, { ...headers, "Content-Length": end - start + 1, "Content-Range": `bytes ${start}-${end}/${size}` });
    createReadStream(file, { start, end }).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/`, seen, close: () => server.close() };
}

/** The timeout in milliseconds, which is long enough for a busy machine. */
const PATIENCE = Number(process.env.B2ND_PATIENCE ?? 180_000);

export function launch() {
  return chromium.launch({
    timeout: PATIENCE,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Opens a new page and collects what goes wrong on it: messages, errors, and requests to other hosts. */
export async function visit(browser, url, { allowed = [], ...options } = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => wrong.push(`dialog: ${dialog.message()}`));
  context.on("request", (request) => {
    const hosts = [new URL(url).origin, ...addresses, ...allowed.map((other) => new URL(other).origin)];
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && !hosts.includes(origin)) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, wrong };
}

/** Drops a file with the given bytes, or starts `b2nd view` with it, and waits until it is shown. */
export async function drop(page, name, bytes) {
  if (isServed) {
    written ??= mkdtempSync(join(tmpdir(), "b2nd-view-"));
    const file = join(mkdtempSync(join(written, "file-")), name);
    writeFileSync(file, bytes);
    await page.goto(await view(page, file));
    return shown(page);
  }
  await page.evaluate(() => document.getElementById("view").replaceChildren());
  await page.evaluate(
    ([name, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, Buffer.from(bytes).toString("base64")],
  );
  await shown(page);
}

export async function shown(page) {
  await page.waitForFunction(
    () =>
      document.querySelector("#view .card, #view .problem") &&
      document.getElementById("status").textContent === "" &&
      !document.querySelector("#view [data-loading]"),
  );
}

/** The JSON that the page shows for programs. */
export async function shownJson(page) {
  const details = page.locator(".for-programs");
  if ((await details.count()) === 0) return null;
  await details.locator("summary").click();
  const all = details.locator("button");
  if ((await all.count()) > 0) await all.click();
  return JSON.parse(await details.locator("pre").textContent());
}

/** What the tool prints about a file: its objects, and the errors. */
export async function ask(path, ...options) {
  const run = promisify(execFile)(tool, ["info", "--json", ...options, basename(path)], { cwd: dirname(path), maxBuffer: 1 << 28 });
  const { stdout, stderr } = await run.catch((error) => error);
  return {
    objects: stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    errors: stderr,
  };
}
