// Paints the edges of a frame: lines between cards by their rows, their numbers, and the links from one part of a plan to another.
import { told } from "./dom.js";
import { FAR, NEAR } from "./look.js";

/** @param {Theme} theme @param {number | null} rows */
function edgeWidth(theme, rows) {
  if (rows == null || rows <= 1) return theme.edge.min;
  return Math.min(theme.edge.max, Math.max(theme.edge.min, Math.log(rows)));
}

/** @type {("" | "removed" | "inserted")[]} */
const EDGE_MARKS = ["", "removed", "inserted"];

// One path per width, colour and dash.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} edges */
export function drawEdges(ctx, view, colours, edges) {
  const {
    plan,
    theme,
    camera: { k },
  } = view;
  const straight = k < FAR,
    thin = 0.75 / k;
  ctx.lineCap = "butt";
  for (const [bucket, pairs] of edgesByLook(view, edges, straight)) {
    const width = bucket % 100;
    const subquery = bucket % 1000 >= 100,
      lighted = bucket % 10000 >= 1000,
      mark = EDGE_MARKS[Math.floor((bucket % 100000) / 10000)];
    const tint = view.measure?.tints[Math.floor(bucket / 100000)];
    ctx.strokeStyle = mark
      ? colours[mark].border
      : tint
        ? tint
        : lighted
          ? colours.accent
          : subquery
            ? colours.link
            : colours.edge;
    ctx.globalAlpha = mark || (lighted && !tint) ? 0.55 : 1;
    ctx.lineWidth = Math.max(straight ? width * 0.6 : width, thin);
    ctx.setLineDash(subquery || mark === "removed" ? theme.edge.dash : []);
    ctx.beginPath();
    for (let j = 0; j < pairs.length; j += 2) tracePath(ctx, plan, pairs[j], pairs[j + 1], straight);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
  if (view.ghosts?.length) drawGhosts(ctx, view, view.ghosts, colours, straight, thin);
  ctx.setLineDash([]);
}

// The edges that look alike, as [box, box above, ...] by a number whose digits are width, subquery, lit, mark and tint.
// Far away, an edge that would cover the pixels of its neighbour is left out.
/** @param {Canvas} view @param {number[]} edges @param {boolean} straight @returns {Map<number, number[]>} */
function edgesByLook(view, edges, straight) {
  const {
    plan,
    theme,
    camera: { k },
    lit,
  } = view;
  const buckets = new Map();
  let lastX = NaN,
    lastTop = NaN;
  for (const b of edges) {
    const p = plan.up[b],
      i = plan.first[b];
    const cx = plan.x[b] + plan.w[b] / 2;
    if (straight && Math.abs(cx - lastX) * k < 0.5 && lastTop === plan.y[b]) continue;
    lastX = cx;
    lastTop = plan.y[b];
    const subquery = plan.nodes.edge[i] === "s";
    const width = subquery
      ? theme.edge.min
      : Math.round(view.measure ? view.measure.width(i) : edgeWidth(theme, plan.nodes.rows[i]));
    const bucket =
      width +
      (subquery ? 100 : 0) +
      (lit[b] ? 1000 : 0) +
      10000 * EDGE_MARKS.indexOf(/** @type {any} */ (view.marks?.get(b) ?? "")) +
      100000 * (view.measure?.tint(i) ?? 0);
    let path = buckets.get(bucket);
    if (!path) buckets.set(bucket, (path = []));
    path.push(b, p);
  }
  return buckets;
}

// Edges of the state before that are no more.
/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} view
 * @param {[number, number][]} ghosts
 * @param {Colours} colours
 * @param {boolean} straight
 * @param {number} thin
 */
function drawGhosts(ctx, { plan, theme }, ghosts, colours, straight, thin) {
  ctx.strokeStyle = colours.removed.border;
  ctx.globalAlpha = 0.5;
  ctx.lineWidth = Math.max(theme.edge.min, thin);
  ctx.setLineDash(theme.edge.dash);
  ctx.beginPath();
  for (const [b, p] of ghosts) tracePath(ctx, plan, b, p, straight);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Plan} plan
 * @param {number} b
 * @param {number} p
 * @param {boolean} straight
 */
