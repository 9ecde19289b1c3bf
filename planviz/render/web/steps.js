// A trace played back: the plan before and after every step, from the changes that planviz/render/steps.py tells.
import { partName } from "./dom.js";
import { Plan } from "./plan.js";
import { textWidth } from "./ruler.js";
import { spine } from "./spine.js";
import { tidy } from "./tidy.js";

const KEPT = 64; // plans kept ready: going back and forth costs nothing

const TELLING = new Set(["join", "filter", "aggregate", "limit", "set", "window", "sort", "exchange", "generate"]); // kinds of operators
const WHOLE = 0.7; // zoom from which whole cards can be read
export const NEAREST = 0.5; // zoom at which not all of a step is shown but what changed
const STRAIGHTER = 1.15; // by which a layout straight down must be larger than a tidy tree to be taken
const GAP = 12,
  LABEL_ROOM = 24,
  LABEL_WIDTH = 72; // px: around all, and for words beside a card at the right
/** @type {[gap: Pixels, down: boolean][]} */
const LINES = [
  [GAP, false],
  [6, false],
  [GAP, true],
  [6, true],
]; // how steps are drawn in cards of one line: gaps, straight down or not

/** @typedef {[line: boolean, gap?: Pixels, down?: boolean]} LineStyle how a step is laid out, see `LINES` */

export class Steps {
  /** @type {Map<string, Picture>} */ plans;
  /** @type {StepState[]} */ before;
  /** @type {StepState[]} */ after;
  /** @type {TextLine[][]} */ linesBefore;
  /** @type {TextLine[][]} */ linesAfter;
  /** @type {StepMarks[] | undefined} */ made;
  /** @type {Record<string, StepPlaces[]>[] | undefined} */ near;

  /** @param {Trace} data @param {Theme} theme */
  constructor(data, theme) {
    this.data = data;
    this.theme = theme;
    this.steps = data.steps;
    this.count = data.steps.length;
    this.#states();
    this.#lines();
    this.plans = new Map();
  }

