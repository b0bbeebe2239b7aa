// Times as text.

/** @type {Record<string, bigint>} */
const PER_SECOND = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n };

/** A time of a column as text; null for NumPy's NaT. */
export function stamp(steps, { unit, timezone }) {
  return steps === -(2n ** 63n) ? null : moment(steps, unit) + (timezone ? "Z" : "");
}

/**
 * A number of steps of a unit since 1970 as text: `2026-11-21T20:30:00.125`. A fraction of zero is left out.
 *
 * @param {bigint} steps
 * @param {string} unit
 */
export function moment(steps, unit) {
  const per = PER_SECOND[unit];
  const fraction = ((steps % per) + per) % per;
  const seconds = Number((steps - fraction) / per);
  const date = new Date(seconds * 1000);
  // JavaScript's dates end in the year 275,760.
  if (Number.isNaN(date.getTime())) return `${steps} ${unit}`;
  const digits = String(per).length - 1;
  return date.toISOString().slice(0, -5) + (fraction === 0n ? "" : `.${String(fraction).padStart(digits, "0")}`);
}
