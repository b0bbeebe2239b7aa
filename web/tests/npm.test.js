// Tests the npm package, installed in an empty directory, in Node.js and in a browser, compared with the tool.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { data, dist, launch, root, serve, tool, visit } from "./browser.js";

const empty = mkdtempSync(join(tmpdir(), "b2nd-npm-"));
const installed = join(empty, "node_modules/b2nd");
const said = (...words) => JSON.parse(execFileSync(tool, words, { cwd: data, encoding: "utf8" }));

let open;
before(async () => {
  const archive = execFileSync(join(root, "web/pack"), [dist, empty], { encoding: "utf8" }).trim();
  writeFileSync(join(empty, "package.json"), '{"private": true, "type": "module"}');
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", archive], { cwd: empty });
  ({ open } = await import(pathToFileURL(join(installed, "index.js"))));
});
after(() => rmSync(empty, { recursive: true }));

/** Converts a typed array to nested lists, as in JSON. */
function nested({ shape, data }) {
  const list = (axis, start, length) => {
    if (axis === shape.length) return typeof data[start] === "bigint" ? Number(data[start]) : data[start];
    const step = length / shape[axis];
    return Array.from({ length: shape[axis] }, (_, at) => list(axis + 1, start + at * step, step));
  };
  return list(0, 0, data.length);
}

/** Converts Booleans to numbers, because typed arrays have 1 for true. */
const bools = (json) => (Array.isArray(json) ? json.map(bools) : typeof json === "boolean" ? Number(json) : json);

/** Arrays in tests/data, and new arrays, each with a dtype and the bytes of three elements. */
const ARRAYS = [
  "grid/i4_2d.b2nd",
  "grid/i4be_2d.b2nd",
  "grid/f8_3d.b2nd",
  "grid/u1_1d.b2nd",
  "grid/u3_2d.b2nd",
  "grid/s2_1d_small.b2nd",
];
const MADE = [
  ["<i8", new BigInt64Array([-5n, 2n ** 40n, 7n])],
  [">u2", new Uint8Array([1, 2, 0, 3, 255, 255])],
  ["<f2", new Uint16Array([0x3c00, 0xc100, 0x1c00])],
  ["|b1", new Uint8Array([1, 0, 1])],
];

