// Slices as Python writes them, and bytes of elements as typed arrays.

/** The start, end and step of a slice along each axis, and which axes it keeps: "0:10,5,::2", or a list of numbers and ranges. */
export function ranges(slice, shape) {
  const parts = typeof slice === "string" ? texts(slice) : [...slice];
  const dots = parts.indexOf("...");
  if (dots !== -1) parts.splice(dots, 1, ...Array(Math.max(shape.length - parts.length + 1, 0)).fill(null));
  if (parts.length > shape.length) throw new RangeError(`the slice has ${parts.length} axes, the array ${shape.length}`);
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

/** The parts of a text. As in Python, a comma may end it. */
function texts(slice) {
  const parts = slice.split(",").map((part) => part.trim());
  if (parts.at(-1) === "") parts.pop();
  return parts;
}

function range(part, length, axis) {
  const whole = (value) => {
    const number = typeof value === "string" && !/^\s*[+-]?\d+\s*$/.test(value) ? NaN : Number(value);
    if (!Number.isSafeInteger(number) || typeof value === "boolean")
      throw new RangeError(`${JSON.stringify(value)} is no integer: expected an index, START:STOP:STEP or null`);
    return number;
  };
  if (part === null) return [0, length, 1, true];
  if (typeof part === "string" && part.includes(":")) part = part.split(":").map((text) => (text.trim() === "" ? null : text));
  if (Array.isArray(part)) {
    if (part.length > 3) throw new RangeError(`${JSON.stringify(part)} has too many parts: expected START:STOP:STEP`);
    const within = (value, otherwise) => {
      const at = value === null || value === undefined ? otherwise : whole(value);
      return Math.min(Math.max(at < 0 ? at + length : at, 0), length);
    };
    const start = within(part[0], 0);
    const step = part[2] === null || part[2] === undefined ? 1 : whole(part[2]);
    if (step < 1) throw new RangeError(`a step of ${step}: steps here are 1 or more`);
    return [start, Math.max(within(part[1], length), start), step, true];
  }
  const index = whole(part);
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) throw new RangeError(`index ${index} is outside axis ${axis}, whose length is ${length}`);
  return [at, at + 1, 1, false];
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
 * So many elements as a typed array of the type that holds them; text as strings, what has no such type as bytes, and so what is not as
 * long as its type says.
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

/** A float of 16 bits: a sign, 5 bits of exponent, 10 of fraction. */
function half(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Texts without the zeros behind them; of bytes each is a character. */
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
