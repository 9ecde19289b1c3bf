// Numbers of the Cardinality page: short words, widths of edges, how far an estimate is from what was measured.
import { beyond, byteSize, short } from "./units.js";

// A width that still tells a million rows from a hundred million: it grows with the square of the number's digits, from
// 1.5 px for one row to 18 px for ten billion and more.
/** @param {number | null | undefined} rows */
export function flowWidth(rows) {
  if (rows == null) return 1.5;
  const digits = Math.min(10, Math.log10(Math.max(1, rows)));
  return 1.5 + 16.5 * (digits / 10) ** 2;
}

/** @param {number | null | undefined} value */
export function count(value) {
  return value == null ? "?" : short(value);
}

/** @param {number | null | undefined} value */
export function bytes(value) {
  return value == null ? "?" : byteSize(value);
}

// The rows of a node: Spark's, or (imagined) what its formulas would give where it estimates none.
/**
 * @param {EstimatedPlan} given
 * @param {number} i
 * @returns {{ value: number | null | undefined; imagined: boolean }}
 */
export function expected({ cards, scene }, i) {
  const rows = scene.nodes.rows[i];
  return rows == null && cards[i].imagined != null
    ? { value: cards[i].imagined, imagined: true }
    : { value: rows, imagined: false };
}

// The most rows that a node can give where no formula gives any; null where rows are known or nothing bounds them.
/** @param {EstimatedPlan} given @param {number} i */
export function atMost({ cards, scene }, i) {
  const { most } = cards[i];
  return scene.nodes.rows[i] == null && most != null && !beyond(most) ? most : null;
}

// Words of a number with the sign of an estimate, which "?", ">10¹⁵" and "over 10,000 EiB" do without.
/** @param {string} words @param {boolean} estimated */
export function marked(words, estimated) {
  return estimated && /^\d/.test(words) ? `≈${words}` : words;
}

// What changed from one number to another: "×3.2", "÷40", "=" or "" where one is unknown.
/** @param {number | null | undefined} from @param {number | null | undefined} to */
export function change(from, to) {
  if (from == null || to == null) return "";
  if (from === to) return "=";
  const factor = Math.max(1, from) / Math.max(1, to);
  const by = factor > 1 ? factor : 1 / factor;
  if (by < 1.05) return "≈";
  return `${factor > 1 ? "÷" : "×"}${by < 9.95 ? Number(by.toFixed(1)) : short(by)}`;
}

// How far an estimate is from what was measured, the same for both directions: 1 is right, 10 ten times too few
// (under) or too many (over). Nothing counts as one row, as everywhere.
/**
 * @param {number | null | undefined} estimated
 * @param {number | null | undefined} measured
 * @returns {Miss | null}
 */
export function error(estimated, measured) {
  if (estimated == null || measured == null) return null;
  const e = Math.max(1, estimated),
    m = Math.max(1, measured);
  return e < m ? { side: "under", factor: m / e } : { side: e > m ? "over" : "right", factor: e / m };
}

/** @param {Miss | null} found */
export function errorWords(found) {
  if (!found) return "";
  if (found.factor < 1.05) return "as estimated";
  return `${found.factor < 9.95 ? found.factor.toFixed(1) : short(found.factor)}× ${found.side === "under" ? "too few" : "too many"}`;
}

// Steps of the two hues: none below 2, then by 2, 10 and 100.
/** @param {Miss | null} found */
export function tintOf(found) {
  if (!found || found.side === "right" || found.factor < 2) return 0;
  const step = found.factor >= 100 ? 3 : found.factor >= 10 ? 2 : 1;
  return found.side === "under" ? step : step + 3;
}
