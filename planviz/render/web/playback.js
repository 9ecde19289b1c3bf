// The player of an operator's mechanics: phases, the step bar, the board, the step's card.
import { Board } from "./board.js";
import { button, element } from "./dom.js";
import { StepCard } from "./stepcard.js";
import { Surroundings } from "./surroundings.js";
import { dress } from "./theme.js";
import { Timeline } from "./timeline.js";
import { keyList, Transport, typedElsewhere } from "./transport.js";

const NARROW = 800,
  MIDDLING = 1260,
  LOW = 740;
/** @type {KeyWords[]} */
const KEYS = [
  [["←", "→"], "step"],
  [["space"], "play"],
  [["↑", "↓"], "phase"],
  [["Home", "End"], "first, last"],
];
/** @type {Record<string, string | undefined>} */
const NAMES = {
  start: "Start",
  hash: "Hash",
  shuffled: "Shuffled",
  insert: "Insert",
  skip: "Leave out",
  lookup: "Look up",
  condition: "Condition",
  emit: "Give a row",
  drop: "Drop",
  broadcast: "Broadcast",
  end: "End",
  update: "Update",
  spill: "Spill",
  merge: "Merge",
  compare: "Compare",
  advance: "Advance",
  buffer: "Buffer",
  sort: "Sort",
  read: "Read",
  range: "Range",
  expand: "Expand",
  switch: "Switch",
};
/** @type {Record<string, number | undefined>} */
const WEIGHTS = { emit: 6, spill: 9, switch: 9, broadcast: 4, insert: 2, update: 2, merge: 2, buffer: 2 };
/** @type {Map<string, { at: number; steps: number[] }>} */
const memory = new Map(); // key -> play and steps

export class Playback {
  /** @type {MechanicsData} */ data;
  /** @type {Mode} */ mode;
  /** @type {Play} */ play;
  /** @type {number | undefined} */ at;
  /** @type {number} */ k;
  /** @type {number[]} */ steps;

  /** @param {HTMLElement} parent @param {Callbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    const root = (this.root = element("div", "pv pv-player pv-playback"));
    root.tabIndex = -1;
    this.timeline = new Timeline({ go: (k) => this.go(k) });
    this.timeline.root.setAttribute("aria-label", "Phases and their steps");
    this.tabs = element("div", "pv-segment pv-plays");
    this.tabs.setAttribute("aria-label", "Stages");
    const top = element("div", "pv-top");
    top.append(this.tabs, this.timeline.root);
    this.transport = new Transport({
      go: (k) => this.go(k),
      at: () => this.k,
      count: () => this.play?.steps.length ?? 0,
    });
    this.board = new Board();
    this.card = new StepCard({ go: (k) => this.go(k) });
    const side = element("aside", "pv-panel");
    side.setAttribute("aria-label", "The step");
    side.append(this.card.root);
    this.footer = element("footer", "pv-footer");
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    root.append(top, this.transport.root, this.board.root, side, this.footer, this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      scheme: () => this.data && dress(this.root, this.data.theme, this.data.dark, this.around.scheme),
      resized: () => this.#measure(),
    });
    this.around.resizing.observe(this.board.space);
    this.#measure();
  }

  destroy() {
    this.#remember();
    this.transport.play(false);
    this.around.destroy();
    this.root.remove();
  }

  // ---- data

  // The same plays again keep play and step; others open where they were left, or where the data says.
  /** @param {MechanicsData} data */
  update(data) {
    const old = this.data;
    this.data = data;
    this.mode = dress(this.root, data.theme, data.dark, this.around.scheme);
    if (old && old.key === data.key) return;
    if (old) this.#remember(old);
    this.transport.play(false);
    this.at = undefined;
    const kept = memory.get(data.key);
    this.steps = kept?.steps ?? [];
    this.tabs.hidden = data.plays.length < 2;
    this.tabs.replaceChildren(
      ...data.plays.map(({ title }, at) => button("", `${at + 1} ${title}`, "", () => this.open(at))),
    );
    this.open(kept?.at ?? data.play ?? 0, data.step ? data.step - 1 : undefined);
    this.root.dispatchEvent(new CustomEvent("planviz:painted", { bubbles: true, composed: true }));
  }

