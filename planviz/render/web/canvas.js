// The canvas: the plan it shows, its layout in the view, and the camera. What a frame looks like is in draw.js; what a
// pointer does on it in pointer.js.
import { drawFrame } from "./draw.js";
import { element, told } from "./dom.js";
import { FAR, foldedWords, NEAR } from "./look.js";
import { Minimap } from "./minimap.js";
import { Pointer } from "./pointer.js";
import { textWidth } from "./ruler.js";

const READABLE = 0.85; // zoom at which a large plan opens
const SNUG = 0.72; // zoom at which titles of one-line cards can be read
const EASY = 0.88; // zoom at which they are read without effort: nearer together before they are smaller
const LAYOUTS = [
  [false, false],
  [true, false],
  [true, true],
]; // straight down along first inputs; short second inputs in one row
const SNUG_GAPS = [16, 12, 8, 5, 2],
  NEAR_GAP = 5;
const MOST_SNUG = 400,
  LARGE = 2000; // operators: more than can be read in any view; whose titles are not there at once
const MOST = 2.5;

/**
 * @typedef {object} CanvasListener
 * @property {(node: number) => void} select -1 for none
 * @property {(node: number) => void} toggle
 * @property {() => void} camera
 * @property {(words: string, lasts: Milliseconds) => void} [say]
 */

export class Canvas {
  /** @type {Plan} */ plan;
  /** @type {Theme} */ theme;
  /** @type {Mode} */ mode;
  /** @type {Set<number> | null} */ found;
  /** @type {Overlay["marks"]} */ marks;
  /** @type {Overlay["labels"]} */ labels;
  /** @type {Overlay["ghosts"]} */ ghosts;
  /** @type {Measure | null} */ measure;
  /** @type {Record<"title" | "sub" | "number" | "badge" | "label" | "link" | "line" | "rows", string>} */ fonts;
  /** @type {Record<string, Path2D>} */ icons;
  /** @type {Map<string, unknown>} */ fitted;
  /** @type {Uint8Array} */ lit;
  /** @type {number} */ ratio;
  /** @type {boolean} */ opened;
  /** @type {boolean} */ untouched;
  /** @type {boolean | undefined} */ fixed;
  /** @type {boolean | undefined} */ gone;
  /** @type {[x0: number, y0: number, x1: number, y1: number, node: number][] | undefined} */ labelled;
  /** @type {number} */ drawn;
  /** @type {number} */ frame;
  /** @type {number} */ gliding;
  /** @type {number | undefined} */ settling;
  /** @type {number | undefined} */ hintTimer;

  // on: {select(node), toggle(node), camera()}; frames: ring buffer of milliseconds a frame took to draw.
  /** @param {HTMLElement} host @param {CanvasListener} on @param {Milliseconds[]} frames */
  constructor(host, on, frames) {
    this.on = on;
    this.frames = frames;
    this.camera = { x: 0, y: 0, k: 1 };
    this.selected = this.hover = this.hot = -1;
    this.found = null;
    this.marks = this.labels = this.ghosts = this.measure = null; // see draw.js
    this.width = this.height = 0;
    this.canvas = element("canvas", "pv-canvas");
    this.canvas.setAttribute("aria-hidden", "true"); // the tree rail carries the same plan for screen readers
    this.ctx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    this.hint = element("div", "pv-hint");
    this.map = new Minimap(this);
    this.pointer = new Pointer(this);
    this.host = host;
    host.append(this.canvas, this.map.root, this.pointer.tip, this.hint);
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(host);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    document.addEventListener("planviz:language", (this.onLanguage = () => this.plan && this.changed()));
  }

  destroy() {
    document.removeEventListener("planviz:language", this.onLanguage);
    this.resizing.disconnect();
    cancelAnimationFrame(this.frame);
    this.map.destroy();
    clearTimeout(this.hintTimer);
    clearTimeout(this.settling);
    this.gone = true;
  }

