// The table of sample rows: each value a field, rows to be added and removed. An empty field is null.
import { button, element, quoted } from "./dom.js";

const REST = 250,
  MOST = 24; // ms of rest before rows are sent; rows that the server takes

export class SampleRows {
  /** @type {string[]} */ columns;
  /** @type {string} */ made;
  /** @type {HTMLElement} */ words;
  /** @type {HTMLElement | undefined} */ body;
  /** @type {string[][]} */ rows;
  /** @type {HTMLButtonElement} */ add;
  /** @type {HTMLButtonElement} */ reset;
  /** @type {number | undefined} */ resting;

  // on: {change(rows by column, or null for those that were made up)}
  /** @param {{ change: (rows: Record<string, string[]> | null) => void }} on */
  constructor(on) {
    this.on = on;
    this.root = element("section", "pv-sample-rows");
  }

  destroy() {
    clearTimeout(this.resting);
  }

  // `same` keeps the fields: what somebody types in is not taken from under their hands.
  /** @param {SampleTable} given @param {boolean} edited @param {boolean} same */
  show({ why, columns, texts, made }, edited, same) {
    this.columns = columns;
    this.made = made;
    if (same && this.body) return this.#words(edited);
    this.words = element("p", "pv-muted");
    this.root.replaceChildren(element("h4", "", "Sample rows"), this.words);
    this.body = undefined;
    this.rows = [];
    if (why || !columns.length) return void (this.words.textContent = why || `${made}.`);
    this.rows = texts.map((row) => [...row]);
    const table = element("table"),
      top = element("thead"),
      head = element("tr");
    for (const name of columns) {
      const cell = quoted("th", "", name);
      cell.scope = "col";
      head.append(cell);
    }
    head.append(element("td"));
    top.append(head);
    table.append(element("caption", "pv-spoken", "Sample rows, to be edited"), top, (this.body = element("tbody")));
    this.add = button("pv-button", "Add a row", "", () => this.#add());
    this.reset = button("pv-button", "As they were", "The rows that were made up", () => this.on.change(null));
    const scroll = element("div", "pv-scroll"),
      acts = element("div", "pv-sample-acts");
    scroll.append(table);
    acts.append(this.add, this.reset);
    this.root.append(scroll, acts);
    this.#draw();
    this.#words(edited);
  }

  /** @param {boolean} edited */
  #words(edited) {
    this.words.textContent = edited
      ? "Edited. Empty is null."
      : `${this.made}; edit them, add or remove some. Empty is null.`;
    this.reset.hidden = !edited;
  }

  #draw() {
    this.body?.replaceChildren(
      ...this.rows.map((row, at) => {
        const line = element("tr");
        row.forEach((text, column) => line.append(this.#cell(at, column, text)));
        const last = element("td");
        last.append(button("pv-row-gone", "×", `Remove row ${at + 1}`, () => this.#remove(at)));
        line.append(last);
        return line;
      }),
    );
    this.add.disabled = this.rows.length >= MOST;
  }

  /** @param {number} at @param {number} column @param {string} text */
  #cell(at, column, text) {
    const cell = element("td"),
      field = element("input");
    field.value = text;
    field.placeholder = "null";
    field.spellcheck = false;
    field.size = Math.min(24, Math.max(6, text.length + 1));
    field.setAttribute("aria-label", `Row ${at + 1}, ${this.columns[column]}`);
    field.addEventListener("input", () => {
      this.rows[at][column] = field.value;
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.#tell(), REST);
    });
    cell.append(field);
    return cell;
  }

  #add() {
    this.rows.push([...(this.rows.at(-1) ?? this.columns.map(() => ""))]);
    this.#draw();
    this.body?.lastElementChild?.querySelector("input")?.focus();
    this.#tell();
  }

  /** @param {number} at */
  #remove(at) {
    this.rows.splice(at, 1);
    this.#draw();
    this.#tell();
  }

  #tell() {
    clearTimeout(this.resting);
    this.on.change(Object.fromEntries(this.columns.map((name, column) => [name, this.rows.map((row) => row[column])])));
  }
}
