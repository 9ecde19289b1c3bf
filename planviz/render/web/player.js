// The step player's element: the parts put together, steps in time, two panes with one view.
import { button, element } from "./dom.js";
import { Panes } from "./panes.js";
import { ProgramPane } from "./program.js";
import { RuleCard } from "./rulecard.js";
import { Steps } from "./steps.js";
import { Surroundings } from "./surroundings.js";
import { dress } from "./theme.js";
import { Timeline } from "./timeline.js";
import { keyList, Transport, typedElsewhere } from "./transport.js";
import { duration } from "./units.js";

const NARROW = 800,
  FEW = 40,
  REMEMBERED = 24;
/** @type {[name: View, words: string][]} */
const VIEWS = [
  ["split", "Side by side"],
  ["merged", "Merged"],
  ["log", "Log"],
  ["sql", "SQL"],
];
/** @type {KeyWords[]} */
const KEYS = [
  [["←", "→"], "step"],
  [["space"], "play"],
  [["s"], "silent rules"],
  [["v"], "view"],
  [["f"], "fit"],
];
/** @type {Map<string, { step: number; view: View; cameras: (Camera | undefined)[] }>} */
const memory = new Map(); // key -> step, view, cameras

export class Player {
  /** @type {RulesData} */ data;
  /** @type {Steps} */ steps;
  /** @type {Mode} */ mode;
  /** @type {View} */ view;
  /** @type {number} */ k;
  /** @type {number} */ line;
  /** @type {Slot | null} */ selected;
  /** @type {string | undefined} */ asked;
  /** @type {{ steps: Steps; k: number; cameras: (Camera | undefined)[] } | undefined} */ comparing;
  /** @type {Transport} */ transport;
  /** @type {HTMLButtonElement[]} */ viewButtons;
  /** @type {HTMLElement} */ exports;
  /** @type {boolean | undefined} */ gone;
  /** @type {unknown} */ handle;

