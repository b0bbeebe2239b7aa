// The page in a browser, compared with the tool's output for the same files. `web/ci` runs this.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
  ftruncateSync,
  closeSync,
  existsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { size } from "../page/dom.js";
import {
  ask,
  data,
  dist,
  drop,
  hosted,
  isServed,
  launch,
  openPath,
  root,
  serve,
  shown,
  shownJson,
  tool,
  view,
  visit,
} from "./browser.js";

const CORPUS = join(root, "../shared/corpus/stores");

let browser, home, scratch;
before(async () => {
  browser = await launch();
  home = await serve(dist);
  scratch = mkdtempSync(join(tmpdir(), "b2nd-web-"));
});
after(async () => {
  await browser?.close();
  home?.close();
  if (scratch) rmSync(scratch, { recursive: true });
});

const files = (directory, ends) =>
  readdirSync(directory, { recursive: true })
    .map((path) => join(directory, path))
    .filter((path) => ends.test(path) && statSync(path).isFile())
    .sort();

const example = () => readFileSync(join(data, "example.b2nd"));

/** Waits until an element contains a text. */
async function says(element, text) {
  await element.filter({ hasText: text }).waitFor();
}

/** The texts of the labeled facts. */
const facts = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll("#view dd[data-field]")].map((fact) => [fact.dataset.field, fact.textContent]),
    ),
  );

const thousands = (number) => number.toLocaleString("en-US");
const lengths = (shape) => (shape.length ? shape.map(thousands).join(" × ") : "()");

test("a length of 1024.0 of a unit is 1.0 of the next, as in the tool", () => {
  assert.equal(size(1_048_575), "1,048,575 bytes (1.0 MiB)");
  assert.equal(size(1023), "1,023 bytes");
  assert.equal(size(35_184_372_088_832n), "35,184,372,088,832 bytes (32.0 TiB)");
});

test("every frame of tests/data, dropped, is shown as the tool shows it", async () => {
  const { page, wrong } = await visit(browser, home.url);
  const frames = files(data, /\.(b2nd|b2frame|cframe|caterva)$/);
  assert.ok(frames.length >= 80, `${frames.length} files`);
  let refused = 0;
  for (const file of frames) {
    await drop(page, basename(file), readFileSync(file));
    const { objects, errors } = await ask(file);
    const [object] = objects;
    if (objects.length > 1) {
      await compareLeaves(page, file, objects);
      continue;
    }
    const json = await shownJson(page);
    const text = await page.locator("#view").textContent();
    if (object === undefined) {
      refused += 1;
      const sentence = errors.trim().slice(`${basename(file)}: `.length);
      assert.ok(text.includes(sentence), `${file}: ${sentence}`);
      continue;
    }
    assert.deepEqual(json, object, file);
    const said = await facts(page);
    assert.ok(said.codec.startsWith(object.codec) && said.codec.endsWith(`level ${object.level}`), file);
    assert.ok(said.nbytes.startsWith(`${thousands(object.nbytes)} byte`), file);
    assert.equal(
      said.filters,
      object.filters.map(({ filter, meta }) => (meta ? `${filter} (meta ${meta})` : filter)).join(", ") || "none",
      file,
    );
    if (object.array) {
      for (const field of ["shape", "chunkshape", "blockshape"]) assert.equal(said[field], lengths(object.array[field]), file);
      if (!object.array.grid.error) assert.equal(said.nchunks, thousands(object.array.grid.nchunks), file);
    }
    for (const { name } of object.trailer.vlmetalayers ?? []) {
      if (name !== null && /^\w+$/.test(name)) assert.ok(text.includes(`"${name}"`), `${file}: ${name}`);
    }
  }
  assert.ok(refused > 0 && refused < 20, `${refused} refused`);
  assert.deepEqual(wrong, []);
});

