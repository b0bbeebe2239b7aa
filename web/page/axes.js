// Axes: positions of values, and ticks at round numbers and times.

import { thousands } from "./dom.js";
import { moment } from "./moment.js";

/** A number with at most six significant digits; integers below a million in full. */
export function short(number) {
  if (!Number.isFinite(number)) return String(number).replace("Infinity", "inf");
  if (Number.isInteger(number) && Math.abs(number) < 1e6) return thousands(number);
  const rounded = Number(number.toPrecision(6));
  return Math.abs(rounded) >= 1e6 || Math.abs(rounded) < 1e-4 ? rounded.toExponential().replace("e+", "e") : String(rounded);
}

/** Distances between ticks on a time axis, in seconds. */
const TIMES = [
  1e-3, 1e-2, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000,
  864000, 2592000, 7776000, 15552000, 31536000, 63072000, 157680000, 315360000, 3153600000,
];

/** Seconds in each time unit. */
const UNITS = { W: 604800, D: 86400, h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** About `most` round numbers between two numbers. */
function rounds(low, high, most, whole) {
  const rough = (high - low) / Math.max(most, 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999999) * power;
  return multiples(low, high, whole ? Math.max(Math.round(round), 1) : round);
}

function multiples(low, high, step) {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => (first + at) * step);
}

/** Ticks of a logarithmic axis: powers of ten, or round numbers if the axis spans few of them. */
function powers(low, high, most) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (last - first < 1) return rounds(low, high, most, false);
  const step = Math.max(Math.ceil((last - first + 1) / most), 1);
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => 10 ** (first + at * step));
}

/**
 * An axis of values from `low` to `high`. `share` gives the position of a value, from 0 at `low` to 1 at `high`, or NaN if the value has none; `ticks` gives pairs of a position and a label.
 *
 * @param {number} low
 * @param {number} high
 * @param {{log?: boolean, dtype?: string | null, name?: string}} [options]
 */
export function values(low, high, { log = false, dtype = null, name = "" } = {}) {
  const place = log ? Math.log : (value) => value;
  // Halves, because the difference of two floats may overflow.
  const [from, span] = [place(low) / 2, place(high) / 2 - place(low) / 2];
  const share = (value) => {
    const at = place(value);
    return Number.isFinite(at) ? (span > 0 ? (at / 2 - from) / span : 0.5) : NaN;
  };
  const unit = /M8\[(\w+)\]$/.exec(dtype ?? "")?.[1];
  const ticks = (most) => {
    if (unit in UNITS && !log) return times(low, high, most, unit).map(([value, text]) => [share(value), text]);
    const list = log ? powers(low, high, most) : rounds(low, high, most, false);
    return list.map((value) => [share(value), short(Number(value.toPrecision(12)))]);
  };
  return { share, ticks, name, low, high };
}

function times(low, high, most, unit) {
  const second = UNITS[unit];
  const rough = ((high - low) * second) / Math.max(most, 1);
  const step = Math.max((TIMES.find((each) => each >= rough) ?? TIMES.at(-1)) / second, 1);
  const list = high > low ? multiples(low, high, step) : [low];
  // Labels omit what they do not need: ticks of days have no hours, ticks of hours no seconds.
  const digits = step * second >= 86400 ? 10 : step * second >= 60 ? 16 : step * second >= 1 ? 19 : 23;
  return list.map((value) => [value, text(value, unit).slice(0, digits).replace("T", " ")]);
}

/** A time as text. */
function text(value, unit) {
  if (unit === "ns" || unit === "us") return moment(BigInt(Math.round(value)), unit);
  return moment(BigInt(Math.round(value * UNITS[unit] * 1000)), "ms");
}

/**
 * The axis of `count` elements, one every `step` from `start`. With `isPixels`, an element is in the middle of its pixel; otherwise the first and the last are at the ends.
 */
export function places(start, count, step, name, isPixels) {
  const [low, high] = [start, start + (count - 1) * step];
  const share = (index) => {
    const at = (index - start) / step;
    return isPixels ? (at + 0.5) / count : count > 1 ? at / (count - 1) : 0.5;
  };
  return {
    share,
    ticks: (most) => rounds(low, high, most, true).map((index) => [share(index), thousands(index)]),
    name,
    low,
    high,
  };
}
