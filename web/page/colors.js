// Color maps: evenly spaced stops from the lowest value to the highest.

/** @typedef {[number, number, number]} Rgb */

/** @type {Record<string, Rgb[]>} */
export const COLORS = {
  viridis: [
    [68, 1, 84],
    [72, 36, 117],
    [65, 68, 135],
    [53, 95, 141],
    [42, 120, 142],
    [33, 145, 140],
    [34, 168, 132],
    [68, 191, 112],
    [122, 209, 81],
    [189, 223, 38],
    [253, 231, 37],
  ],
  gray: [
    [0, 0, 0],
    [255, 255, 255],
  ],
  // ColorBrewer's RdBu, from blue to red, with white in the middle.
  "blue-red": [
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [209, 229, 240],
    [247, 247, 247],
    [253, 219, 199],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31],
  ],
};

/** Red, green, blue and alpha of numbers. `share` gives the position of a number, from 0 to 1, or NaN for no color. */
export function pixels(numbers, stops, share) {
  const last = stops.length - 1;
  const bytes = new Uint8ClampedArray(4 * numbers.length);
  for (let element = 0; element < numbers.length; element += 1) {
    const place = share(numbers[element]);
    if (Number.isNaN(place)) continue;
    const at = Math.min(Math.max(place, 0), 1) * last;
    const below = Math.min(Math.floor(at), Math.max(last - 1, 0));
    const [from, to] = [stops[below], stops[Math.min(below + 1, last)]];
    for (let channel = 0; channel < 3; channel += 1)
      bytes[4 * element + channel] = Math.round(from[channel] + (to[channel] - from[channel]) * (at - below));
    bytes[4 * element + 3] = 255;
  }
  return bytes;
}