/** Compares the leaves of the shown store with the lines that the tool prints after the first. */
async function compareLeaves(page, file, [, ...leaves]) {
  const shownKeys = await page.locator("#view .leaf").evaluateAll((buttons) => buttons.map((button) => button.dataset.key));
  // A store that consists of one table has no tree.
  const isTable = leaves.length === 1 && leaves[0].key === "/" && leaves[0].columns;
  assert.deepEqual(shownKeys.toSorted(), isTable ? [] : leaves.map(({ key }) => key).toSorted(), file);
  for (const leaf of leaves) {
    if (!isTable) await page.locator(`#view .leaf[data-key=${JSON.stringify(leaf.key)}]`).click();
    await page.waitForFunction((key) => document.querySelector("#view .leaf-view")?.dataset.shown === key, leaf.key);
    if (leaf.columns) {
      const text = await page.locator("#view").textContent();
      for (const { name } of leaf.columns) assert.ok(text.includes(name), `${file} ${name}`);
    } else {
      assert.deepEqual(await shownJson(page), leaf, `${file} ${leaf.key}`);
    }
  }
}

test("stores are trees, and each leaf is shown as the tool shows it", async () => {
  const { page, wrong } = await visit(browser, home.url);
  const stores = files(data, /\.b2z$/).concat(
    existsSync(CORPUS) ? files(CORPUS, /\.(b2z|b2e)$/).filter((file) => !file.includes(".b2d/")) : [],
  );
  assert.ok(stores.length >= 2);
  for (const file of stores) {
    await drop(page, basename(file), readFileSync(file));
    await compareLeaves(page, file, (await ask(file)).objects);
  }
  assert.deepEqual(wrong, []);
});

test(
  "what python-blosc2 wrote of every kind is shown as the tool shows it",
  { skip: !existsSync(CORPUS) && "no corpus next to the checkout" },
  async () => {
    const { page, wrong } = await visit(browser, home.url);
    const all = readdirSync(CORPUS)
      .filter((name) => /\.(b2nd|b2b|b2frame|bl2)$/.test(name))
      .map((name) => join(CORPUS, name));
    assert.ok(all.length >= 15);
    for (const file of all) {
      await drop(page, basename(file), readFileSync(file));
      assert.deepEqual(await shownJson(page), (await ask(file)).objects[0], file);
    }
    assert.deepEqual(wrong, []);
  },
);

test("folders: a sparse frame with the sizes of its chunks, and a store", async () => {
  const { page, wrong } = await visit(browser, home.url);
  const sparse = join(data, "python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd");
  await openPath(page, sparse);
  assert.deepEqual(await shownJson(page), (await ask(sparse)).objects[0]);
  const pointed = page.locator(".pointed");
  for (const [number, at] of ["0,0", "0,1", "1,0"].entries()) {
    await page.locator(`[data-at="${at}"]`).hover();
    const name = `${number.toString(16).toUpperCase().padStart(8, "0")}.chunk`;
    await pointed.getByText(`${thousands(statSync(join(sparse, name)).size)} bytes in ${name}`).waitFor();
  }
  if (existsSync(CORPUS)) {
    const store = join(CORPUS, "tree.b2d");
    await openPath(page, store);
    await compareLeaves(page, store, (await ask(store)).objects);
  }
  assert.deepEqual(wrong, []);
});

test("hostile names stay text", async () => {
  const { page, wrong } = await visit(browser, home.url);
  const bytes = example();
  const replace = (from, to) => {
    assert.equal(from.length, to.length);
    for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at, "latin1");
  };
  replace("station", "<i>y</i");
  replace("b2nd tests", "<svg/onl=>");
  replace("history", "\u001b[31m<b");
  const name = "<img src=x onerror=alert(1)>\u202egnp.b2nd";
  await drop(page, name, bytes);
  assert.equal(await page.locator("#view i, #view img, #view b, #view svg:not(.picture)").count(), 0);
  const text = await page.locator("#view").textContent();
  for (const expected of ["<img src=x onerror=alert(1)>\\u{202e}gnp.b2nd", "<i>y</i", "<svg/onl=>", "[31m<b"])
    assert.ok(text.includes(expected), expected);
  assert.ok(!/[\u202e\u001b]/.test(text) && !/[\u202e\u001b]/.test(await page.title()));
  assert.deepEqual(wrong, []);
});

