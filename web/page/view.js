// The answer to a request for a view, as the module and the server give it: the length of the JSON in 4 bytes (little-endian), the
// JSON, and the buffers that it lists.

const TYPES = { numbers: Float64Array, bytes: Uint8Array, pixels: Uint8Array };

/** The parsed answer, with its buffers as typed arrays. */
export function unframed(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = 4 + length;
  const { buffers = [], ...answer } = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)));
  for (const [name, length] of buffers) {
    answer[name] = new TYPES[name](bytes.slice(at, at + length).buffer);
    at += length;
  }
  return answer;
}