  /** @param {number} at @param {number} [step] */
  open(at, step) {
    if (at === this.at) return;
    this.transport.play(false);
    this.at = at;
    this.play = this.data.plays[at];
    this.k = /** @type {any} */ (undefined); // until a step is shown
    [...this.tabs.children].forEach((tab, other) => tab.setAttribute("aria-pressed", String(other === at)));
    this.timeline.show(this.#phases(), true);
    this.transport.slider.max = String(this.play.steps.length);
    this.board.open(this.play);
    this.card.open(this.play);
    const given = this.board.states.at(-1)?.[this.play.panels.at(-1)?.id ?? ""]?.groups ?? [],
      rows = given.reduce((sum, group) => sum + group.rows.length, 0);
    const words = `${this.play.steps.length} steps · ${rows} ${rows === 1 ? "row" : "rows"} given`;
    this.footer.replaceChildren(keyList(KEYS), element("div", "pv-grow"), element("span", "pv-total", words));
    this.go(Math.min(this.steps[at] ?? step ?? 0, this.play.steps.length - 1), { quiet: true });
  }

  // What the timeline draws: phases as its batches, a bar per step.
  /** @returns {TimelineSteps} */
  #phases() {
    const { phases, steps } = this.play;
    const batches = phases.map((name) => ({ name, steps: /** @type {number[]} */ ([]) }));
    steps.forEach(({ phase }, k) => batches[phase].steps.push(k));
    return {
      count: steps.length,
      data: { batches },
      steps: steps.map(({ kind }) => ({ rule: NAMES[kind] ?? kind })),
      weight: (k) => WEIGHTS[steps[k].kind] ?? 1,
      told: (k) => steps[k].text,
    };
  }

  #remember(data = this.data) {
    if (!data || this.at === undefined) return;
    this.steps[this.at] = this.k;
    memory.set(data.key, { at: this.at, steps: this.steps });
  }

  // ---- steps

  /** @param {number} k */
  go(k, { quiet = false } = {}) {
    const { play } = this;
    if (!play || !Number.isInteger(k) || k < 0 || k >= play.steps.length || k === this.k) return;
    const step = play.steps[k],
      number = `${k + 1} / ${play.steps.length}`,
      name = NAMES[step.kind] ?? step.kind;
    const fly = this.k !== undefined && Math.abs(k - this.k) === 1;
    this.k = k;
    if (this.at !== undefined) this.steps[this.at] = k;
    this.transport.show(k, { number, name, hint: step.text, pill: play.phases[step.phase] });
    this.timeline.select(k, step.phase);
    this.card.show(k);
    this.board.show(k, fly);
    if (quiet) return;
    this.live.textContent = step.text;
    this.root.dispatchEvent(
      new CustomEvent("planviz:select", { bubbles: true, composed: true, detail: { id: k + 1, key: this.data.key } }),
    );
  }

  state() {
    return { play: this.at, k: this.k, mode: this.mode, playing: Boolean(this.transport.running) };
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!width) return;
    this.root.classList.toggle("pv-low", height < LOW);
    this.root.classList.toggle("pv-narrow", width <= NARROW);
    this.root.classList.toggle("pv-middling", width > NARROW && width < MIDDLING);
    this.board.relink();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.play || typedElsewhere(event, this.transport.slider)) return;
    /** @type {Record<string, (() => unknown) | undefined>} */
    const acts = {
      ArrowRight: () => this.go(this.k + 1),
      ArrowLeft: () => this.go(this.k - 1),
      ArrowDown: () => this.#phase(1),
      ArrowUp: () => this.#phase(-1),
      Home: () => this.go(0),
      End: () => this.go(this.play.steps.length - 1),
      " ": () => this.transport.play(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  // The first step of the next or the last phase.
  /** @param {number} by */
  #phase(by) {
    const to = this.play.steps[this.k].phase + by;
    this.go(this.play.steps.findIndex(({ phase }) => phase === to));
  }
}
