// The element of the Joins page: its parts put together, and what is asked of the server.
import { post } from "./ask.js";
import { button, element } from "./dom.js";
import { drawn } from "./drawn.js";
import { JoinPanel } from "./joinpanel.js";
import { JoinTable } from "./jointable.js";
import { mechanism } from "./mechanism.js";
import { Playback } from "./playback.js";
import { ProgramPane } from "./program.js";
import { Surroundings } from "./surroundings.js";
import { dress } from "./theme.js";
import { WhatIfs } from "./whatifs.js";

const REST = 300,
  MOST_FLIPS = 6,
  REMEMBERED = 24,
  NARROW = 860,
  MIDDLING = 1260;
/** @type {KeyWords[]} */
const KEYS = [
  [["↑", "↓"], "test"],
  [["j", "k"], "join"],
  [["r"], "reset"],
];
/** @type {JoinPart[]} */
const PARTS = ["settings", "sizes", "hints", "types"];
/** @returns {JoinsAsked} */
const NOTHING = () => ({ settings: {}, sizes: {}, hints: {}, types: {}, profile: "" });
/** @type {Map<string, { n: number | null; asked: JoinsAsked }>} */
const memory = new Map(); // key -> selected join and what is asked
// Another page that leads to a join says which: then that one is shown, not what was looked at last.
document.addEventListener("planviz:select", ({ detail }) => {
  const key = `${detail.key.split("/")[0]}/joins`;
  if (detail.key === key) memory.delete(key);
  const kept = memory.get(key);
  if (kept) kept.n = null; // an operator was selected on another page: its join is the one
});

/** @typedef {{ n: number; whole: boolean; made: Milliseconds; asked: JoinsAsked }} Question */

export class JoinBench {
  /** @type {JoinsData} */ data;
  /** @type {JoinsTold} */ told;
  /** @type {JoinsData["settings"]} */ base;
  /** @type {JoinsAsked} */ asked;
  /** @type {Mode} */ mode;
  /** @type {number | undefined} */ at;
  /** @type {Question | undefined} */ asking;
  /** @type {Question | undefined} */ waiting;
  /** @type {AbortController | undefined} */ sent;
  /** @type {AbortController | undefined} */ further;
  /** @type {number | undefined} */ resting;
  /** @type {HTMLElement | undefined} */ changes;
  /** @type {Playback | undefined} */ playback;
  /** @type {boolean | undefined} */ showPlans;
  /** @type {HTMLElement | undefined} */ total;
  /** @type {boolean | undefined} */ gone;
  /** @type {unknown} */ handle;

