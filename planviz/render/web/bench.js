// The workbench's element: the parts put together, data in, selection out.
import { Canvas } from "./canvas.js";
import { button, element } from "./dom.js";
import { termed } from "./glossary.js";
import { keyAction } from "./keys.js";
import { Panel } from "./panel.js";
import { Plan } from "./plan.js";
import { ProgramPane } from "./program.js";
import { Rail } from "./rail.js";
import { RawText } from "./rawtext.js";
import { findingItem, keyList, toolbar } from "./shell.js";
import { Surroundings } from "./surroundings.js";
import { dress } from "./theme.js";
import { grouped } from "./units.js";

const NARROW = 800,
  BIG = 300,
  REMEMBERED = 24;
/**
 * @typedef {Pick<Plan, "collapsed" | "folded" | "roomy"> & { gap?: Pixels; camera: Camera; selected: number; text: boolean }} KeptView
 * @type {Map<string, KeptView>}
 */
const memory = new Map(); // key -> what was collapsed, folded, selected and in view

// What shows one plan at a time and keeps its parts in step.

export class Workbench {
  /** @type {WorkbenchData} */ data;
  /** @type {Plan} */ plan;
  /** @type {Mode} */ mode;
  /** @type {unknown} */ handle;
  /** @type {number | undefined} */ report;
  /** @type {number | undefined} */ saying;
  /** @type {Set<number> | null | undefined} */ lit;
  /** @type {boolean} */ narrow;
  /** @type {boolean | undefined} */ gone;
  /** @type {HTMLInputElement} */ search;
  /** @type {HTMLElement} */ chips;
  /** @type {HTMLElement} */ help;
  /** @type {HTMLElement} */ hitCount;
  /** @type {HTMLButtonElement} */ railButton;
  /** @type {HTMLButtonElement} */ planButton;
  /** @type {HTMLButtonElement} */ textButton;
  /** @type {HTMLButtonElement} */ backButton;
  /** @type {HTMLButtonElement} */ nextButton;
  /** @type {HTMLButtonElement} */ roomyButton;
  /** @type {HTMLButtonElement} */ snugButton;
  /** @type {HTMLButtonElement} */ foldButton;
  /** @type {HTMLButtonElement} */ zoomWords;
  /** @type {HTMLButtonElement} */ sideButton;
  /** @type {HTMLButtonElement} */ copyButton;
  /** @type {HTMLElement} */ railHead;
  /** @type {HTMLElement} */ findings;
  /** @type {ProgramPane} */ program;
  /** @type {HTMLElement} */ stage;
  /** @type {Canvas} */ canvas;
  /** @type {HTMLElement} */ textPane;
  /** @type {HTMLElement} */ side;

  /** @param {HTMLElement} parent @param {WorkbenchCallbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    this.frames = /** @type {Milliseconds[]} */ ([]);
    this.selected = -1;
    this.hits = /** @type {number[]} */ ([]);
    this.hit = -1;
    const root = (this.root = element("div", "pv"));
    root.tabIndex = -1;
    this.rail = new Rail({ select: (i) => this.select(i, { from: "rail" }), toggle: (i) => this.toggle(i) });
    this.panel = new Panel({
      select: (i) => this.select(i),
      source: (i) => this.showSource(i),
      hasText: () => this.#text != null,
      lineText: (line) => (this.data.written ? this.program.line(line) : ""),
      go: this.callbacks.go && ((page, number) => this.#go(page, number)),
    });
    this.raw = new RawText({ line: (line) => this.#selectLine(line) });
    this.footer = element("footer", "pv-footer");
    this.said = element("span", "pv-said");
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    this.veil = element("div", "pv-veil");
    this.veil.addEventListener("click", () => this.toggleRail(false));
    root.append(this.#left(), this.#centre(), this.#right(), this.footer, this.veil, keyList(this), this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      goto: (detail) =>
        detail.key === this.data?.key &&
        this.select(detail.id === null ? -1 : this.#indexOf(detail.id), { quiet: true }),
      scheme: () => this.data && this.#applyTheme(),
      fonts: () => this.plan && this.canvas.changed(),
      resized: () => this.#measure(),
    });
    this.#measure();
  }

  #left() {
    const left = element("nav", "pv-rail");
    left.setAttribute("aria-label", "Tree and findings");
    this.railHead = element("h4", "", "Tree");
    this.findings = element("section", "pv-findings");
    this.program = new ProgramPane(
      { line: (line) => this.#lightLine(line), turned: (on) => this.#turnProgram(on) },
      "workbench",
    );
    left.append(this.railHead, this.rail.root, this.program.root, this.findings);
    return left;
  }

  #centre() {
    const centre = element("section", "pv-centre");
    this.stage = element("div", "pv-stage");
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "application");
    this.stage.setAttribute(
      "aria-label",
      "Drawing of the plan. Arrow keys walk it; the tree holds the same operators.",
    );
    this.canvas = new Canvas(
      this.stage,
      {
        select: (i) => this.select(i, { from: "canvas" }),
        toggle: (i) => this.toggle(i),
        camera: () => this.#cameraMoved(),
        say: (words, lasts) => this.say(words, lasts),
      },
      this.frames,
    );
    this.textPane = element("div", "pv-text-pane");
    this.textPane.append(this.raw.root);
    centre.append(toolbar(this), this.stage, this.textPane);
    return centre;
  }

