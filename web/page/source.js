// Sources of bytes. Each has a `name`, a `size`, and `read(start, end)`, which returns the part of the range that exists.

/** A file that was dropped or chosen. */
export class FileSource {
  constructor(file, name = file.name) {
    this.file = file;
    this.name = name;
    this.size = file.size;
  }

  async read(start, end) {
    return new Uint8Array(await this.file.slice(start, end).arrayBuffer());
  }
}

/** A file at a URL, read by range requests. */
export class UrlSource {
  /**
   * @param {URL} url
   * @param {string} [name]
   * @param {number} [size]
   */
  constructor(url, name, size = 0) {
    this.url = url;
    this.name = name ?? (decodeURIComponent(url.pathname.split("/").pop()) || url.host);
    this.size = size;
    this.first = new Uint8Array();
  }

  /**
   * @param {URL} url
   * @param {string} [name]
   */
  static async open(url, name) {
    const source = new UrlSource(url, name);
    // The response usually also has the length of the file. The bytes of the response are kept, because they are read next.
    const response = await source.fetch(0, 4096);
    source.first = new Uint8Array(await response.arrayBuffer());
    const total = /\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "");
    if (total) source.size = Number(total[1]);
    else if (source.first.length < 4096) source.size = source.first.length;
    else source.size = await source.length();
    return source;
  }

  async fetch(start, end) {
    let response;
    try {
      response = await fetch(this.url, { headers: { Range: `bytes=${start}-${end - 1}` }, credentials: "omit" });
    } catch (error) {
      throw new Error(`${this.url}: ${await this.why(error)}`);
    }
    if (response.status === 206) return response;
    response.body?.cancel();
    if (response.ok)
      throw new Error(`${this.url}: the server did not answer a range request with the range (status ${response.status})`);
    throw new Error(`${this.url}: status ${response.status} ${response.statusText}`.trim());
  }

  /** Determines why there was no response, because browsers do not report it. */
  async why({ cause }) {
    if (cause?.code) return `cannot be reached: ${cause.code === "ECONNREFUSED" ? "the connection was refused" : cause.message}`;
    const isThere = await fetch(this.url, { method: "HEAD", mode: "no-cors", credentials: "omit" }).then(
      () => true,
      () => false,
    );
    return isThere
      ? "cannot be reached from here: the server answers, but probably does not allow other pages to read from it (CORS)"
      : "cannot be reached: there was no answer (for example, a wrong host or port, an invalid certificate, or http from an https page)";
  }

  // A server may hide Content-Range from other sites, but show the Content-Length of a HEAD request.
  async length() {
    const response = await fetch(this.url, { method: "HEAD", credentials: "omit" });
    const length = response.headers.get("Content-Length");
    if (length === null) throw new Error(`${this.url}: neither Content-Range nor Content-Length gives the file's length`);
    return Number(length);
  }

  async read(start, end) {
    if (end <= this.first.length) return this.first.subarray(start, end);
    if (start >= this.size) return new Uint8Array();
    const response = await this.fetch(start, Math.min(end, this.size));
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** An entry of the menu of files: its name, and the function that opens it. */
export function ofAddress(text) {
  const url = new URL(text, location.href);
  return { name: decodeURIComponent(url.pathname.split("/").pop()) || url.host, open: () => UrlSource.open(url) };
}

/**
 * The files of a JSON list: `{"name", "url"}` for a file, `{"name", "files": [{"path", "url", "size"}]}` for a folder, `{"name", "door"}` for a
 * file about which the server answers questions. URLs are relative to the list, and must have this page's origin.
 *
 * @param {URL} list
 */
export async function listed(list) {
  const at = (text) => {
    const url = new URL(text, list);
    if (url.origin !== location.origin) throw new Error(`${url}: a list and its files must have this page's scheme, host and port`);
    return url;
  };
  const response = await fetch(at(list.href));
  if (!response.ok) throw new Error(`${list}: status ${response.status}`);
  const folder = ({ name, files }) => ({
    name,
    files: new Map(files.map(({ path, url, size }) => [path, new UrlSource(at(url), path, size)])),
  });
  const all = (await response.json()).map((entry) => ({
    name: entry.name,
    // A file of `b2nd view` has a URL for questions.
    open: async () =>
      entry.door
        ? { name: entry.name, door: at(entry.door) }
        : entry.files
          ? folder(entry)
          : UrlSource.open(at(entry.url), entry.name),
  }));
  if (all.length === 0) throw new Error(`${list}: the list is empty`);
  return all;
}

/** The files of a folder that was dropped or chosen: a list of [path in the folder, file]. */
export class Folder {
  constructor(name, files) {
    this.name = name;
    this.files = new Map(files.map(([path, file]) => [path, new FileSource(file)]));
  }

  static fromPicked(files) {
    const parts = [...files].map((file) => [file.webkitRelativePath.split("/"), file]);
    return new Folder(
      parts[0]?.[0][0] ?? "",
      parts.map(([path, file]) => [path.slice(1).join("/"), file]),
    );
  }

  static async fromEntry(entry) {
    const files = [];
    const walk = async (directory, path) => {
      for (const child of await entries(directory)) {
        const below = path + child.name;
        if (child.isDirectory) await walk(child, `${below}/`);
        else files.push([below, await new Promise((resolve, reject) => child.file(resolve, reject))]);
      }
    };
    await walk(entry, "");
    return new Folder(entry.name, files);
  }
}

async function entries(directory) {
  const reader = directory.createReader();
  const all = [];
  for (;;) {
    // A directory reader returns some of the entries at a time.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
