// Drawing one frame. Only what is in view; everything of one colour in one path; text from plans through fillText alone.
// Its parts: edges.js, cards.js, far.js, and in look.js what they share.
import { drawCards } from "./cards.js";
import { told } from "./dom.js";
import { drawEdgeLabels, drawEdges, drawLinks } from "./edges.js";
import { drawBars, drawLandmarks } from "./far.js";
import { FAR, markColours, NEAR, pill } from "./look.js";

// What a frame needs: plan, theme, mode ("light" | "dark"), camera {x, y, k}, width and height in CSS px, ratio (device
// px per CSS px), selected node, hover box, found (Set of nodes or null), lit (Uint8Array of boxes on the way to the root),
// and when two states of a plan are compared marks (box -> "removed", "inserted" or "moved"; for
// what changed "was" and "is", or "changed" where one card stands for both),
// labels (box -> words beside its card) and ghosts ([box, box above] of edges that are no more). measure, where edges
// tell other numbers than the scene's rows: width(node) in px, words(node) as [text, colour] pieces, tint(node) as an
// index into tints (colours; 0 is none); labelled then holds [x0, y0, x1, y1, node] of what was written.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view */
export function drawFrame(ctx, view) {
  const { plan, camera, ratio } = view,
    { x, y, k } = camera;
  const colours = view.theme[view.mode];
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = colours.surface;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  ctx.setTransform(k * ratio, 0, 0, k * ratio, -x * k * ratio, -y * k * ratio);
  const x1 = x + view.width / k,
    y1 = y + view.height / k;
  const edges = /** @type {number[]} */ ([]),
    boxes = /** @type {number[]} */ ([]);
  plan.within(x, y, x1, y1, (b) => {
    if (plan.up[b] >= 0) edges.push(b);
    const left = plan.x[b],
      top = plan.y[b];
    if (left <= x1 && left + plan.w[b] >= x && top <= y1 + 12 && top + plan.h[b] >= y - 12) boxes.push(b);
  });
  drawEdges(ctx, view, colours, edges);
  drawLinks(ctx, view, colours, x, y, x1, y1);
  if (k < FAR) drawBars(ctx, view, colours, boxes);
  else drawCards(ctx, view, colours, boxes);
  if (view.measure ? k >= FAR : k >= NEAR && !plan.snug) drawEdgeLabels(ctx, view, colours, edges);
  if (k < FAR && !view.marks?.size) drawLandmarks(ctx, view, colours, boxes);
  if (view.hot >= 0) drawHot(ctx, view, colours);
  if (view.labels && k >= FAR) drawMarkLabels(ctx, view, colours, boxes);
  return boxes.length;
}

// What changed, beside its card: at its right, at its left where the next card or the view's edge is too near, else above
// its left half; where a card stands there, too, the colour alone tells.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawMarkLabels(ctx, view, colours, boxes) {
  const {
      plan,
      theme: { card, layout },
      camera: { x, k },
    } = view,
    end = x + view.width / k;
  ctx.font = view.font(600, Math.round(Math.max(card.sub.size, Math.min(15, 10 / k)) * 2) / 2);
  ctx.textBaseline = "middle";
  for (const b of boxes) {
    const label = view.labels?.get(b);
    if (!label) continue;
    const words = told(label);
    const right = plan.x[b] + plan.w[b],
      middle = plan.y[b] + plan.h[b] / 2;
    const text = view.cutTo(ctx, b, "label", words, 260),
      width = ctx.measureText(text).width;
    ctx.fillStyle = markColours(colours, /** @type {Mark} */ (view.marks?.get(b))).text;
    const left = plan.x[b] - 10 - width,
      whole = right + 10 + width <= end;
    if (whole && roomFor(plan, b, right + width + 18)) {
      ctx.fillText(text, right + 10, middle);
      continue;
    }
    if (!whole && left >= x && clear(plan, b, left - 8, plan.x[b])) {
      ctx.fillText(text, left, middle);
      continue;
    }
    // Above the card, on a patch of the surface: the edge runs behind the words.
    const above = view.cutTo(ctx, b, "label above", words, Math.max(plan.w[b], 96)),
      y = plan.y[b] - layout.gap_y / 3;
    if (plan.boxAt(plan.x[b] + 2, y - 5) >= 0 || plan.boxAt(plan.x[b] + plan.w[b] / 2, y - 5) >= 0) continue;
    const ink = ctx.fillStyle;
    ctx.fillStyle = colours.surface;
    ctx.fillRect(plan.x[b], y - 7, ctx.measureText(above).width + 4, 13);
    ctx.fillStyle = ink;
    ctx.fillText(above, plan.x[b] + 2, y);
  }
  ctx.textBaseline = "alphabetic";
}

// The place with the most rows, where the plan is too large to be seen as a whole: a border, and words where there is room.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours */
function drawHot(ctx, view, colours) {
  const {
      plan,
      theme: { card },
      camera: { k },
    } = view,
    b = plan.box[view.hot],
    size = Math.max(10.5, 10.5 / k);
  ctx.beginPath();
  ctx.roundRect(plan.x[b], plan.y[b], plan.w[b], plan.h[b], card.radius);
  ctx.strokeStyle = colours.warning.text;
  ctx.lineWidth = Math.max(2, 2 / k);
  ctx.stroke();
  ctx.font = view.font(600, size);
  ctx.textBaseline = "middle";
  const words = told("most rows"),
    width = ctx.measureText(words).width + size,
    height = size * 1.45;
  const x = plan.x[b] + plan.w[b] + 6,
    y = plan.y[b] + plan.h[b] / 2 - height / 2;
  if (roomFor(plan, b, x + width)) {
    pill(ctx, x, y, width, height, colours.warning);
    ctx.fillText(words, x + size / 2, y + height / 2 + 0.5);
  }
  ctx.textBaseline = "alphabetic";
}

// Whether no other card stands beside b up to `reach`.
/** @param {Plan} plan @param {number} b @param {number} reach */
function roomFor(plan, b, reach) {
  return clear(plan, b, plan.x[b] + plan.w[b], reach);
}

// Whether no other card stands between two places at b's height.
/** @param {Plan} plan @param {number} b @param {number} from @param {number} to */
function clear(plan, b, from, to) {
  const top = plan.y[b],
    bottom = plan.y[b] + plan.h[b];
  let free = true;
  plan.within(from + 1, top, to, bottom, (other) => {
    if (
      other !== b &&
      plan.x[other] < to &&
      plan.x[other] + plan.w[other] > from &&
      plan.y[other] < bottom &&
      plan.y[other] + plan.h[other] > top
    )
      free = false;
  });
  return free;
}
