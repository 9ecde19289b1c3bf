// The Cardinality page put together: views in the middle, the card or the statistics at the side, planning anew.
import { button, element } from "./dom.js";
import { FigureTable } from "./figuretable.js";
import { bytes, count, expected, flowWidth } from "./figures.js";
import { Flow } from "./flow.js";
import { formulaCard } from "./formula.js";
import { joinOrder } from "./joinorder.js";
import { isMeasured, overview, verdict } from "./overview.js";
import { crossoverChart, crossoverTable } from "./crossover.js";
import { slideView } from "./slides.js";
import { Surroundings } from "./surroundings.js";
import { dress } from "./theme.js";

const NARROW = 820;
/** @type {[name: EstimatesView, words: string][]} */
const VIEWS = [
  ["plans", "Plans"],
  ["order", "Join order"],
  ["sizes", "Sizes"],
  ["slides", "Slides"],
];
/** @type {KeyWords[]} */
const KEYS = [
  [["↑", "↓", "←", "→"], "walk"],
  [["b"], "rows or bytes"],
  [["f"], "fit"],
  [["Ctrl Z"], "undo"],
];
/** @type {("under" | "over")[]} */
const HUES = ["under", "over"];
const REMEMBERED = 12;
/** @type {Map<string, EstimatesAsked>} */
const memory = new Map(); // key -> what was asked for last: another page and back loses no edit

/**
 * Buttons of which one is pressed.
 *
 * @template {string} Name
 * @typedef {{ root: HTMLElement; press: (name: Name) => void }} Segment
 */

export class Estimates {
  /** @type {Record<string, AbortController>} */ sent;
  /** @type {[side: number, node: number]} */ selected;
  /** @type {EstimatesData} */ data;
  /** @type {Estimated} */ answer;
  /** @type {EstimatesAsked} */ asked;
  /** @type {EstimatesAsked} */ shownAsked;
  /** @type {Edits} */ edits;
  /** @type {Mode} */ mode;
  /** @type {EstimatesView} */ view;
  /** @type {"estimate" | "statistics"} */ tab;
  /** @type {Segment<EstimatesView>} */ views;
  /** @type {Segment<"rows" | "bytes">} */ by;
  /** @type {Segment<"estimate" | "statistics">} */ tabs;
  /** @type {HTMLElement} */ verdict;
  /** @type {HTMLElement} */ status;
  /** @type {HTMLElement} */ legend;
  /** @type {HTMLElement} */ body;
  /** @type {number | undefined} */ turn;
  /** @type {number | undefined} */ orderTurn;
  /** @type {number | undefined} */ sizesTurn;
  /** @type {OrderAnswer | Refusal | null | undefined} */ orderOf;
  /** @type {SizesAnswer | Refusal | null | undefined} */ sizesOf;
  /** @type {string | undefined} */ growing;
  /** @type {unknown} */ handle;

