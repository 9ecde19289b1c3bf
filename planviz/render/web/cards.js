// The cards of a frame: their surface by what was found or changed, their bars, icons, titles, lines and badges.
import { partName, told } from "./dom.js";
import { boxFound, kindColour, markColours, NEAR, pill, titleOf } from "./look.js";

/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
export function drawCards(ctx, view, colours, boxes) {
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

// px beside a card of one line: from which on words are worth it, how many they may take, and between them and a card.
const LEAST_ROOM = 70,
  WIDEST_BESIDE = 300,
  LEAST_GAP = 8,
  PATCH = 0.85;

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
    if (near && !view.marks?.size && view.found === null) drawBeside(ctx, view, colours, boxes);
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
    const words = plan.isFolded(b) || view.measure ? "" : plan.rowsWords(plan.first[b]),
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

// What such a card is about, at its right as far as no other card and no end of the view is near.
/** @param {CanvasRenderingContext2D} ctx @param {Canvas} view @param {Colours} colours @param {number[]} boxes */
function drawBeside(ctx, view, colours, boxes) {
  const {
      plan,
      theme: {
        card: { snug },
      },
      camera: { x, k },
    } = view,
    end = x + view.width / k - LEAST_GAP,
    size = Math.round(Math.min(snug.height - 6, Math.max(snug.size - 1, 9 / k)) * 2) / 2;
  ctx.font = view.font(400, size);
  ctx.textBaseline = "middle";
  for (const b of boxes) {
    const lines = plan.linesBeside(b, view.selected);
    if (!lines.length) continue;
    const left = plan.x[b] + plan.w[b] + LEAST_GAP,
      room = Math.min(end, plan.free(b, left + WIDEST_BESIDE) - LEAST_GAP) - left;
    if (room < LEAST_ROOM) continue;
    const words = lines.map((line) => cardLine(line).filter(Boolean).join(" ")).join(" · "),
      text = view.cutTo(ctx, b, `beside-${size}-${Math.round(room)}`, words, room),
      middle = plan.y[b] + plan.h[b] / 2 + 0.5;
    // On a patch of the surface, so that no edge runs through the words.
    ctx.fillStyle = colours.surface;
    ctx.globalAlpha *= PATCH;
    ctx.fillRect(left - 2, middle - size / 2 - 1, ctx.measureText(text).width + 4, size + 2);
    ctx.globalAlpha /= PATCH;
    ctx.fillStyle = colours.muted;
    ctx.fillText(text, left, middle);
  }
  ctx.textBaseline = "alphabetic";
}

// "problem" or "warning" where a badge says so, else undefined.
/** @param {Canvas} given @param {number} b */
function gravest({ plan, theme }, b) {
  const told = plan.isFolded(b) ? [] : plan.nodes.badges[plan.first[b]].map((badge) => theme.badges[badge]);
  return told.includes("problem") ? "problem" : told.includes("warning") ? "warning" : undefined;
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
