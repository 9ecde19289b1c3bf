// The board of a played operator: panels of rows as tables, links between rows, rows that fly to where they go.
import { element } from "./dom.js";

const FLIGHT = 320,
  GUTTER = 14;
const SVG = "http://www.w3.org/2000/svg";
const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @typedef {PlayPanel & { root: HTMLElement; table: HTMLTableElement; count: HTMLElement; span: number }} Panel
 *
 * @typedef {{ left: number; right: number; y: number }} Anchor
 */

export class Board {
  /** @type {Play} */ play;
  /** @type {Record<string, PanelState>[]} */ states;
  /** @type {Map<string, HTMLTableRowElement>} */ rows;
  /** @type {number | undefined} */ shown;
  /** @type {Panel[]} */ panels;

  constructor() {
    this.root = element("div", "pv-board");
    this.root.tabIndex = 0;
    this.root.setAttribute("aria-label", "Rows");
    this.space = element("div", "pv-board-space");
    this.links = document.createElementNS(SVG, "svg");
    this.links.setAttribute("class", "pv-board-links");
    this.links.setAttribute("aria-hidden", "true");
    this.root.append(this.space);
    this.root.addEventListener("scroll", () => this.relink()); // columns that stay in sight move against the others
  }

  // A play as planviz/mechanics/play.py tells it. States are those of all panels after every step; they share what stays.
  /** @param {Play} play */
  open(play) {
    this.play = play;
    let state = {};
    this.states = play.steps.map((step) => (state = step.state ? { ...state, ...step.state } : state));
    this.rows = new Map(); // "panel row" -> its element
    this.shown = undefined;
    /** @type {HTMLElement[]} */
    const columns = [];
    this.panels = play.panels.map((panel) => {
      const made = this.#panel(panel);
      (columns[panel.column] ??= element("div", "pv-board-column")).append(made.root);
      return made;
    });
    this.space.replaceChildren(this.links, ...columns.filter(Boolean));
    this.root.scrollTop = this.root.scrollLeft = 0;
  }

