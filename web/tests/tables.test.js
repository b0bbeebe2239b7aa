// The rows of tables on the page, compared with the tool's output in tables.json, which a test of the tool checks.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { dist, drop, launch, root, serve, shown, visit } from "./browser.js";

const data = join(root, "crates/b2nd-arrow/tests/data");
const expected = JSON.parse(readFileSync(new URL("tables.json", import.meta.url), "utf8"));

let browser, server;
before(async () => {
  browser = await launch();
  server = await serve(dist);
});
after(async () => {
  await browser.close();
  server.close();
});

/** Drops a store and selects its table, whose rows are then shown. */
async function look(page, word, bytes = null) {
  const [name, key = "/"] = word.split("::");
  await drop(page, name, bytes ?? readFileSync(join(data, name)));
  // A store that consists of one table has no tree.
  if (key !== "/") await page.locator(`.leaf[data-key="${key}"]`).click();
  await shown(page);
  await page.waitForSelector(".rows-card .summary, .rows-card .problem");
  await shown(page);
}

/** All cells of the grid by row and by the names of their columns. */
async function cells(page) {
  const rows = new Map();
  const sheet = page.locator(".rows-card .sheet");
  if ((await sheet.count()) === 0) return [];
  const count = Number(/^[\d,]+/.exec(await page.locator(".rows-card .summary").textContent())[0].replaceAll(",", ""));
  // Columns that are not in the first view are in the middle or at the end.
  const middle = ["Home", ...Array(5).fill("ArrowRight")];
  for (const keys of [["Home"], middle, ["End"]]) {
    await sheet.focus();
    await page.keyboard.press("Control+Home");
    for (const key of keys) await page.keyboard.press(key);
    for (let last = -1; last < count - 1;) {
      // A late scroll event can start another read, so the state and the cells are read in the same call.
      const read = await page.waitForFunction(() => {
        const lines = [...document.querySelectorAll(".rows-card .sheet:not([aria-busy]) tbody tr")];
        const names = [...document.querySelectorAll(".rows-card .sheet thead th")].slice(1).map((head) => head.textContent);
        const content = (cell) => (cell.classList.contains("quiet") ? null : cell.title || cell.textContent);
        const named = (line) => [...line.querySelectorAll("td")].map((cell, at) => [names[at], content(cell)]);
        return lines.length > 0 && lines.map((line) => [Number(line.dataset.row), named(line)]);
      });
      const seen = await read.jsonValue();
      for (const [row, list] of seen) rows.set(row, { ...rows.get(row), ...Object.fromEntries(list) });
      last = seen.at(-1)[0];
      await page.keyboard.press("PageDown");
    }
  }
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
}

/** A value in a row of the tool's output, by column or by field of a struct. A missing key is null, and null is NaN, which JSON lacks. */
function value(row, name) {
  if (name in row) return row[name] ?? "NaN";
  return name.split(".").reduce((inner, part) => inner?.[part], row) ?? null;
}

/** Objects, which the tool prints only on request. */
const OBJECTS = [{ a: [1, null] }, "text", null];

/** The text of a cell, converted to the form in the tool's JSON: bytes are hexadecimal digits. */
function parsed(text, like) {
  if (text === null || like === null) return text;
  // The tool omits null fields of structs.
  const isField = (inner, key) => key !== "" && !Array.isArray(inner);
  const complex = /^(.+)([+-].+)j$/.exec(text);
  if (complex) return { complex: complex.slice(1).map(Number) };
  if (typeof like !== "string")
    return JSON.parse(text, function (key, value) {
      return value === null && isField(this, key) ? undefined : value;
    });
  if (!/^".*"$/s.test(text)) return text;
  const bytes = text.slice(1, -1).replace(/\\(?:x(..)|0)/g, (_, hex = "0") => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("hex");
}

for (const [word, rows] of Object.entries(expected)) {
  test(`the grid of ${word} has the rows that the tool prints`, async () => {
    const { page, context, wrong } = await visit(browser, server.url, { viewport: { width: 2600, height: 1000 } });
    await look(page, word);
    const found = await cells(page);
    const hidden = await page.locator(".hidden-columns code").allTextContents();
    const all = await page.locator("h2", { hasText: /^\d+ columns?/ }).textContent();
    if (rows.length > 0)
      assert.equal(
        Object.keys(found[0]).length + hidden.length,
        Number(/^\d+/.exec(all)[0]),
        "each column is shown or said not to be",
      );
    assert.deepEqual(hidden, word === "refused.b2z" ? ["twice"] : []);
    assert.equal(found.length, rows.length);
    found.forEach((row, at) => {
      for (const [name, text] of Object.entries(row)) {
        const like = word === "refused.b2z" && name === "o" ? OBJECTS[at] : value(rows[at], name);
        assert.deepEqual(parsed(text, like), like, `${name} of row ${at}`);
      }
    });
    assert.deepEqual(wrong, []);
    await context.close();
  });
}

test("a column with a damaged chunk has marks and a message, and other columns their cells", async () => {
  const { page, context } = await visit(browser, server.url, { viewport: { width: 2600, height: 1000 } });
  const bytes = Buffer.from(readFileSync(join(data, "blocks.b2z")));
  const before = await (async () => {
    await look(page, "blocks.b2z");
    return cells(page);
  })();
  // Changes the length in the header of the first chunk of the column's file.
  const member = bytes.indexOf("_cols/n.b2nd");
  const frame = bytes.indexOf("b2frame", member);
  const chunk = frame - 2 + bytes.readInt32BE(frame + 9);
  bytes.writeInt32LE(bytes.readInt32LE(chunk + 4) + 4, chunk + 4);
  await look(page, "blocks.b2z", bytes);
  const found = await cells(page);
  assert.match(await page.locator(".rows-card .problem").first().textContent(), /column "n": /);
  assert.equal(found[0].n, "cannot be read");
  found.forEach((row, at) => assert.deepEqual({ ...row, n: null }, { ...before[at], n: null }));
  await context.close();
});