test("the byte at which a file is damaged is marked", async () => {
  const { page } = await visit(browser, home.url);
  // Damages the markers of the typesize of the frame, of a length of the array, and of the trailer.
  const bytes = example();
  const array = bytes.indexOf(Buffer.from([0x97, 0, 3, 0x93]));
  const trailer = bytes.length - bytes.readUInt32BE(bytes.length - 22);
  for (const [at, value] of [
    [0x2f, 0xd3],
    [array + 4, 0xcf],
    [trailer, 0x95],
  ]) {
    const broken = example();
    broken[at] = value;
    await drop(page, "broken.b2nd", broken);
    const marked = page.locator("#view .hex .wrong");
    assert.equal((await marked.textContent()).trim(), value.toString(16), `byte ${at}`);
    const line = await marked.evaluate((byte) => byte.closest(".hex-line").querySelector(".hex-place").textContent);
    const first = parseInt(line, 16);
    assert.ok(first <= at && at < first + 16, `byte ${at} on the line of ${first}`);
    assert.ok((await page.locator("#view .problem").first().textContent()).length > 20);
  }
  await drop(page, "cut.b2nd", example().subarray(0, 200));
  assert.equal(await page.locator("#view .hex .wrong").textContent(), "⟨end⟩");
});

test("other formats are named, and the page keeps working", async () => {
  const { page, wrong } = await visit(browser, home.url);
  const random = Buffer.from(Array.from({ length: 20000 }, (_, at) => (at * 7919 + (at >> 3)) & 255));
  for (const [name, bytes] of [
    ["empty", Buffer.alloc(0)],
    ["one", Buffer.from([0x9e])],
    ["noise.b2nd", random],
    ["text.zip", Buffer.from("PK\u0003\u0004 no archive")],
  ]) {
    await drop(page, name, bytes);
    assert.ok((await page.locator("#view .problem").first().textContent()).length > 10, name);
  }
  assert.deepEqual(wrong, []);
});

test("damaged copies of a file are shown or rejected, and the page keeps working", async () => {
  const { page, wrong } = await visit(browser, home.url);
  await drop(page, "example.b2nd", example());
  let seed = 1;
  for (let round = 0; round < 150; round += 1) {
    const bytes = example();
    for (let damage = 0; damage < 3; damage += 1) {
      seed = (seed * 48271) % 2147483647;
      // Only the header and the trailer are changed, because their damage is visible.
      const place = seed % 603;
      bytes[place < 320 ? place : bytes.length - 603 + place] = seed >> 8;
    }
    await drop(page, `damaged${round}.b2nd`, bytes);
  }
  assert.deepEqual(wrong, []);
});

/** Writes a file of 5 GB of which the disk holds only the ends. */
function large(file) {
  const bytes = example();
  const length = 5e9;
  const tail = bytes.subarray(320 + Number(bytes.readBigInt64BE(0x27)));
  bytes.writeBigUInt64BE(BigInt(length), 0x10);
  bytes.writeBigInt64BE(BigInt(length - 320 - tail.length), 0x27);
  const handle = openSync(file, "w");
  writeSync(handle, bytes.subarray(0, 320));
  ftruncateSync(handle, length);
  writeSync(handle, tail, 0, tail.length, length - tail.length);
  closeSync(handle);
}

hosted("a file of 5 GB opens from a few kilobytes", async () => {
  const file = join(scratch, "large.b2nd");
  large(file);
  const { page, wrong } = await visit(browser, home.url);
  await drop(page, "example.b2nd", example());
  await page.evaluate(() => {
    window.readBytes = 0;
    const slice = File.prototype.slice;
    File.prototype.slice = function (start, end) {
      window.readBytes += Math.min(end, this.size) - start;
      return slice.call(this, start, end);
    };
  });
  await page.setInputFiles("#pick-file", file);
  await page.waitForFunction(() => document.querySelector("#view h1")?.textContent.startsWith("large"));
  await page.waitForFunction(() => /(byte|bytes|iB)\)? at byte [\d,]+$/.test(document.querySelector(".pointed")?.textContent));
  const read = await page.evaluate(() => window.readBytes);
  assert.ok(read < 20000, `${read} bytes read of a file of 5 GB`);
  assert.deepEqual(wrong, []);
});