  #right() {
    this.side = element("aside", "pv-panel");
    this.side.setAttribute("aria-label", "Details");
    this.side.append(
      button("pv-close", "×", "Close the details", () => this.toggleSide(false)),
      this.panel.root,
    );
    return this.side;
  }

  // Where this was left, for the next one that shows the same.
  remember() {
    this.#remember();
  }

  destroy() {
    this.#remember();
    this.gone = true;
    clearTimeout(this.report);
    clearTimeout(this.saying);
    this.around.destroy();
    for (const part of [this.canvas, this.rail, this.raw, this.program]) part.destroy();
    this.root.remove();
  }

  // ---- data

  // The same data again changes nothing; another key opens another plan, where it was left if it was seen before.
  /** @param {WorkbenchData} data */
  update(data) {
    const received = performance.now(),
      old = this.data;
    if (old && old.key === data.key) {
      this.data = { ...data, scene: old.scene };
      this.#applyTheme();
      this.#showFindings();
      if (old.text !== data.text) this.#showTextOf(data.text);
      if (data.selected !== old.selected) this.select(data.selected ?? -1, { quiet: true });
      return;
    }
    if (old) this.#remember();
    window.__planviz = {
      received,
      drawn: null,
      painted: null,
      nodes: data.scene.nodes.id.length,
      frames: this.frames,
      handle: this.handle,
    };
    this.data = data;
    this.frames.length = 0;
    this.find("", true);
    this.search.value = "";
    const plan = (this.plan = new Plan(data.scene, data.theme));
    const kept = memory.get(data.key);
    this.selected = -1;
    if (kept) this.#restore(kept);
    else if (plan.size > BIG && plan.inChains > plan.size / 4) plan.foldAll(true);
    plan.arrange();
    this.#readTheme();
    this.canvas.selected = -1;
    this.canvas.show(plan, data.theme, this.mode);
    if (kept?.gap) this.canvas.spread(kept.gap);
    if (kept) this.canvas.openAt(kept.camera);
    else this.canvas.open();
    // Python tells what was selected last, on whichever page; where it tells nothing, this picture is as it was left.
    const selected = data.selected ?? kept?.selected ?? -1;
    this.canvas.selected = selected;
    this.canvas.lightPath();
    this.canvas.drawNow();
    window.__planviz.drawn = performance.now();
    this.#painted();
    this.rail.selected = selected;
    this.rail.show(plan, data.theme, this.mode);
    this.selected = -2; // so that selecting tells the rail and the panel, whichever node it is
    this.select(selected, { quiet: true });
    this.#showFindings();
    this.#showTextOf(this.#text);
    this.showText(kept?.text ?? false);
    this.#words();
  }

  #painted() {
    const mark = window.__planviz;
    const done = () => {
      if (mark.painted !== null || this.gone) return;
      mark.painted = performance.now();
      this.root.dispatchEvent(new CustomEvent("planviz:painted", { bubbles: true, composed: true, detail: mark }));
      this.#loadDetails();
    };
    // The frame is drawn; a task after the next animation frame runs when it has been handed to the screen. A page in
    // the background gets no frames.
    if (document.hidden) setTimeout(done, 0);
    else requestAnimationFrame(() => setTimeout(done, 0));
  }

  // The raw text; that of a large plan comes with its details.
  get #text() {
    return this.plan?.text ?? this.data.text ?? null;
  }

  async #loadDetails() {
    const { plan, data } = this;
    if (data.scene.details || !data.details_url) return;
    try {
      const answer = await fetch(data.details_url, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const more = await answer.json();
      if (this.plan !== plan || this.gone) return;
      if (more.text != null) {
        plan.text = more.text;
        this.#showTextOf(plan.text);
      }
      if (more.findings) {
        plan.findings = more.findings;
        this.#showFindings();
      }
      if (this.plan.roomy) this.canvas.holding(Math.max(0, this.selected), () => plan.fill(more));
      else plan.fill(more);
      this.canvas.changed();
      this.rail.redraw();
      this.#showPanel();
      if (this.search.value) this.find(this.search.value, true);
    } catch {
      this.live.textContent = "The details could not be loaded.";
      plan.fill({ details: [] });
      this.#showPanel();
    }
  }

  #remember() {
    const { plan, canvas } = this;
    if (!plan) return;
    const { collapsed, folded, roomy, snug } = plan;
    memory.delete(this.data.key);
    memory.set(this.data.key, {
      collapsed,
      folded,
      roomy,
      gap: snug?.gap,
      camera: { ...canvas.camera },
      selected: this.selected,
      text: this.root.classList.contains("pv-show-text"),
    });
    if (memory.size > REMEMBERED) memory.delete(/** @type {string} */ (memory.keys().next().value));
  }

  /** @param {KeptView} kept */
  #restore(kept) {
    const { plan } = this;
    if (kept.collapsed.length === plan.size)
      Object.assign(plan, { collapsed: kept.collapsed, folded: kept.folded, roomy: kept.roomy });
  }

  #readTheme() {
    this.mode = dress(this.root, this.data.theme, this.data.dark, this.around.scheme);
  }

  #applyTheme() {
    const before = this.mode;
    this.#readTheme();
    if (before === this.mode && this.plan.theme === this.data.theme) return;
    this.plan.theme = this.data.theme;
    this.canvas.setTheme(this.data.theme, this.mode);
    this.rail.theme = this.data.theme;
    this.rail.mode = this.mode;
    this.rail.redraw();
    this.#showPanel();
  }

  // ---- words around the picture

  #words() {
    const { plan } = this,
      { scene } = plan,
      { nodes } = scene;
    let depth = 0;
    for (let i = 0; i < plan.size; i++) {
      if (nodes.depth[i] >= depth) depth = nodes.depth[i] + 1;
    }
    const many = (/** @type {number} */ count, /** @type {string} */ word) =>
      `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
    const keys = element("div", "pv-keys");
    for (const [names, words] of [
      [["←", "→", "↑", "↓"], "walk"],
      [["/"], "find"],
      [["c"], "collapse"],
      [["x"], "fold"],
      [["f"], "fit"],
      ...(plan.hottest() < 0 ? [] : [[["h"], "most rows"]]),
      [["?"], "keys"],
    ]) {
      const item = element("span");
      for (const name of names) item.append(element("kbd", "", name));
      item.append(` ${words}`);
      keys.append(item);
    }
    const help = button("pv-link pv-only-narrow", "Keys", "", () => this.showHelp(true));
    this.footer.replaceChildren(
      keys,
      help,
      element("div", "pv-grow"),
      this.said,
      element(
        "span",
        "pv-total",
        [many(plan.size, "node"), many(scene.exchanges ?? 0, "exchange"), `depth ${grouped(depth)}`].join(" · "),
      ),
    );
    if (!this.data.written) this.railHead.textContent = "Tree";
    this.#chips();
    this.#buttons();
  }

  #chips() {
    const { scene } = this.plan,
      chips = [];
    // The app says this beside the stages already.
    if (scene.rows_are !== "unknown" && this.callbacks.wholePage)
      chips.push(termed(element("span", `pv-badge${this.plan.estimated ? " pv-estimated" : ""}`, scene.rows_are)));
    // The panel has them, unless it is shut; the app's heading tells of the text as a whole.
    if (scene.notes.length && (this.callbacks.wholePage || this.root.matches(".pv-side-shut"))) {
      const note = button(
        "pv-badge pv-warning pv-notes",
        scene.notes.length === 1 ? "1 note" : `${scene.notes.length} notes`,
        scene.notes.join("\n").slice(0, 600),
        () => {
          this.select(-1);
          this.toggleSide(true);
        },
      );
      chips.push(note);
    }
    this.chips.replaceChildren(...chips);
  }

  #buttons() {
    const { plan } = this;
    pressed(this.roomyButton, plan.roomy);
    pressed(this.snugButton, plan.snug !== null);
    pressed(this.foldButton, plan.anyFolded);
    this.foldButton.disabled = !plan.inChains;
    const text = this.root.classList.contains("pv-show-text");
    pressed(this.textButton, text);
    pressed(this.planButton, !text);
    this.textButton.disabled = this.#text == null;
    this.root.classList.toggle("pv-no-text", this.#text == null);
  }

  #cameraMoved() {
    if (this.plan) pressed(this.snugButton, this.plan.snug !== null);
    const words = `${Math.round(this.canvas.camera.k * 100)}%`;
    if (this.zoomWords.textContent !== words) this.zoomWords.textContent = words;
  }

  #showFindings() {
    const list = this.plan.findings ?? this.data.findings ?? [];
    this.findings.hidden = !list.length;
    if (!list.length) return this.findings.replaceChildren();
    const items = list.map((finding) => findingItem(finding, (id) => this.select(this.#indexOf(id))));
    const box = element("div", "pv-finding-list");
    box.append(...items);
    this.findings.replaceChildren(element("h4", "", `Findings · ${list.length}`), box);
  }

  // A finding names PlanGraph's id; everything here counts by index.
  /** @param {number | null} id */
  #indexOf(id) {
    return this.plan.nodes.id.indexOf(id ?? -1);
  }

  // ---- selecting, collapsing, folding

  /** @param {number} i */
  select(i, { from = "", quiet = false } = {}) {
    const { plan } = this;
    if (!plan || !Number.isInteger(i) || i >= plan.size) return;
    if (i < 0) i = -1;
    const again = i === this.selected;
    this.selected = this.canvas.selected = i;
    if (i >= 0 && plan.reveal(i)) this.#relaid(i);
    this.canvas.lightPath();
    if (i >= 0 && !quiet && !this.root.classList.contains("pv-show-text")) this.canvas.bringIntoView(i);
    this.canvas.draw();
    if (again && from !== "source") {
      if (from === "canvas" && i >= 0) this.toggleSide(true);
      return;
    }
    this.rail.select(i);
    this.#showPanel();
    const { first, last } = plan.nodes;
    this.raw.mark(i < 0 ? 0 : first[i], i < 0 ? 0 : last[i]);
    if (from !== "line") this.#light(null);
    this.program.light(i < 0 ? 0 : first[i], i < 0 ? 0 : last[i], from === "line");
    if (this.root.classList.contains("pv-show-text") && from !== "text") this.raw.reveal();
    if (quiet) return;
    this.live.textContent = i < 0 ? "" : plan.titles[i];
    if (i >= 0 && from === "canvas") this.toggleSide(true);
    this.callbacks.onSelect?.(i < 0 ? null : plan.nodes.id[i], i);
    const detail = { id: i < 0 ? null : plan.nodes.id[i], key: this.data.key };
    this.root.dispatchEvent(new CustomEvent("planviz:select", { bubbles: true, composed: true, detail }));
    if (this.data.report_selection && this.callbacks.report) {
      clearTimeout(this.report);
      this.report = setTimeout(() => this.callbacks.report?.(i < 0 ? null : plan.nodes.id[i]), 250);
    }
  }

  // To another page, at one of its joins or aggregates.
  /** @param {Page} page @param {number | null} number */
  #go(page, number) {
    const detail = { id: number, key: `${this.data.key.split("/")[0]}/${page}` };
    this.root.dispatchEvent(new CustomEvent("planviz:select", { bubbles: true, composed: true, detail }));
    this.callbacks.go?.(page, number);
  }

  #showPanel() {
    this.panel.show(this.plan, this.data.theme, this.mode, this.selected, this.data);
  }

  // Boxes are laid out again with one node at rest; the rail follows.
  /** @param {number} anchor */
  #relaid(anchor, change = () => {}) {
    const { plan } = this;
    this.canvas.holding(Math.max(0, anchor), () => {
      change();
      plan.arrange();
    });
    this.rail.changed();
    this.#buttons();
  }

  /** @param {number} i */
  toggle(i) {
    const { plan } = this;
    if (i < 0 || !plan.below[i]) return;
    const fold = plan.box[i],
      tail = plan.isFolded(fold) ? plan.last[fold] : i;
    if (!plan.below[tail]) return;
    this.#relaid(i, () => (plan.collapsed[tail] ^= 1));
    this.live.textContent = plan.collapsed[tail] ? `${plan.below[tail]} operators hidden` : "Opened";
  }

  /** @param {boolean} on */
  foldAll(on) {
    const anchor = this.selected >= 0 ? this.selected : this.#middle();
    this.#relaid(anchor, () => this.plan.foldAll(on));
  }

  // The chain of the selected node; all chains when it is in none.
  fold() {
    const { plan, selected } = this,
      head = selected < 0 ? -1 : plan.head[selected];
    if (head < 0) return this.foldAll(!plan.anyFolded);
    this.#relaid(selected, () => (plan.folded[head] ^= 1));
    this.canvas.bringIntoView(selected);
  }

  /** @param {boolean} on */
  setRoomy(on) {
    const anchor = this.selected >= 0 ? this.selected : this.#middle();
    this.#relaid(anchor, () => {
      this.plan.roomy = on;
      if (on) this.plan.snug = null;
    });
  }

  // Cards of one line, or whole cards.
  /** @param {boolean} on */
  setCompact(on) {
    const anchor = this.selected >= 0 ? this.selected : this.#middle();
    this.#relaid(anchor, () => this.canvas.spread(on ? 8 : 0));
    this.canvas.untouched = false;
  }

  // Where the most rows are.
  goHot() {
    const hot = this.plan.hottest();
    if (hot >= 0) this.select(hot);
  }

  // A few words in the footer that go by themselves: over the drawing they would lie on a card.
  /** @param {string} words @param {Milliseconds} lasts */
  say(words, lasts) {
    this.said.textContent = words;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => (this.said.textContent = ""), lasts);
  }

  // The node nearest to the middle of the view: what the eye holds on to.
  #middle() {
    const { plan, canvas } = this,
      { x, y, k } = canvas.camera;
    const cx = x + canvas.width / k / 2,
      cy = y + canvas.height / k / 2;
    let best = 0,
      least = Infinity;
    plan.within(x, y, x + canvas.width / k, y + canvas.height / k, (b) => {
      const away = Math.hypot(plan.x[b] + plan.w[b] / 2 - cx, plan.y[b] + plan.h[b] / 2 - cy);
      if (away < least) [least, best] = [away, plan.first[b]];
    });
    return best;
  }

  // Up to what it feeds, down to its first input, sideways to a sibling, or to the neighbour on the same level.
  /** @param {string} key */
  walk(key) {
    const { plan } = this,
      i = this.selected;
    if (!plan.size) return;
    if (i < 0) return this.select(plan.order[0]);
    const b = plan.box[i];
    let to = -1;
    if (key === "ArrowUp") to = plan.up[b] < 0 ? -1 : plan.last[plan.up[b]];
    else if (key === "ArrowDown") to = plan.hiddenBelow(b) ? -1 : (plan.children(plan.last[b])[0] ?? -1);
    else to = this.#sideways(b, key === "ArrowLeft" ? -1 : 1);
    if (to >= 0) this.select(plan.isFolded(plan.box[to]) ? plan.first[plan.box[to]] : to);
  }

  /** @param {number} b @param {number} step */
  #sideways(b, step) {
    const { plan } = this,
      y = plan.y[b] + plan.h[b] / 2;
    let best = -1,
      least = Infinity;
    const reach = step < 0 ? [-Infinity, plan.x[b]] : [plan.x[b] + plan.w[b], Infinity];
    plan.within(reach[0], y, reach[1], y, (other) => {
      if (other === b || plan.y[other] > y || plan.y[other] + plan.h[other] < y) return;
      const away = (plan.x[other] - plan.x[b]) * step;
      if (away > 0 && away < least) [least, best] = [away, other];
    });
    return best < 0 ? -1 : plan.first[best];
  }

  // Where a node's box stands, in px of the page; for tests and for pointing at it.
  /** @param {number} i */
  place(i) {
    return this.canvas.place(this.plan, i);
  }

  // ---- search

  /** @param {string} words */
  find(words, quiet = false) {
    const { plan } = this;
    this.hits = plan && words.trim() ? plan.search(words) : [];
    this.hit = -1;
    const found = plan && words.trim() ? new Set(this.hits) : null;
    this.canvas.found = found;
    if (plan) this.rail.setFound(found);
    if (plan) this.canvas.draw();
    this.#hitWords();
    if (this.hits.length && !quiet) this.step(1, true);
  }

  // The next match from the selected node on, round and round.
  /** @param {number} by */
  step(by, here = false) {
    const { hits, plan } = this;
    if (!hits.length) return;
    if (this.hit < 0 && this.selected >= 0) {
      const rank = new Map(hits.map((i, at) => [i, at]));
      const at = rank.get(this.selected);
      if (at !== undefined) this.hit = here ? at - by : at;
    }
    this.hit = this.hit < 0 && by < 0 ? hits.length - 1 : (this.hit + by + hits.length) % hits.length;
    this.#hitWords();
    this.select(hits[this.hit]);
    this.live.textContent = `${this.hit + 1} of ${hits.length}: ${plan.titles[hits[this.hit]]}`;
  }

  #hitWords() {
    const asked = this.search.value.trim() !== "",
      { hits } = this;
    this.hitCount.textContent = !asked ? "" : hits.length ? `${this.hit + 1} of ${grouped(hits.length)}` : "none";
    this.root.classList.toggle("pv-finding-words", asked);
    this.backButton.disabled = this.nextButton.disabled = !hits.length;
  }

  /** @param {KeyboardEvent} event */
  searchKey(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.search.value = "";
      this.find("");
      this.stage.focus({ preventScroll: true });
    } else return;
    event.stopPropagation();
  }

  // ---- raw text

  /** @param {string | null | undefined} text */
  #showTextOf(text) {
    this.raw.show(text);
    const { written } = this.data,
      { first, last } = this.plan.nodes,
      i = this.selected;
    this.program.show(written && text != null ? { title: written, text } : null, written === "Program");
    if (i >= 0) this.program.light(first[i], last[i]);
    this.#buttons();
  }

  /** @param {boolean} on */
  showText(on) {
    if (on && this.#text == null) return;
    this.root.classList.toggle("pv-show-text", on);
    this.#buttons();
    if (!on) return this.selected >= 0 ? this.canvas.bringIntoView(this.selected) : undefined;
    const { first, last } = this.plan.nodes,
      i = this.selected;
    this.raw.mark(i < 0 ? 0 : first[i], i < 0 ? 0 : last[i]);
    this.raw.draw();
    this.raw.reveal();
  }

  /** @param {number} i */
  showSource(i) {
    this.select(i, { from: "source" });
    this.showText(true);
  }

  // The innermost node whose lines hold this one.
  /** @param {number} line */
  #selectLine(line) {
    const { nodes, size } = this.plan;
    let best = -1;
    for (let i = 0; i < size; i++) {
      if (nodes.first[i] > line || nodes.last[i] < line || !nodes.first[i]) continue;
      if (best < 0 || nodes.last[i] - nodes.first[i] <= nodes.last[best] - nodes.first[best]) best = i;
    }
    if (best >= 0) this.select(best, { from: "text" });
  }

  // ---- the program or SQL in the place of the tree

  /** @param {boolean} on */
  #turnProgram(on) {
    this.root.classList.toggle("pv-with-program", on);
    const { title } = this.program,
      tabs = ["Tree", title].map((words, at) => {
        const tab = button("", words, "", () => this.program.turn(Boolean(at)));
        tab.title = at ? this.program.button.title : "Show the operators as a tree";
        pressed(tab, on === Boolean(at));
        return tab;
      });
    const segment = element("div", "pv-segment");
    segment.append(...tabs);
    this.railHead.replaceChildren(...(title ? [segment] : ["Tree"]));
    if (!on && this.plan) this.rail.redraw();
  }

  // All operators that a line of the program made; the topmost is selected.
  /** @param {number} line */
  #lightLine(line) {
    const { nodes, size } = this.plan,
      made = [];
    for (let i = 0; i < size; i++) if (nodes.first[i] && nodes.first[i] <= line && nodes.last[i] >= line) made.push(i);
    if (!made.length) {
      this.select(-1, { from: "line" });
      this.#light(null);
      return this.program.tell(line, 0, "operator");
    }
    this.select(made[0], { from: "line" });
    this.#light(new Set(made));
    this.program.tell(line, made.length, "operator");
  }

  // Marked as what a search finds is; a search goes before.
  /** @param {Set<number> | null} some */
  #light(some) {
    if (some === this.lit || this.search.value.trim()) return;
    this.lit = this.canvas.found = some;
    this.rail.setFound(some);
    this.canvas.draw();
  }

  // ---- panes

  #measure() {
    const { clientWidth: width } = this.root;
    if (!width) return;
    this.narrow = width <= NARROW;
    this.root.classList.toggle("pv-narrow", this.narrow);
    this.root.classList.toggle("pv-middling", !this.narrow && width < 1120);
    this.root.classList.toggle("pv-cramped", width < 560);
  }

  toggleRail(on = !this.root.classList.contains("pv-rail-open")) {
    this.root.classList.toggle("pv-rail-open", on);
    if (on) this.rail.root.focus({ preventScroll: true });
  }

  /** @param {boolean} [on] */
  toggleSide(on) {
    const flag = this.narrow ? "pv-side-open" : "pv-side-shut",
      open = this.narrow ? this.root.classList.contains(flag) : !this.root.classList.contains(flag);
    const next = on ?? !open;
    this.root.classList.toggle(flag, this.narrow ? next : !next);
    pressed(this.sideButton, next);
    if (this.plan) this.#chips();
    if (this.narrow && next && this.selected >= 0)
      requestAnimationFrame(() => requestAnimationFrame(() => !this.gone && this.canvas.bringIntoView(this.selected)));
  }

  /** @param {boolean} on */
  showHelp(on) {
    this.help.classList.toggle("pv-on", on);
    if (on) this.help.querySelector("button")?.focus();
    else this.stage.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.plan || event.defaultPrevented) return;
    const action = keyAction(event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    this.#act(action, event);
  }

  /** @param {string} action @param {KeyboardEvent} event */
  #act(action, event) {
    /** @type {Record<string, (() => unknown) | undefined>} */
    const acts = {
      walk: () => this.walk(event.key),
      find: () => {
        this.search.focus();
        this.search.select();
      },
      next: () => this.step(1),
      previous: () => this.step(-1),
      fit: () => this.canvas.fitNames(),
      compact: () => this.setCompact(!this.plan.snug),
      hot: () => this.goHot(),
      collapse: () => this.toggle(this.selected),
      fold: () => this.fold(),
      foldAll: () => this.foldAll(!this.plan.anyFolded),
      details: () => this.setRoomy(!this.plan.roomy),
      text: () => this.showText(!this.root.classList.contains("pv-show-text")),
      panel: () => this.toggleSide(),
      in: () => this.canvas.zoomAt(1.3, undefined, undefined, true),
      out: () => this.canvas.zoomAt(1 / 1.3, undefined, undefined, true),
      whole: () => this.canvas.zoomAt(1 / this.canvas.camera.k, undefined, undefined, true),
      help: () => this.showHelp(!this.help.classList.contains("pv-on")),
      close: () => this.#close(),
    };
    acts[action]?.();
  }

  // One thing at a time, the nearest first.
  #close() {
    const { classList } = this.root;
    if (this.help.classList.contains("pv-on")) this.showHelp(false);
    else if (classList.contains("pv-rail-open")) this.toggleRail(false);
    else if (this.search.value) {
      this.search.value = "";
      this.find("");
    } else if (classList.contains("pv-show-text")) this.showText(false);
    else if (this.narrow && classList.contains("pv-side-open")) this.toggleSide(false);
    else this.select(-1);
  }
}

/** @param {HTMLElement} toggle @param {boolean} on */
function pressed(toggle, on) {
  toggle.setAttribute("aria-pressed", String(on));
}
