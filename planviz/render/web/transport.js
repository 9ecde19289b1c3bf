// The bar that moves through steps: back, play, next, what is shown, the slider; and the clock behind "play".
import { button, element } from "./dom.js";

const PACE = 1100;

/**
 * @typedef {object} TransportListener
 * @property {(k: number) => void} go
 * @property {() => number} at the step shown
 * @property {() => number} count how many there are
 *
 * @typedef {object} StepWords
 * @property {string} number
 * @property {string} name
 * @property {string} [hint]
 * @property {string} pill
 * @property {string} [time]
 */

export class Transport {
  // on: {go(k), at() -> the step shown, count() -> how many there are}
  /** @param {TransportListener} on */
  constructor(on) {
    this.on = on;
    this.running = 0;
    const bar = (this.root = element("div", "pv-toolbar pv-step-line"));
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "Steps");
    this.back = button("pv-button pv-round", "‹", "Previous step (←)", () => on.go(on.at() - 1));
    this.playing = button("pv-button pv-round", "▶", "Play (space)", () => this.play());
    this.next = button("pv-button pv-round", "›", "Next step (→)", () => on.go(on.at() + 1));
    this.title = element("b", "pv-step-title");
    this.pill = element("span", "pv-badge pv-batch-pill");
    this.time = element("span", "pv-muted pv-step-time");
    this.slider = element("input", "pv-slider");
    this.slider.type = "range";
    this.slider.min = "1";
    this.slider.setAttribute("aria-label", "Step");
    this.slider.addEventListener("input", () => on.go(Number(this.slider.value) - 1));
    bar.append(this.back, this.playing, this.next, this.title, this.pill, this.time, this.slider);
  }

  // Step k: its number in words and its name, the pill and the time beside them.
  /** @param {number} k @param {StepWords} given */
  show(k, { number, name, hint, pill, time = "" }) {
    this.title.replaceChildren(element("span", "pv-step-number", number), name);
    this.title.title = hint ?? name;
    this.pill.textContent = this.pill.title = pill;
    this.time.textContent = time;
    this.slider.value = String(k + 1);
    this.slider.setAttribute("aria-valuetext", `${number} ${name}`);
    this.back.disabled = k === 0;
    this.next.disabled = k === this.on.count() - 1;
    if (this.running && this.next.disabled) this.play(false);
  }

  play(on = !this.running) {
    clearInterval(this.running);
    this.running = 0;
    if (on && this.on.count()) {
      if (this.on.at() === this.on.count() - 1) this.on.go(0);
      this.running = setInterval(() => this.on.go(this.on.at() + 1), PACE);
    }
    const words = this.running ? "Pause (space)" : "Play (space)";
    this.playing.textContent = this.running ? "❚❚" : "▶";
    this.playing.setAttribute("aria-label", words);
    this.playing.title = words;
  }
}

// Whether a key press belongs to what has the focus: a field, a button's own keys, a browser's shortcut.
/** @param {KeyboardEvent} event @param {HTMLElement} [slider] */
export function typedElsewhere(event, slider) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = /** @type {HTMLElement | undefined} */ (event.composedPath()[0]),
    tag = target?.tagName;
  if ((tag === "INPUT" && target !== slider) || tag === "TEXTAREA" || tag === "SELECT" || target?.isContentEditable)
    return true;
  return (tag === "BUTTON" || tag === "A") && (event.key === " " || event.key === "Enter");
}

// The list of keys in the footer, from [[names], words].
/** @param {KeyWords[]} keys */
export function keyList(keys) {
  const list = element("div", "pv-keys");
  for (const [names, words] of keys) {
    const item = element("span");
    for (const name of names) item.append(element("kbd", "", name));
    item.append(` ${words}`);
    list.append(item);
  }
  return list;
}
