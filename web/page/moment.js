// Times as text.

/** @type {Record<string, bigint>} */
const PER_SECOND = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n };

/**
 * So many steps of a unit after the start of 1970: `2026-11-21T20:30:00.125`, the fraction only where there is one.
 *
 * @param {bigint} steps
 * @param {string} unit
 */
export function moment(steps, unit) {
  const per = PER_SECOND[unit];
  const fraction = ((steps % per) + per) % per;
  const seconds = Number((steps - fraction) / per);
  const date = new Date(seconds * 1000);
  // A date of JavaScript ends 275,760 years after 1970.
  if (Number.isNaN(date.getTime())) return `${steps} ${unit}`;
  const digits = String(per).length - 1;
  return date.toISOString().slice(0, -5) + (fraction === 0n ? "" : `.${String(fraction).padStart(digits, "0")}`);
}
