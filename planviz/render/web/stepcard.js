// What is said beside the board: the operator, this step in a sentence, what was compared, the steps around it, facts.
import { button, element } from "./dom.js";

const AROUND = 400;

export class StepCard {
  /** @type {Play} */ play;
  /** @type {number | undefined} */ listed;
  /** @type {HTMLElement[]} */ lines;

  // on: {go(step)}
  /** @param {{ go: (step: number) => void }} on */
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-panel-body pv-rule");
    this.head = element("div");
    this.now = element("div", "pv-now");
    this.list = element("ol", "pv-step-list");
    this.list.setAttribute("aria-label", "Steps of this phase");
    this.list.addEventListener("click", (event) => {
      const line = /** @type {HTMLElement} */ (event.target).closest?.("button");
      if (line) this.on.go(Number(line.dataset.step));
    });
    this.phase = element("h4");
    this.steps = element("section", "pv-section");
    this.steps.append(this.phase, this.list);
    this.facts = element("section", "pv-section");
    this.root.append(this.head, this.now, this.steps, this.facts);
  }

  /** @param {Play} play */
  open(play) {
    this.play = play;
    this.listed = undefined;
    this.head.replaceChildren(element("h3", "", play.title), element("p", "pv-rule-what", play.about));
    const list = element("dl");
    for (const [name, value] of play.facts) list.append(element("dt", "", name), element("dd", "", value));
    this.facts.replaceChildren(
      element("h4", "", "Here"),
      list,
      ...play.notes.map((note) => element("p", "pv-note", note)),
    );
  }

  /** @param {number} k */
  show(k) {
    const step = this.play.steps[k];
    this.now.replaceChildren(element("p", "pv-now-text", step.text));
    if (step.compared) this.now.append(this.#comparison(step.compared));
    this.#listed(step.phase);
    for (const line of this.lines) {
      if (Number(line.dataset.step) === k) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    }
    this.#reveal(this.lines.find((line) => line.hasAttribute("aria-current")));
  }

  /** @param {NonNullable<PlayStep["compared"]>} given */
  #comparison([left, operator, right, verdict]) {
    const made = element("p", "pv-compared");
    made.append(
      element("code", "", left),
      element("span", "pv-muted", operator),
      element("code", "", right),
      element("span", "pv-muted", "→"),
      element("b", "", verdict),
    );
    return made;
  }

  /** @param {number} phase */
  #listed(phase) {
    if (this.listed === phase) return;
    this.listed = phase;
    this.phase.textContent = this.play.phases[phase] ?? "Steps";
    this.lines = this.play.steps
      .flatMap((step, k) => (step.phase === phase ? [this.#line(step, k)] : []))
      .slice(0, AROUND);
    this.list.replaceChildren(
      ...this.lines.map((line) => {
        const item = element("li");
        item.append(line);
        return item;
      }),
    );
  }

  /** @param {PlayStep} step @param {number} k */
  #line(step, k) {
    const line = button("pv-step-words", step.text, "", () => {});
    line.dataset.step = String(k);
    return line;
  }

  /** @param {HTMLElement | undefined} line */
  #reveal(line) {
    if (!line) return;
    const { scrollTop, clientHeight } = this.list,
      top = line.offsetTop;
    if (top < scrollTop) this.list.scrollTop = top - 8;
    else if (top + line.offsetHeight > scrollTop + clientHeight)
      this.list.scrollTop = top + line.offsetHeight - clientHeight + 8;
  }
}
