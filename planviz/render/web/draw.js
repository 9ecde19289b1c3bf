// Drawing one frame. Only what is in view; everything of one colour in one path; text from plans through fillText alone.
import { partName, told } from "./dom.js";

// Below FAR coloured bars only, below NEAR titles, from there whole cards.
export const FAR = 0.42;
export const NEAR = 0.7;
const MOST_LANDMARKS = 4000;
const LANDMARKS = ["join", "scan", "aggregate", "window", "set", "generate", "exchange"]; // kinds whose names say most

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
  if (k >= (view.measure ? FAR : NEAR) && !plan.snug) drawEdgeLabels(ctx, view, colours, edges);
  if (k < FAR && !view.marks?.size) drawLandmarks(ctx, view, colours, boxes);
  if (view.hot >= 0) drawHot(ctx, view, colours);
  if (view.labels && k >= FAR) drawMarkLabels(ctx, view, colours, boxes);
  return boxes.length;
}

/** @param {Theme} theme @param {number | null} rows */
export function edgeWidth(theme, rows) {
  if (rows == null || rows <= 1) return theme.edge.min;
  return Math.min(theme.edge.max, Math.max(theme.edge.min, Math.log(rows)));
}

/** @type {("" | "removed" | "inserted")[]} */
const EDGE_MARKS = ["", "removed", "inserted"];