  /** @param {HTMLElement} parent @param {RulesCallbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    this.frames = /** @type {Milliseconds[]} */ ([]);
    this.silent = false;
    const root = (this.root = element("div", "pv pv-player"));
    root.tabIndex = -1;
    this.timeline = new Timeline({ go: (k) => this.go(k) });
    this.card = new RuleCard({
      select: (slot) => this.select(slot, true),
      off: (rule) => this.#off(rule),
      source: (line) => this.#showLine(line),
      why: (rule) => this.callbacks.ask?.(rule, "why"),
    });
    const side = element("aside", "pv-panel");
    side.setAttribute("aria-label", "The rule");
    side.append(this.card.root);
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    this.footer = element("footer", "pv-footer");
    this.quiet = element("p", "pv-quiet");
    this.quiet.hidden = true;
    const top = element("div", "pv-top");
    top.append(this.timeline.root, this.quiet);
    this.panes = new Panes({ select: (slot) => this.select(slot) }, this.frames);
    this.program = new ProgramPane(
      { line: (line) => this.#lightLine(line), turned: (on) => this.#turnProgram(on) },
      "rules",
    );
    root.append(top, this.#stepBar(), this.program.root, this.panes.root, side, this.footer, this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      goto: (detail) =>
        detail.key === this.data?.key &&
        this.go(Math.min((detail.id ?? this.steps.telling() + 1) - 1, this.steps.count - 1), { quiet: true }),
      scheme: () => this.data && this.#dress(),
      fonts: () => this.steps && this.#draw(),
      resized: () => this.#measure(),
    });
    this.#measure();
  }

  // Where this was left, for the next one that shows the same.
  remember() {
    this.#remember();
  }

  destroy() {
    this.#remember();
    this.gone = true;
    this.play(false);
    this.around.destroy();
    this.panes.destroy();
    this.program.destroy();
    this.root.remove();
  }

  #stepBar() {
    this.transport = new Transport({ go: (k) => this.go(k), at: () => this.k, count: () => this.steps?.count ?? 0 });
    const views = element("div", "pv-segment");
    this.viewButtons = VIEWS.map(([name, words]) => button("", words, `${words} (v)`, () => this.setView(name)));
    views.append(...this.viewButtons);
    this.exports = element("div", "pv-exports");
    this.transport.root.append(views, this.program.button, this.exports);
    return this.transport.root;
  }

  // ---- data

  // The same trace again keeps the step; another opens where it was left, or at the step that the data names.
  /** @param {RulesData} data */
  update(data) {
    const received = performance.now(),
      old = this.data;
    this.data = data;
    if (old && old.key === data.key) {
      this.#dress();
      if (this.k === undefined) return;
      this.card.show(this.steps, this.k, this.data);
      // The plans without a rule that was switched off just now are what was asked for.
      if (this.asked && data.without?.[this.asked]?.trace) this.compare(this.asked);
      this.asked = undefined;
      return;
    }
    if (old) this.#remember(old);
    this.play(false);
    this.comparing = this.asked = undefined;
    window.__planviz = {
      received,
      drawn: null,
      painted: null,
      stepped: null,
      frames: this.frames,
      handle: this.handle,
    };
    this.mode = dress(this.root, data.theme, data.dark, this.around.scheme);
    this.panes.setTheme(data.theme, this.mode);
    const kept = memory.get(data.key);
    this.line = 0;
    this.program.show(data.written ?? null, false);
    this.#play(new Steps(data.trace, data.theme), kept?.cameras ?? []);
    this.#setView(kept?.view ?? (this.root.clientWidth && this.root.clientWidth < NARROW ? "merged" : "split"));
    this.#words();
    this.#links();
    this.viewButtons[3].hidden = !data.sql;
    this.go(kept?.step ?? Math.min(Math.max(0, (data.step ?? this.steps.telling() + 1) - 1), this.steps.count - 1), {
      quiet: true,
    });
    window.__planviz.drawn = performance.now();
    this.#painted(() => {
      window.__planviz.painted ??= performance.now();
      this.root.dispatchEvent(
        new CustomEvent("planviz:painted", { bubbles: true, composed: true, detail: window.__planviz }),
      );
    });
  }

  /** @param {Steps} steps @param {(Camera | undefined)[]} cameras */
  #play(steps, cameras) {
    this.steps = steps;
    this.k = /** @type {any} */ (undefined); // until a step is shown
    this.panes.play(steps, cameras);
    this.transport.slider.max = String(steps.count);
    this.timeline.show(steps, this.silent);
  }

  // The final plan without a rule beside that with it; null goes back to the step where that was asked.
  /** @param {string | null} rule */
  compare(rule) {
    const { comparing, data } = this;
    if (rule && !comparing) {
      this.panes.keepCamera();
      this.comparing = { steps: this.steps, k: this.k, cameras: this.panes.cameras };
    }
    const to = rule
      ? { steps: new Steps(/** @type {Trace} */ (data.without?.[rule].trace), data.theme), k: 0, cameras: [] }
      : comparing;
    if (!to) return;
    if (!rule) this.comparing = undefined;
    this.play(false);
    this.root.classList.toggle("pv-comparing", Boolean(rule));
    this.#play(to.steps, to.cameras);
    if (this.view === "log" || this.view === "sql") this.#setView("split");
    this.#namePanes();
    this.go(to.k, { quiet: true });
  }

  #namePanes() {
    this.panes.name(this.comparing ? ["without the rule", "with it"] : ["before", "after"]);
  }

  /** @param {() => void} done */
  #painted(done) {
    if (document.hidden) setTimeout(done, 0);
    else requestAnimationFrame(() => setTimeout(done, 0));
  }

  #remember(data = this.data) {
    if (!data || this.k === undefined) return;
    if (!this.comparing) this.panes.keepCamera();
    const { k, cameras } = this.comparing ?? { k: this.k, cameras: this.panes.cameras };
    memory.delete(data.key);
    memory.set(data.key, { step: k, view: this.view, cameras });
    if (memory.size > REMEMBERED) memory.delete(/** @type {string} */ (memory.keys().next().value));
  }

  #dress() {
    const before = this.mode;
    this.mode = dress(this.root, this.data.theme, this.data.dark, this.around.scheme);
    if (before !== this.mode) this.panes.setTheme(this.data.theme, this.mode);
  }

  // ---- steps

  /** @param {number} k */
  go(k, { quiet = false } = {}) {
    const { steps } = this,
      asked = performance.now();
    if (!steps || !Number.isInteger(k) || k < 0 || k >= steps.count || k === this.k) return;
    this.k = k;
    const step = steps.steps[k],
      number = this.comparing ? "Final plan without and with" : `${k + 1} / ${steps.count}`;
    this.selected = null;
    this.#tellLine();
    this.#draw();
    const drawn = performance.now();
    this.#painted(() => {
      window.__planviz.stepped = { k, asked, drawn, painted: performance.now() };
      if (!quiet && this.k === k) this.#tell();
    });
    const batch = steps.data.batches[step.batch]?.name ?? "";
    this.transport.show(k, {
      number,
      name: step.rule,
      hint: step.name,
      pill: step.iteration == null ? batch : `${batch} · iteration ${step.iteration}`,
      time: step.milliseconds == null ? "" : duration(step.milliseconds),
    });
    this.timeline.select(k, step.batch);
    this.#tellSilent();
    this.card.show(steps, k, { ...this.data, comparing: Boolean(this.comparing) });
    this.#links();
    if (quiet) return;
    this.live.textContent = `${number} ${step.rule}, ${steps.weight(k)} changed`;
  }

  // The page's address and the server follow when the step is on the screen.
  #tell() {
    if (this.comparing || this.gone) return;
    this.root.dispatchEvent(
      new CustomEvent("planviz:select", {
        bubbles: true,
        composed: true,
        detail: { id: this.k + 1, key: this.data.key },
      }),
    );
  }

  #draw() {
    const { k, view } = this;
    if (k === undefined) return;
    if (view === "log") return this.panes.showLog(k);
    if (view === "sql") return this.panes.showSql(/** @type {SqlTexts} */ (this.data.sql));
    const lit = this.line && !this.comparing ? this.steps.slotsOf(k, this.line) : null;
    this.panes.show(k, this.selected, lit?.size ? lit : null);
    this.root.classList.toggle(
      "pv-no-map",
      this.steps.data.scenes[/** @type {number} */ (this.panes.scene)].x.length <= FEW,
    );
  }

  /** @param {boolean} [on] */
  play(on) {
    this.transport.play(on);
  }

  // ---- selecting

  /** @param {Slot | null} slot */
  select(slot, reveal = false) {
    this.selected = slot;
    this.line = 0;
    const line = slot == null || this.comparing ? 0 : this.steps.lineOf(this.k, slot);
    this.program.light(line);
    if (reveal && (this.view === "log" || this.view === "sql")) this.setView("split");
    if (reveal && slot != null) this.panes.reveal(slot);
    this.#draw();
    this.card.select(this.steps, this.k, slot);
  }

  // ---- the program or SQL beside the panes

  /** @param {boolean} on */
  #turnProgram(on) {
    this.root.classList.toggle("pv-with-program", on);
    if (this.k !== undefined) this.#setView(this.view);
  }

  /** @param {number} line */
  #showLine(line) {
    this.program.turn(true);
    this.program.light(line);
  }

  // What a line made stands out, in this step and in those that are gone to from here.
  /** @param {number} line */
  #lightLine(line) {
    if (this.view === "log" || this.view === "sql") this.setView("split");
    this.select(null);
    this.line = line;
    this.#tellLine();
    this.#draw();
  }

  #tellLine() {
    if (this.line) this.program.tell(this.line, this.steps.slotsOf(this.k, this.line).size, "operator");
  }

  // ---- views

  /** @param {View} name */
  setView(name) {
    this.#setView(name);
    this.#draw();
    this.#links();
  }

  /** @param {View} name */
  #setView(name) {
    this.view = name;
    this.root.dataset.view = name;
    VIEWS.forEach(([other], at) => this.viewButtons[at].setAttribute("aria-pressed", String(other === name)));
    this.panes.setView(name);
    this.#namePanes();
  }

  // Links to pictures of this step, where a server draws them.
  #links() {
    const { exports } = this.data,
      menu = this.exports;
    menu.hidden = !exports || Boolean(this.comparing);
    if (menu.hidden || this.k === undefined) return;
    const made = [
      ["svg", "SVG"],
      ["png", "PNG"],
    ].map(([format, words]) => {
      const link = element("a", "pv-button", words);
      link.href = `${exports}step-${this.k + 1}.${format}?view=${this.view === "merged" ? "merged" : "split"}&theme=${this.mode}`;
      link.download = `step-${this.k + 1}.${format}`;
      link.title = `This step as ${words}`;
      return link;
    });
    menu.replaceChildren(...made);
  }

  /** @param {string} rule */
  #off(rule) {
    if (this.comparing) return this.compare(null);
    if (this.data.without?.[rule]?.trace) return this.compare(rule);
    this.asked = rule;
    this.data = { ...this.data, waiting: rule };
    this.card.show(this.steps, this.k, this.data);
    this.callbacks.ask?.(rule, "off");
  }

  // ---- words around the picture

  #words() {
    const { totals, batches } = this.data.trace;
    const effective = batches.filter(({ steps }) => steps.length).length,
      parts = [];
    const of = totals.rules ? ` of ${totals.rules}` : "";
    parts.push(`${totals.effective}${of} ${totals.effective === 1 && !of ? "rule" : "rules"} changed the plan`);
    if (effective < batches.length) parts.push(`${effective} of ${batches.length} batches`);
    if (totals.runs) parts.push(`${totals.runs.toLocaleString("en")} rule runs`);
    if (totals.passes) parts.push(`${totals.passes} passes`);
    this.footer.replaceChildren(
      keyList(KEYS),
      element("div", "pv-grow"),
      element("span", "pv-total", parts.join(" · ")),
    );
  }

  state() {
    return {
      k: this.k,
      count: this.steps.count,
      view: this.view,
      mode: this.mode,
      playing: Boolean(this.transport.running),
      selected: this.selected,
      scene: this.panes.scene,
    };
  }

  /** @param {Slot} slot @param {number | undefined} pane */
  place(slot, pane) {
    return this.panes.place(slot, pane);
  }

  #measure() {
    const { clientWidth: width } = this.root;
    if (!width) return;
    this.root.classList.toggle("pv-narrow", width <= NARROW);
    this.root.classList.toggle("pv-middling", width > NARROW && width < 1260);
    this.panes.settle();
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.steps || typedElsewhere(event, this.transport.slider)) return;
    if (
      /** @type {HTMLElement | undefined} */ (event.composedPath()[0])?.tagName === "PRE" &&
      event.key.startsWith("Arrow")
    )
      return;
    const pane = this.panes.first;
    /** @type {Record<string, (() => unknown) | undefined>} */
    const acts = {
      ArrowRight: () => this.#stepTo(this.k + 1),
      ArrowLeft: () => this.#stepTo(this.k - 1),
      ArrowDown: () => this.#batch(1),
      ArrowUp: () => this.#batch(-1),
      Home: () => this.#stepTo(0),
      End: () => this.#stepTo(this.steps.count - 1),
      " ": () => this.play(),
      s: () => this.#showSilent(),
      v: () => this.#nextView(),
      f: () => pane.fit(),
      "+": () => pane.zoomAt(1.3, undefined, undefined, true),
      "=": () => pane.zoomAt(1.3, undefined, undefined, true),
      "-": () => pane.zoomAt(1 / 1.3, undefined, undefined, true),
      0: () => pane.zoomAt(1 / pane.camera.k, undefined, undefined, true),
      Escape: () => (this.selected == null && this.comparing ? this.compare(null) : this.select(null)),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #nextView() {
    const views = VIEWS.map(([name]) => name).filter((name) => name !== "sql" || this.data.sql);
    this.setView(views[(views.indexOf(this.view) + 1) % views.length]);
  }

  /** @param {number} k */
  #stepTo(k) {
    const held =
      this.timeline.root.contains(document.activeElement?.shadowRoot?.activeElement ?? document.activeElement) ||
      /** @type {ShadowRoot} */ (this.root.getRootNode()).activeElement?.classList?.contains("pv-step-bar");
    this.go(k);
    if (held) this.timeline.bars[this.k].focus({ preventScroll: true });
  }

  // The first step of the next or the last batch that did something.
  /** @param {number} by */
  #batch(by) {
    const { steps } = this,
      now = steps.steps[this.k].batch,
      starts = steps.data.batches.map(({ steps: own }) => own[0]);
    for (let at = now + by; at >= 0 && at < starts.length; at += by)
      if (starts[at] !== undefined) return this.#stepTo(starts[at]);
  }

  #showSilent() {
    this.silent = !this.silent;
    this.timeline.show(this.steps, this.silent);
    this.timeline.select(this.k, this.steps.steps[this.k].batch);
    this.#tellSilent();
  }

  // The rules of this batch that had nothing to do, when silent ones are asked for.
  #tellSilent() {
    const { silent } = this.steps.data.batches[this.steps.steps[this.k].batch] ?? {};
    this.quiet.hidden = !this.silent || !silent;
    if (silent && !this.quiet.hidden)
      this.quiet.replaceChildren(element("b", "", "Nothing to do here: "), silent.join(", "));
  }
}