  /** @param {Plan} plan @param {Theme} theme @param {Mode} mode */
  show(plan, theme, mode) {
    this.plan = /** @type {any} */ (null); // until its place is known
    if (!this.width) this.resize();
    this.plan = plan;
    this.hover = -1;
    this.opened = false;
    this.lightPath();
    this.setTheme(theme, mode);
  }

  // Another state of the same plan, with the view at rest.
  /** @param {Plan} plan @param {Overlay} given */
  step(plan, { marks, labels, ghosts }) {
    this.plan = plan;
    Object.assign(this, { marks, labels, ghosts });
    this.hover = -1;
    this.pointer.hideTip();
    this.forgetText();
    this.lightPath();
    this.map.soon();
    this.drawNow();
  }

  /** @param {Theme} theme @param {Mode} mode */
  setTheme(theme, mode) {
    this.theme = theme;
    this.mode = mode;
    const { card, edge, link } = theme;
    this.fonts = {
      title: this.font(600, card.title.size),
      sub: this.font(400, card.sub.size),
      number: this.font(400, card.number.size),
      badge: this.font(500, card.badge.size),
      label: this.font(400, edge.label),
      link: this.font(400, link.label),
      line: this.font(600, card.snug.size),
      rows: this.font(400, card.snug.size - 1),
    };
    this.icons = {};
    for (const [kind, { icon }] of Object.entries(theme.kinds)) this.icons[kind] = new Path2D(icon);
    this.forgetText();
    this.map.soon();
    this.draw();
  }

  /** @param {number} weight @param {number} size */
  font(weight, size) {
    return `${weight} ${size}px '${this.theme.font.family}', ${this.theme.font.fallback}`;
  }

  // After boxes moved, appeared or went.
  changed() {
    this.forgetText();
    this.lightPath();
    this.map.soon();
    this.draw();
  }

  forgetText() {
    this.fitted = new Map();
  }

