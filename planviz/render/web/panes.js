// The two panes of the step player: the plan before and after a step with one view, or both in one; the same as text.
import { Canvas } from "./canvas.js";
import { element } from "./dom.js";
import { NEAREST } from "./steps.js";
import { sideBySide } from "./textdiff.js";

const MOST_LOG = 400_000; // characters of a log's block
const MOST_TIGHT = 1_000; // operators of a step that are laid out anew for each
const EASY = 0.75; // zoom at which a part of a plan of one-line cards opens
const LEGIBLE = 0.62; // zoom below which not all is shown but what changed
const MARKS = ["removed", "inserted", "changed", "moved"];

const MARK_ROOM = 56; // px at the right for the words beside what changed

export class Panes {
  /** @type {(Camera | undefined)[]} */ cameras;
  /** @type {Canvas[]} */ canvases;
  /** @type {Steps} */ steps;
  /** @type {Theme} */ theme;
  /** @type {Mode} */ mode;
  /** @type {View} */ view;
  /** @type {number | undefined} */ scene;
  /** @type {number} */ k;
  /** @type {Room | null} */ tight;
  /** @type {boolean | undefined} */ unopened;
  /** @type {boolean | undefined} */ following;

  // on: {select(slot)}; frames: see Canvas.
  /** @param {{ select: (slot: Slot | null) => void }} on @param {Milliseconds[]} frames */
  constructor(on, frames) {
    this.on = on;
    this.cameras = []; // by scene
    const root = (this.root = element("section", "pv-steps-stage"));
    this.canvases = [];
    this.hosts = ["before", "after"].map((side, at) => {
      const host = element("div", "pv-stage");
      host.tabIndex = 0;
      host.setAttribute("role", "img");
      host.append(element("div", "pv-pane-label", side));
      root.append(host);
      this.canvases.push(
        new Canvas(
          host,
          { select: (i) => this.#picked(at, i), toggle: () => {}, camera: () => this.#follow(at) },
          frames,
        ),
      );
      return host;
    });
    this.first = this.canvases[0];
    this.canvases[1].camera = this.first.camera; // one view for both
    const legend = element("div", "pv-mark-legend");
    for (const mark of MARKS) {
      const item = element("span", `pv-mark-${mark}`);
      item.append(element("i"), mark);
      legend.append(item);
    }
    this.log = element("div", "pv-log");
    this.logText = element("pre", "pv-log-text");
    this.logText.tabIndex = 0;
    this.logText.setAttribute("aria-label", "This step as Spark logs it");
    this.log.append(this.logText);
    this.sql = element("div", "pv-sql");
    root.append(legend, this.log, this.sql);
  }

  destroy() {
    for (const canvas of this.canvases) canvas.destroy();
  }

  // Another trace, with the views that its scenes had.
  /** @param {Steps} steps @param {(Camera | undefined)[]} cameras */
  play(steps, cameras) {
    this.steps = steps;
    this.cameras = cameras;
    this.scene = undefined;
    this.k = /** @type {any} */ (undefined); // until a step is shown
  }

  /** @param {Theme} theme @param {Mode} mode */
  setTheme(theme, mode) {
    this.theme = theme;
    this.mode = mode;
    if (this.k !== undefined) for (const canvas of this.canvases) canvas.setTheme(theme, mode);
  }

  // Names of the panes, of which the merged view wears both.
  /** @param {string[]} names */
  name(names) {
    this.hosts.forEach((host, at) => (label(host).textContent = names[at]));
    if (this.view === "merged") label(this.hosts[0]).textContent = names.join(" and ");
  }

  // "split" or "merged"; anything else shows no drawing. To be called when the page shows it.
  /** @param {View} view */
  setView(view) {
    this.view = view;
    const { width } = this.first;
    for (const each of this.canvases) each.resize();
    if (width && this.first.width) this.first.camera.x += (width - this.first.width) / this.first.camera.k / 2; // the middle stays the middle
    this.settle();
  }

  // What could not be opened while there was no room for it.
  settle() {
    if (!this.unopened || this.scene === undefined) return;
    for (const each of this.canvases) each.resize();
    this.#open(this.scene);
  }

  // Step k with the card in `selected` marked.
  // `lit`, a Set of slots, stand out, the others step back; null: none does.
  /** @param {number} k @param {Slot | null} selected @param {Set<Slot> | null} lit */
  show(k, selected, lit = null) {
    this.k = k;
    const { steps } = this,
      { scene } = steps.steps[k],
      sides = this.#sides,
      fresh = scene !== this.scene;
    if (fresh) this.keepCamera();
    this.scene = scene;
    const tight = (this.tight = this.#tightRoom(scene));
    sides.forEach((side, at) => {
      const picture = steps.picture(k, side, tight),
        canvas = this.canvases[at];
      canvas.selected = selected == null ? -1 : picture.slots.indexOf(selected);
      canvas.found = lit && new Set(picture.slots.flatMap((slot, i) => (lit.has(slot) ? [i] : [])));
      if (fresh || !canvas.plan || canvas.theme !== this.theme || canvas.mode !== this.mode) {
        canvas.show(picture.plan, this.theme, this.mode);
        canvas.opened = true;
      }
      canvas.step(picture.plan, picture);
      this.hosts[at].setAttribute(
        "aria-label",
        `The plan ${side === "merged" ? "before and after" : side} ${steps.steps[k].rule}: ${picture.slots.length} operators`,
      );
    });
    if (fresh || tight) this.#open(scene);
    else this.#bringChanges();
  }

  // The room of a pane where all steps together are too large for it, so that every step has a layout of its own; else null.
  /**
   * @param {number} scene
   * @returns {Room | null}
   */
  #tightRoom(scene) {
    const { width, height } = this.first,
      {
        size: [wide, high],
      } = this.steps.data.scenes[scene];
    return width > 0 && Math.min(width / wide, height / high) < LEGIBLE && this.#standing().length <= MOST_TIGHT
      ? [width, height]
      : null;
  }

  // A card into the view, where it is not.
  /** @param {Slot} slot */
  reveal(slot) {
    if (this.first.width) this.#bringInto([this.#bounds(slot)], 0.7);
  }

  keepCamera() {
    if (this.scene !== undefined && this.first.width) this.cameras[this.scene] = { ...this.first.camera };
  }

  // The view of another plan: where it was left, all of it when that can be read, else where the step works.
  /** @param {number} scene */
  #open(scene) {
    const pane = this.first;
    if (!pane.width || !pane.plan) return void (this.unopened = true);
    this.unopened = false;
    if (Boolean(this.#tightRoom(scene)) !== Boolean(this.tight)) {
      this.scene = undefined;
      return this.show(this.k, null);
    }
    const kept = this.tight ? null : this.cameras[scene];
    if (kept) {
      pane.moveTo(kept, false);
      return this.#bringChanges(false);
    }
    const all = this.#standing().map((slot) => this.#bounds(slot)),
      fits = this.#fit(around(all)) >= this.#least;
    this.#centre(fits ? all : (this.#changed() ?? all), fits ? 1.1 : this.tight ? EASY : 0.85, false);
  }

  // Kept nodes stay where they are on the screen, unless something that changed would not be seen and could be.
  #bringChanges(smooth = true) {
    const boxes = this.#changed();
    if (boxes && this.first.width) this.#bringInto(boxes, 0.5, smooth);
  }

