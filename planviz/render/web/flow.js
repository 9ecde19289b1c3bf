// One or two plans with their numbers on the edges, under one view. What stands in both plans stands at one place.
import { Canvas } from "./canvas.js";
import { element } from "./dom.js";
import { atMost, bytes, change, count, error, expected, flowWidth, marked, tintOf } from "./figures.js";
import { Plan } from "./plan.js";

const HEAD = 44; // px above the drawing for the names of the ways
// How far to the left of the first join a card of its column may begin, px.
const COLUMN = 90;
const LEGIBLE = 0.7;

export class Flow {
  /** @type {Estimated} */ answer;
  /** @type {Theme} */ theme;
  /** @type {Mode} */ mode;
  /** @type {"rows" | "bytes"} */ by;
  /** @type {boolean} */ both;
  /** @type {boolean} */ aligned;
  /** @type {[Map<number, number>, Map<number, number>]} */ partner;
  /** @type {boolean} */ unopened;
  /** @type {boolean | undefined} */ following;

  // on: { select(side, node) }
  /** @param {{ select: (side: number, node: number) => void }} on @param {Milliseconds[]} frames */
  constructor(on, frames) {
    this.on = on;
    this.root = element("div", "pv-flow");
    this.panes = [0, 1].map((at) => {
      const host = element("div", "pv-stage"),
        head = element("div", "pv-flow-head");
      host.setAttribute("role", "group");
      host.append(head);
      host.style.setProperty("--pv-headroom", `${HEAD}px`);
      this.root.append(host);
      const canvas = new Canvas(
        host,
        { select: (i) => on.select(at, i), toggle: () => {}, camera: () => this.#follow(at) },
        frames,
      );
      return { host, head, canvas, plan: /** @type {Plan | null} */ (null) };
    });
    this.cameras = this.panes.map(({ canvas }) => canvas.camera);
    this.by = "rows";
  }

  destroy() {
    for (const { canvas } of this.panes) canvas.destroy();
  }

  // The answer of planviz/ui/cardinality.py; with `keep` the view stays at rest.
  /** @param {Estimated} answer @param {Theme} theme @param {Mode} mode @param {boolean} keep */
  show(answer, theme, mode, keep) {
    const both = answer.sides.length > 1,
      was = this.both,
      aligned = both && answer.aligned;
    keep = keep && was === both && this.aligned === aligned;
    this.aligned = aligned;
    // One view for both where what stands in both stands at one place.
    this.panes[1].canvas.camera = aligned ? this.cameras[0] : this.cameras[1];
    Object.assign(this, { answer, theme, mode, both });
    this.root.classList.toggle("pv-both", both);
    this.root.classList.toggle("pv-aligned", aligned);
    this.partner = [new Map(answer.pairs), new Map(answer.pairs.map(([a, b]) => [b, a]))];
    answer.sides.forEach((side, at) => {
      const pane = this.panes[at],
        { canvas } = pane,
        plan = (pane.plan = new Plan(side.scene, theme));
      if (side.scene.line) plan.snug = { placed: true, line: true };
      plan.arrange();
      if (was !== both) canvas.resize();
      if (!canvas.plan || canvas.theme !== theme || canvas.mode !== mode) {
        canvas.show(plan, theme, mode);
        canvas.opened = true;
      }
      canvas.measure = this.#measure(at);
      canvas.selected = -1;
      canvas.step(plan, { marks: null, labels: null, ghosts: null });
      pane.host.setAttribute("aria-label", `${side.title}: ${plan.size} operators`);
    });
    if (!keep) this.open();
  }

  /** @param {Theme} theme @param {Mode} mode */
  setTheme(theme, mode) {
    Object.assign(this, { theme, mode });
    if (!this.answer) return;
    this.answer.sides.forEach((_, at) => {
      this.panes[at].canvas.setTheme(theme, mode);
      this.panes[at].canvas.measure = this.#measure(at);
      this.panes[at].canvas.draw();
    });
  }

  // What the edges tell: "rows" or "bytes".
  /** @param {"rows" | "bytes"} by */
  tell(by) {
    this.by = by;
    this.answer?.sides.forEach((_, at) => {
      this.panes[at].canvas.measure = this.#measure(at);
      this.panes[at].canvas.drawNow();
    });
  }

  // Everything when that can be read, else from the root or, where that says little, the first join down.
  open() {
    this.unopened = false;
    this.panes.forEach(({ canvas, plan }, at) => {
      if (at && (!this.both || this.aligned)) return;
      if (!canvas.width || !plan) return void (this.unopened = true);
      const fit = Math.min((canvas.width - 8) / plan.width, (canvas.height - HEAD) / plan.height);
      const first = plan.order.find((i) => plan.children(i).length > 1) ?? 0,
        b = plan.box[first];
      const k = fit >= LEGIBLE ? Math.min(1, fit) : Math.max(0.86, Math.min(0.92, canvas.width / plan.width));
      // Wider cards of the same column begin further left.
      let left = plan.x[b];
      for (const x of plan.x) if (x > plan.x[b] - COLUMN && x < left) left = x;
      const whole = k * plan.width <= canvas.width + 1,
        x = whole ? plan.width / 2 - canvas.width / k / 2 : left - 20 / k;
      const y =
        fit >= LEGIBLE
          ? Math.max(-HEAD / k, (plan.height - canvas.height / k - HEAD / k) / 2)
          : plan.y[0] - (HEAD + 14) / k;
      canvas.moveTo({ x, y, k }, false);
    });
  }

  // Everything, however small, below the names of the ways.
  fit() {
    this.panes.forEach(({ canvas, plan }, at) => {
      if (!plan || (at && (!this.both || this.aligned))) return;
      const k = Math.min(1, (canvas.width - 8) / plan.width, (canvas.height - HEAD) / plan.height);
      const y = Math.max(-HEAD / k, (plan.height - (canvas.height + HEAD) / k) / 2);
      canvas.moveTo({ x: plan.width / 2 - canvas.width / k / 2, y, k });
    });
  }

  settle() {
    for (const { canvas } of this.panes) canvas.resize();
    if (this.unopened) this.open();
  }

  // The value that stands on the edge above a node, and whether it is one that Spark does not estimate.
  /** @param {number} at @param {number} i */
  value(at, i) {
    const side = this.answer.sides[at];
    return this.by === "bytes" ? { value: side.scene.nodes.bytes[i], imagined: false } : expected(side, i);
  }

  /**
   * @param {number} at
   * @returns {Measure}
   */
  #measure(at) {
    const side = this.answer.sides[at],
      colours = this.theme[this.mode],
      say = this.by === "bytes" ? bytes : count;
    const estimated = side.scene.rows_are !== "measured",
      tints = ["", ...colours.under, ...colours.over];
    return {
      tints,
      width: (i) => flowWidth(this.value(at, i).value ?? (this.by === "rows" ? atMost(side, i) : null)),
      tint: (i) => (this.by === "rows" ? tintOf(error(this.value(at, i).value, side.cards[i].measured)) : 0),
      words: (i) => {
        const { value, imagined } = this.value(at, i),
          measured = this.by === "rows" ? side.cards[i].measured : null;
        const most = this.by === "rows" ? atMost(side, i) : null;
        const said = most == null ? marked(say(value), estimated) : `≤${say(most)}`,
          bracketed = imagined || most != null;
        /** @type {[text: string, colour: string][]} */
        const pieces = [[bracketed ? `(${said})` : said, imagined || value == null ? colours.muted : colours.ink]];
        if (measured != null) {
          const found = error(value, measured),
            tint = tintOf(found);
          pieces.push([
            `→ ${say(measured)}`,
            tint ? colours[/** @type {"under_text" | "over_text"} */ (`${found?.side}_text`)] : colours.muted,
          ]);
        } else if (at === 1 && this.both) {
          const other = this.partner[1].get(i),
            from = other === undefined ? null : this.value(0, other).value,
            by = change(from, value);
          if (by && by !== "=" && by !== "≈")
            pieces.push([by, by[0] === "÷" ? colours.inserted.text : colours.removed.text]);
        }
        return pieces;
      },
    };
  }

  // Marks a node in its plan and its partner in the other.
  /** @param {number} at @param {number} i @param {boolean} [reveal] */
  select(at, i, reveal) {
    this.panes.forEach(({ canvas, plan }, pane) => {
      if (!plan || (pane && !this.both)) return;
      canvas.selected = i < 0 ? -1 : pane === at ? i : (this.partner[at].get(i) ?? -1);
      canvas.lightPath();
      canvas.draw();
    });
    if (i < 0) return;
    if (reveal) this.panes[at].canvas.bringIntoView(i);
    const other = this.partner[at].get(i);
    if (this.both && !this.aligned && other !== undefined) this.panes[1 - at].canvas.bringIntoView(other);
  }

  /** @param {number} at */
  #follow(at) {
    if (this.following || !this.aligned) return;
    this.following = true;
    this.panes[1 - at].canvas.drawNow();
    this.following = false;
  }

  // The plan of a side, which is there once an answer was shown.
  /** @param {number} at */
  planOf(at) {
    return /** @type {Plan} */ (this.panes[at].plan);
  }

  // Where a node's card stands on the page, for tests.
  /** @param {number} at @param {number} i */
  place(at, i) {
    return this.panes[at].canvas.place(this.planOf(at), i);
  }
}
