// Values on the page, compared with the tool's output for the same arrays. `web/ci` runs this.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";

import { data, dist, drop, launch, root, serve, shown, tool, visit, visitUrl } from "./browser.js";

/** A directory for pictures of the page, for visual inspection. */
const SHOTS = process.env.B2ND_WEB_SHOTS;

let browser, home, scratch;
before(async () => {
  browser = await launch();
  home = await serve(dist);
  scratch = mkdtempSync(join(tmpdir(), "b2nd-values-"));
});
after(async () => {
  await browser?.close();
  home?.close();
  if (scratch) rmSync(scratch, { recursive: true });
});

/** Writes a NumPy file with little-endian bytes, and imports it as an array in chunks. */
function array(name, descr, shape, bytes, ...options) {
  const header = `{'descr': ${descr.startsWith("[") ? descr : `'${descr}'`}, 'fortran_order': False, 'shape': (${shape.map((length) => `${length},`).join(" ")}), }`;
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(padded.length);
  const npy = join(scratch, `${name}.npy`);
  writeFileSync(
    npy,
    Buffer.concat([
      Buffer.from("\x93NUMPY\x01\x00", "latin1"),
      length,
      Buffer.from(padded, "latin1"),
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    ]),
  );
  const file = join(scratch, `${name}.b2nd`);
  execFileSync(tool, ["import", npy, file, ...options]);
  return file;
}

async function look(page, view) {
  await page.getByRole("button", { name: "Look at the values" }).click();
  await shown(page);
  if (view) await choose(page, view);
}

async function choose(page, view) {
  await page.locator(`.tab[data-view=${view}]`).click();
  await shown(page);
}

/** The rows of the table that are in view, with their indices and texts, and the headings of the columns. */
async function table(page) {
  await page.waitForFunction(
    () => document.querySelector(".sheet-cells tbody tr") && !document.querySelector(".sheet").hasAttribute("aria-busy"),
  );
  return page.evaluate(() => ({
    heads: [...document.querySelectorAll(".sheet-cells thead th")].slice(1).map((head) => head.textContent),
    rows: [...document.querySelectorAll(".sheet-cells tbody tr")].map((row) => [
      Number(row.dataset.row),
      [...row.querySelectorAll("td")].map((cell) => cell.title || cell.textContent),
    ]),
  }));
}

const digits = (text) =>
  JSON.parse(text, (key, value, { source } = {}) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? "") ? source : value,
  );

/** The scalars inside an element, in order. */
function scalars(value) {
  if (value === null || typeof value !== "object") return [value];
  if (value.bytes !== undefined && Object.keys(value).length === 1) return [value.bytes];
  return Object.values(value).flatMap(scalars);
}

/** A text, or `null` if it is a float that JSON lacks. */
const orNull = (text) => (/^(nan|-?inf)$/i.test(text) ? "null" : text);

/** True if a text on the page has the same value as the tool's JSON. */
function same(text, value) {
  const numbers = (value !== null && typeof value === "object" ? scalars(value) : [value]).map(String);
  if (numbers.length === 1) {
    const [expected] = numbers;
    if (value !== null && typeof value === "object") text = text.replace(/^[([]+|[)\]]+$/g, "");
    const bare = /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('\\"', '"').replaceAll("\\\\", "\\") : text;
    return (
      bare === expected ||
      orNull(text) === expected ||
      text.toLowerCase() === expected ||
      (text !== "" && Number(text) === Number(expected))
    );
  }
  // Compares the words without brackets and without the i of complex numbers.
  const found = text
    .replace(/[()[\]]/g, "")
    .split(", ")
    .map((word) => orNull(word.replace(/^([-\d.e+]+|NaN|inf|-inf)i$/i, "$1").replace(/^"(.*)"$/, "$1")));
  // The order is not compared.
  const sorted = (words) =>
    words.map((word) => (word !== "" && !Number.isNaN(Number(word)) ? String(Number(word)) : word.toLowerCase())).sort();
  return JSON.stringify(sorted(found)) === JSON.stringify(sorted(numbers));
}