  /** @param {HTMLElement} parent @param {Callbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    const root = (this.root = element("div", "pv pv-joins"));
    root.tabIndex = -1;
    this.table = new JoinTable({
      select: (n) => this.select(n),
      reset: (part, name) => this.reset(part, name),
      changes: () => this.changes?.scrollIntoView({ block: "start", behavior: "smooth" }),
    });
    this.stage = element("div", "pv-join-stage");
    this.tree = element("div", "pv-drawn");
    this.ring = element("div", "pv-ring");
    this.below = element("div", "pv-below");
    this.player = element("div", "pv-join-player");
    this.stage.append(this.tree, this.below);
    this.whatIfs = new WhatIfs({ change: (part, name, value) => this.change(part, name, value) });
    this.panel = new JoinPanel({ test: (at) => this.test(at), flip: (flip) => this.flip(flip) }, this.whatIfs);
    this.program = new ProgramPane(
      { line: (line) => this.#lightLine(line), turned: (on) => this.#turnProgram(on) },
      "joins",
    );
    const side = element("aside", "pv-panel");
    side.setAttribute("aria-label", "The join");
    side.append(this.panel.root);
    this.note = element("p", "pv-join-note");
    this.note.setAttribute("role", "status");
    this.footer = element("footer", "pv-footer");
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    root.append(this.table.root, this.program.root, this.stage, side, this.footer, this.note, this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      goto: (detail) => detail.key === this.data?.key && this.select((detail.id ?? this.data.first) - 1),
      scheme: () => this.data && this.#dress(),
      resized: () => this.#measure(),
    });
  }

  // Where this was left, for the next one that shows the same.
  remember() {
    this.#remember();
  }

  destroy() {
    this.#remember();
    this.gone = true;
    this.sent?.abort();
    this.further?.abort();
    clearTimeout(this.resting);
    this.around.destroy();
    this.playback?.destroy();
    this.program.destroy();
    this.root.remove();
  }

  // ---- data

  /** @param {JoinsData} data */
  update(data) {
    const received = performance.now(),
      old = this.data;
    this.data = data;
    if (old && old.key === data.key) return this.#dress();
    if (old) this.#remember(old);
    window.__planviz = { received, painted: null, asked: null, handle: this.handle };
    this.mode = dress(this.root, data.theme, data.dark, this.around.scheme);
    this.base = data.settings;
    this.told = /** @type {any} */ (undefined); // until it is shown
    this.at = undefined;
    const kept = memory.get(data.key);
    this.asked = structuredClone(kept?.asked ?? data.told.asked ?? NOTHING());
    this.note.textContent = "";
    this.program.show(data.written ?? null, false);
    this.table.beside = data.written ? this.program.button : null;
    this.#show(data.told);
    this.#words();
    if (kept && ((kept.n ?? this.told.join?.n) !== this.told.join?.n || this.#changes().length))
      this.#ask(kept.n ?? this.told.join?.n ?? 0);
    else this.#rest();
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.__planviz.painted ??= performance.now();
        this.root.dispatchEvent(
          new CustomEvent("planviz:painted", { bubbles: true, composed: true, detail: window.__planviz }),
        );
      }, 0),
    );
  }

  #remember(data = this.data) {
    if (!data || !this.told?.join) return;
    memory.delete(data.key);
    memory.set(data.key, { n: this.told.join.n, asked: this.asked });
    if (memory.size > REMEMBERED) memory.delete(/** @type {string} */ (memory.keys().next().value));
  }

  #dress() {
    const before = this.mode;
    this.mode = dress(this.root, this.data.theme, this.data.dark, this.around.scheme);
    if (before !== this.mode && this.told) this.#show(this.told);
  }

  // The join that is shown, where there is one.
  get #join() {
    return /** @type {JoinTold | AskableJoin} */ (this.told.join);
  }

  // ---- what is asked

  /** @param {number} n */
  select(n) {
    if (n !== this.told?.join?.n) this.#ask(n, { whole: true });
  }

  // One thing otherwise; a value of undefined goes back to what it is.
  /** @param {JoinPart} part @param {string} name @param {unknown} value */
  change(part, name, value) {
    /** @type {Record<string, unknown>} */
    const own = { ...this.asked[part] };
    if (value === undefined) delete own[name];
    else own[name] = value;
    this.asked = { ...this.asked, [part]: own };
    this.#ask(this.#join.n);
  }

  /** @param {Flip} given */
  flip({ asked }) {
    for (const part of PARTS) this.asked = { ...this.asked, [part]: { ...this.asked[part], ...asked[part] } };
    this.#ask(this.#join.n, { whole: true });
  }

  /** @param {JoinPart | "profile"} [part] @param {string} [name] */
  reset(part, name) {
    if (part === "profile") {
      this.asked = { ...this.asked, profile: "" };
      return this.#ask(this.#join.n, { whole: true });
    }
    if (part) return this.change(part, name ?? "", undefined);
    this.asked = NOTHING();
    this.#ask(this.told.join?.n ?? 0, { whole: true });
  }

  // Ask for the joins as if. While an answer is awaited the newest question waits; `whole` plans all from the beginning,
  // otherwise the optimizer's part follows when the hand rests. A hand that moves again does not wait for that.
  /** @param {number} n */
  #ask(n, { whole = false } = {}) {
    clearTimeout(this.resting);
    this.further?.abort();
    const question = { n, whole, made: performance.now(), asked: this.asked };
    if (this.asking && (whole || !this.asking.whole)) return void (this.waiting = question);
    this.waiting = undefined;
    this.#send(question);
  }

  /** @param {Question} question */
  async #send(question) {
    this.sent?.abort(); // the server stops what nobody waits for
    this.sent = new AbortController();
    this.asking = question;
    const { n, whole, asked, made } = question,
      { key, ask } = this.data;
    const told = await post(ask, { join: n, asked, quick: !whole }, this.sent.signal);
    if (this.asking !== question) return; // another question was sent in its place
    this.asking = undefined;
    if (this.gone || key !== this.data.key) return;
    const next = this.waiting;
    this.waiting = undefined;
    if (told.message) this.#complain(told.message);
    else {
      const answered = performance.now();
      this.note.textContent = "";
      this.root.classList.remove("pv-refused");
      this.#show(told);
      requestAnimationFrame(() =>
        setTimeout(() => (window.__planviz.asked = { made, answered, painted: performance.now(), whole }), 0),
      );
    }
    if (next) this.#send(next);
    else if (!told.message) this.#rest(whole);
  }

  // The hand rests: the whole planning, then what might flip the join and what became of the plan.
  #rest(whole = true) {
    clearTimeout(this.resting);
    if (!this.data.own || !this.told.join) return;
    this.resting = setTimeout(
      () => (whole ? this.#more() : this.#ask(this.#join.n, { whole: true })),
      whole ? 20 : REST,
    );
  }

  async #more() {
    const { told } = this,
      { n } = this.#join,
      asked = this.asked;
    const { signal } = (this.further = new AbortController());
    const still = () => !this.gone && this.told === told && this.asked === asked;
    if (told.what) {
      const { diff } = await post(this.data.ask, { join: n, asked, want: "diff" }, signal);
      if (!still()) return;
      this.#difference(diff);
    }
    /** @type {Flip[]} */
    const flips = [];
    for (let at = 0, more = true; more; at++) {
      const found = await post(this.data.ask, { join: n, asked, want: "flips", at }, signal);
      if (!still()) return;
      if (found.flip && !flips.some(({ short }) => short === found.flip.short)) flips.push(found.flip);
      more = Boolean(found.more) && flips.length < MOST_FLIPS;
      this.panel.flips(flips, more);
    }
  }

  /** @param {string} message */
  #complain(message) {
    this.note.textContent = message;
    this.root.classList.add("pv-refused");
    this.live.textContent = message;
  }

  // ---- what is shown

  /** @param {JoinsTold} told */
  #show(told) {
    const before = this.told;
    this.told = told;
    const { join } = told;
    this.root.classList.toggle("pv-no-joins", !join);
    this.table.show(told, this.#changes());
    if (!join) return;
    this.tree.replaceChildren(drawn(join.svg, this.data.theme, this.mode), this.ring);
    // As high as the stage, where that can still be read: the path is seen whole beside the table.
    const { width, height } = /** @type {SVGSVGElement} */ (this.tree.querySelector("svg")).viewBox.baseVal;
    this.tree.style.setProperty("--pv-ratio", String(width / height));
    this.tree.setAttribute("role", "img");
    this.tree.setAttribute("aria-label", `Decision tree of ${join.heading}. The path stands in the panel as a list.`);
    const same = before?.join?.n === join.n;
    this.program.light(told.rows[join.n]?.line ?? 0);
    if (!same) this.at = undefined;
    this.panel.show(join, this.data.own && Boolean(join.tables), this.data.note, same);
    this.whatIfs.show(join, this.base, this.asked, this.data.own);
    if (!same || before.join?.mechanism.op !== join.mechanism.op) this.#stopPlaying();
    const mechanics = mechanism(join.mechanism, this.data.theme, this.mode);
    if (this.data.own) mechanics.append(this.player);
    this.below.replaceChildren(mechanics, (this.changes = element("div")));
    this.#ringAt(this.at);
    if (this.total) this.total.textContent = pathWords(join);
    const what = told.what ? `&what=${encodeURIComponent(told.what)}` : "";
    const id = `${join.n + 1}${what}`;
    if (before) {
      this.live.textContent = `${join.heading}${told.changed ? `, ${told.changed} joins changed` : ""}`;
      this.root.dispatchEvent(
        new CustomEvent("planviz:select", { bubbles: true, composed: true, detail: { id, key: this.data.key } }),
      );
    }
  }

  // ---- the program or SQL beside the tree

  /** @param {boolean} on */
  #turnProgram(on) {
    this.root.classList.toggle("pv-with-program", on);
    if (this.told?.join) this.#ringAt(this.at);
  }

  // The join that a line asks for; of several, at the next press the next one.
  /** @param {number} line */
  #lightLine(line) {
    const made = this.told.rows.filter((row) => row.line === line),
      at = made.findIndex(({ n }) => n === this.told.join?.n);
    this.program.tell(line, made.length, "join");
    if (made.length) this.select(made[(at + 1) % made.length].n);
  }

  /** @returns {JoinChange[]} */
  #changes() {
    const { settings, sizes, hints, types, profile } = this.asked;
    return [
      ...(profile
        ? [/** @type {JoinChange} */ (["profile", profile, `as ${profile.replace("spark-", "Spark ")}`])]
        : []),
      ...Object.entries(settings).map(
        /** @returns {JoinChange} */ ([name, value]) => ["settings", name, this.whatIfs.words(name, value)],
      ),
      ...Object.entries(sizes).map(
        /** @returns {JoinChange} */ ([name, value]) => ["sizes", name, `${name} ${this.whatIfs.size(value)}`],
      ),
      ...Object.entries(hints).map(
        /** @returns {JoinChange} */ ([n, [left, right]]) => [
          "hints",
          n,
          `join ${Number(n) + 1}: ${[left && `${left.toUpperCase()} left`, right && `${right.toUpperCase()} right`].filter(Boolean).join(", ") || "no hint"}`,
        ],
      ),
      ...Object.entries(types).map(
        /** @returns {JoinChange} */ ([n, kind]) => ["types", n, `join ${Number(n) + 1}: ${kind}`],
      ),
    ];
  }

  // The operator at work on a few rows, when somebody asks for it.
  async #play() {
    const { told, asked } = this,
      { n, mechanism } = this.#join,
      { play, message } = await post(this.data.ask, { join: n, asked, want: "play" });
    if (this.gone || this.told.join?.n !== n || this.#join.mechanism.op !== mechanism.op) return;
    if (!play) return void this.player.replaceChildren(element("p", "pv-muted", message));
    const holder = element("div", "pv-player-holder");
    this.player.replaceChildren(holder);
    this.playback = new Playback(holder, {});
    this.playback.update({
      key: `${this.data.key}/${n}/${told.what}`,
      plays: [play],
      theme: this.data.theme,
      dark: this.mode === "dark",
      play: 0,
      step: null,
    });
    this.player.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  #stopPlaying() {
    this.playback?.destroy();
    this.playback = undefined;
    this.player.replaceChildren(
      button("pv-flip", "Play it on a few rows", "The operator step by step, on made-up rows", () => this.#play()),
    );
  }

  // The plan before and after, in words and as one tree.
  /** @param {PlanDifference | null | undefined} found */
  #difference(found) {
    const box = element("section", "pv-diff-section");
    box.append(element("h4", "", "What became of the plan"));
    if (!found) box.append(element("p", "pv-muted", "The plan that runs is the same."));
    else {
      const list = element("ul", "pv-changes"),
        names = /** @type {Record<string, string | undefined>} */ ({
          "+": "pv-inserted",
          "−": "pv-removed",
          "~": "pv-changed",
          "↕": "pv-moved",
        });
      for (const [sign, words] of found.words) {
        const item = element("li", `pv-change ${names[sign] ?? ""}`);
        item.append(element("b", "", sign), element("span", "", words));
        list.append(item);
      }
      const picture = element("details"),
        holder = element("div", "pv-drawn pv-plan-drawn");
      picture.append(element("summary", "", "Both plans as one tree"), holder);
      picture.addEventListener("toggle", () => {
        this.showPlans = picture.open;
        if (picture.open && !holder.firstChild) holder.append(drawn(found.svg, this.data.theme, this.mode));
      });
      picture.open = Boolean(this.showPlans);
      box.append(element("p", "pv-muted", found.summary), list, picture);
    }
    this.changes?.replaceChildren(box);
  }

  // ---- a test of the path

  /** @param {number | null} at */
  test(at) {
    const { path } = this.#join;
    this.at = at == null ? undefined : Math.min(Math.max(0, at), path.length - 1);
    this.panel.test(this.at);
    this.#ringAt(this.at, true);
  }

  /** @param {number | undefined} at */
  #ringAt(at, reveal = false) {
    const index = at === undefined ? null : this.#join.path[at]?.index,
      svg = this.tree.querySelector("svg");
    this.ring.hidden = index == null;
    if (index == null || !svg) return;
    const group = /** @type {SVGGElement} */ (svg.querySelectorAll(":scope > g")[index]),
      box = group.getBBox(),
      scale = svg.clientWidth / svg.viewBox.baseVal.width;
    Object.assign(this.ring.style, { width: `${box.width * scale + 10}px`, height: `${box.height * scale + 10}px` });
    const frame = svg.getBoundingClientRect(),
      outer = this.tree.getBoundingClientRect();
    this.ring.style.left = `${frame.left - outer.left + box.x * scale - 5}px`;
    this.ring.style.top = `${frame.top - outer.top + box.y * scale - 5}px`;
    if (reveal) this.ring.scrollIntoView({ block: "nearest" });
  }

  // ---- words and sizes

  #words() {
    const keys = element("div", "pv-keys");
    for (const [names, words] of KEYS) {
      if (words === "reset" && !this.data.own) continue;
      const item = element("span");
      for (const name of names) item.append(element("kbd", "", name));
      item.append(` ${words}`);
      keys.append(item);
    }
    this.total = element("span", "pv-total");
    const { join } = this.told;
    if (join) this.total.textContent = pathWords(join);
    const links = element("div", "pv-exports");
    for (const format of ["svg", "png"]) {
      const link = element("a", "pv-button", format.toUpperCase());
      link.title = `The tree as ${format.toUpperCase()}`;
      link.addEventListener("click", () => this.#link(link, format));
      this.#link(link, format);
      links.append(link);
    }
    this.footer.replaceChildren(keys, element("div", "pv-grow"), this.total, ...(join ? [links] : []));
  }

  /** @param {HTMLAnchorElement} link @param {string} format */
  #link(link, format) {
    const { join, what } = this.told;
    if (!join) return;
    link.href = `${this.data.ask}/${join.n + 1}.${format}?theme=${this.mode}${what ? `&what=${encodeURIComponent(what)}` : ""}`;
    link.download = `join-${join.n + 1}.${format}`;
  }

  #measure() {
    const { clientWidth: width } = this.root;
    if (!width) return;
    this.root.classList.toggle("pv-narrow", width <= NARROW);
    this.root.classList.toggle("pv-middling", width > NARROW && width < MIDDLING);
    if (this.told?.join) this.#ringAt(this.at);
  }

  state() {
    const { told } = this;
    return {
      n: told.join?.n,
      what: told.what,
      ops: told.rows.map(({ op }) => op),
      changed: told.changed,
      mode: this.mode,
      busy: Boolean(this.asking || this.waiting),
    };
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.told?.join || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement | undefined} */ (event.composedPath()[0]),
      tag = target?.tagName;
    if (this.player.contains(target ?? null)) return;
    if (["INPUT", "TEXTAREA", "SELECT", "SUMMARY"].includes(tag ?? "") || target?.isContentEditable) return;
    const n = this.told.join.n,
      last = this.told.rows.length - 1;
    /** @type {Record<string, (() => unknown) | undefined>} */
    const acts = {
      ArrowDown: () => this.test((this.at ?? -1) + 1),
      ArrowUp: () => this.test((this.at ?? this.#join.path.length) - 1),
      Escape: () => this.test(null),
      j: () => this.select(Math.min(last, n + 1)),
      k: () => this.select(Math.max(0, n - 1)),
      r: () => this.data.own && this.reset(),
    };
    const act =
      acts[event.key] ??
      (/^[1-9]$/.test(event.key) && Number(event.key) <= last + 1
        ? () => this.select(Number(event.key) - 1)
        : undefined);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}

const pathWords = (/** @type {JoinTold | AskableJoin} */ { path, tests }) => `path of ${path.length} of ${tests} tests`;