function tracePath(ctx, plan, b, p, straight) {
  if (plan.y[b] === plan.y[p]) {
    // A chain that lies in one row (spine.js).
    const middle = plan.y[b] + plan.h[b] / 2;
    ctx.moveTo(plan.x[p] + plan.w[p], middle);
    ctx.lineTo(plan.x[b], middle);
    return;
  }
  const x1 = plan.x[p] + plan.w[p] / 2,
    y1 = plan.y[p] + plan.h[p];
  const x2 = plan.x[b] + plan.w[b] / 2,
    y2 = plan.y[b];
  ctx.moveTo(x1, y1);
  if (straight || Math.abs(x1 - x2) < 0.5) ctx.lineTo(x2, y2);
  else ctx.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2);
}

// Rows above each child, on the outer side of its edge where no sibling's edge passes; an estimate wears the sign for
// "about", so that it never looks measured.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} edges */
export function drawEdgeLabels(ctx, view, colours, edges) {
  if (view.measure) return drawMeasures(ctx, view, view.measure, colours, edges);
  const { plan, theme } = view;
  ctx.font = view.fonts.label;
  ctx.fillStyle = colours.muted;
  for (const b of edges) {
    const i = plan.first[b],
      p = plan.up[b],
      rows = plan.nodes.rows[i];
    const words = rows == null ? [] : [plan.rowsWords(i)];
    if (plan.nodes.edge[i] === "s") words.push(told("subquery"));
    if (!words.length) continue;
    const x = plan.x[b] + plan.w[b] / 2,
      outer = x < plan.x[p] + plan.w[p] / 2 - 0.5 ? -1 : 1;
    ctx.textAlign = outer < 0 ? "right" : "left";
    ctx.fillText(words.join(" · "), x + outer * (edgeWidth(theme, rows) / 2 + 6), plan.y[b] - 8);
  }
  ctx.textAlign = "left";
}

// As above, with the words and widths of `view.measure`, on a patch of the surface so that no edge runs through them.
/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} view
 * @param {Measure} measure
 * @param {Colours} colours
 * @param {number[]} edges
 */