const files = readdirSync(data, { recursive: true })
  .map((path) => join(data, path))
  .filter((path) => /\.(b2nd|b2frame|cframe|caterva)$/.test(path) && !path.endsWith("chunks.b2frame") && statSync(path).isFile())
  .sort();

test("the numbers of the table are those of cat --json, for arrays of every type, codec and filter of tests/data", async () => {
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  let compared = 0;
  let cells = 0;
  for (const file of files) {
    let printed;
    try {
      const { array } = JSON.parse(
        execFileSync(tool, ["info", "--json", file], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split("\n")[0],
      );
      // Printing larger arrays would take too long.
      if (!(array?.grid?.nitems < 100_000)) continue;
      printed = execFileSync(tool, ["cat", "--json", file], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: 1 << 28,
      });
    } catch {
      continue;
    }
    await drop(page, basename(file), readFileSync(file));
    if ((await page.getByRole("button", { name: "Look at the values" }).count()) === 0) continue;
    await look(page, "table");
    const all = digits(printed);
    const shape = await page.locator("#view dd[data-field=shape]").textContent();
    const lengths = shape === "()" ? [] : shape.split(" × ").map((length) => Number(length.replaceAll(",", "")));
    if (lengths.includes(0)) continue;
    for (const end of [false, true]) {
      if (end) {
        await page.locator(".sheet").focus();
        await page.keyboard.press("Control+End");
      }
      const { heads, rows } = await table(page);
      assert.ok(rows.length > 0, file);
      let plane = all;
      for (let axis = 0; axis < lengths.length - 2; axis += 1) plane = plane[0];
      for (const [row, texts] of rows) {
        const line = lengths.length === 0 ? all : plane[row];
        for (const [at, text] of texts.entries()) {
          const column = Number(heads[at].replaceAll(",", ""));
          const value = lengths.length > 1 ? line[column] : heads.length > 1 || Number.isNaN(column) ? line[heads[at]] : line;
          assert.ok(same(text, value), `${file} [${row}, ${heads[at]}]: ${JSON.stringify(value)} is shown as ${text}`);
          cells += 1;
        }
      }
    }
    compared += 1;
  }
  console.log(`${compared} arrays, ${cells} cells`);
  assert.ok(compared >= 60, `${compared} arrays`);
  assert.deepEqual(wrong, []);
});

/** Pixels of the map as lists of four numbers, row by row. */
const pixels = (page) =>
  page.locator(".map-frame canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return {
      width: canvas.width,
      height: canvas.height,
      colors: Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 4)]),
    };
  });

test("a map has viridis' colors, also with a log scale and typed ends, and NaN has none", async () => {
  const values = Float64Array.from({ length: 24 }, (_, at) => at);
  values[7] = NaN;
  const file = array("map", "<f8", [4, 6], values, "--chunks", "2,3");
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  await drop(page, "map.b2nd", readFileSync(file));
  await look(page);
  const { width, height, colors } = await pixels(page);
  assert.deepEqual([width, height], [6, 4]);
  assert.deepEqual(
    [colors[0], colors[7], colors[23]],
    [
      [68, 1, 84, 255],
      [0, 0, 0, 0],
      [253, 231, 37, 255],
    ],
  );
  assert.equal(await page.locator("[data-figure=NaN]").textContent(), "1");
  // Six digits are shown, and all digits on hover.
  const mean = page.locator("[data-figure=mean]");
  assert.equal(await mean.textContent(), "11.6957");
  assert.ok(Math.abs(Number(await mean.getAttribute("title")) - (276 - 7) / 23) < 1e-13);
  await page.locator("[data-control=low]").fill("0");
  await page.locator("[data-control=high]").fill("10");
  await page.locator("[data-control=high]").press("Enter");
  await page.waitForFunction(() => /from=0/.test(location.hash) && /to=10/.test(location.hash));
  await shown(page);
  const typed = (await pixels(page)).colors;
  assert.deepEqual(
    [typed[5], typed[10], typed[23]],
    [
      [33, 145, 140, 255],
      [253, 231, 37, 255],
      [253, 231, 37, 255],
    ],
  );
  await page.locator("[data-control=low]").fill("");
  await page.locator("[data-control=high]").fill("");
  await page.locator("[data-control=high]").press("Enter");
  await page.locator("[data-control=log]").check();
  await page.waitForFunction(() => /log=/.test(location.hash));
  await shown(page);
  const logarithms = (await pixels(page)).colors;
  assert.deepEqual([logarithms[0][3], logarithms[1], logarithms[23]], [0, [68, 1, 84, 255], [253, 231, 37, 255]]);
  // The axes are swapped.
  await page.locator("[data-control=rows]").selectOption("1");
  await shown(page);
  const turned = await pixels(page);
  assert.deepEqual([turned.width, turned.height, turned.colors[1 * 4 + 1][3]], [4, 6, 0]);
  assert.deepEqual(wrong, []);
});