if (isServed)
  test("`b2nd view` opens a file of 5 GB at once, and its page has no controls for other files", async () => {
    const file = join(scratch, "large.b2nd");
    large(file);
    const { page, wrong } = await visit(browser, home.url);
    const url = await view(page, file);
    const began = Date.now();
    await page.goto(url);
    await page.waitForFunction(() => /(byte|bytes|iB)\)? at byte [\d,]+$/.test(document.querySelector(".pointed")?.textContent));
    console.log(`a file of 5 GB: ${Date.now() - began} ms`);
    assert.ok(Date.now() - began < 10_000);
    assert.ok(await page.locator("#pick-file").isHidden());
    // If the server has ended, the page shows a message.
    for (const _ of "ab") await view(page, join(data, "example.b2nd"));
    await page.locator(".sliders input").first().fill("1");
    await page.getByText("`b2nd view` does not answer: has it ended?").waitFor();
    assert.deepEqual(
      wrong.filter((line) => !line.includes("ERR_CONNECTION_REFUSED")),
      [],
    );
  });

if (isServed)
  test("`b2nd view -r` has a menu of the files below a directory", async () => {
    const { page, wrong } = await visit(browser, home.url);
    await page.goto(await view(page, "-r", join(data, "grid")));
    await shown(page);
    const names = await page.locator("#files option").allTextContents();
    assert.deepEqual(
      names,
      files(join(data, "grid"), /\.(b2nd|b2frame|caterva)$/).map((path) => basename(path)),
    );
    await page.locator("#files").selectOption({ label: "m8_4d.b2nd" });
    await page.waitForFunction(() => document.querySelector("#view h1")?.textContent.startsWith("m8_4d"));
    await shown(page);
    assert.equal((await shownJson(page)).array.shape.length, 4);
    assert.deepEqual(wrong, []);
  });

hosted("a URL is read by range requests, and a server without them is an error", async () => {
  const far = await serve(data, true);
  const plain = await serve(data);
  const { page, wrong } = await visit(browser, `${home.url}?url=${encodeURIComponent(`${far.url}example.b2nd`)}`, {
    allowed: [far.url],
  });
  await shown(page);
  assert.equal((await shownJson(page)).frame_len, 4794);
  const asked = far.seen.filter((line) => line.startsWith("GET"));
  assert.ok(asked.length <= 4 && asked.every((line) => line.includes("bytes=")), asked.join("\n"));
  assert.deepEqual(wrong, []);
  const other = await visit(browser, `${home.url}?url=${encodeURIComponent(`${plain.url}example.b2nd`)}`, { allowed: [plain.url] });
  await shown(other.page);
  assert.match(await other.page.locator("#view .problem").textContent(), /cannot be reached|range requests/);
  far.close();
  plain.close();
});

test("without ?url= the page can connect only to its own host", async () => {
  const far = await serve(data, true);
  const { page } = await visit(browser, home.url);
  await drop(page, "example.b2nd", example());
  const reached = await page.evaluate(
    (url) =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    `${far.url}example.b2nd`,
  );
  assert.equal(reached, false);
  assert.deepEqual(far.seen, []);
  far.close();
});

