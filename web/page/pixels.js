// Color maps, and the colors of numbers.

let maps;
/**
 * Color maps by name: evenly spaced colors from the lowest value to the highest.
 * @returns {Record<string, [number, number, number][]>}
 */
export function colorMaps() {
  return maps;
}

/** Loads the color maps, before they are used. */
export async function loadColors(file) {
  maps ??= Object.fromEntries(await file.ask("color_maps"));
}

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