test("a million rows scroll, and only the bytes in view are read", async () => {
  const file = array(
    "long",
    "<i4",
    [1_000_000],
    Int32Array.from({ length: 1_000_000 }, (_, at) => at * 3),
    "--chunks",
    "20000",
    "--blocks",
    "2000",
  );
  const far = await serve(scratch, true);
  const options = { allowed: [far.url], viewport: { width: 1280, height: 1000 } };
  const { page, wrong } = await visitUrl(browser, home, `${far.url}long.b2nd`, "#view=table", options);
  await shown(page);
  const check = async (least, most) => {
    const { rows } = await table(page);
    assert.ok(rows[0][0] >= least && rows.at(-1)[0] <= most, `rows ${rows[0][0]} to ${rows.at(-1)[0]}`);
    for (const [row, [text]] of rows) assert.equal(text, String(row * 3));
  };
  await check(0, 40);
  await page.locator(".sheet").evaluate((sheet) => {
    sheet.scrollTop = sheet.scrollHeight / 2;
  });
  await page.waitForFunction(() => Number(document.querySelector(".sheet-cells tbody tr").dataset.row) > 400_000);
  await check(499_900, 500_100);
  await page.locator("[data-control=row]").fill("765432");
  await page.locator("[data-control=row]").press("Enter");
  await page.waitForFunction(() => document.querySelector(".sheet-cells tbody tr").dataset.row === "765432");
  await check(765_432, 765_500);
  await page.locator(".sheet").focus();
  await page.keyboard.press("Control+End");
  await page.waitForFunction(() => [...document.querySelectorAll(".sheet-cells tbody tr")].at(-1).dataset.row === "999999");
  await check(999_900, 999_999);
  const isCut = (heads) => heads.some((head) => head.scrollWidth > head.clientWidth);
  assert.ok(!(await page.locator(".sheet-cells tbody th").evaluateAll(isCut)), "the numbers of the rows are cut");
  const fetched = Number((await page.locator(".fetched").textContent()).match(/^[\d,]+/)[0].replaceAll(",", ""));
  console.log(`a million rows: ${fetched} of ${statSync(file).size} bytes read`);
  assert.ok(fetched < statSync(file).size / 3, `${fetched} of ${statSync(file).size} bytes`);
  far.close();
  assert.deepEqual(wrong, []);
});

test("the table shows the slice of the slider's last position, however fast it moves", async () => {
  const file = array(
    "cube",
    "<i4",
    [40, 30, 20],
    Int32Array.from({ length: 24_000 }, (_, at) => at),
    "--chunks",
    "1,30,20",
  );
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  await drop(page, "cube.b2nd", readFileSync(file));
  await look(page, "table");
  await page.locator("input[type=range][data-axis-at]").evaluate((slider) => {
    for (const position of [7, 8, 9, 31]) {
      slider.value = position;
      slider.dispatchEvent(new Event("input"));
    }
  });
  const { rows } = await table(page);
  for (const [row, texts] of rows) assert.deepEqual(texts[0], String(31 * 600 + row * 20));
  assert.deepEqual(wrong, []);
});

