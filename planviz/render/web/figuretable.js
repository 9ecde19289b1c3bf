// Statistics that can be edited in place: a table with its columns at a time, undo and redo, a factor for all.
import { button, element, quoted } from "./dom.js";
import { grouped, short } from "./units.js";

/** @type {Line[]} */
const TABLE = [
  ["rowCount", "rows"],
  ["sizeInBytes", "bytes"],
];
/** @type {Line[]} */
const COLUMN = [
  ["distinctCount", "distinct"],
  ["nullCount", "nulls"],
  ["min", "min"],
  ["max", "max"],
];
/** @type {[words: string, factor: number][]} */
const FACTORS = [
  ["÷10", 0.1],
  ["÷2", 0.5],
  ["×2", 2],
  ["×10", 10],
];
/** @type {[words: string, rows: number][]} */
const ASSUMED = [
  ["1K rows", 1e3],
  ["1M rows", 1e6],
  ["100M rows", 1e8],
];
const COUNTS = new Set(["rowCount", "sizeInBytes", "distinctCount", "nullCount"]);
/** @type {Record<string, number | undefined>} */
const SUFFIX = { k: 1e3, K: 1e3, m: 1e6, M: 1e6, b: 1e9, B: 1e9, g: 1e9, G: 1e9, t: 1e12, T: 1e12 };

// "1.2M" as 1200000, "" as null (unknown); undefined for what is no number of things.
/** @param {string} text */
export function readCount(text) {
  const plain = text.replace(/[,_ \u00a0]/g, "");
  if (plain === "" || plain === "?") return null;
  const found = /^(\d+(?:\.\d+)?(?:e\d+)?)([kKmMbBgGtT]?)$/.exec(plain);
  if (!found) return undefined;
  const value = Math.round(Number(found[1]) * (SUFFIX[found[2]] ?? 1));
  return Number.isSafeInteger(value) ? value : undefined;
}

const POWERS = ["", "k", "m", "g", "t", "p"];