hosted("it works offline once it is loaded", async () => {
  const { page, context } = await visit(browser, home.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await context.setOffline(true);
  await page.reload();
  await page.locator("[data-example]").first().click();
  await shown(page);
  assert.equal((await shownJson(page)).kind, "ndarray");
});

test("the picture: chunks under the pointer, arrow keys, axes, sliders, dragging", async () => {
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1400 } });
  await drop(page, "example.b2nd", example());
  const pointed = page.locator(".pointed");
  await pointed.getByText(/(byte|bytes|iB)\)? at byte [\d,]+$/).waitFor();
  // Numbers, coordinates and elements agree with the grid: 2 × 2 × 2 chunks of 6 × 7 × 5 elements in an array of 10 × 13 × 7.
  await page.locator('[data-at="0,1,1"]').hover();
  await says(pointed, /chunk 3 at \(0, 1, 1\)elements \[0:6, 7:13, 5:7\]/);
  await page.mouse.move(2, 2);
  const canvas = page.locator(".picture-scroll");
  await canvas.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await says(pointed, /chunk 3 at \(0, 1, 1\)/);
  await page.locator(".sliders input").first().fill("1");
  await says(pointed, /chunk 7 at \(1, 1, 1\)elements \[6:10, 7:13, 5:7\]/);
  await page.locator("select[data-axis='0']").selectOption("0");
  await page.locator('[data-at="0,1,0"]').waitFor();
  assert.equal(await page.locator('[data-at="0,0,0"]').count(), 0);
  // The sizes of all chunks agree with the tool.
  const [{ chunks }] = (await ask(join(data, "example.b2nd"), "--chunks")).objects;
  for (const chunk of chunks) {
    for (let number = chunk.first; number <= chunk.last; number += 1) {
      const at = [number >> 2, (number >> 1) & 1, number & 1];
      for (const [axis, value] of at.entries()) await page.locator(".sliders input").nth(axis).fill(String(value));
      const place = chunk.offset === undefined ? "has no bytes of its own" : `${thousands(chunk.cbytes)} bytes`;
      await says(pointed, new RegExp(`^chunk ${number} `));
      const text = await pointed.textContent();
      assert.ok(text.includes(`chunk ${number} `) && text.includes(place), `${number}: ${text}`);
      if (chunk.offset !== undefined) assert.ok(text.endsWith(`at byte ${thousands(320 + chunk.offset)}`), text);
    }
  }
  // If there are more chunks than fit, dragging moves the window.
  await drop(page, "i4_2d.b2nd", readFileSync(join(data, "grid/i4_2d.b2nd")));
  await page.getByRole("button", { name: "fewer and larger chunks" }).click();
  await page.waitForFunction(() => document.querySelectorAll("[data-at]").length === 4);
  const before = await page.locator("[data-at]").evaluateAll((chunks) => chunks.map((chunk) => chunk.dataset.at));
  assert.deepEqual(before, ["0,0", "0,1", "1,0", "1,1"]);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.8);
  await page.mouse.down();
  await page.mouse.move(box.x + 10, box.y + 10, { steps: 8 });
  await page.mouse.up();
  await page.locator('[data-at="2,2"]').waitFor();
  const now = await page.locator("[data-at]").evaluateAll((chunks) => chunks.map((chunk) => chunk.dataset.at));
  assert.deepEqual(now, ["1,1", "1,2", "2,1", "2,2"]);
  assert.deepEqual(wrong, []);
});

test("10,000 chunks have an overview, and a click in it goes there", async () => {
  // An array of 1000 x 1000 bytes from a .npy file, in chunks of 10 x 10.
  const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1000, 1000), }".padEnd(117) + "\n";
  const values = Buffer.from(Array.from({ length: 1e6 }, (_, at) => (at % 1000 < 500 ? 0 : (at * 7919) >> 5)));
  const npy = join(scratch, "many.npy");
  writeFileSync(npy, Buffer.concat([Buffer.from("\x93NUMPY\x01\x00v\x00", "latin1"), Buffer.from(header), values]));
  const file = join(scratch, "many.b2nd");
  execFileSync(tool, ["import", npy, file, "--chunks", "10,10"]);
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1400 } });
  await drop(page, "example.b2nd", example());
  assert.ok(await page.locator(".overview").isHidden(), "all 8 chunks are in the picture");
  await drop(page, "many.b2nd", readFileSync(file));
  const overview = page.locator(".overview");
  await overview.getByText("larger ones have a stronger color").waitFor();
  const canvas = overview.locator("canvas");
  const box = await canvas.boundingBox();
  await page.mouse.click(box.x + box.width * 0.755, box.y + box.height * 0.425);
  await says(page.locator(".pointed"), /at \(42, 75\)elements \[420:430, 750:760\]/);
  // Noise takes more bytes than zeros, so its cell has a stronger color.
  const [quiet, noise] = await canvas.evaluate((drawn) => {
    const { data } = drawn.getContext("2d").getImageData(0, Math.floor(drawn.height * 0.9), drawn.width, 1);
    return [0.1, 0.9].map((share) => [...data.slice(4 * Math.floor(drawn.width * share)).slice(0, 4)].join());
  });
  assert.notEqual(quiet, noise);
  assert.deepEqual(wrong, []);
});

hosted("Back returns to the start and Forward to the file; the drop zone can be clicked; a URL can be typed", async () => {
  const far = await serve(data, true);
  const { page } = await visit(browser, home.url, { allowed: [far.url] });
  await drop(page, "example.b2nd", example());
  await page.goBack();
  assert.ok((await page.locator("#start").isVisible()) && (await page.locator("#view").isHidden()));
  await page.goForward();
  await shown(page);
  assert.equal(await page.locator("#view h1").textContent(), "example.b2ndndarray");
  await page.goBack();
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.locator("#drop").click({ position: { x: 8, y: 8 } }),
  ]);
  await chooser.setFiles(join(data, "example.b2nd"));
  await shown(page);
  await page.goBack();
  await page.locator("#url").fill(`${far.url}example.b2nd`);
  await page.locator("#url").press("Enter");
  await page.waitForURL(/\?url=/);
  await shown(page);
  assert.equal((await shownJson(page)).frame_len, 4794);
  far.close();
});

