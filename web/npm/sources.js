// Sources of bytes: a File or Blob, a URL, bytes, a path.

import { FileSource, UrlSource } from "./source.js";

/** Bytes in memory. */
class ByteSource {
  constructor(bytes) {
    this.bytes = bytes;
    this.name = "bytes";
    this.size = bytes.length;
  }

  async read(start, end) {
    return this.bytes.subarray(start, end);
  }
}

/** A file on disk, in Node. It is opened when it is first read, since most files of a large directory are never read. */
class PathSource {
  constructor(name, open, size) {
    Object.assign(this, { name, open, size });
  }

  async read(start, end) {
    this.handle ??= this.open();
    const handle = await this.handle;
    const bytes = new Uint8Array(Math.max(Math.min(end, this.size) - start, 0));
    let at = 0;
    while (at < bytes.length) {
      const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  }

  close() {
    this.handle?.then((handle) => handle.close()).catch(() => {});
  }
}

async function ofPath(path) {
  const { open, readdir, stat } = await import("node:fs/promises");
  const { basename, join } = await import("node:path");
  const file = async (path) => new PathSource(basename(path), () => open(path), (await stat(path)).size);
  if (!(await stat(path)).isDirectory()) return file(path);
  // A store can have files in subdirectories.
  const files = new Map();
  const walk = async (below) => {
    for (const entry of await readdir(join(path, below), { withFileTypes: true })) {
      const name = `${below}${entry.name}`;
      if (entry.isDirectory()) await walk(`${name}/`);
      else files.set(name, await file(join(path, name)));
    }
  };
  await walk("");
  return { name: basename(path), files };
}

export async function sourceOf(source) {
  if (source instanceof Uint8Array) return new ByteSource(source);
  if (source instanceof ArrayBuffer) return new ByteSource(new Uint8Array(source));
  if (source instanceof Blob) return new FileSource(source, source.name ?? "blob");
  if (source instanceof URL && source.protocol === "file:") return ofPath((await import("node:url")).fileURLToPath(source));
  if (source instanceof URL) return UrlSource.open(source);
  if (typeof source !== "string") throw new TypeError("expected a File, a Blob, a URL, bytes or a path");
  if (/^https?:/.test(source)) return UrlSource.open(new URL(source));
  // On a web page, every string is a URL.
  if (globalThis.document !== undefined) return UrlSource.open(new URL(source, document.baseURI));
  return ofPath(source);
}
