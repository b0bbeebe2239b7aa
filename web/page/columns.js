// Columns of a table, read from the files that store them: the values of cells, and which cells are null.

import { values } from "./cells.js";
import { stamp } from "./moment.js";

/** A null cell. */
export const NULL = { quiet: "null" };

/** Types whose cells are stored in batches. The values of dictionaries are too. */
const BATCHES = ["vlstring", "vlbytes", "struct", "list", "object"];

/** Other types that are stored as arrays, besides numbers. */
const ARRAYS = ["bool", "string", "bytes", "timestamp", "utf8", "ndarray", "dictionary", "complex64", "complex128"];

const NUMBERS = /^(u?int(8|16|32|64)|float(32|64))$/;

/** An array or a file of batches that belongs to a table. */
export class Leaf {
  constructor(table, name) {
    this.key = `${table.prefix}/${name}`;
    this.reader = table.reader(this.key);
  }

  /** Opens the array, or the file of batches. False if the table has no such file. */
  async open(isBatches) {
    const info = await this.reader.open(isBatches);
    if (info.error === undefined) {
      this.info = info;
      return true;
    }
    if (info.kind === "missing") return false;
    throw new Error(info.error);
  }

  /** The elements of some rows in one form; only those at the indices `behind` along axis 1 and the following axes. Null if another view was requested meanwhile. */
  async look(start, end, form, behind = []) {
    const { shape } = this.info;
    if (end > shape[0]) throw new Error(`${this.key}: expected a length of at least ${end}, found ${shape[0]}`);
    const at = shape.slice(1).map((length, axis) => (axis < behind.length ? [behind[axis], behind[axis] + 1] : [0, length]));
    const axes = [[start, end], ...at];
    return this.reader.look({
      start: axes.map(([from]) => from),
      end: axes.map(([, to]) => to),
      drawn: [],
      room: [],
      square: false,
      rows: 0,
      columns: shape.length > 1 ? shape.length - 1 : -1,
      column: 0,
      part: 0,
      range: [],
      log: false,
      fields: false,
      forms: [form],
    });
  }

  /** The cells of batches in ranges (start, end, start, end, …) as JSON. */
  async cells(ranges) {
    const cells = await this.reader.cells(ranges);
    if (cells?.error !== undefined) throw new Error(cells.error);
    return cells;
  }

  /** Bytes of some rows, and which rows are broken. */
  async bytes(start, end) {
    const seen = await this.look(start, end, "bytes");
    if (seen === null) return null;
    if (seen.error !== undefined) throw new Error(seen.error);
    return {
      bytes: seen.bytes,
      isBroken: (row) => seen.broken.some(({ elements: [[from, to]] }) => row >= from && row < to),
      broken: seen.broken,
    };
  }
}

/** For a column's schema, the function from the bytes of a cell to its text. */
const TEXTS = {
  timestamp: (spec) => (view, at) => stamp(view.getBigInt64(at, true), spec) ?? NULL,
  string: () => (view, at, size) => {
    let text = "";
    for (let char = 0; char < size; char += 4) text += String.fromCodePoint(view.getUint32(at + char, true));
    return text.replace(/\0+$/, "");
  },
  bool: () => (view, at) => (view.getUint8(at) === 0 ? "false" : "true"),
};

export class Column {
  /** `path` is the path of the column's files below `_cols`, without their endings. */
  constructor(table, spec, path) {
    this.table = table;
    this.spec = spec;
    this.name = String(spec.name);
    this.path = path ?? this.name;
    this.why = null;
    this.mistakes = new Map();
  }