  /** @param {HTMLElement} parent @param {Callbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    this.frames = /** @type {Milliseconds[]} */ ([]);
    this.sent = {}; // path -> AbortController of the question that is under way
    this.selected = [0, -1];
    this.view = "plans";
    const root = (this.root = element("div", "pv pv-cardinality"));
    root.tabIndex = -1;
    this.flow = new Flow({ select: (side, node) => this.select(side, node) }, this.frames);
    this.table = new FigureTable({
      edited: () => this.#ask(),
      scale: (tables, factor) => this.#scale(tables, factor),
      download: () => this.#download(),
    });
    this.order = element("div", "pv-scroll pv-order-view");
    this.order.tabIndex = 0;
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    this.footer = element("footer", "pv-footer");
    this.sizes = element("div", "pv-scroll pv-sizes-view");
    this.sizes.tabIndex = 0;
    this.slides = element("div", "pv-scroll pv-slides-view");
    this.slides.tabIndex = 0;
    root.append(this.#bar(), this.flow.root, this.order, this.sizes, this.slides, this.#side(), this.footer, this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      scheme: () => this.data && this.#dress(),
      fonts: () => this.answer && this.flow.tell(this.flow.by),
      resized: () => this.#measure(),
    });
    this.#measure();
  }

  destroy() {
    this.turn = this.orderTurn = this.sizesTurn = -1;
    for (const question of Object.values(this.sent)) question.abort();
    this.around.destroy();
    this.flow.destroy();
    this.root.remove();
  }

  #bar() {
    const bar = element("div", "pv-toolbar pv-card-bar");
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "Views");
    this.views = segment(VIEWS, (name) => this.setView(name));
    this.by = segment(
      [
        ["rows", "Rows"],
        ["bytes", "Size"],
      ],
      (name) => this.#tell(name),
    );
    this.verdict = element("div", "pv-verdict");
    this.status = element("span", "pv-muted pv-status");
    this.legend = element("div", "pv-widths");
    bar.append(this.views.root, this.by.root, this.verdict, element("span", "pv-grow"), this.status);
    return bar;
  }

  #side() {
    const side = element("aside", "pv-panel");
    side.setAttribute("aria-label", "Estimate and statistics");
    this.tabs = segment(
      [
        ["estimate", "Estimate"],
        ["statistics", "Statistics"],
      ],
      (name) => this.#turn(name),
    );
    const head = element("div", "pv-panel-tabs");
    head.append(this.tabs.root);
    this.body = element("div", "pv-panel-body");
    side.append(head, this.body);
    return side;
  }

  // ---- data

  /** @param {EstimatesData} data */
  update(data) {
    const received = performance.now(),
      again = this.data?.key === data.key;
    this.data = data;
    if (again && this.answer && same(this.shownAsked, data.asked)) return void this.#dress();
    window.__planviz = {
      received,
      drawn: null,
      painted: null,
      planned: null,
      frames: this.frames,
      handle: this.handle,
    };
    this.shownAsked = data.asked;
    this.asked = { ...data.asked };
    this.edits = this.asked.edits ?? {};
    this.mode = dress(this.root, data.theme, data.dark, this.around.scheme);
    this.#hues();
    this.selected = [0, -1];
    this.root.classList.toggle("pv-fixed", !data.exports);
    this.views.root.hidden = !data.tables; // a text tells nothing of orders that were not chosen
    this.table.past = [];
    this.table.future = [];
    this.table.problems = [];
    if (data.tables) this.table.show(data.tables, this.asked.edits);
    /** @type {HTMLElement} */ (this.tabs.root.parentElement).hidden = !data.tables;
    this.by.press("rows");
    // Where nobody knows a row of any table, what there is to do stands in front.
    const bare = data.tables?.length && data.tables.every((table) => table.rowCount == null);
    this.tab = "estimate";
    this.#take(data.answer, false);
    this.#turn(bare && !/^\d/.test(data.asked.left) ? "statistics" : "estimate");
    this.setView("plans");
    const kept = memory.get(data.key);
    if (kept && !same(kept, data.asked) && data.exports) {
      this.table.edits = kept.edits ?? {};
      this.table.draw();
      this.#ask(kept);
    }
    window.__planviz.drawn = performance.now();
    painted(() => {
      window.__planviz.painted ??= performance.now();
      this.root.dispatchEvent(
        new CustomEvent("planviz:painted", { bubbles: true, composed: true, detail: window.__planviz }),
      );
    });
  }

  /** @param {Estimated} answer @param {boolean} keep */
  #take(answer, keep) {
    const id = this.#identity();
    this.answer = answer;
    this.table.tell(answer.problems);
    this.flow.show(answer, this.data.theme, this.mode, keep);
    this.#heads();
    this.#words();
    this.selected = [this.selected[0], keep ? this.#again(id) : -1];
    if (this.selected[0] >= answer.sides.length) this.selected = [0, -1];
    this.flow.select(...this.selected);
    this.#card();
    if (this.view === "slides") this.#showSlides();
  }

  // The selected node in words that hold over planning anew, and the node of those words.
  #identity() {
    const [side, i] = this.selected,
      nodes = this.answer?.sides[side]?.scene.nodes;
    return i < 0 || !nodes ? null : nodes.title[i] + JSON.stringify(nodes.sub?.[i]);
  }

  /** @param {string | null} id */
  #again(id) {
    const nodes = this.answer.sides[this.selected[0]]?.scene.nodes;
    return id && nodes ? nodes.title.findIndex((title, i) => title + JSON.stringify(nodes.sub?.[i]) === id) : -1;
  }

  // ---- planning anew, on the server and without the page's script

  /** @param {Partial<EstimatesAsked>} [more] */
  async #ask(more) {
    if (!this.data.exports) return;
    const asked = performance.now(),
      turn = (this.turn = (this.turn ?? 0) + 1);
    this.asked = { ...this.asked, ...more, edits: this.table.edits };
    this.root.classList.add("pv-busy");
    const found = await this.#post("", this.asked);
    if (turn !== this.turn) return; // a later one is on its way
    this.root.classList.remove("pv-busy");
    if (found.message) return this.#say(found.message, true);
    const answered = performance.now();
    this.#take(found, true);
    this.orderOf = this.sizesOf = null;
    if (this.view === "order") this.#askOrder();
    if (this.view === "sizes") this.#askSizes();
    this.#say(`planned in ${Math.round(found.ms.planned)} ms`);
    painted(() => (window.__planviz.planned = { asked, answered, painted: performance.now() }));
    memory.delete(this.data.key);
    memory.set(this.data.key, this.asked);
    if (memory.size > REMEMBERED) memory.delete(/** @type {string} */ (memory.keys().next().value));
    this.#keep();
  }

  // A later question of the same kind takes the place of an earlier one, which the server then stops.
  /** @param {string} path @param {unknown} told */
  async #post(path, told) {
    this.sent[path]?.abort();
    const { signal } = (this.sent[path] = new AbortController());
    try {
      const response = await fetch(`${this.data.exports}${path}`, {
        method: "POST",
        body: JSON.stringify(told),
        headers: { "Content-Type": "application/json" },
        signal,
      });
      const type = response.headers.get("content-type") ?? "";
      if (type.includes("json")) return await response.json();
      return { message: (await response.text()).slice(0, 300) || "The server could not plan this." };
    } catch {
      return { message: "The server cannot be reached." };
    }
  }

  async #askOrder() {
    const turn = (this.orderTurn = (this.orderTurn ?? 0) + 1);
    if (!this.orderOf) this.order.replaceChildren(element("p", "pv-muted", "Searching …"));
    const found = await this.#post("/order", { edits: this.table.edits });
    if (turn !== this.orderTurn) return;
    this.orderOf = found;
    this.order.replaceChildren(...(found.message ? [element("p", "pv-note", found.message)] : joinOrder(found)));
  }

  // How joins change with the size of a table, as the left plan is planned.
  async #askSizes(table = this.growing ?? "") {
    const turn = (this.sizesTurn = (this.sizesTurn ?? 0) + 1),
      { left } = this.asked;
    this.growing = table;
    const way = this.data.ways?.find(({ id }) => id === left),
      head = element("div", "pv-sizes-head"),
      pick = element("select", "pv-select");
    pick.append(
      new Option("all tables together", ""),
      ...(this.data.tables ?? []).map(({ name }) => new Option(name, name)),
    );
    pick.value = table;
    pick.setAttribute("aria-label", "The table that grows");
    pick.addEventListener("change", () => this.#askSizes(pick.value));
    head.append(
      element("h3", "", "Which join at which size?"),
      pick,
      element("span", "pv-muted", `planned with ${way?.title ?? "the usual settings"}`),
    );
    this.sizes.replaceChildren(head, element("p", "pv-muted", "Planning at many sizes …"));
    const found = await this.#post("/sizes", { left, edits: this.table.edits, table });
    if (turn !== this.sizesTurn) return;
    this.sizesOf = found;
    this.sizes.replaceChildren(head, ...(found.message ? [element("p", "pv-note", found.message)] : this.#chart()));
  }

  #chart() {
    const width = Math.max(520, Math.min(1100, this.sizes.clientWidth - 52));
    const found = /** @type {SizesAnswer} */ (this.sizesOf);
    return [crossoverChart(found, { theme: this.data.theme, mode: this.mode, width }), ...crossoverTable(found)];
  }

  #showSlides() {
    this.slides.replaceChildren(...slideView(this.data.slides ?? [], this.answer));
  }

  /** @param {string[]} tables @param {number} factor */
  async #scale(tables, factor) {
    const found = await this.#post("/scale", { edits: this.table.edits, tables, factor });
    if (found.message) this.#say(found.message, true);
    else this.table.take(found.edits);
  }

  async #download() {
    const found = await this.#post("/catalogue", { edits: this.table.edits });
    if (found.message) return this.#say(found.message, true);
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([found.text], { type: "application/json" }));
    link.download = `${found.name}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // What stands in the panes as files, each under its own title.
  /** @param {"svg" | "png"} format */
  async #pictures(format) {
    for (const left of [this.asked.left, this.asked.right].filter(Boolean)) {
      const found = await this.#post("/picture", { left, edits: this.asked.edits, format, theme: this.mode });
      if (found.message) return this.#say(found.message, true);
      const link = element("a");
      link.href = `data:image/${format === "svg" ? "svg+xml" : "png"};base64,${found.base64}`;
      link.download = found.name;
      link.click();
    }
  }

  #exports() {
    const links = element("div", "pv-exports");
    if (this.data.exports)
      links.append(
        .../** @type {("svg" | "png")[]} */ (["svg", "png"]).map((format) =>
          button("pv-button", format.toUpperCase(), `What stands here as ${format.toUpperCase()}`, () =>
            this.#pictures(format),
          ),
        ),
      );
    return links;
  }

  // The address keeps what was edited and which plans stand beside each other.
  #keep() {
    const { left, right, edits } = this.asked,
      plain = left === "off" && right === "reorder" && !Object.keys(edits).length;
    const id = plain ? null : JSON.stringify({ left, right, edits });
    this.root.dispatchEvent(
      new CustomEvent("planviz:select", {
        bubbles: true,
        composed: true,
        detail: { id: id === null || id.length > 6000 ? null : encodeURIComponent(id), key: this.data.key },
      }),
    );
  }

  /** @param {string} words */
  #say(words, wrong = false) {
    this.status.textContent = words;
    this.status.classList.toggle("pv-wrong-words", wrong);
    this.live.textContent = words;
  }

  // ---- selecting

  /** @param {number} side @param {number} node */
  select(side, node, reveal = false) {
    this.selected = [side, node];
    this.flow.select(side, node, reveal);
    if (node < 0) return this.#card();
    this.#turn("estimate");
    const { scene } = this.answer.sides[side],
      rows = expected(this.answer.sides[side], node).value;
    this.live.textContent = `${scene.nodes.title[node]}, ${rows == null ? "rows unknown" : `${count(rows)} rows`}, ${bytes(scene.nodes.bytes[node])}`;
  }

  #card() {
    if (this.tab !== "estimate" || !this.answer) return;
    const [at, i] = this.selected,
      side = this.answer.sides[at];
    this.body.replaceChildren(...(i < 0 ? this.#overview() : formulaCard(this.#told(side, at, i))));
    this.body.scrollTop = 0;
  }

  /** @param {EstimatedPlan} side @param {number} at @param {number} i */
  #told(side, at, i) {
    const { nodes } = side.scene,
      partner = this.flow.partner[at].get(i),
      other = this.answer.sides[1 - at];
    const from =
      partner === undefined || at === 0 || !other
        ? null
        : { rows: expected(other, partner).value, bytes: other.scene.nodes.bytes[partner] };
    return {
      title: nodes.title[i],
      sub: nodes.sub?.[i] ?? [],
      card: side.cards[i],
      rows: nodes.rows[i],
      bytes: nodes.bytes[i],
      other: from,
    };
  }

  /** @param {"estimate" | "statistics"} name */
  #turn(name) {
    this.tab = name;
    this.tabs.press(name);
    if (name === "statistics") this.body.replaceChildren(this.table.root);
    else this.#card();
  }

  /** @param {EstimatesView} name */
  setView(name) {
    this.view = name;
    this.root.dataset.view = name;
    this.views.press(name);
    this.by.root.hidden = name !== "plans";
    if (name === "plans") this.flow.settle();
    if (name === "order" && !this.orderOf) this.#askOrder();
    if (name === "sizes" && !this.sizesOf) this.#askSizes();
    if (name === "slides") this.#showSlides();
  }

  /** @param {"rows" | "bytes"} by */
  #tell(by) {
    this.by.press(by);
    this.flow.tell(by);
    this.#words();
  }

  // ---- words

  #heads() {
    const { ways } = this.data,
      { sides } = this.answer;
    this.flow.panes.forEach(({ head }, at) => {
      const side = sides[at];
      head.replaceChildren();
      if (!side) return;
      if (!ways) return head.append(element("span", "pv-pane-name", side.title));
      const shown = segment(
        ways.map(({ id, short, title }) => [id, short ?? title]),
        (id) => this.#ask({ [at ? "right" : "left"]: id }),
      );
      shown.press(side.way);
      head.append(shown.root);
      const other = button(
        "pv-button pv-alone",
        sides.length > 1 ? "×" : "Compare",
        sides.length > 1 ? "This plan alone" : "Another plan beside it",
        () => this.#alone(at),
      );
      if (sides.length > 1 ? at === 1 : true) head.append(other);
    });
  }

  /** @param {number} at */
  #alone(at) {
    if (this.answer.sides.length > 1) this.#ask({ right: "" });
    else this.#ask({ right: this.asked.left === "reorder" ? "off" : "reorder" });
    return at;
  }

  #words() {
    const keys = element("div", "pv-keys");
    for (const [names, words] of KEYS) {
      if (words === "undo" && !this.data.tables) continue;
      const item = element("span");
      for (const name of names) item.append(element("kbd", "", name));
      item.append(` ${words}`);
      keys.append(item);
    }
    this.verdict.replaceChildren(...verdict(this.answer));
    this.footer.replaceChildren(keys, element("div", "pv-grow"), this.#widths(), this.#exports());
  }

  // What all edges mean: widths, brackets, hues.
  #widths() {
    const box = element("div", "pv-widths");
    box.append(element("span", "", this.flow.by === "bytes" ? "bytes" : "rows"));
    for (const value of [1, 1e3, 1e6, 1e8, 1e10]) {
      const line = element("i");
      line.style.height = `${flowWidth(value)}px`;
      box.append(line, element("span", "", this.flow.by === "bytes" ? bytes(value) : count(value)));
    }
    if (isMeasured(this.answer))
      for (const side of HUES)
        for (const step of [1, 2, 3]) {
          const hue = element("i", "pv-hue");
          hue.style.background = this.data.theme[this.mode][side][step - 1];
          box.append(hue);
          if (step === 3) box.append(element("span", "", side === "under" ? "too few 2× 10× 100×" : "too many"));
        }
    return box;
  }

  #overview() {
    const more = { theme: this.data.theme, mode: this.mode, editable: Boolean(this.data.tables), asked: this.asked };
    return overview(this.answer, more, {
      select: (side, node) => this.select(side, node, true),
      factor: (factor) => this.#ask({ factor }),
      give: (text) => this.#give(text),
      take: () => this.#ask({ measured: undefined }),
    });
  }

  /** @param {string} text */
  async #give(text) {
    if (text.trim().length < 40) return;
    try {
      const response = await fetch("/plan", { method: "POST", body: text }),
        told = await response.json();
      if (told.key) this.#ask({ measured: told.key });
      else this.#say(told.message, true);
    } catch {
      this.#say("The server cannot be reached.", true);
    }
  }

  // ---- keys, sizes, theme

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.answer || event.defaultPrevented || event.altKey) return;
    const target = /** @type {HTMLElement | undefined} */ (event.composedPath()[0]),
      typing = ["INPUT", "TEXTAREA", "SELECT"].includes(target?.tagName ?? "");
    if (event.ctrlKey || event.metaKey) {
      if (typing || !this.data.tables) return;
      if (event.key === "z" && !event.shiftKey) this.table.undo();
      else if (event.key === "y" || event.key === "Z") this.table.redo();
      else return;
      return event.preventDefault();
    }
    if (typing || this.view !== "plans") return;
    if (event.key === "b") this.#tell(this.flow.by === "rows" ? "bytes" : "rows");
    else if (event.key === "f") this.flow.fit();
    else if (!this.#walk(event.key)) return;
    event.preventDefault();
  }

  /** @param {string} key */
  #walk(key) {
    const [at, i] = this.selected,
      plan = this.flow.planOf(at);
    if (key === "Escape") {
      this.select(at, -1);
      return true;
    }
    if (!key.startsWith("Arrow")) return false;
    if (i < 0) {
      this.select(at, plan.order[0], true);
      return true;
    }
    const p = plan.nodes.parent[i],
      beside = p < 0 ? [i] : [...plan.children(p)],
      place = beside.indexOf(i);
    const to = {
      ArrowUp: p,
      ArrowDown: plan.children(i)[0],
      ArrowLeft: beside[place - 1],
      ArrowRight: beside[place + 1],
    }[key];
    if (to !== undefined && to >= 0) this.select(at, to, true);
    return true;
  }

  #measure() {
    const { clientWidth: width } = this.root;
    if (!width) return;
    this.root.classList.toggle("pv-narrow", width <= NARROW);
    this.root.classList.toggle("pv-middling", width > NARROW && width < 1300);
    this.flow.settle();
  }

  #dress() {
    const before = this.mode;
    this.mode = dress(this.root, this.data.theme, this.data.dark, this.around.scheme);
    this.#hues();
    if (before === this.mode) return;
    this.flow.setTheme(this.data.theme, this.mode);
    if (this.sizesOf && "stretches" in this.sizesOf) this.sizes.querySelector("svg")?.replaceWith(this.#chart()[0]);
    this.#words();
    this.#card();
  }

  #hues() {
    const colours = this.data.theme[this.mode];
    for (const side of HUES)
      this.root.style.setProperty(`--pv-${side}`, colours[/** @type {"under_text" | "over_text"} */ (`${side}_text`)]);
  }

  state() {
    return {
      selected: this.selected,
      view: this.view,
      mode: this.mode,
      tab: this.tab,
      by: this.flow.by,
      edits: this.table.edits,
      asked: this.asked,
      rows: this.answer?.sides.map((side) => side.scene.nodes.rows),
      titles: this.answer?.sides.map((side) => side.scene.nodes.title),
    };
  }
}

/**
 * @template {string} Name
 * @param {[name: Name, words: string][]} names
 * @param {(name: Name) => void} act
 * @returns {Segment<Name>}
 */
function segment(names, act) {
  const root = element("div", "pv-segment");
  /** @type {[name: Name, one: HTMLButtonElement][]} */
  const buttons = names.map(([name, words]) => [name, button("", words, "", () => act(name))]);
  root.append(...buttons.map(([, one]) => one));
  return {
    root,
    press: (name) => buttons.forEach(([other, one]) => one.setAttribute("aria-pressed", String(other === name))),
  };
}

/** @param {() => void} done */
function painted(done) {
  if (document.hidden) setTimeout(done, 0);
  else requestAnimationFrame(() => setTimeout(done, 0));
}

/** @param {unknown} a @param {unknown} b */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
