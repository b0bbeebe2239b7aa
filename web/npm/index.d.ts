/** A part of an axis: an index, which removes the axis; start, end and step, which may be negative; or null for the whole axis. */
export type Part = number | null | [start?: number | null, end?: number | null, step?: number | null];

/** A slice as in Python, `"0:10,5,::-2"`, or a part for each axis. */
export type Slice = string | Part[];

export type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export interface Values {
  /** The NumPy dtype of the elements, such as `<f8`. Null if it is missing or unknown. */
  dtype: string | null;
  shape: number[];
  /**
   * The elements in C order. Complex numbers are two floats each, times are steps since 1970, durations are steps, 16-bit floats become 32-bit
   * floats; `S` and `U` are strings without trailing zeros; structures are objects, whose arrays are like `data`. Other types are bytes.
   */
  data: TypedArray | string[] | Structure[];
}

/** A structure: its fields by name. */
export interface Structure {
  [field: string]: number | bigint | string | number[] | TypedArray | string[] | Structure | Structure[];
}

/** A value of a table: a list is an array, a struct an object of its fields. */
export type Cell = number | bigint | string | boolean | Uint8Array | null | Cell[] | { [field: string]: Cell };

/** A row of a table: its columns by name. */
export interface Row {
  [column: string]: Cell;
}

/** An open file, or a leaf of a store in one. */
export interface File {
  /** What `b2nd info --json` prints; a store also has `leaves`. Integers outside of the safe range of a double are BigInt if the engine supports it. */
  info(): Promise<Record<string, any>>;
  /** The keys of a store's leaves: `/group/name`. */
  keys(): Promise<string[]>;
  leaf(key: string): Promise<File>;
  /** Reads a slice, or the whole array; at most 256 MiB in 16,384 chunks at once. Only the chunks of the slice are decompressed. */
  read(slice?: Slice): Promise<Values>;
  /**
   * Reads the live rows of a table from `start` up to, but not including, `end`; of the named columns, or of all columns. 64-bit
   * integers are BigInt, times are strings such as `2026-11-21T20:30:00.125`, values of dictionaries are strings, arrays are lists of their
   * items, in which 64-bit integers are numbers. Objects are JSON in the forms of `b2nd info --json`. Complex numbers are pairs. Columns
   * that cannot be read, such as computed ones, are left out; naming one is an error.
   */
  rows(start?: number, end?: number, names?: string[]): Promise<Row[]>;
  /** Frees its memory. Close leaves before their file. */
  close(): void;
}

export interface Options {
  /** Read and decompress in a worker. */
  worker?: boolean;
}

/** Opens an array, a frame or a store from a File or Blob, a URL whose server supports range requests, bytes, or, in Node, a path. */
export function open(source: Blob | URL | string | Uint8Array | ArrayBuffer, options?: Options): Promise<File>;
