// Two plans compared: what differs in words beside both plans with one view, merged or as text; numbers side by side.
import { button, element } from "./dom.js";
import { Panes } from "./panes.js";
import { Steps } from "./steps.js";
import { Surroundings } from "./surroundings.js";
import { unified } from "./textdiff.js";
import { dress } from "./theme.js";
import { keyList, typedElsewhere } from "./transport.js";

const NARROW = 800,
  FEW = 40,
  REMEMBERED = 24,
  MOST_ROWS = 4_000,
  MOST_CHARACTERS = 2_000,
  MOST_NUMBERS = 6;
/** @type {[name: View, words: string][]} */
const VIEWS = [
  ["split", "Side by side"],
  ["merged", "Merged"],
  ["log", "Text"],
];
/** @type {KeyWords[]} */
const KEYS = [
  [["n", "p"], "difference"],
  [["v"], "view"],
  [["c"], "changed only"],
  [["f"], "fit"],
];
const SIGNS = { worse: ["▲", "costs more"], better: ["▼", "costs less"], "": ["·", ""] };
const letter = (/** @type {number} */ at) => String.fromCharCode(65 + at);
/** @type {Map<string, { view: View; few: boolean; cameras: Comparison["cameras"] }>} */
const memory = new Map(); // key -> view, few, cameras

export class Comparison {
  /** @type {CompareData} */ given;
  /** @type {Differing & Dressed} */ data;
  /** @type {number} */ at;
  /** @type {Mode} */ mode;
  /** @type {Record<"all" | "few", (Camera | undefined)[]>} */ cameras;
  /** @type {number} */ chosen;
  /** @type {number | undefined} */ turn;
  /** @type {boolean} */ few;
  /** @type {ComparedPlans["slots"]} */ slots;
  /** @type {Steps} */ steps;
  /** @type {[Map<Slot, number>, Map<Slot, number>]} */ byslot;
  /** @type {View} */ view;
  /** @type {HTMLButtonElement[]} */ effectButtons;
  /** @type {Slot | null} */ selected;
  /** @type {unknown} */ handle;