function drawMeasures(ctx, view, measure, colours, edges) {
  const {
      plan,
      theme,
      camera: { k },
    } = view,
    height = Math.round(Math.min(19, Math.max(theme.edge.label + 1, 9.5 / k)));
  ctx.font = view.font(400, height);
  for (const b of edges) {
    const i = plan.first[b],
      p = plan.up[b],
      pieces = measure.words(i);
    if (!pieces.length) continue;
    const x = plan.x[b] + plan.w[b] / 2,
      outer = x < plan.x[p] + plan.w[p] / 2 - 0.5 ? -1 : 1;
    const width = pieces.reduce((sum, [text]) => sum + ctx.measureText(text).width, 0) + 5 * (pieces.length - 1);
    const off = measure.width(i) / 2 + 6,
      y = plan.y[b] - 9;
    let at = outer < 0 ? x - off - width : x + off;
    view.labelled?.push([at - 4, y - height, at + width + 4, y + 5, i]);
    ctx.fillStyle = colours.surface;
    ctx.globalAlpha = 0.82;
    ctx.fillRect(at - 2, y - height + 2, width + 4, height + 2);
    ctx.globalAlpha = 1;
    for (const [text, colour] of pieces) {
      ctx.fillStyle = colour;
      ctx.fillText(text, at, y);
      at += ctx.measureText(text).width + 5;
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} view
 * @param {Colours} colours
 * @param {number} x0
 * @param {number} y0
 * @param {number} x1
 * @param {number} y1
 */
export function drawLinks(ctx, view, colours, x0, y0, x1, y1) {
  const {
      plan,
      theme,
      camera: { k },
    } = view,
    links = plan.scene.links;
  if (!links.length) return;
  ctx.strokeStyle = ctx.fillStyle = colours.link;
  ctx.lineWidth = Math.max(theme.link.width, 0.75 / k);
  ctx.setLineDash(theme.link.dash);
  const shown = /** @type {[curve: number[], type: string][]} */ ([]);
  ctx.beginPath();
  for (const [from, to, type] of links) {
    const a = plan.box[from],
      b = plan.box[to];
    if (a === b) continue;
    const curve = linkCurve(plan, theme, a, b);
    const low = Math.min(curve[0], curve[2], curve[4], curve[6]),
      high = Math.max(curve[0], curve[2], curve[4], curve[6]);
    if (high < x0 || low > x1 || Math.max(curve[1], curve[7]) < y0 || Math.min(curve[1], curve[7]) > y1) continue;
    traceCurve(ctx, curve, x0, x1);
    shown.push([curve, type]);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.beginPath();
  for (const [curve] of shown) arrowHead(ctx, curve[6], curve[7], Math.sign(curve[4] - curve[6]) || 1);
  ctx.fill();
  if (k < NEAR) return;
  ctx.font = view.fonts.link;
  ctx.textBaseline = "middle";
  for (const [curve, type] of shown) {
    const x = (curve[0] + 3 * curve[2] + 3 * curve[4] + curve[6]) / 8,
      y = (curve[1] + 3 * curve[3] + 3 * curve[5] + curve[7]) / 8;
    const text = String(type),
      width = ctx.measureText(text).width;
    ctx.fillStyle = colours.surface;
    ctx.fillRect(x - width / 2 - 4, y - 7, width + 8, 14);
    ctx.fillStyle = colours.link;
    ctx.fillText(text, x - width / 2, y + 0.5);
  }
  ctx.textBaseline = "alphabetic";
}

// From the side of one card to the side of the other, as planviz/render/drawing.py bends it:
// [x1, y1, cx1, cy1, cx2, cy2, x2, y2]. Cards above each other are joined round their right sides.
/** @param {Plan} plan @param {Theme} theme @param {number} a @param {number} b */
function linkCurve(plan, theme, a, b) {
  const { x, y, w, h } = plan;
  const y1 = y[a] + h[a] / 2,
    y2 = y[b] + h[b] / 2;
  const left = x[a],
    right = x[a] + w[a],
    toLeft = x[b],
    toRight = x[b] + w[b];
  if (right < toLeft) {
    const bend = Math.min(90, (toLeft - right) / 2);
    return [right, y1, right + bend, y1, toLeft - bend, y2, toLeft, y2];
  }
  if (toRight < left) {
    const bend = Math.min(90, (left - toRight) / 2);
    return [left, y1, left - bend, y1, toRight + bend, y2, toRight, y2];
  }
  const out = Math.max(right, toRight) + theme.link.bulge;
  return [right, y1, out, y1, out, y2, toRight, y2];
}

// Dashes cost by the length of the whole curve, so of one much wider than the view only the part in view is traced.
/** @param {CanvasRenderingContext2D} ctx @param {number[]} curve @param {number} x0 @param {number} x1 */
function traceCurve(ctx, curve, x0, x1) {
  const [ax, ay, bx, by, cx, cy, dx, dy] = curve,
    room = x1 - x0;
  if (Math.abs(dx - ax) < 8 * room) {
    ctx.moveTo(ax, ay);
    ctx.bezierCurveTo(bx, by, cx, cy, dx, dy);
    return;
  }
  /** @type {(t: number, a: number, b: number, c: number, d: number) => number} */
  const at = (t, a, b, c, d) => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t ** 3 * d;
  // Such a curve only goes one way, so the parameters where it enters and leaves are found by halving.
  const find = (/** @type {number} */ x) => {
    let low = 0,
      high = 1;
    for (let step = 0; step < 40; step++) {
      const middle = (low + high) / 2;
      if (at(middle, ax, bx, cx, dx) < x === dx > ax) low = middle;
      else high = middle;
    }
    return low;
  };
  const ends = [find(x0 - room), find(x1 + room)].sort((one, two) => one - two);
  for (let step = 0; step <= 48; step++) {
    const t = ends[0] + ((ends[1] - ends[0]) * step) / 48;
    const x = at(t, ax, bx, cx, dx),
      y = at(t, ay, by, cy, dy);
    if (step) ctx.lineTo(x, y);
    else ctx.moveTo(x, y);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} side */
function arrowHead(ctx, x, y, side) {
  ctx.moveTo(x, y);
  ctx.lineTo(x + 6 * side, y - 3.5);
  ctx.lineTo(x + 6 * side, y + 3.5);
  ctx.closePath();
}