  /**
   * @template T
   * @param {string} key
   * @param {() => T} make
   * @returns {T}
   */
  #once(key, make) {
    let value = /** @type {T | undefined} */ (this.fitted.get(key));
    if (value === undefined) this.fitted.set(key, (value = make()));
    return value;
  }

  // Text cut to a width, with an ellipsis; measured once per box, slot and text.
  /**
   * @param {CanvasRenderingContext2D} ctx
   * @param {number} b
   * @param {string | number} slot
   * @param {string} text
   * @param {number} width
   */
  cutTo(ctx, b, slot, text, width) {
    return this.#once(`${b} ${slot} ${text}`, () => cut(ctx, text, width));
  }

  /**
   * @param {CanvasRenderingContext2D} ctx
   * @param {number} b
   * @param {string} text
   * @param {number} width
   * @param {number} size
   */
  wrap(ctx, b, text, width, size) {
    return this.#once(`${b} w${Math.round(size)} ${text}`, () => wrapped(ctx, text, width));
  }

  /** @param {CanvasRenderingContext2D} ctx @param {string} lead */
  leadWidth(ctx, lead) {
    return this.#once(`lead ${lead}`, () => ctx.measureText(`${lead} `).width);
  }

  // [text, width] of the badges that have room on the card, the gravest first.
  /** @param {number} b */
  badges(b) {
    const { plan, theme } = this,
      all = plan.nodes.badges[plan.first[b]];
    if (!all.length || plan.isFolded(b)) return [];
    return this.#once(`${b} badges`, () => {
      const grave = (/** @type {string} */ badge) => ["problem", "warning"].indexOf(theme.badges[badge] ?? "") >>> 0,
        { padding, gap } = theme.card.badge;
      this.ctx.font = this.fonts.badge;
      /** @type {[text: string, width: Pixels][]} */
      const shown = [];
      let room = (plan.w[b] * 2) / 3;
      for (const badge of all.slice().sort((one, two) => grave(one) - grave(two))) {
        const text = badge.slice(0, 40),
          width = this.ctx.measureText(told(text)).width + 2 * padding;
        if ((room -= width + gap) < 0) break;
        shown.push([text, width]);
      }
      return shown;
    });
  }

  /** @param {number} b */
  badgeRoom(b) {
    const font = this.ctx.font,
      shown = this.badges(b);
    this.ctx.font = font;
    return shown.reduce((sum, [, width]) => sum + width + this.theme.card.badge.gap, 0);
  }

  // [lead, text] of the lines below the title, as many as the card has room for.
  /** @param {number} b */
  cardLines(b) {
    const { plan } = this,
      i = plan.first[b];
    if (plan.isFolded(b)) return [["", foldedWords(plan, b)]];
    if (plan.roomy) return plan.lines(i);
    return (plan.subs?.[i] ?? []).slice(0, this.rows(b));
  }

  // How many lines below the title the card has room for, badges included.
  /** @param {number} b */
  rows(b) {
    const { card } = this.theme;
    return Math.round((this.plan.h[b] - card.bare_height) / card.line);
  }

  /** @param {number} b @param {string} mark */
  markWidth(b, mark) {
    return this.#once(`${b} mark`, () => {
      const { font } = this.ctx;
      this.ctx.font = this.fonts.number;
      const { width } = this.ctx.measureText(mark);
      this.ctx.font = font;
      return width;
    });
  }

  lightPath() {
    this.lit = new Uint8Array(this.plan.count);
    if (this.selected < 0) return;
    for (let b = this.plan.box[this.selected]; b >= 0; b = this.plan.up[b]) this.lit[b] = 1;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.ratio = Math.max(1, window.devicePixelRatio || 1);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    // One pixel of the canvas is one of the screen, whatever fraction the layout gave: stretched text is blurred text.
    this.canvas.style.width = `${this.canvas.width / this.ratio}px`;
    this.canvas.style.height = `${this.canvas.height / this.ratio}px`;
    this.map.root.classList.toggle("pv-off", width < 420);
    this.map.soon();
    if (this.plan && (!this.opened || this.untouched)) this.open();
    if (this.plan) this.drawNow(); // a resized canvas is blank until it is drawn
  }

  draw() {
    if (!this.frame && !this.gone) this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.plan || !this.width || this.gone) return;
    const began = performance.now();
    if (this.measure) this.labelled = [];
    this.drawn = drawFrame(this.ctx, this);
    this.map.place();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.map.standAside(), 120);
    this.frames.push(performance.now() - began);
    if (this.frames.length > 600) this.frames.splice(0, 300);
    this.on.camera();
  }

  // ---- camera

  get fitZoom() {
    const { plan } = this;
    return Math.min(this.width / plan.width, this.height / plan.height);
  }

  get least() {
    return Math.min(this.fitZoom * 0.9, 0.1);
  }

  // Lays the plan out in cards of one line, as far apart as lets the whole be read; whether that is possible at all.
  #snugly() {
    const { plan } = this;
    if (plan.size > MOST_SNUG || this.fixed) return false;
    const width = (/** @type {number} */ b) => this.#snugWidth(b);
    for (const [down, lying] of LAYOUTS) {
      let before = 0;
      for (const gap of SNUG_GAPS) {
        plan.snug = { gap, width, down, lying };
        plan.arrange();
        const zoom = this.fitZoom;
        if (zoom >= (gap > NEAR_GAP && zoom > before ? EASY : SNUG)) break;
        before = zoom;
      }
      if (this.fitZoom >= SNUG) break;
    }
    if (this.fitZoom < SNUG) this.spread(false);
    this.changed();
    return plan.snug !== null;
  }

  // Cards of one line, `gap` px apart, or (false) whole cards. A plan that is wider than the view goes straight down along
  // first inputs instead: a tidy tree would show its root and little else.
  /** @param {number | false} gap */
  spread(gap) {
    const { plan } = this;
    /** @type {Snug | null} */
    const snug = gap ? { gap, width: (b) => this.#snugWidth(b) } : null;
    plan.snug = snug;
    if (gap) plan.roomy = false;
    plan.arrange();
    if (snug && plan.width * SNUG > this.width) {
      snug.down = true;
      const zooms = [true, false].map((lying) => {
        snug.lying = lying;
        plan.arrange();
        return this.fitZoom;
      });
      if (zooms[0] > zooms[1]) {
        snug.lying = true;
        plan.arrange();
      }
    }
    this.changed();
  }

  /** @param {number} b */
  #snugWidth(b) {
    const {
        plan,
        theme: {
          card: { snug },
        },
      } = this,
      rows = plan.isFolded(b) ? "" : plan.rowsWords(plan.first[b]);
    const wide = textWidth(plan.lineOf(b).slice(0, 60), this.fonts.line),
      more = rows ? textWidth(rows, this.fonts.rows) + 10 : 0;
    return Math.min(snug.most, Math.round(wide + more + snug.x + snug.right + 4));
  }

  // Everything when that can be read, in whole cards or in cards of one line; else from the root on.
  open() {
    const { plan } = this;
    if (!plan.count || !this.width) return;
    this.opened = this.untouched = true;
    this.hot = -1;
    if (plan.snug) this.spread(false);
    if (this.fitZoom >= NEAR || this.#snugly()) {
      this.fit(false);
      this.untouched = true;
      return;
    }
    if (plan.size <= LARGE) this.spread(NEAR_GAP);
    const k = plan.snug ? EASY : READABLE,
      hot = plan.hottest();
    const x = plan.width * k <= this.width ? plan.width / 2 : plan.x[0] + plan.w[0] / 2;
    this.moveTo(this.clamped({ x: x - this.width / k / 2, y: plan.y[0] - (plan.snug ? plan.y[0] : 32), k }), false);
    this.untouched = true;
    if (hot < 0) return;
    this.hot = hot;
    this.say(`Too large to be read as a whole. h goes to where the most rows are: ${plan.titles[hot]}`, 12_000);
  }

  // A few words over the drawing that go by themselves.
  /** @param {string} words @param {Milliseconds} lasts */
  say(words, lasts) {
    if (this.on.say) return this.on.say(words, lasts);
    this.hint.textContent = words;
    this.hint.classList.add("pv-on");
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => this.hint.classList.remove("pv-on"), lasts);
  }

  /** @param {Camera} camera */
  openAt(camera) {
    this.opened = true;
    this.hot = -1;
    Object.assign(this.camera, camera);
    this.draw();
  }

  // Where a node's box stands, in px of the page.
  /** @param {Plan} plan @param {number} i */
  place(plan, i) {
    const b = plan.box[i],
      { x, y, k } = this.camera,
      bounds = this.canvas.getBoundingClientRect();
    return {
      x: bounds.left + (plan.x[b] - x) * k,
      y: bounds.top + (plan.y[b] - y) * k,
      width: plan.w[b] * k,
      height: plan.h[b] * k,
    };
  }

  /** @param {Camera} given */
  clamped({ x, y, k }) {
    const { plan } = this,
      w = this.width / k,
      h = this.height / k;
    const hold = (/** @type {number} */ at, /** @type {number} */ room, /** @type {number} */ all) =>
      all <= room ? (all - room) / 2 : Math.min(Math.max(at, 0), all - room);
    return {
      x: hold(x, w, plan.width),
      y: h >= plan.height ? Math.min(0, (plan.height - h) / 2) : hold(y, h, plan.height),
      k,
    };
  }

  fit(smooth = true) {
    const k = Math.min(1.1, this.fitZoom),
      { plan } = this;
    const y = Math.max((plan.height - this.height / k) / 2, k >= 1 ? -24 : -Infinity);
    this.moveTo({ x: plan.width / 2 - this.width / k / 2, y, k }, smooth);
  }

  // Everything in view, with its names: in cards of one line where whole cards would be too small.
  fitNames() {
    const { plan } = this;
    if (plan.snug && !plan.roomy) this.spread(false);
    if (this.fitZoom < NEAR) this.#snugly();
    this.fit();
    this.untouched = this.fitZoom >= SNUG;
  }

  /** @param {Camera} to */
  moveTo(to, smooth = true) {
    this.untouched = false;
    cancelAnimationFrame(this.gliding);
    this.hint.classList.remove("pv-on");
    if (!smooth || this.still.matches || document.hidden) {
      Object.assign(this.camera, to);
      return this.draw();
    }
    const from = { ...this.camera },
      began = performance.now(),
      lasts = 180;
    const centre = (/** @type {Camera} */ c) => [c.x + this.width / c.k / 2, c.y + this.height / c.k / 2];
    const [ax, ay] = centre(from),
      [bx, by] = centre(to);
    const step = (/** @type {Milliseconds} */ now) => {
      const t = Math.min(1, Math.max(0, (now - began) / lasts)),
        ease = 1 - (1 - t) ** 3;
      const k = from.k * (to.k / from.k) ** ease;
      const far = to.k === from.k ? ease : (1 / k - 1 / from.k) / (1 / to.k - 1 / from.k);
      this.camera.k = k;
      this.camera.x = ax + (bx - ax) * far - this.width / k / 2;
      this.camera.y = ay + (by - ay) * far - this.height / k / 2;
      this.drawNow();
      if (t < 1 && !this.gone) this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
  }

  /** @param {number} factor */
  zoomAt(factor, px = this.width / 2, py = this.height / 2, smooth = false) {
    const { x, y, k } = this.camera,
      next = Math.min(MOST, Math.max(this.least, k * factor));
    this.moveTo({ x: x + px / k - px / next, y: y + py / k - py / next, k: next }, smooth);
  }

  /** @param {number} dx @param {number} dy */
  panBy(dx, dy) {
    this.moveTo(
      { x: this.camera.x - dx / this.camera.k, y: this.camera.y - dy / this.camera.k, k: this.camera.k },
      false,
    );
  }

  // Moves only when the node's card is outside the view; zooms in only when its title could not be read.
  /** @param {number} i */
  bringIntoView(i) {
    const { plan, camera } = this,
      b = plan.box[i];
    if (!this.width) return;
    const k = camera.k < FAR ? READABLE : camera.k,
      margin = 16;
    const left = (plan.x[b] - camera.x) * camera.k,
      top = (plan.y[b] - camera.y) * camera.k;
    const w = plan.w[b] * camera.k,
      h = plan.h[b] * camera.k;
    const inside =
      left >= margin && top >= margin && left + w <= this.width - margin && top + h <= this.height - margin;
    if (inside && k === camera.k) return this.draw();
    this.moveTo({
      x: plan.x[b] + plan.w[b] / 2 - this.width / k / 2,
      y: plan.y[b] + plan.h[b] / 2 - this.height / k / 2,
      k,
    });
  }

  // Runs a change of layout with one node at rest on the screen.
  /** @param {number} i @param {() => void} change */
  holding(i, change) {
    const { plan, camera } = this,
      before = plan.box[i];
    const cx = plan.x[before] + plan.w[before] / 2 - camera.x,
      y = plan.y[before] - camera.y;
    change();
    const b = plan.box[i];
    camera.x = plan.x[b] + plan.w[b] / 2 - cx;
    camera.y = plan.y[b] - y;
    this.hover = -1;
    this.changed();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} width */
function cut(ctx, text, width) {
  text = text.length > 300 ? text.slice(0, 300) : text;
  if (ctx.measureText(text).width <= width) return text;
  let low = 0,
    high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} width */
function wrapped(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return [text];
  const words = text.split(" ");
  let first = words.shift() ?? "";
  while (words.length && ctx.measureText(`${first} ${words[0]}`).width <= width) first += ` ${words.shift()}`;
  return words.length ? [cut(ctx, first, width), cut(ctx, words.join(" "), width)] : [cut(ctx, first, width)];
}