  /** @param {HTMLElement} parent @param {Callbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    this.frames = /** @type {Milliseconds[]} */ ([]);
    const root = (this.root = element("div", "pv pv-player pv-compare"));
    root.tabIndex = -1;
    const bar = element("div", "pv-toolbar pv-step-line"),
      views = element("div", "pv-segment");
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "View");
    this.headline = element("b", "pv-step-title");
    this.fewButton = button("pv-button", "Changed only", "Leave out what both plans have (c)", () =>
      this.setFew(!this.few),
    );
    this.viewButtons = VIEWS.map(([name, words]) => button("", words, `${words} (v)`, () => this.setView(name)));
    views.append(...this.viewButtons);
    this.chain = element("div", "pv-segment pv-chain");
    this.chain.setAttribute("role", "group");
    this.chain.setAttribute("aria-label", "Plans of the chain");
    bar.append(this.chain, this.headline, element("div", "pv-grow"), this.fewButton, views);
    this.panes = new Panes({ select: (slot) => this.select(slot) }, this.frames);
    this.panes.logText.setAttribute("aria-label", "Both plans as text");
    this.panes.logText.classList.add("pv-diff");
    const side = element("aside", "pv-panel");
    side.setAttribute("aria-label", "Differences");
    this.body = element("div", "pv-panel-body");
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", "What differs");
    this.node = element("div", "pv-compare-node");
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", "Selected operator");
    this.node.hidden = true;
    side.append(this.body, this.node);
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    this.footer = element("footer", "pv-footer");
    root.append(bar, this.panes.root, side, this.footer, this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      scheme: () => this.data && this.#dress(),
      fonts: () => this.steps && this.#draw(),
      resized: () => this.#measure(),
    });
    this.#measure();
  }

  destroy() {
    this.#remember();
    this.around.destroy();
    this.panes.destroy();
    this.root.remove();
  }

  // ---- data

  // One difference, or a chain of them: then the one that was chosen, at first that of the first and the last plan.
  /** @param {CompareData} given */
  update(given) {
    const received = performance.now(),
      old = this.data;
    if (given.chain && this.given?.key !== given.key) this.at = given.chain.length - 1;
    this.given = given;
    const data = (this.data = given.chain ? { ...given.chain[this.at], theme: given.theme, dark: given.dark } : given);
    this.#links();
    if (old?.key === data.key) return this.#dress();
    if (old) this.#remember(old);
    window.__planviz = { received, drawn: null, painted: null, frames: this.frames, handle: this.handle };
    this.mode = dress(this.root, data.theme, data.dark, this.around.scheme);
    this.panes.setTheme(data.theme, this.mode);
    const kept = memory.get(data.key);
    this.cameras = kept?.cameras ?? { all: [], few: [] };
    this.chosen = -1;
    this.#play(Boolean(kept?.few && data.few));
    this.#setView(kept?.view ?? (this.root.clientWidth && this.root.clientWidth < NARROW ? "merged" : "split"));
    this.headline.textContent = this.headline.title = data.headline;
    this.fewButton.hidden = !data.few;
    this.#words();
    this.select(null);
    this.footer.replaceChildren(keyList(KEYS), element("div", "pv-grow"), element("span", "pv-total", data.total));
    window.__planviz.drawn = performance.now();
    this.#painted(() => {
      window.__planviz.painted ??= performance.now();
      this.root.dispatchEvent(
        new CustomEvent("planviz:painted", { bubbles: true, composed: true, detail: window.__planviz }),
      );
    });
  }

  // Buttons for the steps of a chain: from each plan to the next, and from the first to the last.
  #links() {
    const { chain, names } = this.given;
    this.chain.hidden = !chain;
    this.chain.replaceChildren(
      ...(chain ?? []).map((step, at) => {
        const [from, to] = at < names.length - 1 ? [at, at + 1] : [0, names.length - 1];
        const words = `${letter(from)} → ${letter(to)}`,
          go = button("", words, `${words}: ${step.names[0]} → ${step.names[1]}: ${step.headline}`, () =>
            this.#turn(at),
          );
        go.setAttribute("aria-pressed", String(at === this.at));
        if (step.equal) go.classList.add("pv-muted");
        return go;
      }),
    );
  }

  /** @param {number} at */
  #turn(at) {
    if (at === this.at) return;
    this.at = at;
    this.update(this.given);
    /** @type {HTMLElement} */ (this.chain.children[at]).focus();
    this.live.textContent = this.data.headline;
  }

  // The whole plans, or what changed alone.
  /** @param {boolean} few */
  #play(few) {
    if (this.steps) this.panes.keepCamera();
    this.few = few;
    const told = (few && this.data.few) || this.data.all;
    this.slots = told.slots;
    this.steps = new Steps(told.trace, this.data.theme);
    this.panes.play(this.steps, this.cameras[few ? "few" : "all"]);
    this.fewButton.setAttribute("aria-pressed", String(few));
    this.byslot = [new Map(), new Map()];
    told.slots.forEach((side, at) =>
      Object.entries(side).forEach(([id, slot]) => this.byslot[at].set(slot, Number(id))),
    );
  }

  /** @param {() => void} done */
  #painted(done) {
    if (document.hidden) setTimeout(done, 0);
    else requestAnimationFrame(() => setTimeout(done, 0));
  }

  #remember(data = this.data) {
    if (!data) return;
    this.panes.keepCamera();
    memory.delete(data.key);
    memory.set(data.key, { view: this.view, few: this.few, cameras: this.cameras });
    if (memory.size > REMEMBERED) memory.delete(/** @type {string} */ (memory.keys().next().value));
  }

  #dress() {
    const before = this.mode;
    this.mode = dress(this.root, this.data.theme, this.data.dark, this.around.scheme);
    if (before !== this.mode) this.panes.setTheme(this.data.theme, this.mode);
  }

  // ---- views

  /** @param {View} name */
  setView(name) {
    this.#setView(name);
    this.#draw();
  }

  /** @param {View} name */
  #setView(name) {
    this.view = name;
    this.root.dataset.view = name;
    VIEWS.forEach(([other], at) => this.viewButtons[at].setAttribute("aria-pressed", String(other === name)));
    this.panes.setView(name);
    this.panes.name(this.data.names);
  }

  /** @param {boolean} few */
  setFew(few) {
    if (!this.data.few) return;
    this.#play(few);
    this.select(null);
  }

  #draw() {
    if (!this.steps) return;
    if (this.view === "log") return this.#text();
    this.panes.show(0, this.selected);
    this.root.classList.toggle("pv-no-map", this.steps.data.scenes[0].x.length <= FEW);
    this.panes.hosts.forEach((host, at) =>
      host.setAttribute(
        "aria-label",
        `${this.view === "merged" ? "Both plans" : this.data.names[at]}: ${this.data.headline}`,
      ),
    );
  }

  #text() {
    const { steps } = this,
      rows = unified(steps.linesBefore[0], steps.linesAfter[0], this.few ? 0 : 1e9),
      names = { "-": "pv-gone", "+": "pv-new", " ": "" };
    const shown = rows
      .slice(0, MOST_ROWS)
      .map((row) =>
        row === null
          ? element("span", "pv-muted", "⋯\n")
          : element("span", names[row[0]], `${row[0]} ${steps.line(row[1]).slice(0, MOST_CHARACTERS)}\n`),
      );
    if (rows.length > MOST_ROWS) shown.push(element("span", "pv-muted", `and ${rows.length - MOST_ROWS} lines more`));
    this.panes.logText.replaceChildren(...shown);
  }

  // ---- words

  #words() {
    const { effects, cells, notes, unsure } = this.data,
      parts = /** @type {HTMLElement[]} */ ([
        element("h3", "", effects.length ? "What differs" : this.data.equal ? "No difference" : "Nothing that counts"),
      ]);
    if (!effects.length) parts.push(element("p", "pv-muted", this.data.headline));
    if (this.data.equal)
      parts.push(element("p", "pv-muted", "For B choose another version of Spark, other settings or another plan."));
    const list = element("ol", "pv-effects");
    this.effectButtons = effects.map((effect, at) => {
      const item = element("li"),
        [sign, cost] = SIGNS[effect.cost],
        go = button(`pv-effect pv-${effect.cost || "neutral"}`, "", "", () => this.choose(at));
      const words = element("span", "", effect.words),
        kind = element(
          "small",
          "",
          [effect.label, cost, effect.sure, effect.since && `since ${effect.since}`].filter(Boolean).join(" · "),
        );
      const mark = element("b", "", sign);
      mark.setAttribute("aria-hidden", "true");
      words.append(kind);
      go.append(mark, words);
      item.append(go);
      list.append(item);
      return go;
    });
    if (effects.length) parts.push(...this.#verdict(cells), list);
    if (cells.length) parts.push(element("h4", "", "Numbers"), this.#cells(cells));
    if (this.given.chain && this.given.rows.length) parts.push(element("h4", "", "Numbers of all plans"), this.#rows());
    if (unsure) parts.push(element("p", "pv-muted", unsure));
    for (const note of notes) parts.push(element("p", "pv-compare-note", note));
    this.body.replaceChildren(...parts);
    this.body.scrollTop = 0;
  }

  // What the second plan costs beside the first, in the numbers that differ: those that say which is better first.
  /** @param {Cell[]} cells */
  #verdict(cells) {
    const told = cells
      .filter(
        ({ before, after, cost }) =>
          cost || (before !== after && ![before, after].some((words) => words === "" || words === "–")),
      )
      .sort((a, b) => Number(Boolean(b.cost)) - Number(Boolean(a.cost)));
    if (!told.length) return [];
    const box = element("div", "pv-verdict-line");
    for (const { name, before, after, cost } of told.slice(0, MOST_NUMBERS)) {
      const [sign, words] = SIGNS[cost] ?? SIGNS[""],
        one = element("span", `pv-${cost || "neutral"}`, `${name} ${before} → ${after}`);
      if (words) one.prepend(element("b", "", `${sign} `));
      one.title = words;
      box.append(one);
    }
    return [box];
  }

  /** @param {Cell[]} cells */
  #cells(cells) {
    const table = element("table", "pv-cells"),
      head = element("tr"),
      body = element("tbody"),
      top = element("thead");
    const last = (this.given.names?.length ?? 2) - 1,
      whole = !this.given.chain || this.at >= last,
      [first, second] = whole ? ["A", letter(last)] : [letter(this.at), letter(this.at + 1)];
    for (const name of ["", "A", "B", "Δ"]) {
      const cell = element(name ? "th" : "td", "", { A: first, B: second }[name] ?? name);
      if (name) cell.scope = "col";
      const about = { A: this.data.names[0], B: this.data.names[1] }[name];
      if (about) cell.title = about;
      head.append(cell);
    }
    for (const { name, before, after, difference, percent, cost, measured } of cells) {
      const line = element("tr"),
        title = element("th", "", name),
        delta = element("td", `pv-${cost || "neutral"}`, difference);
      title.scope = "row";
      if (measured) title.append(element("small", "", "measured"));
      if (percent || cost) delta.append(element("small", "", [percent, cost].filter(Boolean).join(" ")));
      line.append(title, element("td", "", before), element("td", "", after), delta);
      body.append(line);
    }
    top.append(head);
    table.append(top, body);
    return table;
  }

  // A line for every number that is not the same in all plans of the chain, a column for every plan.
  #rows() {
    const table = element("table", "pv-cells pv-chain-cells"),
      head = element("tr"),
      top = element("thead"),
      body = element("tbody");
    head.append(element("td"));
    this.given.names.forEach((name, at) => {
      const cell = element("th", "", letter(at));
      cell.scope = "col";
      cell.title = name;
      head.append(cell);
    });
    for (const { name, values } of this.given.rows ?? []) {
      const line = element("tr"),
        title = element("th", "", name);
      title.scope = "row";
      line.append(title, ...values.map((value) => element("td", "", value)));
      body.append(line);
    }
    top.append(head);
    table.append(top, body);
    const list = element("ol", "pv-chain-names");
    this.given.names.forEach((name, at) => list.append(element("li", "", `${letter(at)} ${name}`)));
    const box = element("div", "pv-chain-table");
    box.append(table, list);
    return box;
  }

  // ---- selecting

  // An effect's operators, one after the other when it is chosen again.
  /** @param {number} at */
  choose(at) {
    const effect = this.data.effects[at],
      places = [...effect.after.map((id) => this.slots[1][id]), ...effect.before.map((id) => this.slots[0][id])];
    const every = [...new Set(places.filter((slot) => slot !== undefined))];
    this.turn = this.chosen === at ? ((this.turn ?? 0) + 1) % Math.max(every.length, 1) : 0;
    this.chosen = at;
    this.effectButtons.forEach((other, which) =>
      which === at ? other.setAttribute("aria-current", "true") : other.removeAttribute("aria-current"),
    );
    this.effectButtons[at].scrollIntoView({ block: "nearest" });
    if (every.length) this.select(every[this.turn], true, at);
    this.live.textContent = effect.words;
  }

  /** @param {Slot | null} slot */
  select(slot, reveal = false, effect = -1) {
    this.selected = slot ?? null;
    if (effect < 0) {
      this.chosen = -1;
      for (const other of this.effectButtons ?? []) other.removeAttribute("aria-current");
    }
    if (reveal && this.view === "log") this.#setView("split");
    this.#draw();
    if (reveal && slot != null) this.panes.reveal(slot);
    this.#node(slot);
  }

  /** @param {Slot | null} slot */
  #node(slot) {
    this.node.hidden = slot == null;
    if (slot == null) return;
    const { steps } = this,
      marks = steps.marks(0),
      from = marks.moved.has(slot) ? slot : ([...marks.moved].find(([, end]) => end === slot)?.[0] ?? slot);
    const to = marks.moved.get(from) ?? slot,
      before = steps.words(0, "before", from),
      after = steps.words(0, "after", to),
      id = this.byslot[1].get(to) ?? -1;
    /** @type {HTMLElement[]} */
    const parts = [element("h4", "", "Selected operator"), element("b", "", steps.titleOf(0, to))];
    const sure = this.data.confidence[id];
    if (before != null && after != null && sure !== undefined && sure < 1)
      parts.push(element("p", "pv-muted", `the same operator in both plans: ${Math.round(100 * sure)} % sure`));
    const changed = marks.changed.get(to) ?? [];
    if (changed.length) {
      const list = element("ul");
      for (const [part, text] of changed) list.append(element("li", "", `${part} ${text}`.trim()));
      parts.push(list);
    }
    const cells = this.data.operators[id];
    if (cells && before != null) parts.push(this.#cells(cells));
    const add = (/** @type {string} */ name, /** @type {string} */ words) =>
      parts.push(element("p", "pv-muted", name), element("pre", "pv-pre pv-wrapped", words.slice(0, 8_000)));
    if (before != null) add(before === after ? "in both" : `in ${this.data.names[0]}`, before);
    if (after != null && before !== after) add(`in ${this.data.names[1]}`, after);
    this.node.replaceChildren(...parts);
    this.node.scrollTop = 0;
  }

  // ---- the element

  state() {
    return {
      at: this.given.chain ? this.at : null,
      view: this.view,
      few: this.few,
      mode: this.mode,
      selected: this.selected,
      chosen: this.chosen,
      effects: this.data.effects.length,
      operators: this.steps.data.scenes[0].x.length,
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

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.steps || typedElsewhere(event)) return;
    const pane = this.panes.first,
      count = this.data.effects.length;
    /** @type {Record<string, (() => unknown) | undefined>} */
    const acts = {
      n: () => count && this.choose((this.chosen + 1) % count),
      p: () => count && this.choose((Math.max(this.chosen, 0) + count - 1) % count),
      v: () => this.setView(VIEWS[(VIEWS.findIndex(([name]) => name === this.view) + 1) % VIEWS.length][0]),
      c: () => this.setFew(!this.few),
      f: () => pane.fit(),
      "+": () => pane.zoomAt(1.3, undefined, undefined, true),
      "=": () => pane.zoomAt(1.3, undefined, undefined, true),
      "-": () => pane.zoomAt(1 / 1.3, undefined, undefined, true),
      0: () => pane.zoomAt(1 / pane.camera.k, undefined, undefined, true),
      Escape: () => this.select(null),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
