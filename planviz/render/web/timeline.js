// The batches of a trace from left to right: a bar for every effective step, as high as it changed much.
import { button, element } from "./dom.js";
import { termed } from "./glossary.js";

const TALL = 28,
  LOW = 6;

export class Timeline {
  /** @type {HTMLButtonElement[]} */ bars;
  /** @type {HTMLElement[]} */ batches;
  /** @type {number | undefined} */ current;
  /** @type {HTMLElement | undefined} */ batch;

  // on: {go(step)}
  /** @param {{ go: (step: number) => void }} on */
  constructor(on) {
    this.on = on;
    this.root = element("ol", "pv-batches");
    this.root.setAttribute("aria-label", "Batches and their effective rules");
    this.root.addEventListener("click", (event) => {
      const bar = /** @type {HTMLElement} */ (event.target).closest?.(".pv-step-bar");
      if (bar) this.on.go(Number(bar.dataset.step));
    });
  }

  /** @param {TimelineSteps} steps @param {boolean} silent */
  show(steps, silent) {
    const { batches } = steps.data,
      many = steps.count;
    this.root.style.setProperty("--pv-bar", `${many > 150 ? 4 : many > 60 ? 7 : 11}px`);
    this.root.style.setProperty("--pv-bar-gap", `${many > 150 ? 1 : many > 60 ? 2 : 4}px`);
    const weights = steps.steps.map((_, k) => steps.weight(k)),
      most = Math.max(1, ...weights);
    this.bars = [];
    this.batches = [];
    /** @type {(HTMLElement | HTMLElement[])[]} */
    const items = [];
    /** @type {string[]} */
    let quiet = [];
    const fold = () => {
      if (quiet.length) items.push(silent ? quiet.map((name) => this.#silent([name])) : this.#silent(quiet));
      quiet = [];
    };
    /** @type {string | undefined} */
    let executor;
    batches.forEach(({ name, steps: own, executor: now }, at) => {
      if (now && now !== executor) {
        fold();
        items.push(this.#executor((executor = now)));
      }
      if (!own.length) return quiet.push(name);
      fold();
      items.push((this.batches[at] = this.#batch(name, own, steps, weights, most)));
    });
    fold();
    this.root.replaceChildren(...items.flat());
    this.current = undefined;
  }

  /**
   * @param {string} name
   * @param {number[]} own
   * @param {TimelineSteps} steps
   * @param {number[]} weights
   * @param {number} most
   */
  #batch(name, own, steps, weights, most) {
    const item = element("li", "pv-batch"),
      bars = element("ol", "pv-bars");
    bars.setAttribute("aria-label", name);
    for (const k of own) {
      const { rule } = steps.steps[k],
        weight = weights[k];
      const words = steps.told?.(k) ?? (weight ? `${weight} changed` : "nothing to see in the tree");
      const slot = element("li"),
        bar = button("pv-step-bar", "", "", () => {});
      bar.dataset.step = String(k);
      bar.title = `${k + 1} ${rule} · ${words}`;
      bar.setAttribute("aria-label", `${k + 1} ${rule}, ${words}`);
      bar.tabIndex = -1;
      bar.style.height = `${weight ? Math.round(LOW + (TALL - LOW) * (Math.log1p(weight) / Math.log1p(Math.max(most, 4)))) : 4}px`;
      if (!weight) bar.classList.add("pv-faint");
      slot.append(bar);
      bars.append(slot);
      this.bars[k] = bar;
    }
    const label = element("div", "pv-batch-name", name);
    label.title = name;
    item.append(bars, label);
    return item;
  }

  /** @param {string} name */
  #executor(name) {
    return termed(element("li", "pv-executor", name));
  }

  /** @param {string[]} names */
  #silent(names) {
    const item = element("li", "pv-batch pv-silent"),
      words = names.length === 1 ? names[0] : `${names.length} silent`;
    item.title = names.join("\n");
    item.append(element("div", "pv-bars"), element("div", "pv-batch-name", words));
    item.setAttribute("aria-label", `${names.length === 1 ? names[0] : `${names.length} batches`} without effect`);
    return item;
  }

  /** @param {number} k @param {number} batch */
  select(k, batch) {
    const old = this.current;
    if (old !== undefined && this.bars[old]) {
      this.bars[old].removeAttribute("aria-current");
      this.bars[old].tabIndex = -1;
    }
    const from = old === undefined ? 0 : Math.min(old, k),
      to = old === undefined ? this.bars.length - 1 : Math.max(old, k);
    for (let at = from; at <= to; at++) this.bars[at]?.classList.toggle("pv-past", at < k);
    const bar = this.bars[k];
    bar.setAttribute("aria-current", "step");
    bar.tabIndex = 0;
    if (this.batch !== this.batches[batch]) this.batch?.classList.remove("pv-current");
    this.batch = this.batches[batch];
    this.batch?.classList.add("pv-current");
    this.current = k;
    // With the frame, when the rest of the page stands: here it would make the browser lay out twice.
    requestAnimationFrame(() => this.bars[this.current ?? -1] === bar && this.#reveal(bar));
  }

  // Scrolls sideways only, and only when the bar or its batch's name is out of sight.
  /** @param {HTMLElement} bar */
  #reveal(bar) {
    const { scrollLeft, clientWidth } = this.root,
      item = /** @type {HTMLElement} */ (bar.closest(".pv-batch"));
    const room = item.offsetWidth < clientWidth - 80 ? item : bar;
    const left = room.offsetLeft - this.root.offsetLeft,
      right = left + room.offsetWidth;
    if (left < scrollLeft + 20) this.root.scrollLeft = Math.max(0, left - 60);
    else if (right > scrollLeft + clientWidth - 20) this.root.scrollLeft = right - clientWidth + 60;
  }
}