hosted("a folder without Blosc2 says so", async () => {
  const { page, wrong } = await visit(browser, home.url);
  const folder = join(scratch, "nothing");
  mkdirSync(folder);
  writeFileSync(join(folder, "readme.txt"), "text");
  await page.setInputFiles("#pick-folder", folder);
  await page.locator("#view .problem").waitFor();
  assert.match(await page.locator("#view .problem").textContent(), /no Blosc2 frame was found in it/);
  assert.deepEqual(wrong, []);
});

test("pointing at bytes marks what they mean, and the reverse", async () => {
  const { page, wrong } = await visit(browser, home.url);
  await drop(page, "example.b2nd", example());
  assert.equal(await page.locator(".part").count(), 0, "bytes are folded until they are wanted");
  await page.locator(".bytes-fold > summary").click();
  const part = page.locator(".part").first();
  await part.locator(".meanings li", { hasText: "frame_len" }).hover();
  assert.equal((await part.locator(".hex .marked").allTextContents()).join("").replaceAll(" ", ""), "cf00000000000012ba");
  await part.locator(".meanings").focus();
  await part.locator(".hex .run").first().hover();
  assert.match(await part.locator(".meanings .marked").textContent(), /^header/);
  await page.keyboard.press("ArrowDown");
  assert.match(await part.locator(".meanings .marked").textContent(), /^magic/);
  // Every byte of the header and the trailer is shown once.
  const dumped = await page.locator(".hex-bytes").allTextContents();
  const whole = example();
  const [header, trailer] = [whole.subarray(0, 320), whole.subarray(whole.length - 283)];
  assert.equal(dumped.join("").replaceAll(/\s/g, ""), header.toString("hex") + trailer.toString("hex"));
  assert.deepEqual(wrong, []);
});

test("the page fits a phone's width, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, wrong } = await visit(browser, home.url, { viewport: { width: 360, height: 740 }, colorScheme });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits());
    for (const file of ["example.b2nd", "python-blosc2-3.9.0/meta__fifteen.b2nd", "python-blosc2-4.14.1/treestore__dfltb2z.b2z"]) {
      await drop(page, basename(file), readFileSync(join(data, file)));
      assert.ok(await fits(), `${file}: ${await page.evaluate(() => document.documentElement.scrollWidth)}`);
    }
    assert.deepEqual(wrong, []);
  }
});

test("offline, the page has every script that it imports", () => {
  const page = join(root, "web/page");
  const source = (name) => readFileSync(join(page, name), "utf8");
  const listed = (name) =>
    source("offline.js")
      .split(`const ${name} = [`)[1]
      .split("]")[0]
      .match(/[\w-]+\.\w+/g);
  const [first, later] = [listed("FILES"), listed("LATER")];
  const scripts = readdirSync(page).filter((name) => name.endsWith(".js") && name !== "offline.js");
  assert.deepEqual(
    scripts.filter((name) => !first.includes(name) && !later.includes(name)),
    [],
  );
  for (const name of first.filter((name) => scripts.includes(name))) {
    const needed = [...source(name).matchAll(/^import .*? from "\.\/(.*?)";$/gm)].map(([, file]) => file);
    assert.deepEqual(
      needed.filter((file) => !first.includes(file)),
      [],
      name,
    );
  }
});

hosted("scripts and wasm stay under 280 kB compressed for the metadata, and under 690 kB with the values", () => {
  const values =
    /^(b2nd_values|schema|strange|array_view|rows|records|columns|cells|moment|axes|pixels|figure|controls|drawings|table|heatmap|lines|reader|sheet|slices|worker)(_bg)?\.(js|wasm)$/;
  const sizes = readdirSync(dist)
    .filter((name) => /\.(js|wasm)$/.test(name))
    .map((name) => [name, gzipSync(readFileSync(join(dist, name)), { level: 9 }).length]);
  const total = (list) => list.reduce((sum, [, size]) => sum + size, 0);
  const [metadata, all] = [total(sizes.filter(([name]) => !values.test(name))), total(sizes)];
  console.log(`scripts and wasm: ${metadata} bytes compressed, with the values ${all}`);
  assert.ok(metadata < 280_000, `${metadata} bytes`);
  assert.ok(all < 690_000, `${all} bytes`);
});