  /** Opens the column's arrays, or sets `why` to the reason for not showing it. */
  async open() {
    const { spec, table } = this;
    const { kind } = spec;
    const isBatches = BATCHES.includes(kind);
    const known = isBatches || NUMBERS.test(kind) || ARRAYS.includes(kind);
    if (["expression", "dsl"].includes(kind)) return this.refuse("its values are not stored: python-blosc2 computes them");
    if (!known) return this.refuse(`columns of type ${kind ?? "unknown"} are not supported`);
    if (table.leaf.stale.includes(this.name))
      return this.refuse("its values are out of date: it is computed from columns that have changed");
    try {
      this.null = this.sentinel();
      this.leaf = await this.find("", isBatches);
      if (this.leaf === null) return this.refuse("the store lists no file of its values");
      if (kind === "utf8") this.words = await this.find(".utf8");
      if (kind === "utf8" && this.words === null) return this.refuse("the store lists no file of its strings");
      if (isBatches) return;
      if (kind === "dictionary") this.words = await this.find("_dict", true);
      if (kind === "dictionary" && this.words === null) return this.refuse("the store lists no file of its dictionary");
      if (spec.null_storage === "mask") this.mask = await this.find(".notnull");
      const { shape, dtype } = this.leaf.info;
      if ((TEXTS[kind] || kind === "utf8") && dtype?.startsWith(">"))
        return this.refuse(`big-endian columns of type ${kind} are not supported`);
      if (kind === "dictionary" && dtype !== "<i4")
        return this.refuse(`expected dictionary codes of dtype <i4, found ${dtype ?? "none"}`);
      if (this.mask && this.mask.info.dtype !== "|b1")
        return this.refuse(`its mask of nulls: expected the dtype |b1, found ${this.mask.info.dtype ?? "none"}`);
      if (kind === "ndarray" && shape.slice(1, -1).reduce((all, length) => all * length, 1) > 64)
        return this.refuse("its cells are arrays with more than 64 rows each, which is not supported");
      if (kind === "ndarray" && spec.nullable && spec.null_storage !== "mask")
        return this.refuse("arrays whose nulls are marked by a value, not by a mask, are not supported");
    } catch (error) {
      this.refuse(error.message);
    }
  }

  refuse(why) {
    this.why = why;
  }

  /** Opens a file of this column by the column's path, or by its name, which python-blosc2 4.2.0 used as the path. Null if it is missing. */
  async find(ending, isBatches = false) {
    for (const name of [this.path, this.name]) {
      const leaf = new Leaf(this.table, `_cols/${name}${ending}`);
      if (await leaf.open(isBatches)) return leaf;
    }
    return null;
  }

  /** Returns a function that is true for the text of the column's null value. */
  sentinel() {
    const { kind, null_value: value, null_storage: storage } = this.spec;
    if (storage === "mask" || value === undefined || value === null || kind === "timestamp" || kind === "ndarray")
      return () => false;
    if (value?.float === "nan") return (text) => text === "NaN";
    if (value?.float !== undefined) return (text) => text === value.float;
    // A 32-bit float is printed with the fewest digits that identify it, which may denote another 64-bit float.
    const nearest = kind === "float32" ? Math.fround : Number;
    if (/^float/.test(kind)) return (text) => nearest(Number(text)) === nearest(Number(value));
    if (NUMBERS.test(kind)) {
      // Some browsers do not give access to all digits of large numbers in JSON. The minimum of int64, which python-blosc2 uses as a null
      // value, is taken as exact.
      const exact = typeof value === "number" ? BigInt(value) : value;
      if (!Number.isSafeInteger(value) && typeof value === "number" && value !== -(2 ** 63))
        throw new Error("its null value has too many digits for this JavaScript engine");
      return (text) => text === String(exact);
    }
    if (kind === "bool") return (text) => text === String(value);
    if (typeof value === "string" && kind !== "bytes") return (text) => text === value;
    throw new Error(`its null value is not supported for columns of type ${kind}`);
  }

  /**
   * The cells of physical rows: text, an object with a `value` from a batch, `NULL`, or null if their chunk is damaged.
   * Null if another view was requested meanwhile.
   */
  async cells(start, end) {
    const { kind } = this.spec;
    if (kind === "dictionary") return this.coded(start, end);
    if (BATCHES.includes(kind)) {
      const cells = await this.leaf.cells([start, end]);
      return cells && values(this.spec, cells).map((value) => (value === null ? NULL : { value }));
    }
    const [mask, texts] = [this.mask ? await this.mask.bytes(start, end) : undefined, await this.texts(start, end)];
    if (mask === null || texts === null) return null;
    this.note(mask);
    return texts.map((text, at) => {
      if (text === null || mask?.isBroken(start + at)) return null;
      return mask?.bytes[at] === 0 || this.null(text) ? NULL : this.shown(text);
    });
  }