// One path per width and dash. Far away, an edge that would cover the pixels of its neighbour is left out.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} edges */
function drawEdges(ctx, view, colours, edges) {
  const {
    plan,
    theme,
    camera: { k },
    lit,
  } = view;
  const buckets = new Map(),
    straight = k < FAR,
    thin = 0.75 / k;
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
  ctx.lineCap = "butt";
  for (const [bucket, pairs] of buckets) {
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
  if (view.ghosts?.length) {
    ctx.strokeStyle = colours.removed.border;
    ctx.globalAlpha = 0.5;
    ctx.lineWidth = Math.max(theme.edge.min, thin);
    ctx.setLineDash(theme.edge.dash);
    ctx.beginPath();
    for (const [b, p] of view.ghosts) tracePath(ctx, plan, b, p, straight);
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
  ctx.setLineDash([]);
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
function drawEdgeLabels(ctx, view, colours, edges) {
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
function drawLinks(ctx, view, colours, x0, y0, x1, y1) {
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

/** @param {Canvas} view @param {Plan} plan @param {number} i */
function kindColour(view, plan, i) {
  return view.theme.kinds[plan.kind(i)][view.mode];
}

// Far: one bar per box in its colour, at least a pixel and a half wide; bars on the same pixels are drawn once.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawBars(ctx, view, colours, boxes) {
  const {
    plan,
    found,
    camera: { k },
  } = view;
  const paths = new Map(),
    least = 1.5 / k;
  let lastX = NaN,
    lastY = NaN;
  for (const b of boxes) {
    const dim = found !== null && !boxFound(plan, found, b),
      mark = view.marks?.get(b);
    if (mark === undefined && Math.abs(plan.x[b] - lastX) * k < 0.7 && lastY === plan.y[b] && (dim || found === null))
      continue;
    lastX = plan.x[b];
    lastY = plan.y[b];
    const colour = mark
      ? markColours(colours, mark).border
      : dim || view.marks?.size
        ? colours.edge
        : kindColour(view, plan, plan.first[b]);
    let list = paths.get(colour);
    if (!list) paths.set(colour, (list = []));
    list.push(b);
  }
  for (const [colour, list] of paths) {
    ctx.fillStyle = colour;
    ctx.globalAlpha = colour === colours.edge ? 0.6 : 0.82;
    ctx.beginPath();
    for (const b of list) {
      const w = Math.max(plan.w[b], least),
        h = Math.max(plan.h[b] * 0.62, least);
      ctx.rect(plan.x[b] + (plan.w[b] - w) / 2, plan.y[b] + (plan.h[b] - h) / 2, w, h);
    }
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  const mark = view.selected < 0 ? -1 : plan.box[view.selected];
  if (mark < 0) return;
  const pad = 3 / k;
  ctx.strokeStyle = colours.accent;
  ctx.lineWidth = 2 / k;
  ctx.strokeRect(plan.x[mark] - pad, plan.y[mark] - pad, plan.w[mark] + 2 * pad, plan.h[mark] + 2 * pad);
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

/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawCards(ctx, view, colours, boxes) {
  const { plan, found, marks } = view;
  if (marks?.size) return drawMarkedCards(ctx, view, marks, colours, boxes);
  if (found === null) return drawSomeCards(ctx, view, colours, boxes);
  ctx.globalAlpha = 0.3;
  drawSomeCards(
    ctx,
    view,
    colours,
    boxes.filter((b) => !boxFound(plan, found, b)),
  );
  ctx.globalAlpha = 1;
  drawSomeCards(
    ctx,
    view,
    colours,
    boxes.filter((b) => boxFound(plan, found, b)),
    colours.warning,
  );
}

/** @type {Mark[]} */
const MARKS = ["moved", "removed", "was", "inserted", "is"];

// What a step left alone is muted; the rest stands out by colour, line and dash.
/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} view
 * @param {Map<number, Mark>} marks
 * @param {Colours} colours
 * @param {number[]} boxes
 */
function drawMarkedCards(ctx, view, marks, colours, boxes) {
  /** @type {Map<Mark | "", number[]>} */
  const by = new Map();
  for (const b of boxes) {
    const mark = marks.get(b) ?? "";
    const some = by.get(mark);
    if (some) some.push(b);
    else by.set(mark, [b]);
  }
  const lit = (/** @type {number} */ b) => view.found !== null && boxFound(view.plan, view.found, b),
    rest = by.get("") ?? [];
  ctx.globalAlpha = view.found === null ? 0.5 : 0.3;
  drawSomeCards(
    ctx,
    view,
    colours,
    rest.filter((b) => !lit(b)),
  );
  ctx.globalAlpha = 1;
  drawSomeCards(ctx, view, colours, rest.filter(lit), colours.warning);
  for (const mark of MARKS) {
    const dash = mark === "removed" ? view.theme.edge.dash : [];
    const some = by.get(mark);
    if (some) drawSomeCards(ctx, view, colours, some, { ...markColours(colours, mark), width: 2, dash });
  }
  for (const b of by.get("changed") ?? [])
    drawSomeCards(ctx, view, colours, [b], {
      fill: across(ctx, view, b, colours, "fill"),
      border: across(ctx, view, b, colours, "border"),
      width: 2,
      dash: [],
    });
}

// From what was to what is, within one card.
/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} given
 * @param {number} b
 * @param {Colours} colours
 * @param {"fill" | "border"} part
 */
function across(ctx, { plan }, b, colours, part) {
  const blend = ctx.createLinearGradient(plan.x[b], 0, plan.x[b] + plan.w[b], 0);
  blend.addColorStop(0.15, colours.removed[part]);
  blend.addColorStop(0.85, colours.inserted[part]);
  return blend;
}

/** @type {Record<string, "removed" | "inserted" | undefined>} */
const WORN = { changed: "inserted", was: "removed", is: "inserted" };

/** @param {Colours} colours @param {Mark} mark */
function markColours(colours, mark) {
  return colours[WORN[mark] ?? /** @type {"removed" | "inserted" | "moved"} */ (mark)];
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

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} view
 * @param {Colours} colours
 * @param {number[]} boxes
 * @param {CardStyle} [mark]
 */
function drawSomeCards(ctx, view, colours, boxes, mark) {
  const snug = view.plan.snug && (view.plan.snug.line || !(view.marks?.size && mark)); // what a step changed is told whole
  const {
      plan,
      theme: { card },
      camera: { k },
    } = view,
    near = k >= NEAR;
  const selected = view.selected < 0 ? -1 : plan.box[view.selected];
  for (const b of boxes) if (plan.isFolded(b)) drawStack(ctx, plan, card, colours, b);
  ctx.beginPath();
  for (const b of boxes) ctx.roundRect(plan.x[b], plan.y[b], plan.w[b], plan.h[b], card.radius);
  ctx.fillStyle = mark ? mark.fill : colours.card;
  ctx.fill();
  ctx.strokeStyle = mark ? mark.border : colours.border;
  ctx.lineWidth = mark?.width ?? 1;
  ctx.setLineDash(mark?.dash ?? []);
  ctx.stroke();
  ctx.setLineDash([]);
  for (const b of boxes) {
    if (b !== selected && b !== view.hover) continue;
    ctx.beginPath();
    ctx.roundRect(plan.x[b], plan.y[b], plan.w[b], plan.h[b], card.radius);
    ctx.strokeStyle = b === selected ? colours.accent : colours.link;
    ctx.lineWidth = b === selected ? Math.max(2, 1.6 / k) : 1;
    ctx.stroke();
  }
  drawCategoryBars(ctx, view, boxes, snug);
  if (snug) {
    drawSnugText(ctx, view, colours, boxes);
    return drawHiddenCounts(ctx, view, colours, boxes);
  }
  if (near) drawIcons(ctx, view, boxes);
  if (near) drawCardText(ctx, view, colours, boxes);
  else drawTitles(ctx, view, colours, boxes);
  drawHiddenCounts(ctx, view, colours, boxes);
  if (near) drawBadges(ctx, view, colours, boxes);
}

// Two edges of further cards behind a folded chain.
/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Plan} plan
 * @param {Theme["card"]} card
 * @param {Colours} colours
 * @param {number} b
 */
function drawStack(ctx, plan, card, colours, b) {
  ctx.fillStyle = colours.card;
  ctx.strokeStyle = colours.border;
  ctx.lineWidth = 1;
  for (const off of [6, 3]) {
    ctx.beginPath();
    ctx.roundRect(plan.x[b] + off, plan.y[b] + off, plan.w[b] - 2 * off, plan.h[b], card.radius);
    ctx.fill();
    ctx.stroke();
  }
}

// The bar at the left edge; for a folded chain one piece per node, in order, up to what can be told apart.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {number[]} boxes @param {boolean | null} tight */
function drawCategoryBars(ctx, view, boxes, tight) {
  const {
      plan,
      theme: {
        card: { bar, snug },
      },
    } = view,
    groups = new Map(),
    inset = tight ? snug.inset : bar.inset;
  /** @type {(i: number, x: number, y: number, h: number) => void} */
  const add = (i, x, y, h) => {
    const colour = kindColour(view, plan, i);
    if (!groups.has(colour)) groups.set(colour, []);
    groups.get(colour).push(x, y, h);
  };
  for (const b of boxes) {
    const x = plan.x[b],
      y = plan.y[b] + inset,
      h = plan.h[b] - 2 * inset;
    if (!plan.isFolded(b)) {
      add(plan.first[b], x, y, h);
      continue;
    }
    const count = Math.min(plan.foldedCount(b), 10),
      piece = h / count;
    let i = plan.last[b];
    for (let at = count - 1; at >= 0; at--, i = plan.nodes.parent[i]) add(i, x, y + at * piece, piece - 0.5);
  }
  for (const [colour, list] of groups) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    for (let j = 0; j < list.length; j += 3) ctx.roundRect(list[j], list[j + 1], bar.width, list[j + 2], bar.radius);
    ctx.fill();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {number[]} boxes */
function drawIcons(ctx, view, boxes) {
  const {
      plan,
      theme: {
        card: { icon },
        icon_box: side,
      },
    } = view,
    scale = icon.size / side;
  ctx.lineWidth = 1.5;
  ctx.lineJoin = ctx.lineCap = "round";
  for (const b of boxes) {
    if (plan.isFolded(b)) continue;
    const i = plan.first[b];
    ctx.save();
    ctx.translate(plan.x[b] + icon.x, plan.y[b] + iconTop(view, b));
    ctx.scale(scale, scale);
    ctx.strokeStyle = kindColour(view, plan, i);
    ctx.stroke(view.icons[plan.kind(i)]);
    ctx.restore();
  }
  ctx.lineCap = "butt";
  ctx.lineJoin = "miter";
}

// A card without a second line carries its title in the middle.
/** @param {Canvas} view @param {number} b */
function lonely(view, b) {
  const { plan } = view;
  return !plan.isFolded(b) && !view.cardLines(b).length && !view.badges(b).length;
}

/** @param {Canvas} view @param {number} b */
function iconTop(view, b) {
  const { icon } = view.theme.card;
  return lonely(view, b) ? (view.plan.h[b] - icon.size) / 2 : icon.y;
}

/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawCardText(ctx, view, colours, boxes) {
  const {
    plan,
    theme: { card },
  } = view;
  const right = card.number.right;
  ctx.font = view.fonts.number;
  ctx.fillStyle = colours.muted;
  ctx.textAlign = "right";
  for (const b of boxes) ctx.fillText(mark(plan, b), plan.x[b] + plan.w[b] - right, plan.y[b] + titleY(view, b));
  ctx.textAlign = "left";
  ctx.font = view.fonts.title;
  ctx.fillStyle = colours.ink;
  for (const b of boxes) {
    const left = plan.isFolded(b) ? card.sub.x : card.title.x;
    const room = plan.w[b] - left - right - 6 - view.markWidth(b, mark(plan, b));
    ctx.fillText(view.cutTo(ctx, b, "title", titleOf(view, b), room), plan.x[b] + left, plan.y[b] + titleY(view, b));
  }
  ctx.font = view.fonts.sub;
  for (const b of boxes) {
    const lines = /** @type {Line[]} */ (view.cardLines(b)).map(cardLine),
      room = plan.w[b] - card.sub.x - right;
    for (let j = 0; j < lines.length; j++) {
      const x = plan.x[b] + card.sub.x,
        y = plan.y[b] + card.sub.y + j * card.line,
        [lead, words] = lines[j];
      const used = lead ? view.leadWidth(ctx, lead) : 0;
      ctx.fillStyle = colours.muted;
      if (lead) ctx.fillText(lead, x, y);
      const taken = j === view.rows(b) - 1 ? view.badgeRoom(b) : 0;
      ctx.fillStyle = lead ? colours.ink : colours.muted;
      ctx.fillText(view.cutTo(ctx, b, j, words, room - used - taken), x + used, y);
    }
  }
}

/** @param {Canvas} view @param {number} b */
function titleY(view, b) {
  return lonely(view, b) ? view.plan.h[b] / 2 + 4.5 : view.theme.card.title.y;
}

/** @param {Canvas} view @param {number} b */
export function titleOf(view, b) {
  const { plan, selected } = view;
  if (!plan.isFolded(b)) return plan.titles[plan.first[b]];
  // A selected node inside a folded chain lends the box its name: the panel and the picture then speak of the same.
  if (selected >= 0 && plan.box[selected] === b) return plan.titles[selected];
  return told(`${plan.foldedCount(b)} operators`);
}

// What stands last on a card: the codegen stage in Spark's form and the node's number.
/** @param {Plan} plan @param {number} b */
function mark(plan, b) {
  if (plan.isFolded(b)) return told("folded");
  const i = plan.first[b],
    stage = plan.nodes.codegen[i],
    number = plan.nodes.number[i];
  return stage >= 0 ? `*(${stage})  ${number}` : String(number);
}

// One line: the title, and the rows where an edge is too short to bear them.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawSnugText(ctx, view, colours, boxes) {
  const {
      plan,
      theme: {
        card: { snug },
      },
      camera: { k },
    } = view,
    size = Math.round(Math.min(snug.height - 5, Math.max(snug.size, 9.5 / k)) * 2) / 2;
  ctx.textBaseline = "middle";
  for (const b of boxes) {
    const words = plan.isFolded(b) ? "" : plan.rowsWords(plan.first[b]),
      right = plan.x[b] + plan.w[b] - snug.right,
      middle = plan.y[b] + plan.h[b] / 2 + 0.5;
    ctx.font = view.font(400, size - 1);
    ctx.fillStyle = colours.muted;
    ctx.textAlign = "right";
    if (words) ctx.fillText(words, right, middle);
    const used = words ? ctx.measureText(words).width + 8 : 0;
    ctx.textAlign = "left";
    ctx.font = view.font(600, size);
    ctx.fillStyle = colours.ink;
    const grave = gravest(view, b),
      left = plan.x[b] + snug.x;
    if (grave) {
      ctx.fillStyle = colours[grave].text;
      ctx.fillText("!", left, middle);
      ctx.fillStyle = colours.ink;
    }
    ctx.fillText(
      view.cutTo(ctx, b, `snug ${size}`, plan.lineOf(b, view.selected), right - left - used - (grave ? 8 : 0)),
      left + (grave ? 8 : 0),
      middle,
    );
  }
  ctx.textBaseline = "alphabetic";
}

// "problem" or "warning" where a badge says so, else undefined.
/** @param {Canvas} given @param {number} b */
function gravest({ plan, theme }, b) {
  const told = plan.isFolded(b) ? [] : plan.nodes.badges[plan.first[b]].map((badge) => theme.badges[badge]);
  return told.includes("problem") ? "problem" : told.includes("warning") ? "warning" : undefined;
}

// Names over the bars of a plan that is far away, as on a map: those that say most first, none over another.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawLandmarks(ctx, view, colours, boxes) {
  const {
    plan,
    camera: { x, y, k },
    found,
  } = view;
  if (boxes.length > MOST_LANDMARKS) return;
  const cell = 8,
    line = 13,
    taken = new Set(),
    rank = (/** @type {number} */ b) => LANDMARKS.indexOf(plan.kind(plan.first[b])) >>> 0;
  ctx.font = view.font(600, 10.5 / k);
  ctx.textBaseline = "middle";
  for (const b of boxes.slice().sort((a, b) => rank(a) - rank(b) || a - b)) {
    if (found !== null && !boxFound(plan, found, b)) continue;
    const words = titleOf(view, b).slice(0, 40),
      width = ctx.measureText(words).width;
    const left = plan.x[b] + plan.w[b] / 2 - width / 2,
      middle = plan.y[b] + plan.h[b] / 2;
    const from = Math.floor(((left - x) * k - 4) / cell),
      to = Math.ceil(((left + width - x) * k + 4) / cell),
      row = Math.round(((middle - y) * k) / line);
    const cells = [];
    for (let at = from; at <= to; at++) for (const near of [-1, 0, 1]) cells.push((row + near) * 4096 + at);
    if (cells.some((one) => taken.has(one))) continue;
    for (let at = from; at <= to; at++) taken.add(row * 4096 + at);
    ctx.globalAlpha = 0.86;
    ctx.fillStyle = colours.surface;
    ctx.fillRect(left - 2 / k, middle - 6.5 / k, width + 4 / k, 13 / k);
    ctx.globalAlpha = 1;
    ctx.fillStyle = kindColour(view, plan, plan.first[b]);
    ctx.fillText(words, left, middle);
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

// Titles only, larger than on the card, on two lines when one is not enough.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawTitles(ctx, view, colours, boxes) {
  const {
    plan,
    camera: { k },
  } = view;
  const size = Math.min(19, 10.5 / k);
  ctx.font = view.font(600, Math.round(size * 2) / 2);
  ctx.fillStyle = colours.ink;
  ctx.textBaseline = "middle";
  for (const b of boxes) {
    const lines = view.wrap(ctx, b, titleOf(view, b), plan.w[b] - 22, size);
    const middle = plan.y[b] + plan.h[b] / 2 + 1;
    if (lines.length === 1) {
      ctx.fillText(lines[0], plan.x[b] + 14, middle);
    } else {
      ctx.fillText(lines[0], plan.x[b] + 14, middle - size * 0.53);
      ctx.fillText(lines[1], plan.x[b] + 14, middle + size * 0.53);
    }
  }
  ctx.textBaseline = "alphabetic";
}

/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawHiddenCounts(ctx, view, colours, boxes) {
  const { plan } = view;
  ctx.font = view.fonts.label;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const b of boxes) {
    const count = plan.hiddenBelow(b);
    if (!count) continue;
    const text = told(`▸ ${count} hidden`),
      width = ctx.measureText(text).width + 16;
    const x = plan.x[b] + plan.w[b] / 2,
      y = plan.y[b] + plan.h[b] + 3;
    pill(ctx, x - width / 2, y - 8, width, 16, colours.badge);
    ctx.fillText(text, x, y + 0.5);
  }
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
}

// A card's line in the reader's language: what it is about, and what planviz counts; names and expressions are the plan's.
/**
 * @param {Line} given
 * @returns {Line}
 */
function cardLine([lead, text]) {
  const counted = lead ? /^\S+ rows\b/.test(text) : text.includes(" ");
  return [partName(lead), counted ? told(text) : text];
}

// Pills in the lower right corner; cardLines leaves them room on the last line.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawBadges(ctx, view, colours, boxes) {
  const { plan, theme } = view,
    { badge } = theme.card;
  ctx.font = view.fonts.badge;
  ctx.textBaseline = "middle";
  for (const b of boxes) {
    let right = plan.x[b] + plan.w[b] - badge.right;
    const y = plan.y[b] + plan.h[b] - badge.height - 6;
    for (const [text, width] of view.badges(b)) {
      pill(ctx, right - width, y, width, badge.height, colours[theme.badges[text] ?? "badge"]);
      ctx.fillText(told(text), right - width + badge.padding, y + badge.height / 2 + 0.5);
      right -= width + badge.gap;
    }
  }
  ctx.textBaseline = "alphabetic";
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {Tint} colours
 */
function pill(ctx, x, y, width, height, colours) {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, height / 2);
  ctx.fillStyle = colours.fill;
  ctx.fill();
  ctx.strokeStyle = colours.border;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.fillStyle = colours.text;
}

// The whole plan as dots in a small canvas, stretched where it is far wider than tall. Returns [scale x, scale y, left, top].
/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Canvas} view
 * @param {number} width
 * @param {number} height
 * @param {number} ratio
 * @returns {[sx: number, sy: number, left: number, top: number]}
 */