test("axes have the names of the attribute dims", async () => {
  const file = array(
    "climate",
    "<f8",
    [4, 600, 8],
    Float64Array.from({ length: 4 * 600 * 8 }, (_, at) => at),
    "--chunks",
    "2,100,8",
  );
  const open = async () => {
    const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
    await drop(page, "climate.b2nd", readFileSync(file));
    const options = await page.locator("select[data-axis='0'] option").allTextContents();
    await look(page, "map");
    const read = {
      chunks: [options, await page.locator(".sliders input[aria-label^=chunk]").first().getAttribute("aria-label")],
      ticks: await page.locator(".axis-name").allTextContents(),
      down: await page.locator("[data-control=rows] option").allTextContents(),
      coarse: (await page.locator(".coarse").textContent()).match(/along (.*) one in/)[1],
      slider: await page.locator("input[type=number][aria-label]").first().getAttribute("aria-label"),
    };
    await page.locator(".look-stage canvas").click();
    read.line = (await page.locator(".look-lines button").first().textContent()).match(/line along (.*) through/)[1];
    assert.deepEqual(wrong, []);
    return read;
  };
  const expected = ([first, second, third]) => ({
    chunks: [[`${first} (4)`, `${second} (600)`, `${third} (8)`], `chunk along ${first}`],
    ticks: [third, second],
    down: [`${first} (4)`, `${second} (600)`, `${third} (8)`],
    coarse: second,
    slider: `index along ${first}`,
    line: third,
  });
  assert.deepEqual(await open(), expected(["axis 0", "axis 1", "axis 2"]));
  // An axis without a valid name is numbered.
  execFileSync(tool, ["meta", "set", file, "dims", "--json", '["time", 5, "lon\\u202e"]']);
  assert.deepEqual(await open(), expected(["time", "axis 1", "lon\\u{202e}"]));
});