function make([dtype, { buffer }], at) {
  const header = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (3,), }`.padEnd(117) + "\n";
  const length = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
  writeFileSync(join(empty, `${at}.npy`), Buffer.concat([length, Buffer.from(header), Buffer.from(buffer)]));
  execFileSync(tool, ["import", `${at}.npy`, `${at}.b2nd`], { cwd: empty });
  return join(empty, `${at}.b2nd`);
}

test("slices are typed arrays with the values that the tool prints, from paths and from bytes, in a worker or not", async () => {
  const types = new Set();
  for (const name of [...ARRAYS, ...MADE.map(make)]) {
    for (const [source, options] of [
      [resolve(data, name), {}],
      [readFileSync(resolve(data, name)), {}],
      [resolve(data, name), { worker: true }],
    ]) {
      const file = await open(source, options);
      const whole = await file.read();
      types.add(whole.data.constructor.name);
      assert.deepEqual(nested(whole), bools(said("cat", "--json", name)), name);
      const slice = whole.shape.map((length) => `${length > 1 ? 1 : 0}::2`).join(",");
      assert.deepEqual(nested(await file.read(slice)), bools(said("cat", "--json", name, slice)), `${name} ${slice}`);
      file.close();
    }
  }
  assert.ok(types.size >= 4, [...types].join());
});

test("a slice is a string as in Python or a list, and invalid ones are rejected", async () => {
  const file = await open(join(data, "grid/i4_2d.b2nd"));
  const { shape } = (await file.info()).array;
  const same = async (one, other) => assert.deepEqual(await file.read(one), await file.read(other));
  await same("0,1:3", [0, [1, 3]]);
  await same("...,-1", [null, -1]);
  await same("::2", [[null, null, 2]]);
  assert.deepEqual((await file.read("0,0")).shape, []);
  assert.deepEqual((await file.read("5:5")).shape, [0, shape[1]]);
  await assert.rejects(file.read("999,0"), /index 999 is outside axis 0/);
  await assert.rejects(file.read("0,0,0"), /the slice has more indices \(3\) than the array has axes \(2\)/);
  await assert.rejects(file.read("x"), /"x" is not an index/);
  file.close();
});

test("steps may be negative", async () => {
  for (const name of ["grid/i4_2d.b2nd", "grid/f8_3d.b2nd", "grid/u1_1d.b2nd"]) {
    const file = await open(join(data, name));
    const whole = nested(await file.read());
    const { shape } = (await file.info()).array;
    const reversed = (list, step) => list.toReversed().filter((_, at) => at % step === 0);
    assert.deepEqual(nested(await file.read("::-1")), whole.toReversed(), name);
    assert.deepEqual(nested(await file.read([[null, null, -2]])), reversed(whole, 2), name);
    if (shape.length > 1) {
      assert.deepEqual(
        nested(await file.read("::-1,::-3")),
        whole.toReversed().map((row) => reversed(row, 3)),
        name,
      );
    }
    assert.deepEqual((await file.read("0:3:-1")).shape[0], 0);
    await assert.rejects(file.read("::0"), /the step is 0: expected another integer/);
    file.close();
  }
});

test("structures are objects of their fields", async () => {
  for (const name of ["grid/struct_2d.b2nd", "example.b2nd", "python-blosc2-3.9.0/dtype__zeros_struct_nested.b2nd"]) {
    const file = await open(join(data, name));
    const { data: found } = await file.read();
    const printed = said("cat", "--json", name);
    const { shape } = (await file.info()).array;
    const expected = printed.flat(shape.length - 1);
    const plain = (value) => {
      if (typeof value === "bigint") return Number(value);
      if (typeof value === "string" || typeof value === "number") return value;
      if (ArrayBuffer.isView(value)) return [...value].map(plain);
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
    };
    // In the tool's JSON, arrays are nested lists and bytes are hexadecimal digits.
    const told = (value) => {
      if (Array.isArray(value)) return value.flat(Infinity).map(told);
      if (value?.bytes !== undefined) return Buffer.from(value.bytes, "hex").toString("latin1").replace(/\0+$/, "");
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, told(inner)]));
    };
    assert.deepEqual(found.map(plain), expected.map(told), name);
    file.close();
  }
});

test("a store has leaves, and a damaged one is an error", async () => {
  const file = await open(join(data, "python-blosc2-4.14.1/treestore__dfltb2z.b2z"));
  const keys = await file.keys();
  assert.ok(keys.includes("/g0/n0"), keys.join());
  const leaf = await file.leaf("/g0/n0");
  assert.deepEqual(nested(await leaf.read()), [0, 1, 2, 3]);
  assert.equal((await leaf.info()).key, "/g0/n0");
  await assert.rejects(file.leaf("/gone"), /there is no leaf/);
  await assert.rejects(file.read(), /treestore__dfltb2z.b2z is a store: leaf\(key\) opens one of its leaves, .*"\/g0\/n0"/);
  file.close();
  await assert.rejects(
    async () => (await open(readFileSync(join(dist, "broken.b2nd")))).info(),
    /expected int32 \(d2\), found int64 \(d3\)/,
  );
});

test("the example runs", () => {
  const out = execFileSync("node", [join(installed, "example.js"), join(data, "grid/i4_2d.b2nd"), "0"], {
    cwd: empty,
    encoding: "utf8",
  });
  assert.match(out, /^ndarray \[.*\n\d+ elements, mean [\d.]+\n$/s);
});

test("a browser opens files and URLs, in a worker or not", async () => {
  const pages = await serve(empty);
  const files = await serve(data, true);
  writeFileSync(join(empty, "index.html"), "<!doctype html><title>b2nd</title><link rel=icon href=data:,>");
  const browser = await launch();
  try {
    const { page, wrong } = await visit(browser, pages.url, { allowed: [files.url] });
    const bytes = readFileSync(join(data, "grid/i4_2d.b2nd")).toString("base64");
    const seen = await page.evaluate(
      async ([address, base64]) => {
        const { open } = await import("./node_modules/b2nd/index.js");
        const blob = new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], "i4.b2nd");
        const answers = [];
        for (const [source, worker] of [
          [blob, false],
          [blob, true],
          [address, false],
          [address, true],
        ]) {
          const file = await open(source, { worker });
          const { data, shape, dtype } = await file.read("1:3");
          answers.push([data.constructor.name, [...data], shape, dtype]);
          file.close();
        }
        return answers;
      },
      [`${files.url}grid/i4_2d.b2nd`, bytes],
    );
    const expected = said("cat", "--json", "grid/i4_2d.b2nd", "1:3");
    for (const answer of seen)
      assert.deepEqual(answer, ["Int32Array", expected.flat(), [expected.length, expected[0].length], "<i4"]);
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
    pages.close();
    files.close();
  }
});

test("slices are parsed as in Python, and invalid ones are rejected", async () => {
  const { ranges } = await import(pathToFileURL(join(installed, "elements.js")));
  assert.deepEqual(ranges("0:10,", [20, 5]).end, [10, 5]);
  assert.deepEqual(ranges("-1, ::2", [20, 5]), { start: [19, 0], end: [20, 5], step: [1, 2], kept: [false, true] });
  for (const wrong of ["1,,2", ",", "1e1", "0x10", "1:2:3:4", "9007199254740993", "20", [true]])
    assert.throws(() => ranges(wrong, [20, 5, 3]), RangeError, String(wrong));
});

test("closing a file in a worker fails pending and later calls", async () => {
  const file = await open(join(data, "grid/i4_2d.b2nd"), { worker: true });
  const read = file.read();
  file.close();
  await assert.rejects(read, /the file is closed/);
  await assert.rejects(file.read(), /the file is closed/);
});

test("an answer that arrives after the file is closed is ignored", async () => {
  // The answer must arrive before the file is closed, but be delivered after. The necessary delay is unknown, so several are tried.
  for (let wait = 1; wait <= 64; wait *= 2) {
    const file = await open(join(data, "grid/i4_2d.b2nd"), { worker: true });
    const refused = assert.rejects(file.read(), /the file is closed/);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    file.close();
    await refused;
  }
});

test("objects are JSON, complex numbers pairs, and computed columns are refused", async () => {
  const file = await open(join(root, "crates/b2nd-arrow/tests/data/refused.b2z"));
  assert.deepEqual(
    (await file.rows()).map(({ o, c }) => [o, c]),
    [
      [{ a: [1, null] }, [0, 1]],
      ["text", [2.5, 0]],
      [null, [3, -1]],
    ],
  );
  await assert.rejects(file.rows(0, 1, ["twice"]), /column "twice": its values are not stored: python-blosc2 computes/);
  file.close();
});

test("files of a directory are opened when they are read, and closed with it", async () => {
  const directory = join(data, "python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd");
  const opened = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory);
      } catch {
        return false;
      }
    }).length;
  const all = readdirSync(directory).length;
  const file = await open(directory);
  await file.info();
  assert.ok(opened() > 0 && opened() < all, `${opened()} of ${all} files`);
  await file.read();
  file.close();
  for (let tries = 0; opened() > 0 && tries < 200; tries += 1) await new Promise((go) => setTimeout(go, 10));
  assert.equal(opened(), 0);
});

test("the rows of a table are objects", async () => {
  const path = join(root, "crates/b2nd-arrow/tests/data/kinds.b2z");
  const expected = JSON.parse(readFileSync(new URL("tables.json", import.meta.url), "utf8"))["kinds.b2z"];
  for (const options of [{}, { worker: true }]) {
    const file = await open(path, options);
    const names = ["i", "f", "o", "w", "s", "t", "u", "y", "d", "v", "b", "l", "a", "c", "g"];
    const rows = await file.rows(0, Infinity, names);
    assert.equal(rows.length, expected.length);
    rows.forEach((row, at) => {
      for (const name of names) {
        const value = row[name] instanceof Uint8Array ? Buffer.from(row[name]).toString("hex") : row[name];
        assert.deepEqual(
          name === "g" && value ? { ...value, x: Number(value.x) } : value,
          expected[at][name] ?? null,
          `${name} of row ${at}`,
        );
      }
    });
    assert.deepEqual(await file.rows(-1, undefined, ["i"]), [{ i: 6 }]);
    assert.deepEqual((await file.rows(0, 1))[0].n, [1, 2, 3, 4]);
    assert.equal((await file.rows(3, 4, ["g"]))[0].g.x, 2n ** 40n);
    await assert.rejects(file.read(), /is a table: rows\(\) reads it/);
    file.close();
  }
});
