/** A part of an axis: an index, which takes the axis away; a start, an end and a step, which may be negative; or null for all of it. */
export type Part = number | null | [start?: number | null, end?: number | null, step?: number | null];

/** As Python writes it, `"0:10,5,::-2"`, or a part for each axis. */
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
  /** The type of the elements, as numpy writes it: `<f8`. Null where the file does not say it. */
  dtype: string | null;
  shape: number[];
  /**
   * The elements in C order. Complex numbers are pairs, times are steps since 1970, floats of 16 bits come as 32 bits; `S` and `U` are
   * strings without the zeros behind them; structures are objects of their fields, and an array in a field is a typed array. Other types
   * are bytes.
   */
  data: TypedArray | string[] | Structure[];
}

/** A structure: its fields by name. */
export interface Structure {
  [field: string]: number | bigint | string | number[] | TypedArray | string[] | Structure | Structure[];
}

/** A row of a table: its columns by name. */
export interface Row {
  [column: string]: number | bigint | string | boolean | Uint8Array | (number | string | boolean)[] | null;
}

/** An open file, or a leaf of a store in one. */
export interface File {
  /** What `b2nd info --json` prints; of a store with `leaves`. Integers that a double does not hold are BigInt where the engine can tell. */
  info(): Promise<Record<string, any>>;
  /** The keys of a store's leaves: `/group/name`. */
  keys(): Promise<string[]>;
  leaf(key: string): Promise<File>;
  /** Reads the chunks that a slice lies in, and no others. Without one, all of the array; at most 256 MiB at once. */
  read(slice?: Slice): Promise<Values>;
  /**
   * Reads the live rows of a table from `start` to before `end`, of all columns that are arrays or of those that are named. Integers of 64
   * bits are BigInt, times texts such as `2026-11-21T20:30:00.125`, arrays lists of their items, null values null. Columns in batches
   * (dictionaries, lists, structs, objects) are left out, and refused by name.
   */
  rows(start?: number, end?: number, names?: string[]): Promise<Row[]>;
  /** Frees what is held. Leaves are closed by themselves, before their file. */
  close(): void;
}

export interface Options {
  /** Read and decompress in a worker. */
  worker?: boolean;
}

/** Opens an array, a frame or a store: a File or Blob, an address that answers range requests, bytes, or, where there are files, a path. */
export function open(source: Blob | URL | string | Uint8Array | ArrayBuffer, options?: Options): Promise<File>;