test("a damaged chunk is replaced by a message, and the rest is shown", async () => {
  const file = array(
    "broken",
    "<i4",
    [20, 20],
    Int32Array.from({ length: 400 }, (_, at) => (at * 7919) % 1009),
    "--chunks",
    "10,10",
  );
  const [info] = execFileSync(tool, ["info", "--json", "--chunks", file], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const bytes = readFileSync(file);
  const place = info.chunks.chunks?.find(({ first }) => first === 2) ?? info.chunks.find(({ first }) => first === 2);
  bytes.fill(0xff, info.header_len + place.offset + 32, info.header_len + place.offset + place.cbytes);
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  await drop(page, "broken.b2nd", bytes);
  await look(page);
  const sentence = await page.locator(".look .problem").textContent();
  assert.match(sentence, /^chunk 2: .*\(elements \[10:20, 0:10\]\)$/);
  const { colors } = await pixels(page);
  assert.deepEqual([colors[10 * 20][3], colors[19 * 20 + 9][3], colors[9 * 20][3], colors[10 * 20 + 10][3]], [0, 0, 255, 255]);
  assert.equal(await page.locator("[data-figure=count]").textContent(), "300");
  await choose(page, "table");
  const { rows } = await table(page);
  const isBroken = (row, column) => rows[row][1][column].startsWith("cannot be read");
  assert.deepEqual([isBroken(9, 0), isBroken(10, 0), isBroken(12, 5), isBroken(9, 5)], [false, true, true, false]);
  assert.equal(rows[3][1][5], String((65 * 7919) % 1009));
  assert.deepEqual(wrong, []);
});

test("an image is an image, and its pixels are its elements", async () => {
  const file = array(
    "image",
    "|u1",
    [3, 5, 3],
    Uint8Array.from({ length: 45 }, (_, at) => at * 5),
  );
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  await drop(page, "image.b2nd", readFileSync(file));
  await look(page);
  const { width, height, colors } = await pixels(page);
  assert.deepEqual([width, height, colors[0], colors[14]], [5, 3, [0, 5, 10, 255], [210, 215, 220, 255]]);
  assert.deepEqual(wrong, []);
});

test("complex numbers have magnitude and phase, fields can be chosen, times are shown as times", async () => {
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  const complex = array("complex", "<c16", [2, 2], Float64Array.from([3, 4, 0, 1, -1, 0, 0, 0]));
  await drop(page, "complex.b2nd", readFileSync(complex));
  await look(page);
  const scale = () => page.locator(".map-scale").evaluate((bar) => [...bar.querySelectorAll("span")].map((end) => end.textContent));
  assert.deepEqual(await scale(), ["0", "5"]);
  await page.locator("[data-control=part]").selectOption("1");
  await shown(page);
  assert.deepEqual(await scale(), ["0", "3.14159"]);
  assert.match(await page.locator(".map-scale").textContent(), /^phase from /);
  await drop(page, "example.b2nd", readFileSync(join(data, "example.b2nd")));
  await look(page);
  assert.deepEqual(await page.locator("[data-control=field] option").allTextContents(), ["time", "temp", "rain"]);
  await page.locator("[data-control=field]").selectOption({ label: "temp" });
  await page.waitForFunction(() => /field=temp/.test(location.hash));
  await shown(page);
  const stats = execFileSync(tool, ["stats", "--json", "--slice", "0", join(data, "example.b2nd")], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const temp = stats.find(({ column }) => column === "temp");
  assert.equal(Number(await page.locator("[data-figure=max]").getAttribute("title")), temp.max);
  assert.equal(await page.locator("[data-figure=count]").textContent(), String(temp.count));
  const times = array("times", "<M8[s]", [3], BigInt64Array.from([0n, 86400n, -9223372036854775808n]));
  await drop(page, "times.b2nd", readFileSync(times));
  await look(page);
  const ticks = await page.locator(".y-axis text:not(.axis-name)").allTextContents();
  assert.deepEqual([ticks[0], ticks.at(-1)], ["1970-01-01 00:00", "1970-01-02 00:00"]);
  assert.equal(await page.locator("[data-figure=NaN]").textContent(), "1");
  assert.deepEqual(wrong, []);
});

test("a large array has a coarse view with a label, zooming shows all elements, and a link shows the same", async () => {
  const side = 2000;
  const file = array(
    "large",
    "<i2",
    [side, side],
    Int16Array.from({ length: side * side }, (_, at) => (Math.floor(at / side) + (at % side)) & 0x3ff),
    "--chunks",
    "500,500",
  );
  const far = await serve(scratch, true);
  const options = { allowed: [far.url], viewport: { width: 1280, height: 1000 } };
  const { page, wrong } = await visitUrl(browser, home, `${far.url}large.b2nd`, "", options);
  await shown(page);
  const began = Date.now();
  await look(page);
  console.log(`first picture of 16 chunks of 500 kB: ${Date.now() - began} ms; ${await page.locator(".fetched").textContent()}`);
  assert.match(
    await page.locator(".coarse").textContent(),
    /along axis 0 one in 4 elements \(500 shown\); along axis 1 one in 4 elements \(500 shown\)/,
  );
  assert.equal((await pixels(page)).width, 500);
  const box = await page.locator(".map-frame canvas").boundingBox();
  await page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height * 0.3, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => /zoom=/.test(location.hash));
  await shown(page);
  assert.equal(await page.locator(".coarse").count(), 0);
  const zoomed = await pixels(page);
  assert.ok(zoomed.width > 150 && zoomed.width < 260, `${zoomed.width}`);
  const link = page.url();
  const other = await visit(browser, link, { allowed: [far.url], viewport: { width: 1280, height: 1000 } });
  await shown(other.page);
  await other.page.locator(".map-frame canvas").waitFor();
  assert.deepEqual(await pixels(other.page), zoomed);
  // Enter on an element shows a button that opens the line through the element.
  await page.locator(".map-frame").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /line along axis 1/ }).click();
  await page.locator(".plot canvas").waitFor();
  await shown(page);
  await page.waitForFunction(() => /view=line/.test(location.hash));
  assert.deepEqual([wrong, other.wrong], [[], []]);
  far.close();
});

