// A table of past executions: a click, Enter or Space opens a row, arrow keys go from row to row.
//
// data: { columns, ranked, rows, selected, height }
//   columns   [label, kind]: "number", "time", "text", "what" (the widest) or "badges"
//   ranked    the column that the rows are ordered by, or null
//   rows      { open, cells }: a cell is a text, { text, title, tone, bar } or, of badges, a list of { text, tone, title }
//   selected  what the open row's `open` is; height: pixels at most, then the table scrolls
// Tells Python "opened" with the `open` of a row. All texts come from logs: only textContent takes them.
/** @type {WeakMap<HTMLElement, Table>} */
const tables = new WeakMap(); // Streamlit's parent element -> Table

class Table {
  /** @type {(value: unknown) => void} */ send;
  /** @type {string | undefined} */ text;
  /** @type {HistoryData} */ data;
  /** @type {number | undefined} */ turn;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = element("div", "scroll");
    this.root.addEventListener("click", (event) =>
      this.#open(/** @type {HTMLElement} */ (event.target).closest("tr[data-at]")),
    );
    this.root.addEventListener("keydown", (event) => this.#key(event));
    parent.append(this.root);
  }

  /** @param {HistoryData} data @param {(value: unknown) => void} send */
  update(data, send) {
    this.send = send;
    const text = JSON.stringify(data);
    if (text === this.text) return;
    const top = this.data && JSON.stringify(this.data.rows) === JSON.stringify(data.rows) ? this.root.scrollTop : 0;
    const focused = this.root.contains(/** @type {ShadowRoot} */ (this.root.getRootNode()).activeElement);
    this.text = text;
    this.data = data;
    this.root.style.maxHeight = `${data.height}px`;
    this.root.replaceChildren(this.#table());
    this.root.scrollTop = top;
    const row = /** @type {HTMLElement | null} */ (this.root.querySelector("tr[aria-selected=true]"));
    row?.scrollIntoView({ block: "nearest" });
    if (focused) row?.focus({ preventScroll: true });
  }

  destroy() {
    this.root.remove();
  }

  #table() {
    const { columns, ranked, rows, selected } = this.data,
      table = element("table"),
      head = element("tr");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", "Executions");
    columns.forEach(([label, kind], at) => {
      const cell = element("th", kind, label);
      cell.scope = "col";
      if (at === ranked) cell.setAttribute("aria-sort", "descending");
      head.append(cell);
    });
    const top = element("thead"),
      body = element("tbody");
    table.append(top, body);
    top.append(head);
    const open = Math.max(
      0,
      rows.findIndex((row) => row.open === selected),
    );
    rows.forEach((row, at) => {
      const line = element("tr");
      line.dataset.at = String(at);
      line.tabIndex = at === open ? 0 : -1;
      line.setAttribute("aria-selected", String(row.open === selected));
      row.cells.forEach((cell, column) => line.append(filled(cell, columns[column][1], column === ranked)));
      body.append(line);
    });
    return table;
  }

  /** @param {HTMLElement | null} row */
  #open(row) {
    if (!row) return;
    row.focus({ preventScroll: true });
    for (const other of this.root.querySelectorAll("tr[data-at]"))
      other.setAttribute("aria-selected", String(other === row));
    this.send(this.data.rows[Number(row.dataset.at)].open);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest("tr[data-at]");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, Element | null | undefined>} */
    const ways = {
      ArrowDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      Home: row.parentElement?.firstElementChild,
      End: row.parentElement?.lastElementChild,
    };
    if (event.key in ways) {
      const to = /** @type {HTMLElement | null | undefined} */ (ways[event.key]);
      to?.focus();
      if (to) [row.tabIndex, to.tabIndex] = [-1, 0];
    } else if (event.key === "Enter" || event.key === " ") this.#open(row);
    else return;
    event.preventDefault();
  }
}

/** @param {HistoryCell} cell @param {string} kind @param {boolean} ranked */
function filled(cell, kind, ranked) {
  const made = element("td", ranked ? `${kind} ranked` : kind);
  if (Array.isArray(cell)) {
    for (const badge of cell) {
      const chip = element("span", `chip ${badge.tone}`, badge.text);
      if (badge.title) chip.title = badge.title;
      made.append(chip);
    }
    return made;
  }
  /** @type {Exclude<HistoryCell, string | Badge[]>} */
  const { text, title, tone, bar } = typeof cell === "string" ? { text: cell } : cell;
  made.append(element("span", tone ?? "", text));
  if (title) made.title = title;
  if (bar !== undefined) {
    const line = element("i", "bar");
    line.style.width = `${Math.max(2, Math.round(bar * 100))}%`;
    made.append(line);
  }
  return made;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** @param {Mounted<HistoryData> & { data: HistoryData }} mounted */
export default function ({ data, parentElement, setTriggerValue }) {
  const table = tables.get(parentElement) ?? new Table(parentElement);
  tables.set(parentElement, table);
  const turn = (table.turn = (table.turn ?? 0) + 1);
  table.update(data, (value) => setTriggerValue("opened", value));
  return () => {
    setTimeout(() => {
      if (table.turn !== turn) return;
      table.destroy();
      tables.delete(parentElement);
    }, 0);
  };
}
