// Asks the engine of the npm archive what it says of a file: `node engine.mjs FILE`, beside node_modules.

import { readFileSync } from "node:fs";
import init from "b2nd-page/b2nd_web.js";
import { Opened } from "b2nd-page/engine.js";

const [path] = process.argv.slice(2);
const bytes = readFileSync(path);
await init({ module_or_path: readFileSync("node_modules/b2nd-page/b2nd_web_bg.wasm") });
const file = new Opened({ name: path, size: bytes.length, read: async (start, end) => bytes.subarray(start, end) });
await file.ask((reader) => reader.look());
const info = await file.ask((reader) => reader.info());
if (info.array?.shape?.join() !== "10,13,7") throw new Error(`no shape in ${JSON.stringify(info)}`);
console.log(`${path}: ${info.array.shape.join(" ")}`);