// "200 kB", "40GB" and "200G" as bytes, as `--size` reads them; null and undefined as of `readCount`.
/** @param {string} text */
export function readSize(text) {
  const plain = text.replace(/[,_ \u00a0]/g, "").toLowerCase();
  if (plain === "" || plain === "?") return null;
  const found = /^(\d+(?:\.\d+)?(?:e\d+)?)(?:([kmgtp])(?:i?b)?|b)?$/.exec(plain);
  if (!found) return undefined;
  const value = Math.round(Number(found[1]) * 1024 ** POWERS.indexOf(found[2] ?? ""));
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * @typedef {object} FiguresListener
 * @property {(edits: Edits) => void} edited
 * @property {(tables: string[], factor: number) => void} scale
 * @property {() => void} download
 */

export class FigureTable {
  /** @type {Edits[]} */ past;
  /** @type {Edits[]} */ future;
  /** @type {Edits} */ edits;
  /** @type {FigureTableData[]} */ tables;
  /** @type {string[] | undefined} */ problems;

  // on: { edited(edits), scale(tables, factor), download() }
  /** @param {FiguresListener} on */
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-statistics");
    this.past = [];
    this.future = [];
    this.edits = {};
    /** @type {Set<string>} */
    this.open = new Set();
  }

  /** @param {FigureTableData[]} tables @param {Edits | undefined} edits */
  show(tables, edits) {
    this.tables = tables;
    this.edits = edits ?? {};
    if (!this.open.size && tables.length)
      this.open.add(tables.reduce((most, t) => ((t.rowCount ?? 0) > (most.rowCount ?? 0) ? t : most)).name);
    this.draw();
  }

  // What cannot be true in these numbers, in sentences.
  /** @param {string[] | undefined} problems */
  tell(problems) {
    const before = (this.problems ?? []).join();
    this.problems = problems;
    if (before !== (problems ?? []).join()) this.draw();
  }

  get changed() {
    let n = 0;
    for (const table of Object.values(this.edits))
      for (const [key, value] of Object.entries(table))
        n +=
          key === "columns"
            ? Object.values(/** @type {Record<string, Figures>} */ (value)).reduce(
                (sum, column) => sum + Object.keys(column).length,
                0,
              )
            : 1;
    return n;
  }

  // Another state of all numbers; the one before can be had back.
  /** @param {Edits} edits */
  take(edits) {
    if (JSON.stringify(edits) === JSON.stringify(this.edits)) return; // a field that goes away tells of its change again
    this.past.push(this.edits);
    this.future = [];
    this.edits = edits;
    this.draw();
    this.on.edited(edits);
  }

  undo() {
    if (!this.past.length) return;
    this.future.push(this.edits);
    this.edits = /** @type {Edits} */ (this.past.pop());
    this.draw();
    this.on.edited(this.edits);
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(this.edits);
    this.edits = /** @type {Edits} */ (this.future.pop());
    this.draw();
    this.on.edited(this.edits);
  }

  reset() {
    if (this.changed) this.take({});
  }

  /** @param {string} table @param {string | null} column @param {string} field @param {Figure} value */
  set(table, column, field, value) {
    const edits = structuredClone(this.edits),
      given = this.#given(table, column);
    const own = (edits[table] ??= {}),
      to = /** @type {Figures} */ (column ? ((own.columns ??= {})[column] ??= {}) : own);
    if (given[field] === value) delete to[field];
    else to[field] = value;
    if (own.columns)
      for (const name of Object.keys(own.columns)) if (!Object.keys(own.columns[name]).length) delete own.columns[name];
    if (own.columns && !Object.keys(own.columns).length) delete own.columns;
    if (!Object.keys(own).length) delete edits[table];
    this.take(edits);
  }

  /** @param {string} table @param {string | null} column @param {string} field */
  now(table, column, field) {
    const own = this.edits[table],
      given = /** @type {Figures | undefined} */ (column ? own?.columns?.[column] : own);
    if (given && field in given) return given[field];
    return this.#given(table, column)[field];
  }

  // What the catalogue says of a table, or of one of its columns.
  /** @param {string} table @param {string | null} column */
  #given(table, column) {
    const base = /** @type {FigureTableData} */ (this.tables.find((t) => t.name === table));
    return /** @type {Figures} */ (column ? base.columns.find((c) => c.name === column) : base);
  }

  draw() {
    const bar = element("div", "pv-edit-bar"),
      changed = this.changed;
    const undo = button("pv-button", "Undo", "Undo (Ctrl+Z)", () => this.undo()),
      redo = button("pv-button", "Redo", "Redo (Ctrl+Y)", () => this.redo());
    const reset = button("pv-button", "Reset", "The catalogue's own numbers again", () => this.reset());
    undo.disabled = !this.past.length;
    redo.disabled = !this.future.length;
    reset.disabled = !changed;
    bar.append(
      undo,
      redo,
      reset,
      element("span", "pv-grow"),
      button("pv-button", "Download", "All tables with these numbers as a catalogue file", () => this.on.download()),
    );
    const all = element("div", "pv-edit-all"),
      known = this.tables.some((t) => this.now(t.name, null, "rowCount") != null);
    if (known) all.append(element("span", "pv-muted", "all tables"), ...this.#factors(this.tables.map((t) => t.name)));
    else all.append(element("span", "pv-muted", "as if each had"), ...this.#assumed());
    const parts = this.tables.map((table) => this.#table(table));
    const note = element(
      "p",
      "pv-small",
      changed
        ? `${changed} ${changed === 1 ? "number is" : "numbers are"} yours; the plans follow.`
        : "Change a number and the plans follow. 1.2M and 3k are read; empty means unknown.",
    );
    const wrong = (this.problems ?? []).slice(0, 4).map((words) => element("p", "pv-note", words));
    const active = /** @type {HTMLElement | null} */ (this.root.querySelector("input:focus"))?.dataset.at;
    this.root.replaceChildren(bar, note, ...wrong, all, ...parts);
    if (active) [...this.root.querySelectorAll("input")].find((input) => input.dataset.at === active)?.focus();
  }

  #assumed() {
    return ASSUMED.map(([words, rows]) =>
      button("pv-factor", words, `As if every table had ${words}, and no two rows the same key of a join`, () =>
        this.assume(rows),
      ),
    );
  }

  // As many rows for every table of which nobody knows any, with a value of its own in each for keys of joins.
  /** @param {number} rows */
  assume(rows) {
    const edits = structuredClone(this.edits);
    for (const { name, columns } of this.tables) {
      if (this.now(name, null, "rowCount") != null) continue;
      const own = (edits[name] ??= {});
      own.rowCount = rows;
      for (const column of columns)
        if (column.used.includes("join") && this.now(name, column.name, "distinctCount") == null)
          Object.assign(((own.columns ??= {})[column.name] ??= {}), { distinctCount: rows, nullCount: 0 });
    }
    this.take(edits);
  }

  /** @param {string[]} names */
  #factors(names) {
    return FACTORS.map(([words, factor]) =>
      button(
        "pv-factor",
        words,
        `Rows, bytes and keys of ${names.length === 1 ? names[0] : "all tables"} ${words}`,
        () => this.on.scale(names, factor),
      ),
    );
  }

  /** @param {FigureTableData} table */
  #table(table) {
    const box = element("details", "pv-edit-table"),
      summary = element("summary"),
      own = this.edits[table.name];
    box.open = this.open.has(table.name);
    box.addEventListener("toggle", () => (box.open ? this.open.add(table.name) : this.open.delete(table.name)));
    summary.append(quoted("b", "", table.name));
    if (table.guessed) summary.append(element("span", "pv-badge", "guessed"));
    if (own) summary.append(element("span", "pv-badge pv-estimated", "edited"));
    const fields = element("div", "pv-edit-fields");
    for (const [field, words] of TABLE) fields.append(this.#field(table.name, null, field, words));
    const factors = element("span", "pv-edit-factors");
    factors.append(...this.#factors([table.name]));
    fields.append(factors);
    box.append(summary, fields);
    if (table.columns.length) box.append(this.#columns(table));
    return box;
  }

  /** @param {FigureTableData} table */
  #columns(table) {
    const grid = element("table", "pv-edit-columns"),
      head = element("tr");
    head.append(element("th", "", "column"));
    for (const [, words] of COLUMN) head.append(element("th", "", words));
    grid.append(head);
    for (const column of table.columns) {
      const row = element("tr"),
        name = quoted("th", "", column.name);
      name.scope = "row";
      name.title = `${column.name} ${column.type}: ${column.used.join(", ")}`;
      row.append(name);
      for (const [field] of COLUMN) {
        const cell = element("td");
        cell.append(this.#input(table.name, column.name, field));
        row.append(cell);
      }
      grid.append(row);
    }
    return grid;
  }

  /** @param {string} table @param {string | null} column @param {string} field @param {string} words */
  #field(table, column, field, words) {
    const box = element("label", "pv-edit-field");
    box.append(element("span", "pv-muted", words), this.#input(table, column, field));
    return box;
  }

  /** @param {string} table @param {string | null} column @param {string} field */
  #input(table, column, field) {
    const input = element("input"),
      counted = COUNTS.has(field),
      value = this.now(table, column, field),
      given = column ? this.edits[table]?.columns?.[column] : this.edits[table];
    const exact = value == null ? "" : counted ? grouped(Number(value)) : String(value);
    const shown = column && counted && exact.length > 6 ? short(Number(value)) : exact;
    input.value = shown;
    input.placeholder = "?";
    input.dataset.at = [table, column ?? "", field].join("\0");
    input.setAttribute("aria-label", `${field} of ${column ? `${table}.${column}` : table}`);
    input.title = exact;
    // In a narrow column a number is short until somebody looks at it.
    input.addEventListener("focus", () => (input.value = exact));
    input.addEventListener("blur", () => input.value === exact && (input.value = shown));
    if (given && field in given) input.classList.add("pv-edited");
    input.addEventListener("change", () => {
      if (input.value === exact) return;
      const sized = field === "sizeInBytes";
      const next = sized ? readSize(input.value) : counted ? readCount(input.value) : read(input.value);
      if (next === undefined) {
        // The browser says it beside the box, until something else is typed.
        input.classList.add("pv-wrong");
        input.setCustomValidity(
          sized ? "Write a size as 1048576, 200 kB or 40 GB." : "Write a count as 1200000 or 1.2M.",
        );
        return void input.reportValidity();
      }
      this.set(table, column, field, next);
    });
    input.addEventListener("input", () => input.setCustomValidity(""));
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") input.dispatchEvent(new Event("change"));
      if (event.key === "Escape") {
        input.value = exact;
        input.blur();
      }
    });
    return input;
  }
}

/** @param {string} text */
function read(text) {
  if (text.trim() === "") return null;
  return /^-?\d{1,15}(\.\d+)?$/.test(text.trim()) ? Number(text) : text.trim();
}
