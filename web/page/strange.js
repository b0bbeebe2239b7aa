// Recognizes files of other formats.

/** The first bytes of other formats, in hexadecimal digits. */
const OTHERS = {
  89484446: "an HDF5 file",
  434446: "a NetCDF file",
  "934e554d5059": "a NumPy file (.npy)",
  50415231: "a Parquet file",
  "4152524f5731": "an Arrow file",
  "504b0304": "a zip archive",
  "1f8b": "a gzip file",
  "28b52ffd": "a Zstandard file",
  "89504e47": "a PNG image",
  ffd8ff: "a JPEG image",
  25504446: "a PDF document",
  "49492a00": "a TIFF image",
  "4d4d002a": "a TIFF image",
};

/** Describes a file by the hexadecimal digits of its first bytes; null if it is not recognized. */
export function strange(hex) {
  if (hex === "") return "The file is empty.";
  const start = Object.keys(OTHERS).find((digits) => hex.startsWith(digits));
  if (start !== undefined) {
    const help = OTHERS[start].includes("NumPy") ? " `b2nd import` converts it to an array." : "";
    return `This is ${OTHERS[start]}, not a Blosc2 file.${help}`;
  }
  const bytes = hex.match(/../g).map((digits) => parseInt(digits, 16));
  // The first bytes of a frame include control characters.
  const isText = bytes.every((byte) => byte >= 0x20 || [0x09, 0x0a, 0x0d].includes(byte));
  return isText ? "This looks like a text file, not a Blosc2 file." : null;
}