test("what is shown is saved as CSV and PNG", async () => {
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  const file = array(
    "saved",
    "<f4",
    [3, 4],
    Float32Array.from({ length: 12 }, (_, at) => at / 4),
  );
  await drop(page, "saved.b2nd", readFileSync(file));
  await look(page);
  const [csv] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  assert.equal(readFileSync(await csv.path(), "utf8"), execFileSync(tool, ["cat", "--csv", file], { encoding: "utf8" }));
  assert.equal(csv.suggestedFilename(), "saved.b2nd_0-3_0-4.csv");
  for (const view of ["map", "line", "histogram"]) {
    await choose(page, view);
    const [png] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PNG" }).click()]);
    assert.equal(png.suggestedFilename(), view === "line" ? "saved.b2nd_0-3_0.png" : "saved.b2nd_0-3_0-4.png");
    const bytes = readFileSync(await png.path());
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(bytes.readUInt32BE(16) >= 1200, `${bytes.readUInt32BE(16)} pixels wide`);
    if (SHOTS) copyFileSync(await png.path(), join(SHOTS, `saved-${view}.png`));
  }
  assert.deepEqual(wrong, []);
});

test("every leaf of a store shows its values, and a link names the leaf", async () => {
  const { page, wrong } = await visit(browser, home.url, { viewport: { width: 1280, height: 1000 } });
  const store = join(data, "python-blosc2-4.14.1/treestore__dfltb2z.b2z");
  await drop(page, "store.b2z", readFileSync(store));
  const keys = await page.locator("#view .leaf").evaluateAll((buttons) => buttons.map((button) => button.dataset.key));
  let seen = 0;
  for (const key of keys) {
    await page.locator(`#view .leaf[data-key=${JSON.stringify(key)}]`).click();
    await page.waitForFunction((key) => document.querySelector("#view .leaf-view")?.dataset.shown === key, key);
    if ((await page.getByRole("button", { name: "Look at the values" }).count()) === 0) continue;
    await look(page, "table");
    const printed = execFileSync(tool, ["cat", "--json", `${store}::${key}`], { encoding: "utf8" });
    const first = digits(printed).flat(20)[0];
    const { rows } = await table(page);
    assert.ok(same(rows[0][1][0], first), `${key}: ${JSON.stringify(first)}, ${rows[0][1][0]}`);
    await page.waitForFunction((key) => new URLSearchParams(location.hash.slice(1)).get("leaf") === key, key);
    seen += 1;
  }
  assert.ok(seen > 0);
  assert.deepEqual(wrong, []);
});

test("every view fits a phone's width, light and dark", async () => {
  const wide = Float64Array.from({ length: 60 * 80 }, (_, at) => Math.sin(Math.floor(at / 80) / 9) * Math.cos((at % 80) / 11));
  const file = array("waves", "<f8", [60, 80], wide, "--chunks", "20,20");
  for (const [colorScheme, width] of [
    ["light", 360],
    ["dark", 360],
    ["light", 1280],
    ["dark", 1280],
  ]) {
    const { page, wrong } = await visit(browser, home.url, { viewport: { width, height: 900 }, colorScheme });
    await drop(page, "waves.b2nd", readFileSync(file));
    await look(page);
    for (const view of ["map", "line", "histogram", "table"]) {
      await choose(page, view);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${view}, ${width}: ${await page.evaluate(() => document.documentElement.scrollWidth)}`,
      );
      if (view === "table") await table(page);
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${view}-${colorScheme}-${width}.png`) });
    }
    assert.deepEqual(wrong, []);
  }
});

// The pixels of the picture depend on fonts, so only its statistics are compared. B2ND_PICTURE=../picture.png writes the picture.
test("README's picture shows the figures of its caption", async () => {
  const file = join(scratch, "temperature.b2nd");
  execFileSync(tool, ["import", `${join(root, "examples/data/weather.h5")}::/temperature`, file]);
  const { page, context, wrong } = await visit(browser, home.url, { viewport: { width: 1100, height: 900 }, colorScheme: "light" });
  await drop(page, "temperature.b2nd", readFileSync(file));
  await look(page, "map");
  const figures = await page
    .locator(".figures > div")
    .evaluateAll((list) => list.map((div) => [...div.children].map((child) => child.textContent).join(" ")));
  const said = /!\[([^\]]*)\]\(web\/picture\.png\)/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1];
  assert.equal(said, `The page of b2nd view: 36 x 72 temperatures as a map (${figures.join(", ")})`);
  if (process.env.B2ND_PICTURE) await page.locator(".values-card").screenshot({ path: process.env.B2ND_PICTURE });
  assert.deepEqual(wrong, []);
  await context.close();
});