hosted("several URLs make a menu, and so does a list of files and folders on the page's own host", async () => {
  const far = await serve(data, true);
  const both = ["example.b2nd", "grid/i4_2d.b2nd"].map((name) => `url=${encodeURIComponent(far.url + name)}`).join("&");
  const { page, wrong } = await visit(browser, `${home.url}?${both}`, { allowed: [far.url] });
  await shown(page);
  assert.equal(await page.locator("#view h1").textContent(), "example.b2ndndarray");
  await page.locator("#files").selectOption({ label: "i4_2d.b2nd" });
  await page.waitForFunction(() => document.querySelector("#view h1")?.textContent.startsWith("i4_2d"));
  await shown(page);
  far.close();

  const sparse = join(data, "python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd");
  const files = readdirSync(sparse).map((path) => ({ path, url: `files/1/${path}`, size: statSync(join(sparse, path)).size }));
  const site = join(scratch, "site");
  cpSync(dist, site, { recursive: true });
  cpSync(sparse, join(site, "files/1"), { recursive: true });
  cpSync(join(data, "example.b2nd"), join(site, "files/0"));
  const list = [
    { name: "first.b2nd", url: "files/0" },
    { name: "sparse.b2sd", files },
  ];
  writeFileSync(join(site, "list.json"), JSON.stringify(list));
  writeFileSync(join(site, "far.json"), JSON.stringify([{ name: "x", url: "https://example.org/x" }]));
  const own = await serve(site, true);
  const other = await visit(browser, `${own.url}?list=list.json`);
  await shown(other.page);
  assert.equal(await other.page.locator("#view h1").textContent(), "first.b2ndndarray");
  assert.equal((await shownJson(other.page)).frame_len, 4794);
  await other.page.locator("#files").selectOption({ label: "sparse.b2sd" });
  await other.page.waitForFunction(() => document.querySelector("#view h1")?.textContent.startsWith("sparse"));
  await shown(other.page);
  assert.equal((await shownJson(other.page)).kind, "ndarray");
  await other.page.goto(`${own.url}?list=far.json`);
  await other.page.locator("#view .problem").waitFor();
  assert.match(
    await other.page.locator("#view .problem").textContent(),
    /a list and its files must have this page's scheme, host and port/,
  );
  own.close();
  assert.deepEqual([wrong, other.wrong], [[], []]);
});

test("other formats have messages in words", async () => {
  const { page, wrong } = await visit(browser, home.url);
  for (const [name, bytes, words] of [
    ["notes.txt", Buffer.from("hello\nthis is text\n"), "This looks like a text file, not a Blosc2 file."],
    ["nothing", Buffer.alloc(0), "The file is empty."],
    [
      "a.npy",
      Buffer.from("\x93NUMPY\x01\x00", "latin1"),
      "This is a NumPy file (.npy), not a Blosc2 file. `b2nd import` converts it to an array.",
    ],
  ]) {
    await drop(page, name, bytes);
    assert.ok((await page.locator("#view .problem").first().textContent()).startsWith(words), name);
  }
  assert.deepEqual(wrong, []);
});

hosted("missing servers have messages in words", async () => {
  const gone = await serve(data, true);
  const plain = await serve(data);
  gone.close();
  const refused = await visit(browser, `${home.url}?url=${encodeURIComponent(`${gone.url}example.b2nd`)}`, { allowed: [gone.url] });
  await shown(refused.page);
  const sentence = await refused.page.locator("#view .problem").textContent();
  assert.ok(sentence.includes("there was no answer") && !sentence.includes("CORS"), sentence);
  const closed = await visit(browser, `${home.url}?url=${encodeURIComponent(`${plain.url}example.b2nd`)}`, {
    allowed: [plain.url],
  });
  await shown(closed.page);
  assert.match(await closed.page.locator("#view .problem").textContent(), /does not allow other pages to read from it \(CORS\)/);
  plain.close();
});