export function drawMinimap(ctx, view, width, height, ratio) {
  const { plan } = view,
    pad = 6;
  const both = Math.min((width - 2 * pad) / plan.width, (height - 2 * pad) / plan.height);
  const sx = Math.min((width - 2 * pad) / plan.width, both * 8),
    sy = Math.min((height - 2 * pad) / plan.height, both * 8);
  const left = (width - plan.width * sx) / 2,
    top = (height - plan.height * sy) / 2;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  const dots = new Map(),
    taken = new Set();
  for (let b = 0; b < plan.count; b++) {
    const x = left + plan.x[b] * sx,
      y = top + plan.y[b] * sy;
    const cell = Math.round(x * 2) * 8192 + Math.round(y * 2);
    if (taken.has(cell)) continue;
    taken.add(cell);
    const mark = view.marks?.get(b);
    const colour = mark ? markColours(view.theme[view.mode], mark).border : kindColour(view, plan, plan.first[b]);
    if (!dots.has(colour)) dots.set(colour, []);
    dots.get(colour).push(x, y, Math.max(1.5, plan.w[b] * sx), Math.min(4, Math.max(1.2, plan.h[b] * sy * 0.6)));
  }
  ctx.globalAlpha = 0.75;
  for (const [colour, list] of dots) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    for (let j = 0; j < list.length; j += 4) ctx.rect(list[j], list[j + 1], list[j + 2], list[j + 3]);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  return [sx, sy, left, top];
}