  // before[k], after[k]: arrays by slot of [look, slot above] or undefined. Entries are shared between states.
  #states() {
    this.before = [];
    this.after = [];
    const last = this.data.scenes.map((scene) => changed([], { gone: [], set: scene.start }, scene.looks));
    for (const step of this.steps) {
      const { looks } = this.data.scenes[step.scene];
      const before = step.from ? changed(last[step.scene], step.from, looks) : last[step.scene];
      this.before.push(before);
      this.after.push((last[step.scene] = changed(before, step.to, looks)));
    }
  }

  // linesBefore[k], linesAfter[k]: arrays of [tree marks, words] by their numbers.
  #lines() {
    this.linesBefore = [];
    this.linesAfter = [];
    /** @type {TextLine[][]} */
    const last = [];
    for (const step of this.steps) {
      /** @type {TextLine[]} */
      const before = step.before ? pairs(step.before) : (last[step.scene] ?? []);
      const after = [];
      let at = 0;
      for (const [first, end, numbers] of step.lines) {
        after.push(...before.slice(at, first), ...pairs(numbers));
        at = end;
      }
      after.push(...before.slice(at));
      this.linesBefore.push(before);
      this.linesAfter.push((last[step.scene] = after));
    }
  }

  /** @param {TextLine} given */
  line([prefix, words]) {
    return this.data.prefixes[prefix] + this.data.words[words];
  }

  /** @param {number} k @param {Side} side */
  text(k, side) {
    return (side === "before" ? this.linesBefore : this.linesAfter)[k].map((line) => this.line(line));
  }

  // How much a step changed: nodes that are not as they were.
  /** @param {number} k */
  weight(k) {
    const marks = this.marks(k);
    return new Set([...marks.removed, ...marks.inserted, ...marks.changed.keys(), ...marks.moved.values()]).size;
  }

  // Slots by what became of them; moved: slot before -> slot after; changed: slot after -> [[part, text], ...].
  /** @param {number} k */
  marks(k) {
    this.made ??= [];
    if (this.made[k]) return this.made[k];
    const before = this.before[k],
      after = this.after[k],
      step = this.steps[k];
    /** @type {Map<Slot, Slot>} */
    const moved = new Map(step.moved);
    const changed = new Map((step.changed ?? []).map(([slot, parts]) => [slot, parts]));
    const to = new Set(moved.values());
    /** @type {Set<Slot>} */
    const removed = new Set();
    /** @type {Set<Slot>} */
    const inserted = new Set();
    for (const slot in before) if (!after[slot] && !moved.has(+slot)) removed.add(+slot);
    for (const slot in after) if (!before[slot] && !to.has(+slot)) inserted.add(+slot);
    return (this.made[k] = { removed, inserted, moved, changed });
  }

  // The step to begin with: the first of Operator Optimization that adds, moves or takes away more than names and
  // columns, else of the whole optimizer, else one that changes a condition, else any of them; the first of all when
  // there is none, or where the trace does not say whose its rules are. What finishes the analysis is none of them.
  telling() {
    const optimizes = (/** @type {Batch | undefined} */ batch) =>
      batch?.executor === "Optimizer" && batch.name !== "Finish Analysis";
    const first = (/** @type {boolean} */ shape, /** @type {string} */ name) =>
      this.steps.findIndex(({ batch }, k) => {
        const its = this.data.batches[batch];
        return optimizes(its) && its.name.startsWith(name) && this.#tells(k, shape);
      });
    const any = this.steps.findIndex(({ batch }) => optimizes(this.data.batches[batch]));
    return [first(true, "Operator Optimization"), first(true, ""), first(false, ""), any, 0].find((k) => k >= 0) ?? 0;
  }

  // Whether a step changes the shape of the plan where operators tell something, or at all.
  /** @param {number} k @param {boolean} shape */
  #tells(k, shape) {
    const { removed, inserted, moved, changed } = this.marks(k),
      kinds = this.data.scenes[this.steps[k].scene].looks;
    const kind = (/** @type {StepState} */ state, /** @type {Slot} */ slot) =>
      state[slot] && this.data.kinds[kinds[state[slot][0]][1]];
    const some = (/** @type {Iterable<Slot>} */ slots, /** @type {StepState} */ state) =>
      [...slots].some((slot) => TELLING.has(kind(state, slot)));
    return (
      some(removed, this.before[k]) ||
      some(inserted, this.after[k]) ||
      some(moved.keys(), this.before[k]) ||
      (!shape && some(changed.keys(), this.after[k]))
    );
  }

  // The places of the cards of a step where those of all steps together are too far apart to be read: what the step
  // leaves alone takes one line, and where `room` ([width, height] in px) asks for it, what it changes as well (`line`).
  // Before and after have one layout, so that what is kept stays where it is between both; where operators move to
  // another place of the tree, each has its own, with the roots at one place: one for both would have gaps and crossings.
  /** @param {number} k @param {Room} room @param {Side} side */
  places(k, room, side) {
    this.near ??= [];
    const apart = side !== "merged" && this.marks(k).moved.size > 0,
      key = apart ? "apart" : "both";
    const near = (this.near[k] ??= {});
    near[key] ??= this.#nearest(room, (...how) =>
      apart
        ? this.#besides(k, ...how)
        : [this.#laid(union(this.before[k], this.after[k]), layoutParents(this.before[k], this.after[k]), k, ...how)],
    );
    return near[key][side === "after" ? near[key].length - 1 : 0];
  }

  // The layouts, made by `lay`, of the style that shows most.
  /** @param {Room} room @param {(...how: LineStyle) => StepPlaces[]} lay */
  #nearest(room, lay) {
    const fit = (/** @type {StepPlaces[]} */ made) =>
      Math.min(...made.map(({ size }) => Math.min(room[0] / size[0], room[1] / size[1])));
    let best = lay(false);
    for (const [gap, down] of LINES) {
      if (fit(best) >= WHOLE) break;
      const line = lay(true, gap, down);
      if (fit(line) > fit(best) * (down && fit(best) >= NEAREST ? STRAIGHTER : 1)) best = line;
    }
    return best;
  }

  // Before and after, each laid out alone, with the roots at one place.
  /** @param {number} k @param {LineStyle} how */
  #besides(k, ...how) {
    const made = [this.before[k], this.after[k]].map((state) =>
      this.#laid(state, new Map(Object.keys(state).map((slot) => [+slot, state[+slot][1]])), k, ...how),
    );
    const right = Math.max(...made.map(({ root }) => root));
    for (const one of made) {
      const by = right - one.root;
      for (const slot in one.x) one.x[slot] += by;
      one.size[0] += by;
    }
    return made;
  }

  // The cards of a state of step k under those that `above` names (slot -> slot). `line`: all in cards of one line, `gap`
  // px apart; `down`: the first input straight down.
  /** @param {StepState} state @param {Map<Slot, Slot>} above @param {number} k @param {boolean} line */
  #laid(state, above, k, line, gap = GAP, down = false) {
    const { removed, inserted, moved, changed } = this.marks(k),
      all = this.data.scenes[this.steps[k].scene],
      { snug } = this.theme.card;
    const slots = Object.keys(state)
        .map(Number)
        .sort((a, b) => all.x[a] - all.x[b]),
      at = new Map(slots.map((slot, i) => [slot, i])); // inputs in their order
    const marked = new Set(
      line ? [] : [...removed, ...inserted, ...changed.keys(), ...moved.keys(), ...moved.values()],
    );
    const w = slots.map((slot) =>
      marked.has(slot) ? all.w[slot] : this.#lineWidth(all.looks[state[slot][0]][2], down ? 2.5 : 1.5),
    );
    const h = slots.map((slot) => (marked.has(slot) ? all.h[slot] : snug.height));
    /** @type {Pick<SceneNodes, "id" | "parent" | "edge">} */
    const nodes = {
      id: slots,
      parent: slots.map((slot) => at.get(above.get(slot) ?? -1) ?? -1),
      edge: slots.map(() => "c"),
    };
    const order = [...new Plan(/** @type {Scene} */ ({ nodes }), this.theme).order],
      rank = new Map(order.map((i, place) => [i, place]));
    /** @type {[parent: number[], w: number[], h: number[], gapX: Pixels, gapY: Pixels]} */
    const sizes = [
      order.map((i) => rank.get(nodes.parent[i]) ?? -1),
      order.map((i) => w[i]),
      order.map((i) => h[i]),
      snug.gap_x,
      gap,
    ];
    const [x, y] = down ? spine(...sizes) : tidy(...sizes, snug.fork_gap);
    /** @type {StepPlaces & { root: Pixels }} */
    const found = { x: {}, y: {}, w: {}, h: {}, size: [0, 0], line, root: order.length ? x[0] + w[order[0]] / 2 : 0 };
    order.forEach((i, place) => {
      const slot = slots[i];
      found.x[slot] = x[place] + LABEL_ROOM;
      found.y[slot] = y[place] + LABEL_ROOM;
      found.w[slot] = w[i];
      found.h[slot] = h[i];
      found.size = [
        Math.max(found.size[0], found.x[slot] + w[i] + LABEL_WIDTH),
        Math.max(found.size[1], found.y[slot] + h[i] + LABEL_ROOM),
      ];
    });
    return found;
  }

  // `more` px of type than at rest: the smaller a plan is drawn, the larger its names are beside their cards.
  /** @param {string} title @param {number} more */
  #lineWidth(title, more) {
    const {
      font,
      card: { snug },
    } = this.theme;
    const wide = textWidth(title.slice(0, 60), `600 ${snug.size + more}px '${font.family}', ${font.fallback}`);
    return Math.min(snug.most, Math.round(wide + snug.x + snug.right + 4));
  }

  // What the canvas draws of a step: side is "before", "after" or "merged". { plan, marks, labels, ghosts, slots }
  // With `tight`, [width, height] of the view, the cards stand where `places` puts them.
  /**
   * @param {number} k
   * @param {Side} side
   * @param {Room | null} tight
   * @returns {Picture}
   */
  picture(k, side, tight = null) {
    const key = `${k} ${side} ${Boolean(tight)}`;
    let made = this.plans.get(key);
    if (made) return made;
    const all = this.data.scenes[this.steps[k].scene],
      spots = tight ? this.places(k, tight, side) : all,
      before = this.before[k],
      after = this.after[k];
    const state = side === "before" ? before : side === "after" ? after : union(before, after);
    const slots = Object.keys(state).map(Number),
      at = new Map(slots.map((slot, i) => [slot, i]));
    const looks = slots.map((slot) => all.looks[state[slot][0]]);
    const place = (/** @type {"x" | "y" | "w" | "h"} */ name) => slots.map((slot) => spots[name][slot]);
    /** @type {<T>(value: T) => T[]} */
    const none = (value) => slots.map(() => value);
    /** @type {SceneNodes} */
    const nodes = {
      id: slots,
      x: place("x"),
      y: place("y"),
      w: place("w"),
      h: place("h"),
      kind: looks.map((look) => look[1]),
      op: looks.map((look) => look[4]),
      title: looks.map((look) => look[2]),
      sub: looks.map((look) => look[3]),
      badges: looks.map((look) => look[6]),
      parent: slots.map((slot) => at.get(state[slot][1]) ?? -1),
      edge: none("c"),
      depth: none(0),
      first: none(0),
      last: none(0),
      codegen: none(-1),
      number: none(""),
      rows: none(null),
      bytes: none(null),
    };
    const plan = new Plan(
      {
        size: spots.size,
        kinds: this.data.kinds,
        nodes,
        rows_are: "unknown",
        links: [],
        notes: [],
        title: "",
        details: null,
      },
      this.theme,
    );
    if (tight) plan.snug = { placed: true, line: /** @type {StepPlaces} */ (spots).line };
    plan.arrange();
    made = { plan, slots, ...this.#dressed(k, side, plan, at) };
    this.plans.set(key, made);
    if (this.plans.size > KEPT) this.plans.delete(/** @type {string} */ (this.plans.keys().next().value));
    return made;
  }

  // Marks and labels by box.
  /** @param {number} k @param {Side} side @param {Plan} plan @param {Map<Slot, number>} at */
  #dressed(k, side, plan, at) {
    const { removed, inserted, moved, changed } = this.marks(k);
    /** @type {Map<number, Mark>} */
    const marks = new Map();
    /** @type {Map<number, string>} */
    const labels = new Map();
    /** @type {[box: number, above: number][]} */
    const ghosts = [];
    const put = (/** @type {Slot} */ slot, /** @type {Mark} */ mark, /** @type {string} */ label) => {
      const i = at.get(slot);
      if (i === undefined) return;
      const b = plan.box[i];
      marks.set(b, mark);
      if (label) labels.set(b, label);
    };
    const merged = side === "merged",
      home = new Map([...moved].map(([from, to]) => [to, from]));
    for (const slot of removed) put(slot, "removed", merged ? "− removed" : "");
    for (const slot of inserted) put(slot, "inserted", merged ? "+ inserted" : "");
    for (const [from, to] of moved) {
      // What moves with the operator above it is not named again.
      const along = moved.get(this.before[k][from]?.[1]) === this.after[k][to]?.[1];
      put(from, "moved", along ? "" : merged ? "moved away" : "moves");
      put(to, "moved", along ? "" : merged ? "moved here" : "moved");
    }
    for (const [slot, parts] of changed) {
      const words = `~ ${said(parts, merged)}`,
        from = home.get(slot) ?? slot;
      if (merged) put(slot, home.has(slot) ? "moved" : "changed", words);
      else put(side === "before" ? from : slot, side === "before" ? "was" : "is", words);
    }
    if (merged) {
      const before = this.before[k],
        after = this.after[k];
      for (const slot in before) {
        const above = before[slot][1];
        if (above >= 0 && after[slot] && after[slot][1] !== above)
          ghosts.push([
            plan.box[/** @type {number} */ (at.get(+slot))],
            plan.box[/** @type {number} */ (at.get(above))],
          ]);
      }
    }
    return { marks, labels, ghosts };
  }

  // A node's words in a state, or null where nothing stands.
  /** @param {number} k @param {Side} side @param {Slot} slot */
  words(k, side, slot) {
    const entry = (side === "before" ? this.before : this.after)[k][slot];
    return entry ? this.data.words[this.data.scenes[this.steps[k].scene].looks[entry[0]][5]] : null;
  }

  // Title and first line of a card: "Filter where a > 1".
  /** @param {number} k @param {Slot} slot */
  nameOf(k, slot) {
    const entry = this.after[k][slot] ?? this.before[k][slot],
      look = entry && this.data.scenes[this.steps[k].scene].looks[entry[0]];
    return look ? [look[2], ...(look[3][0] ?? [])].filter(Boolean).join(" ") : "";
  }

  // The line of the user's text that a card comes from, 0 where nobody knows.
  /** @param {number} k @param {Slot} slot */
  lineOf(k, slot) {
    const entry = this.after[k][slot] ?? this.before[k][slot],
      look = entry && this.data.scenes[this.steps[k].scene].looks[entry[0]];
    return look?.[7] ?? 0;
  }

  // The slots of a step that a line made, before it or after it.
  /** @param {number} k @param {number} line */
  slotsOf(k, line) {
    const { looks } = this.data.scenes[this.steps[k].scene],
      found = new Set();
    for (const state of [this.before[k], this.after[k]])
      for (const slot in state) if (looks[state[slot][0]][7] === line) found.add(+slot);
    return found;
  }

  /** @param {number} k @param {Slot} slot */
  titleOf(k, slot) {
    const entry = this.after[k][slot] ?? this.before[k][slot];
    return entry ? this.data.scenes[this.steps[k].scene].looks[entry[0]][2] : "";
  }
}

