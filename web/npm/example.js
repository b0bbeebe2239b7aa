// node example.js FILE|URL [SLICE]: prints the shape and mean of a slice, or the leaves of a store.

import { open } from "b2nd";

const [source, slice] = process.argv.slice(2);
const file = await open(source, { worker: true });
const { kind, array, leaves } = await file.info();
if (leaves) {
  for (const { key, array } of leaves) console.log(key, array?.shape, array?.dtype);
} else {
  console.log(kind, array.shape, array.dtype);
  const { data, shape } = await file.read(slice);
  const sum = data.reduce((sum, value) => sum + Number(value), 0);
  console.log(`${shape.join(" x ")} elements, mean ${sum / data.length}`);
}
file.close();
