// What the parts of a frame share: from where on words are drawn, the colours of kinds and marks, titles and pills.
import { told } from "./dom.js";

// Below FAR coloured bars only, below NEAR titles, from there whole cards.
export const FAR = 0.42;

export const NEAR = 0.7;

/** @param {Canvas} view @param {Plan} plan @param {number} i */
export function kindColour(view, plan, i) {
  return view.theme.kinds[plan.kind(i)][view.mode];
}

// Whether a box holds a node that the search found.
/** @param {Plan} plan @param {Set<number>} found @param {number} b */
export function boxFound(plan, found, b) {
  if (!plan.isFolded(b)) return found.has(plan.first[b]);
  for (let i = plan.last[b]; ; i = plan.nodes.parent[i]) {
    if (found.has(i)) return true;
    if (i === plan.first[b]) return false;
  }
}

/** @type {Record<string, "removed" | "inserted" | undefined>} */
const WORN = { changed: "inserted", was: "removed", is: "inserted" };

/** @param {Colours} colours @param {Mark} mark */
export function markColours(colours, mark) {
  return colours[WORN[mark] ?? /** @type {"removed" | "inserted" | "moved"} */ (mark)];
}

/** @param {Canvas} view @param {number} b */
export function titleOf(view, b) {
  const { plan, selected } = view;
  if (!plan.isFolded(b)) return plan.titles[plan.first[b]];
  // A selected node inside a folded chain lends the box its name: the panel and the picture then speak of the same.
  if (selected >= 0 && plan.box[selected] === b) return plan.titles[selected];
  return told(`${plan.foldedCount(b)} operators`);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Tint} colours
 */
export function pill(ctx, x, y, width, height, colours) {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, height / 2);
  ctx.fillStyle = colours.fill;
  ctx.fill();
  ctx.strokeStyle = colours.border;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.fillStyle = colours.text;
}

// The operators of a folded chain, the lowest first.
/** @param {Plan} plan @param {number} b */
export function foldedWords(plan, b) {
  const words = [];
  for (let i = plan.last[b], n = 0; n < 40; i = plan.nodes.parent[i], n++) {
    words.push(plan.titles[i]);
    if (i === plan.first[b]) break;
  }
  return words.reverse().join(" ← ");
}
