// The program or SQL that a plan was made from, beside its drawing: its lines and the operators light each other.
import { button, element } from "./dom.js";
import { RawText } from "./rawtext.js";

/** @typedef {{ line: (line: number) => void; turned: (on: boolean) => void }} ProgramListener */

export class ProgramPane {
  /** @type {string} */ title;

  // on: {line(number), turned()}; place names the element, whose choice to show the text or not is kept; open: at first.
  /** @param {ProgramListener} on @param {string} place */
  constructor(on, place) {
    this.on = on;
    this.choice = `planviz.program.${place}`;
    this.raw = new RawText({ line: (line) => on.line(line) });
    this.root = element("div", "pv-program");
    this.said = element("p", "pv-program-said");
    this.said.setAttribute("role", "status");
    this.root.append(this.raw.root, this.said);
    this.button = button("pv-button", "Program", "", () => this.turn(!this.open));
    this.open = false;
  }

  destroy() {
    this.raw.destroy();
  }

  // What a plan was made from, {title, text}, or null: then there is nothing to show; open says whether it is seen
  // before anybody chose.
  /** @param {Written | null} written @param {boolean} open */
  show(written, open) {
    this.title = written?.title ?? "";
    this.button.hidden = !written;
    // The step player has a view named SQL: the plan written as such.
    this.button.textContent = this.title === "SQL" ? "Your SQL" : this.title;
    this.button.title = `Show the ${this.title === "SQL" ? "SQL" : "program"} beside the plan: click an operator, and its line lights up; click a line, and its operators do`;
    this.raw.root.setAttribute("aria-label", this.title);
    this.raw.mark(0, 0);
    this.raw.show(written?.text ?? "");
    this.open = Boolean(written) && (kept(this.choice) ?? open);
    this.#turned();
  }

  /** @param {boolean} on */
  turn(on) {
    this.open = on;
    keep(this.choice, on);
    this.#turned();
  }

  #turned() {
    this.root.hidden = !this.open;
    this.button.setAttribute("aria-pressed", String(this.open));
    this.on.turned(this.open);
    this.raw.draw();
    this.raw.reveal();
  }

  // The line of what is selected, 0 for none; still: it is where the reader looks already.
  /** @param {number} first */
  light(first, last = first, still = false) {
    this.raw.mark(first, last);
    if (this.open && first && !still) this.raw.reveal();
    this.said.textContent = "";
  }

  // A line was clicked that made so many `things` ("operator", "join").
  /** @param {number} line @param {number} count @param {string} thing */
  tell(line, count, thing) {
    this.light(line, line, true);
    this.said.textContent = count
      ? `${count} ${thing}${count === 1 ? "" : "s"} from line ${line}`
      : `Line ${line} made no ${thing} that is shown here.`;
  }

  /** @param {number} number */
  line(number) {
    return this.raw.lineText(number);
  }
}

// A browser may refuse to keep anything.
/** @param {string} name */
function kept(name) {
  try {
    const found = sessionStorage.getItem(name);
    return found === null ? null : found === "true";
  } catch {
    return null;
  }
}

/** @param {string} name @param {boolean} on */
function keep(name, on) {
  try {
    sessionStorage.setItem(name, String(on));
  } catch {
    // Then it is as it is at first on the next page.
  }
}