  /** @param {Bounds[]} boxes @param {number} least */
  #bringInto(boxes, least, smooth = true) {
    const pane = this.first,
      { x, y, k } = pane.camera,
      right = x + pane.width / k,
      bottom = y + pane.height / k;
    const inside = (/** @type {Bounds} */ { x0, y0, x1, y1 }) => x0 >= x && y0 >= y && x1 <= right && y1 <= bottom;
    if (boxes.every(inside)) return;
    const { x0, x1, y0, y1 } = around(boxes),
      pad = 24 / k;
    if (k >= least && x1 - x0 + 2 * pad <= right - x && y1 - y0 + 3 * pad <= bottom - y) {
      // The least way that shows them all.
      /** @type {(low: number, high: number, from: number, to: number) => number} */
      const slide = (low, high, from, to) => (low < from ? low - from : high > to ? high - to : 0);
      pane.moveTo(
        { x: x + slide(x0 - pad, x1 + pad, x, right), y: y + slide(y0 - 2 * pad, y1 + pad, y, bottom), k },
        smooth,
      );
    } else if (!boxes.some(inside)) this.#centre(boxes, Math.max(k, least), smooth);
  }

  // All the boxes in the middle; when they do not fit where they can still be read, the topmost of them, with as much of
  // the plan around as there is.
  /** @param {Bounds[]} boxes @param {number} k @param {boolean} smooth */
  #centre(boxes, k, smooth) {
    const pane = this.first,
      all = around(boxes),
      fits = this.#fit(all);
    if (this.tight) all.x1 += MARK_ROOM;
    const zoom = fits >= this.#least ? Math.min(k, fits) : k;
    const { x0, x1, y0, y1 } = fits >= this.#least ? all : boxes.reduce((top, box) => (box.y0 < top.y0 ? box : top));
    const to = { x: (x0 + x1) / 2 - pane.width / zoom / 2, y: (y0 + y1) / 2 - (pane.height + 20) / zoom / 2, k: zoom };
    if (fits < this.#least) {
      const plan = around(this.#standing().map((slot) => this.#bounds(slot)));
      to.x = within(to.x, plan.x0 - 24 / zoom, plan.x1 + MARK_ROOM - pane.width / zoom);
      to.y = within(to.y, plan.y0 - 56 / zoom, plan.y1 + 24 / zoom - pane.height / zoom);
    }
    pane.moveTo(to, smooth);
  }

  // The zoom at which the bounds are seen whole, with the words beside what changed.
  /** @param {Bounds} given */
  #fit({ x0, x1, y0, y1 }) {
    return Math.min(
      (this.first.width - 40) / (x1 + (this.tight ? MARK_ROOM : 0) - x0),
      (this.first.height - 90) / (y1 - y0),
    );
  }

  // The zoom below which not all is shown: what changed is drawn larger where every step has its own layout.
  get #least() {
    return this.tight ? NEAREST : LEGIBLE;
  }

  /** @returns {Side[]} */
  get #sides() {
    return this.view === "merged" ? ["merged"] : ["before", "after"];
  }

  // Slots that stand in one of the two states.
  #standing() {
    const { steps, k } = this;
    return [...new Set([...Object.keys(steps.before[k]), ...Object.keys(steps.after[k])])].map(Number);
  }

  // The bounds of each card that the step changed, in both states, or null.
  #changed() {
    const marks = this.steps.marks(this.k),
      slots = [
        ...marks.removed,
        ...marks.inserted,
        ...marks.changed.keys(),
        ...marks.moved.keys(),
        ...marks.moved.values(),
      ];
    return slots.length ? slots.map((slot) => this.#bounds(slot)) : null;
  }

  /** @param {Slot} slot */
  #bounds(slot) {
    const { steps, k, tight } = this,
      sides = this.#sides;
    const spots = tight ? sides.map((side) => steps.places(k, tight, side)) : [steps.data.scenes[steps.steps[k].scene]];
    return around(
      spots
        .filter(({ x }) => x[slot] !== undefined)
        .map(({ x, y, w, h }) => ({ x0: x[slot], y0: y[slot], x1: x[slot] + w[slot], y1: y[slot] + h[slot] })),
    );
  }

  // One pane moved: the other draws the same view.
  /** @param {number} at */
  #follow(at) {
    if (this.following || this.view !== "split") return;
    this.following = true;
    this.canvases[1 - at].drawNow();
    this.following = false;
  }

  /** @param {number} at @param {number} i */
  #picked(at, i) {
    const side = this.view === "merged" ? "merged" : at ? "after" : "before";
    this.on.select(i < 0 ? null : this.steps.picture(this.k, side, this.tight).slots[i]);
  }

  // Where a slot's card stands in a pane (0 or 1), in px of the page, or null when nothing stands there.
  /** @param {Slot} slot */
  place(slot, at = 0) {
    const pane = this.canvases[at],
      side = this.view === "merged" ? "merged" : at ? "after" : "before",
      picture = this.steps.picture(this.k, side, this.tight);
    const i = picture.slots.indexOf(slot);
    if (i < 0) return null;
    const { plan } = picture,
      b = plan.box[i],
      { x, y, k } = pane.camera,
      bounds = pane.canvas.getBoundingClientRect();
    return {
      x: bounds.left + (plan.x[b] - x) * k,
      y: bounds.top + (plan.y[b] - y) * k,
      width: plan.w[b] * k,
      height: plan.h[b] * k,
      mark: picture.marks.get(b) ?? "",
    };
  }

  // ---- the same as text

  // The step as Spark logs it.
  /** @param {number} k */
  showLog(k) {
    const { steps } = this,
      step = steps.steps[k],
      lines = [`=== Applying Rule ${step.name} ===`];
    this.logText.replaceChildren(element("b", "", `${lines[0]}\n`));
    let room = MOST_LOG;
    const put = (/** @type {[marked: boolean, text: string][]} */ rows) => {
      for (const [marked, text] of rows) {
        if ((room -= text.length) < 0) return this.logText.append("…\n");
        this.logText.append(element("span", marked ? "pv-marked" : "", `${text}\n`));
      }
    };
    put(sideBySide(steps.text(k, "before"), steps.text(k, "after")));
    if (!step.output) return;
    this.logText.append("\nOutput Information:\n");
    const side = (/** @type {number[]} */ numbers) => {
      const found = [];
      for (let j = 0; j < numbers.length; j += 2) found.push(steps.line([numbers[j], numbers[j + 1]]));
      return found;
    };
    put(sideBySide(side(step.output[0]), side(step.output[1])));
  }

  // The query as written and as its optimized plan would be.
  /** @param {SqlTexts} given */
  showSql({ written, optimized, notes }) {
    /** @type {(title: string, text: string | null, more?: string[]) => HTMLElement} */
    const half = (title, text, more = []) => {
      const box = element("section");
      box.append(element("div", "pv-pane-label", title), ...more.map((note) => element("p", "pv-note", note)));
      if (text == null) return box;
      const pre = element("pre", "pv-log-text", text);
      pre.tabIndex = 0;
      pre.setAttribute("aria-label", title);
      box.append(pre);
      return box;
    };
    this.sql.replaceChildren(half("as written", written), half("the optimized plan as SQL", optimized, notes));
  }
}

// Where a view begins that shows nothing beyond a plan that is larger than it.
/** @param {number} at @param {number} low @param {number} high */
function within(at, low, high) {
  return low < high ? Math.min(Math.max(at, low), high) : at;
}

/** @param {HTMLElement} host */
function label(host) {
  return /** @type {HTMLElement} */ (host.querySelector(".pv-pane-label"));
}

/** @param {Bounds[]} boxes */
function around(boxes) {
  const all = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const { x0, y0, x1, y1 } of boxes) {
    all.x0 = Math.min(all.x0, x0);
    all.y0 = Math.min(all.y0, y0);
    all.x1 = Math.max(all.x1, x1);
    all.y1 = Math.max(all.y1, y1);
  }
  return all;
}