// The tree by which a step is laid out: what was removed and what was inserted between two kept operators stand one
// above the other, so that neither makes the kept ones move.
/** @param {StepState} before @param {StepState} after */
function layoutParents(before, after) {
  /** @type {Map<Slot, Slot>} */
  const above = new Map();
  const kept = (/** @type {Slot} */ slot) => before[slot] !== undefined && after[slot] !== undefined;
  const up = (/** @type {StepState} */ state, /** @type {Slot} */ slot) => state[slot][1];
  const anchor = (/** @type {StepState} */ state, /** @type {Slot} */ slot) => {
    let at = slot;
    while (at >= 0 && !kept(at)) at = up(state, at);
    return at;
  };
  const topOf = (/** @type {Slot} */ slot) => {
    let at = slot;
    while (up(after, at) >= 0 && !kept(up(after, at))) at = up(after, at);
    return at;
  };
  const taken = new Map(); // the topmost inserted operator -> the removed one that it is put under
  for (const slot of Object.keys(union(before, after)).map(Number)) {
    if (!kept(slot)) {
      above.set(slot, up(after[slot] ? after : before, slot));
      continue;
    }
    const was = up(before, slot),
      is = up(after, slot);
    above.set(slot, is);
    if (was === is || was < 0 || kept(was) || anchor(before, was) !== (is < 0 ? -1 : anchor(after, is))) continue;
    if (is < 0 || kept(is)) above.set(slot, was);
    else if (!taken.has(topOf(is))) taken.set(topOf(is), was);
  }
  for (const [slot, under] of taken) above.set(slot, under);
  return above;
}

// "join type" in a pane, where colour tells which side; the whole change where one card shows both.
/** @param {Line[]} parts @param {boolean} whole */
function said(parts, whole) {
  if (whole) return parts.map(([part, text]) => `${partName(part)} ${text}`.trim()).join("; ");
  return [...new Set(parts.map(([part]) => partName(part)))].join(", ");
}

/** @param {StepState} state @param {StepDelta} given @param {Look[]} looks */
function changed(state, { gone, set }, looks) {
  const next = state.slice();
  for (const slot of gone) delete next[slot];
  for (let j = 0; j < set.length; j += 2) next[looks[set[j]][0]] = [set[j], set[j + 1]];
  return next;
}

/** @param {StepState} before @param {StepState} after */
function union(before, after) {
  const all = before.slice();
  for (const slot in after) all[slot] = after[slot];
  return all;
}

/** @param {number[]} numbers */
function pairs(numbers) {
  /** @type {TextLine[]} */
  const found = [];
  for (let j = 0; j < numbers.length; j += 2) found.push([numbers[j], numbers[j + 1]]);
  return found;
}