  /** The cells of a dictionary column. Only the values that they use are requested. */
  async coded(start, end) {
    const seen = await this.leaf.bytes(start, end);
    if (seen === null) return null;
    this.note(seen);
    const none = this.spec.null_code ?? -1;
    const codes = [...new Int32Array(seen.bytes.buffer)].map((code, at) => (seen.isBroken(start + at) ? none : code));
    const used = [...new Set(codes)].filter((code) => code !== none).sort((one, other) => one - other);
    if (used[0] < 0) throw new Error(`the code ${used[0]} is not in the dictionary`);
    const ranges = [];
    for (const code of used) {
      if (ranges.at(-1) === code) ranges[ranges.length - 1] = code + 1;
      else ranges.push(code, code + 1);
    }
    const cells = await this.words.cells(ranges);
    if (cells === null) return null;
    const words = new Map(values({ kind: "vlstring" }, cells).map((word, at) => [used[at], word]));
    return codes.map((code, at) => (seen.isBroken(start + at) ? null : code === none ? NULL : { value: words.get(code) }));
  }

  note(seen) {
    for (const { message } of seen?.broken ?? []) this.mistakes.set(message, message);
  }

  shown(text) {
    if (this.spec.kind !== "bool" || text === "true" || text === "false") return text;
    return text === "0" ? "false" : "true";
  }

  async texts(start, end) {
    const { kind } = this.spec;
    if (kind === "utf8") return this.utf8(start, end);
    if (kind === "ndarray") return this.arrays(start, end);
    const isByte = kind === "bool" && this.leaf.info.dtype !== "|b1";
    const text = isByte ? undefined : TEXTS[kind]?.(this.spec);
    if (text === undefined) {
      const seen = await this.leaf.look(start, end, "texts");
      if (seen === null) return null;
      if (seen.error !== undefined) throw new Error(seen.error);
      this.note(seen);
      return seen.texts.map(([text]) => text);
    }
    const seen = await this.leaf.bytes(start, end);
    if (seen === null) return null;
    this.note(seen);
    const size = seen.bytes.length / (end - start);
    const view = new DataView(seen.bytes.buffer);
    return Array.from({ length: end - start }, (_, at) => (seen.isBroken(start + at) ? null : text(view, at * size, size)));
  }

  /** The strings of some rows. Two offsets delimit each string. */
  async utf8(start, end) {
    const places = await this.leaf.bytes(start, end + 1);
    if (places === null) return null;
    this.note(places);
    const view = new DataView(places.bytes.buffer);
    const offsets = Array.from({ length: end - start + 1 }, (_, at) => Number(view.getBigInt64(8 * at, true)));
    const isBroken = (at) => places.isBroken(start + at) || places.isBroken(start + at + 1);
    const good = offsets.filter((_, at) => !places.isBroken(start + at));
    const [from, to] = [good[0] ?? 0, good.at(-1) ?? 0];
    if (from < 0 || good.some((offset, at) => offset < (good[at - 1] ?? 0)))
      throw new Error(`the offsets of ${JSON.stringify(this.name)} are negative or not in ascending order`);
    const words = to > from ? await this.words.bytes(from, to) : { bytes: new Uint8Array(), isBroken: () => false, broken: [] };
    if (words === null) return null;
    this.note(words);
    const touches = (first, last) => words.broken.some(({ elements: [[from, to]] }) => first < to && last > from);
    return Array.from({ length: end - start }, (_, at) => {
      if (isBroken(at) || touches(offsets[at], offsets[at + 1])) return null;
      return new TextDecoder().decode(words.bytes.subarray(offsets[at] - from, offsets[at + 1] - from));
    });
  }

  /** Cells that are arrays: their items in one list, as in Arrow. */
  async arrays(start, end) {
    const { shape } = this.leaf.info;
    const outer = shape
      .slice(1, -1)
      .reduce((all, length) => all.flatMap((each) => Array.from({ length }, (_, at) => [...each, at])), [[]]);
    const rows = Array.from({ length: end - start }, () => []);
    for (const behind of outer) {
      const seen = await this.leaf.look(start, end, "texts", behind);
      if (seen === null) return null;
      if (seen.error !== undefined) throw new Error(seen.error);
      this.note(seen);
      seen.texts.forEach((texts, row) => rows[row].push(...texts));
    }
    return rows.map((items) => (items.includes(null) ? null : `[${items.join(", ")}]`));
  }
}
