// What becomes of every join as a table grows: a lane a join, a band an operator, a line where one takes over.
import { element } from "./dom.js";
import { bytes } from "./figures.js";
import { grouped } from "./units.js";

const SPACE = "http://www.w3.org/2000/svg";
const LANE = 34,
  TOP = 58,
  LEFT = 12,
  NAME = 15,
  FOOT = 30;
// Operators by the kind whose colour they wear; words stand in every band, so that colour is never alone.
/** @type {[names: RegExp, kind: string][]} */
const KINDS = [
  [/broadcast.*(hash|join)/i, "join"],
  [/merge/i, "sort"],
  [/shuffle/i, "filter"],
  [/nested/i, "aggregate"],
  [/cartesian/i, "exchange"],
];

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
function svg(tag, attributes, text) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

// told: crossovers_json of planviz/document/cardinality/crossovers.py
/** @param {SizesAnswer} told @param {{ theme: Theme; mode: Mode; width: Pixels }} given */
export function crossoverChart(told, { theme, mode, width }) {
  const { stretches, crossovers } = told,
    low = stretches[0].low,
    high = stretches[stretches.length - 1].high;
  const lanes = [...new Set(stretches.flatMap(({ joins }) => numbered(joins).map(([name]) => name)))];
  const span = Math.log(high / low) || 1,
    wide = width - 2 * LEFT,
    x = (/** @type {Bytes} */ size) => LEFT + (Math.log(Math.max(size, low) / low) / span) * wide;
  const height = TOP + lanes.length * (LANE + NAME) + FOOT;
  const chart = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    class: "pv-crossover",
    "aria-label": `Joins of sizes from ${bytes(low)} to ${bytes(high)}: ${crossovers.length} changes`,
  });
  const bottom = height - FOOT;
  axis(chart, low, high, x, bottom);
  if (told.now >= low && told.now <= high) {
    chart.append(svg("line", { x1: x(told.now), x2: x(told.now), y1: 34, y2: bottom, class: "pv-now" }));
    chart.append(text(x(told.now), 30, `now ${bytes(told.now)}`, width, "pv-now-words"));
  }
  let last = -Infinity;
  for (const { at } of crossovers) {
    const place = x(at);
    chart.append(svg("line", { x1: place, x2: place, y1: 18, y2: bottom, class: "pv-cross" }));
    if (place - last > 74) {
      chart.append(text(place, 13, bytes(at), width, "pv-cross-words"));
      last = place;
    }
  }
  // Bands over the lines, so that their words can be read.
  lanes.forEach((name, at) => lane(chart, name, TOP + at * (LANE + NAME), stretches, x, theme, mode));
  return chart;
}

/** @param {number} at @param {number} y @param {string} words @param {number} width @param {string} kind */
function text(at, y, words, width, kind) {
  const anchor = at < 60 ? "start" : at > width - 60 ? "end" : "middle";
  return svg("text", { x: at, y, "text-anchor": anchor, class: kind }, words);
}

/**
 * @param {SVGElement} chart
 * @param {number} low
 * @param {number} high
 * @param {(size: Bytes) => Pixels} x
 * @param {number} bottom
 */
function axis(chart, low, high, x, bottom) {
  for (let size = 1024; size <= high; size *= 1024) {
    if (size < low) continue;
    chart.append(svg("line", { x1: x(size), x2: x(size), y1: TOP - 8, y2: bottom, class: "pv-grid" }));
    chart.append(text(x(size), bottom + 18, bytes(size), Infinity, "pv-axis"));
  }
}

// Joins of the same relations are told apart by their number.
/** @param {JoinAt[]} joins */
function numbered(joins) {
  const seen = new Map();
  return joins.map(([name, operator]) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [times > 1 ? `${name} (${times})` : name, operator];
  });
}

/**
 * @param {SVGElement} chart
 * @param {string} name
 * @param {number} top
 * @param {Stretch[]} stretches
 * @param {(size: Bytes) => Pixels} x
 * @param {Theme} theme
 * @param {Mode} mode
 */
function lane(chart, name, top, stretches, x, theme, mode) {
  chart.append(svg("text", { x: LEFT, y: top + 10, class: "pv-lane" }, name));
  for (const { from, to, operator } of bands(name, stretches)) {
    const left = x(from),
      right = Math.max(x(to), left + 2),
      colour = theme.kinds[KINDS.find(([pattern]) => pattern.test(operator))?.[1] ?? "other"][mode];
    const band = svg("rect", {
      x: left,
      y: top + NAME,
      width: right - left,
      height: LANE - 10,
      rx: 5,
      fill: colour,
      "fill-opacity": 0.16,
      stroke: colour,
      "stroke-opacity": 0.5,
    });
    band.append(svg("title", {}, `${name}: ${operator} from ${grouped(from)} to ${grouped(to)} bytes`));
    chart.append(band);
    if (right - left > operator.length * 6.3 + 12)
      chart.append(
        svg("text", { x: (left + right) / 2, y: top + NAME + 16, "text-anchor": "middle", class: "pv-band" }, operator),
      );
  }
}

// Neighbouring stretches with the same operator are one band.
/** @param {string} name @param {Stretch[]} stretches */
function bands(name, stretches) {
  /** @type {{ from: Bytes; to: Bytes; operator: string }[]} */
  const found = [];
  for (const { low, high, joins } of stretches) {
    const operator = numbered(joins).find(([other]) => other === name)?.[1];
    if (operator === undefined) continue;
    const before = found[found.length - 1];
    if (before && before.operator === operator && before.to + 1 === low) before.to = high;
    else found.push({ from: low, to: high, operator });
  }
  return found;
}

// Every change in words, exact to the byte.
/** @param {SizesAnswer} given */
export function crossoverTable({ crossovers, plans, seconds }) {
  const parts = [];
  for (const { at, changes } of crossovers) {
    const box = element("section", "pv-change-box"),
      head = element("div", "pv-change-head");
    head.append(
      element("b", "", `${grouped(at)} bytes`),
      element("span", "pv-muted", `${bytes(at)} · and one byte more`),
    );
    box.append(head);
    for (const { relations, before, after, test, sawBefore, sawAfter } of changes.slice(0, 12)) {
      const line = element("p", "pv-change-line");
      line.append(
        element("span", "pv-muted", `${relations}: `),
        element("b", "", before ?? "another order of joins"),
        " → ",
        element("b", "", after ?? "another order of joins"),
      );
      if (test) line.append(element("span", "pv-small", `${test} ${saw(sawBefore, sawAfter)}`));
      box.append(line);
    }
    if (changes.length > 12) box.append(element("p", "pv-small", `and ${changes.length - 12} more joins`));
    parts.push(box);
  }
  if (!crossovers.length) parts.push(element("p", "", "No join changes over this range."));
  parts.push(
    element(
      "p",
      "pv-small",
      `${plans} plans in ${seconds.toFixed(seconds < 1 ? 2 : 1)} s; on both sides of every line the query was planned in full.`,
    ),
  );
  return parts;
}

/** @param {Record<string, number> | null} before @param {Record<string, number> | null} after */
function saw(before, after) {
  const now = after ?? {};
  const words = Object.keys(now)
    .filter((name) => before?.[name] !== now[name])
    .map((name) => `${name} ${before?.[name] === undefined ? "?" : grouped(before[name])} → ${grouped(now[name])}`);
  return words.length ? `(${words.slice(0, 4).join(", ")})` : "";
}
