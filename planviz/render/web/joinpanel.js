// All about the selected join in words: what it is, flips, what-ifs, the path as a list, what was rejected.
import { button, element, flipButton, quoted } from "./dom.js";

export class JoinPanel {
  /** @type {HTMLElement[]} */ items;

  /** @param {{ test: (at: number) => void; flip: (flip: Flip) => void }} on @param {WhatIfs} whatIfs */
  constructor(on, whatIfs) {
    this.on = on;
    this.root = element("div", "pv-panel-body");
    this.flipBox = element("section", "pv-section");
    this.whatBox = element("section", "pv-section");
    this.whatNote = element("p", "pv-muted");
    this.whatBox.append(element("h4", "", "What if"), whatIfs.root, this.whatNote);
    this.title = element("div");
    this.pathBox = element("section", "pv-section");
    this.root.append(this.title, this.flipBox, this.whatBox, this.pathBox);
  }

  /** @param {JoinTold | AskableJoin} join @param {boolean} own @param {string} note @param {boolean} same */
  show(join, own, note, same) {
    const { left, right, on, because } = join,
      sides = element("p", "pv-join-sides");
    for (const [at, side] of [left, right].entries()) {
      const name = element("b", side.build ? "pv-build" : "", side.names);
      name.title = side.all;
      sides.append(at ? " ⋈ " : "", name, side.size ? element("span", "pv-muted", ` ${side.size}`) : "");
    }
    /** @type {HTMLElement[]} */
    const words = [quoted("h3", "", join.heading), sides];
    if (on) words.push(element("code", "pv-line", on));
    if (join.sizes) words.push(element("p", "pv-muted", join.sizes));
    if (because) words.push(element("p", "pv-muted", because));
    this.title.replaceChildren(...words);
    this.flipBox.hidden = !own;
    this.whatNote.textContent = note;
    if (!same) this.flips([], own);
    this.#path(join);
  }

  // The flips found so far; `more` while others are being planned.
  /** @param {Flip[]} found @param {boolean} more */
  flips(found, more) {
    const list = element("div", "pv-flips");
    for (const flip of found) list.append(flipButton(flip, () => this.on.flip(flip)));
    const note = more
      ? "Planning what would change it…"
      : found.length
        ? "Each was planned and changes the plan as said."
        : "No single setting, hint or size nearby changes it.";
    this.flipBox.replaceChildren(element("h4", "", "Nearest flips"), list, element("p", "pv-muted", note));
  }

  /** @param {JoinTold | AskableJoin} given */
  #path({ path, heading, rejected }) {
    const list = element("ol", "pv-path");
    this.items = path.map(({ title, condition, answer, seen, setting }, at) => {
      const item = element("li"),
        go = button("pv-test", "", "", () => this.on.test(at)),
        words = element("span");
      words.append(element("b", "", title), element("span", "pv-muted", seen || condition));
      if (setting) go.title = setting;
      go.append(element("span", `pv-answer pv-answer-${answer}`, answer === "unknown" ? "?" : answer), words);
      item.append(go);
      return item;
    });
    const end = element("li", "pv-path-end", heading);
    list.append(...this.items, end);
    list.setAttribute("aria-label", "The path through the decision tree");
    /** @type {HTMLElement[]} */
    const parts = [element("h4", "", "The path"), list];
    if (rejected.length) {
      const others = element("ul", "pv-rejected");
      for (const { operator, reason } of rejected) {
        const item = element("li");
        item.append(element("b", "", operator), element("span", "pv-muted", reason));
        others.append(item);
      }
      parts.push(element("h4", "", "Not taken"), others);
    }
    this.pathBox.replaceChildren(...parts);
  }

  /** @param {number | undefined} at */
  test(at) {
    this.items.forEach((item, i) => item.firstElementChild?.setAttribute("aria-current", String(i === at)));
    this.items[at ?? -1]?.scrollIntoView({ block: "nearest" });
  }
}
