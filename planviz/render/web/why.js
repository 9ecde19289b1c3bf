// Why the selected operator is there: sections that the server tells, fetched when a node is selected and kept.
import { button, element, flipButton } from "./dom.js";

const MARKS = { yes: ["✓", "yes"], no: ["✕", "no"], unknown: ["?", "not told by the text"] };
const PAGES = { joins: "The whole decision", aggregations: "The stages, with rows", cardinality: "All estimates" };
const MOST_FLIPS = 3,
  KEPT = 400,
  PATIENCE = 400; // of changes, of answers, ms before changes are planned that nobody asked for

export class Why {
  /** @type {Map<string, Promise<WhyAnswer | FlipAnswer>>} */ answers;

  // on.go(page, number) opens another page at a join or an aggregate.
  /** @param {{ go?: WorkbenchCallbacks["go"] }} on */
  constructor(on) {
    this.on = on;
    this.answers = new Map();
  }

  // A place in the panel that fills as the answers come; null where nobody can be asked.
  /** @param {WorkbenchData} data @param {number | null} id */
  place(data, id) {
    if (!data.why_url || id == null) return null;
    const box = element("div", "pv-why"),
      url = `${data.why_url}/${id}.json`;
    this.#ask(url).then((told) => {
      for (const section of told.sections ?? []) box.append(this.#section(section, told.flips_url));
    });
    return box;
  }

  // The joins of the whole plan in short; null where nobody can be asked. on.select(id) leads to one of them.
  /** @param {WorkbenchData} data @param {(id: number) => void} select */
  joins(data, select) {
    if (!data.why_url) return null;
    const box = element("div", "pv-joins-short"),
      url = `${data.why_url}.json`;
    this.#ask(url).then(({ joins = [], more = 0, flips_url: flips }) => {
      for (const join of joins) {
        const line = element("div", "pv-join-short");
        line.append(button("pv-plain pv-strong", join.operator, "", () => select(join.node)));
        line.append(element("p", "", join.sides), element("p", "pv-muted", join.reason));
        if (join.flips !== undefined && flips)
          setTimeout(() => box.isConnected && line.append(this.#flips(join, flips)), PATIENCE);
        box.append(line);
      }
      if (more && this.on.go)
        box.append(element("p", "pv-muted pv-hint", `and ${more === 1 ? "one more join" : `${more} more joins`}`));
      box.hidden = !joins.length;
    });
    return box;
  }

  /**
   * @param {string} url
   * @returns {Promise<WhyAnswer>}
   */
  #ask(url) {
    if (!this.answers.has(url)) {
      if (this.answers.size > KEPT) this.answers.clear();
      const told = fetch(url, { credentials: "same-origin" })
        .then((answer) => (answer.ok ? answer.json() : { sections: [] }))
        .catch(() => ({ sections: [] }));
      this.answers.set(url, told);
    }
    return /** @type {Promise<WhyAnswer>} */ (this.answers.get(url));
  }

  /** @param {WhySection} section @param {string} [flips] */
  #section(section, flips) {
    const box = element("div", "pv-section"),
      list = element("ul", "pv-checks");
    box.append(element("h4", "", section.heading));
    if (section.formula)
      box.append(element("code", "pv-line", section.formula), element("p", "pv-calculation", section.calculation));
    for (const [mark, words, seen] of section.lines) list.append(this.#line(mark, words, seen));
    if (section.lines.length) box.append(list);
    if (section.flips !== undefined && flips) box.append(this.#flips(section, flips));
    const { page } = section;
    if (page && this.on.go)
      box.append(button("pv-link", PAGES[page], "", () => this.on.go?.(page, section.number ?? null)));
    return box;
  }

  /** @param {"yes" | "no" | "unknown" | ""} mark @param {string} words @param {string} seen */
  #line(mark, words, seen) {
    const line = element("li", mark ? `pv-check pv-${mark}` : "");
    if (mark) {
      const [sign, name] = MARKS[mark];
      const shown = element("span", "pv-sign", sign);
      shown.setAttribute("role", "img");
      shown.setAttribute("aria-label", name);
      line.append(shown);
    }
    const said = element("span", "", words);
    if (seen) said.append(element("span", "pv-muted", ` ${seen}`));
    line.append(said);
    return line;
  }

  // The nearest changes that give another operator: each is planned before it is offered, one after the other.
  /** @param {{ flips?: number; number?: number }} section @param {string} url */
  #flips(section, url) {
    const box = element("div", "pv-flips");
    const ask = (/** @type {number} */ body) => this.#post(url, { join: section.flips, want: "flips", at: body });
    const next = async (/** @type {number} */ at, /** @type {number} */ found) => {
      const told = await ask(at);
      if (told.flip) {
        if (!found) box.append(element("p", "pv-muted", "Would flip it:"));
        box.append(flipButton(told.flip, () => this.on.go?.("joins", section.number ?? null)));
      }
      if (told.more && found + (told.flip ? 1 : 0) < MOST_FLIPS) await next(at + 1, found + (told.flip ? 1 : 0));
    };
    next(0, 0);
    return box;
  }

  /**
   * @param {string} url
   * @param {unknown} body
   * @returns {Promise<FlipAnswer>}
   */
  #post(url, body) {
    const name = `${url} ${JSON.stringify(body)}`;
    if (!this.answers.has(name)) {
      const told = fetch(url, { method: "POST", credentials: "same-origin", body: JSON.stringify(body) });
      this.answers.set(
        name,
        told.then((answer) => (answer.ok ? answer.json() : {})).catch(() => ({})),
      );
    }
    return /** @type {Promise<FlipAnswer>} */ (this.answers.get(name));
  }
}