  /** @param {PlayPanel} panel */
  #panel(panel) {
    const root = element("div", `pv-table pv-table-${panel.kind}`),
      head = element("div", "pv-table-head"),
      table = element("table");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", `${panel.title}, ${panel.role}`);
    const name = element("b", "", panel.title),
      count = element("span", "pv-muted pv-table-count");
    head.append(name, element("span", "pv-muted", panel.role), element("span", "pv-grow"), count);
    const columns = element("tr");
    columns.append(element("td", "pv-gutter"));
    if (panel.labelled) columns.append(element("th", "pv-bucket"));
    panel.columns.forEach((column, at) => columns.append(element("th", at < panel.keys ? "pv-key" : "", column)));
    const thead = element("thead");
    thead.append(columns);
    table.append(thead);
    root.append(head, table);
    return { ...panel, root, table, count, span: panel.columns.length + 1 };
  }

  // The board after step k. Rows fly only from one step to the next: a jump shows where things are.
  /** @param {number} k @param {boolean} fly */
  show(k, fly) {
    const before = fly && !still.matches ? this.#places() : undefined;
    const state = this.states[k],
      marks = new Map();
    for (const [panel, row, mark] of this.play.steps[k].marks ?? []) marks.set(`${panel} ${row}`, mark);
    for (const panel of this.panels) this.#fill(panel, state[panel.id], marks);
    for (const key of [...this.rows.keys()]) if (!this.rows.get(key)?.isConnected) this.rows.delete(key);
    this.shown = k;
    this.#reveal(marks);
    this.relink();
    if (before) this.#fly(before);
  }

  /** @param {Panel} panel @param {PanelState | undefined} given @param {Map<string, string>} marks */
  #fill(panel, given, marks) {
    const { groups = [], at = null } = given ?? {};
    const bodies = [/** @type {HTMLElement} */ (panel.table.tHead)];
    let past = at !== null,
      total = 0;
    for (const { label, rows } of groups) {
      const body = element("tbody");
      if (label && !panel.labelled) body.append(this.#heading(label, panel.span));
      rows.forEach((row, index) => {
        if (row === at) past = false;
        const line = this.#row(panel, row),
          mark = marks.get(`${panel.id} ${row}`);
        line.className = `pv-line-row${mark ? ` pv-is-${mark}` : past ? " pv-is-past" : ""}${row === at ? " pv-is-at" : ""}`;
        if (panel.labelled) this.#bucket(line, index ? "" : label);
        body.append(line);
      });
      total += rows.length;
      bodies.push(body);
    }
    if (!total) bodies.push(this.#empty(panel));
    panel.table.replaceChildren(...bodies);
    panel.count.textContent = total ? String(total) : "";
  }

  /** @param {string} label @param {number} span */
  #heading(label, span) {
    const line = element("tr", "pv-table-group"),
      cell = element("th", "", label);
    cell.colSpan = span;
    line.append(cell);
    return line;
  }

  /** @param {Panel} panel */
  #empty(panel) {
    const body = element("tbody"),
      line = element("tr", "pv-table-empty"),
      cell = element("td", "", "empty");
    cell.colSpan = panel.span + (panel.labelled ? 1 : 0);
    line.append(cell);
    body.append(line);
    return body;
  }

  /** @param {Panel} panel @param {number} row */
  #row(panel, row) {
    const key = `${panel.id} ${row}`,
      known = this.rows.get(key);
    if (known) return known;
    const line = element("tr");
    line.append(element("td", "pv-gutter"));
    if (panel.labelled) line.append(element("td", "pv-bucket"));
    this.play.rows[row].cells.forEach((cell, at) => {
      line.append(element("td", cell === null ? "pv-null" : at < panel.keys ? "pv-key" : "", cell ?? "null"));
    });
    this.rows.set(key, line);
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {string} label */
  #bucket(line, label) {
    const cell = line.children[1];
    cell.replaceChildren(label ? element("span", "pv-bucket-name", label) : element("span", "pv-muted", "↳"));
  }

  // ---- motion

  #places() {
    const places = new Map(),
      origin = this.space.getBoundingClientRect();
    for (const [key, line] of this.rows) {
      const { left, top } = line.getBoundingClientRect();
      places.set(key, { x: left - origin.left, y: top - origin.top });
    }
    return places;
  }

  /** @param {Map<string, { x: number; y: number }>} before */
  #fly(before) {
    const byRow = new Map();
    for (const [key, place] of before) byRow.set(Number(key.split(" ")[1]), place);
    const origin = this.space.getBoundingClientRect();
    for (const [key, line] of this.rows) {
      const row = Number(key.split(" ")[1]),
        { left, top } = line.getBoundingClientRect();
      const from = before.get(key) ?? byRow.get(row) ?? byRow.get(this.play.rows[row].of?.[0]);
      if (!from) continue;
      const dx = from.x - (left - origin.left),
        dy = from.y - (top - origin.top);
      if (Math.abs(dx) < 1 && Math.abs(dy) < 1) continue;
      const added = !before.has(key);
      line.animate(
        [
          { transform: `translate(${dx}px, ${dy}px)`, opacity: added ? 0.35 : 1 },
          { transform: "none", opacity: 1 },
        ],
        { duration: FLIGHT, easing: "ease-out" },
      );
    }
    this.links.animate([{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }], { duration: FLIGHT + 120 });
  }

  // ---- links and places

  relink() {
    if (this.shown !== undefined) this.#link(this.play.steps[this.shown].links ?? []);
  }

  /** @param {NonNullable<PlayStep["links"]>} links */
  #link(links) {
    const { width, height } = this.space.getBoundingClientRect(),
      origin = this.space.getBoundingClientRect();
    this.links.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const box = (/** @type {string} */ panel, /** @type {number} */ row) => {
      const line = this.rows.get(`${panel} ${row}`);
      if (!line) return undefined;
      const { left, right, top, bottom } = line.getBoundingClientRect();
      return { left: left - origin.left, right: right - origin.left, y: (top + bottom) / 2 - origin.top };
    };
    this.links.replaceChildren(
      ...links.flatMap(([panel, row, other, to]) => {
        const a = box(panel, row),
          b = box(other, to);
        return a && b ? this.#curve(a, b) : [];
      }),
    );
  }

  /** @param {Anchor} a @param {Anchor} b */
  #curve(a, b) {
    const forth = b.left > a.right,
      x0 = forth ? a.right : a.left,
      x1 = forth ? b.left + GUTTER / 2 : b.right;
    const bend = Math.max(24, Math.abs(x1 - x0) / 2) * (forth ? 1 : -1);
    const path = document.createElementNS(SVG, "path"),
      dot = document.createElementNS(SVG, "circle");
    path.setAttribute("d", `M${x0} ${a.y} C${x0 + bend} ${a.y} ${x1 - bend} ${b.y} ${x1} ${b.y}`);
    dot.setAttribute("cx", String(x1));
    dot.setAttribute("cy", String(b.y));
    dot.setAttribute("r", "3");
    return [path, dot];
  }

  // Scrolls only where a marked row is out of sight.
  /** @param {Map<string, string>} marks */
  #reveal(marks) {
    const { scrollTop, clientHeight } = this.root,
      origin = this.space.getBoundingClientRect().top;
    const tops = [...marks.keys()]
      .map((key) => this.rows.get(key))
      .flatMap((line) => (line ? [line.getBoundingClientRect()] : []));
    if (!tops.length || !clientHeight) return;
    const first = Math.min(...tops.map(({ top }) => top)) - origin,
      last = Math.max(...tops.map(({ bottom }) => bottom)) - origin;
    if (first < scrollTop + 20) this.root.scrollTop = Math.max(0, first - 60);
    else if (last > scrollTop + clientHeight - 20) this.root.scrollTop = Math.min(first - 60, last - clientHeight + 60);
  }
}
