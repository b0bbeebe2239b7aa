// Parses slices, and converts the bytes of elements to typed arrays.

/**
 * Parses a slice, "0:10,5,::-2" or a list of numbers and ranges, to the start, end and step along each axis and the axes that it keeps. For a
 * negative step, start and end are those of the same elements in ascending order.
 */
export function ranges(slice, shape) {
  const parts = typeof slice === "string" ? texts(slice) : [...slice];
  const dots = parts.indexOf("...");
  if (dots !== -1) parts.splice(dots, 1, ...Array(Math.max(shape.length - parts.length + 1, 0)).fill(null));
  if (parts.length > shape.length)
    throw new RangeError(`the slice has more indices (${parts.length}) than the array has axes (${shape.length})`);
  const all = { start: [], end: [], step: [], kept: [] };
  shape.forEach((length, axis) => {
    const [start, end, step, kept] = range(parts[axis] ?? null, length, axis);
    all.start.push(start);
    all.end.push(end);
    all.step.push(step);
    all.kept.push(kept);
  });
  return all;
}

/** The parts of a slice. As in Python, it may end with a comma. */
function texts(slice) {
  const parts = slice.split(",").map((part) => part.trim());
  if (parts.at(-1) === "") parts.pop();
  return parts;
}

function range(part, length, axis) {
  const whole = (value) => {
    const number = typeof value === "string" && !/^\s*[+-]?\d+\s*$/.test(value) ? NaN : Number(value);
    if (!Number.isSafeInteger(number) || typeof value === "boolean")
      throw new RangeError(
        `${typeof value === "string" ? JSON.stringify(value) : value} is not an index: expected integers between -2^53 and 2^53, as in 5 or 0:10:2`,
      );
    return number;
  };
  if (part === null) return [0, length, 1, true];
  if (typeof part === "string" && part.includes(":")) part = part.split(":").map((text) => (text.trim() === "" ? null : text));
  if (Array.isArray(part)) {
    if (part.length > 3) throw new RangeError(`${JSON.stringify(part)} has too many parts: expected START:STOP:STEP`);
    const step = part[2] === null || part[2] === undefined ? 1 : whole(part[2]);
    if (step === 0) throw new RangeError("the step is 0: expected another integer");
    const back = step < 0;
    // By default, a slice with a negative step goes from the last element to the first.
    const [least, most] = back ? [-1, length - 1] : [0, length];
    const within = (value, otherwise) => {
      if (value === null || value === undefined) return otherwise;
      const at = whole(value);
      return Math.min(Math.max(at < 0 ? at + length : at, least), most);
    };
    const from = within(part[0], back ? most : least);
    const to = within(part[1], back ? least : most);
    if (!back) return [from, Math.max(to, from), step, true];
    const count = Math.max(Math.ceil((from - to) / -step), 0);
    const first = from + (count - 1) * step;
    return count === 0 ? [0, 0, -1, true] : [first, from + 1, step, true];
  }
  const index = whole(part);
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) throw new RangeError(`index ${index} is outside axis ${axis}, whose length is ${length}`);
  return [at, at + 1, 1, false];
}

/** Reverses, in place, the axes with a negative step. */
export function turn(bytes, shape, step) {
  shape.forEach((length, axis) => {
    if (step[axis] > 0 || length < 2) return;
    const outer = shape.slice(0, axis).reduce((all, each) => all * each, 1);
    const run = bytes.length / outer / length;
    for (let block = 0; block < outer; block += 1) {
      const at = (row) => (block * length + row) * run;
      for (let row = 0; row < length - 1 - row; row += 1) {
        const other = bytes.slice(at(length - 1 - row), at(length - row));
        bytes.copyWithin(at(length - 1 - row), at(row), at(row + 1));
        bytes.set(other, at(row));
      }
    }
  });
}

/** Structures as objects. An array in a field becomes a typed array, or a list if its items are strings or structures. */
export function structures(fields, itemsize, bytes, count) {
  return Array.from({ length: count }, (_, at) => structure(fields, bytes.subarray(at * itemsize, (at + 1) * itemsize)));
}

function structure(fields, bytes) {
  // `fromEntries` makes an own property of any name, even of `__proto__`.
  return Object.fromEntries(
    fields.map((field) => [field.name, member(field, bytes.slice(field.offset, field.offset + field.itemsize))]),
  );
}

function member({ dtype, fields, itemsize }, bytes) {
  const [, inner, lengths] = /^\((.+), \(([\d, ]+)\)\)$/s.exec(dtype) ?? [];
  if (inner === undefined) return fields ? structure(fields, bytes) : one(elements(dtype, bytes, 1));
  const count = lengths.split(",").reduce((all, length) => all * (length.trim() === "" ? 1 : Number(length)), 1);
  if (fields) return structures(fields, itemsize / count, bytes, count);
  return elements(inner.replace(/^'(.*)'$/s, "$1"), bytes, count);
}

/** A single element; complex numbers are pairs, and elements without a typed array are bytes. */
function one(list) {
  return list instanceof Uint8Array && list.length !== 1 ? list : list.length === 1 ? list[0] : [...list];
}

const ARRAYS = {
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  f2: Uint16Array,
  f4: Float32Array,
  f8: Float64Array,
  c8: Float32Array,
  c16: Float64Array,
  M8: BigInt64Array,
  m8: BigInt64Array,
};

/**
 * `count` elements as a typed array or strings. Elements of other types, and those whose length does not match their type, are
 * bytes.
 */
export function elements(dtype, bytes, count) {
  const [, order, code, length] = /^([<>|=]?)([a-zA-Z])(\d+)/.exec(dtype ?? "") ?? [];
  if (bytes.length !== count * Number(length) * (code === "U" ? 4 : 1)) return bytes;
  if (code === "S" || code === "U") return text(code, Number(length), order, bytes);
  const Typed = ARRAYS[code + length];
  if (Typed === undefined) return bytes;
  const size = Typed.BYTES_PER_ELEMENT;
  if (order === ">" && size > 1) {
    for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
  }
  const array = new Typed(bytes.buffer, bytes.byteOffset, bytes.length / size);
  return code + length === "f2" ? Float32Array.from(array, half) : array;
}

/** A 16-bit float: a sign, 5 bits of exponent, 10 of fraction. */
function half(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Strings without trailing zeros; each byte of `S` is a character. */
function text(code, length, order, bytes) {
  const size = code === "U" ? 4 * length : length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const one = (start) => {
    const units =
      code === "U"
        ? Array.from({ length }, (_, at) => view.getUint32(start + 4 * at, order !== ">"))
        : bytes.subarray(start, start + size);
    return Array.from(units, (unit) => String.fromCodePoint(unit))
      .join("")
      .replace(/\0+$/, "");
  };
  return Array.from({ length: size === 0 ? 0 : bytes.length / size }, (_, at) => one(at * size));
}
