// A plan from afar: bars in place of cards, names over them as on a map, and the whole of it as dots.
import { boxFound, kindColour, markColours, titleOf } from "./look.js";

const MOST_LANDMARKS = 4000;
const LANDMARKS = ["join", "scan", "aggregate", "window", "set", "generate", "exchange"]; // kinds whose names say most

// Far: one bar per box in its colour, at least a pixel and a half wide; bars on the same pixels are drawn once.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
export function drawBars(ctx, view, colours, boxes) {
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

// Names over the bars of a plan that is far away, as on a map: those that say most first, none over another.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
export function drawLandmarks(ctx, view, colours, boxes) {
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
