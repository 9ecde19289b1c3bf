// The table of joins, with what is otherwise above it.
import { button, element, quoted } from "./dom.js";
import { termed } from "./glossary.js";

const COLUMNS = ["#", "operator", "type", "left", "right", "on", "why"];

/**
 * @typedef {object} JoinTableListener
 * @property {(n: number) => void} select
 * @property {(part?: JoinPart | "profile", name?: string) => void} reset
 * @property {() => void} changes
 */

export class JoinTable {
  /** @type {HTMLElement} */ body;
  /** @type {HTMLElement[]} */ rows;
  /** @type {number | undefined} */ shown;
  /** @type {HTMLElement | null | undefined} */ beside;

  /** @param {JoinTableListener} on */
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-join-top");
    this.bar = element("div", "pv-join-bar");
    this.holder = element("div", "pv-join-rows");
    this.more = button("pv-button pv-join-more", "", "", () => this.#open(!this.holder.classList.contains("pv-all")));
    this.root.append(this.bar, this.holder);
    this.resizing = new ResizeObserver(() => this.#more());
    this.resizing.observe(this.holder);
  }

  /** @param {JoinsTold} given @param {JoinChange[]} asked */
  show({ rows, join, changed, before, chips }, asked) {
    this.#bar(rows.length, changed, before, chips, asked);
    const table = element("table"),
      top = element("thead"),
      head = element("tr");
    for (const name of COLUMNS) {
      const cell = termed(element("th", "", name));
      cell.scope = "col";
      head.append(cell);
    }
    top.append(head);
    this.body = element("tbody");
    this.rows = rows.map((row) => this.#row(row, join));
    this.body.append(...this.rows);
    table.append(element("caption", "pv-spoken", "Joins, the topmost first"), top, this.body);
    const scroll = this.holder.scrollTop;
    this.holder.replaceChildren(table);
    this.holder.scrollTop = scroll;
    const now = join && this.rows[join.n];
    if (now && this.shown !== join.n) now.scrollIntoView({ block: "nearest" });
    this.shown = join?.n;
    this.#more();
  }

  // All joins at once, or as many as leave the tree its room.
  /** @param {boolean} all */
  #open(all) {
    this.holder.classList.toggle("pv-all", all);
    this.#more();
  }

  // Says that there are more joins than the table shows, and shows them.
  #more() {
    const { holder } = this,
      all = holder.classList.contains("pv-all");
    this.more.hidden = !all && holder.scrollHeight <= holder.clientHeight + 1;
    this.more.textContent = all ? "Show fewer" : `Show all ${this.rows?.length ?? ""}`;
    this.more.setAttribute("aria-expanded", String(all));
  }

  /**
   * @param {number} count
   * @param {number | null} changed
   * @param {number} before
   * @param {JoinsTold["chips"]} chips
   * @param {JoinChange[]} asked
   */
  #bar(count, changed, before, chips, asked) {
    const parts = [element("b", "", count === 1 ? "1 join" : `${count} joins`)];
    for (const [tone, words, why] of chips) {
      const chip = element("span", `pv-badge pv-${tone}`, words);
      chip.title = why;
      parts.push(chip);
    }
    if (asked.length) {
      const told = changed == null ? `${before} before` : changed ? `${changed} planned otherwise` : "all as before";
      parts.push(
        button(changed === 0 ? "pv-chip pv-none" : "pv-chip", told, "What became of the plan", () => this.on.changes()),
      );
      const chips = element("div", "pv-asked");
      for (const [part, name, text] of asked)
        chips.append(button("pv-chip", `${text} ×`, `Back: ${text}`, () => this.on.reset(part, name)));
      parts.push(
        chips,
        button("pv-button", "Reset", "Reset everything to what it was (r)", () => this.on.reset()),
      );
    }
    this.bar.replaceChildren(...parts, this.more, element("span", "pv-grow"), ...(this.beside ? [this.beside] : []));
  }

  /** @param {JoinRow} row @param {JoinsTold["join"]} join */
  #row(row, join) {
    const line = element("tr", row.was ? "pv-was" : "");
    if (row.n === join?.n) line.setAttribute("aria-selected", "true");
    const number = element("td", "pv-join-number"),
      go = button("", String(row.n + 1), `Join ${row.n + 1}: ${row.operator}`, () => this.on.select(row.n));
    go.setAttribute("aria-current", String(row.n === join?.n));
    number.append(go);
    const operator = element("td", "pv-join-op"),
      why = element("td", "pv-join-why"),
      on = element("td", "pv-join-on", row.on || "no condition");
    operator.append(element("i", `pv-op pv-op-${row.op}`), quoted("b", "", row.operator));
    if (row.line) operator.append(element("span", "pv-muted pv-join-line", `line ${row.line}`));
    if (row.was) why.append(element("span", "pv-badge pv-estimated", row.was));
    if (row.ran) why.append(element("span", "pv-badge", row.ran));
    why.append(row.reason);
    on.title = row.on;
    why.title = row.reason;
    line.append(
      number,
      operator,
      element("td", "", row.query ? `${row.type} · ${row.query}` : row.type),
      sideCell(row.left),
      sideCell(row.right),
      on,
      why,
    );
    line.addEventListener("click", () => this.on.select(row.n));
    return line;
  }
}

/** @param {JoinSide} given */
function sideCell({ names, all, size, build }) {
  const cell = element("td", build ? "pv-join-side pv-build" : "pv-join-side");
  cell.title = build ? `${all}: built` : all;
  cell.append(quoted("span", "", names), element("span", "pv-muted", size));
  return cell;
}
