// The table of a document's aggregates, where there are several.
import { button, element } from "./dom.js";
import { termed } from "./glossary.js";

const COLUMNS = ["#", "functions", "keys", "stages", "shuffles", "operators"];

export class AggregateTable {
  // on: {select(number from 1)}
  /** @param {AggregateRow[]} rows @param {{ select: (number: number) => void }} on */
  constructor(rows, on) {
    this.root = element("div", "pv-agg-rows");
    this.root.hidden = rows.length < 2;
    const table = element("table"),
      top = element("thead"),
      head = element("tr"),
      body = element("tbody");
    for (const name of COLUMNS) {
      const cell = termed(element("th", "", name));
      cell.scope = "col";
      head.append(cell);
    }
    this.rows = rows.map((row) => line(row, on));
    top.append(head);
    body.append(...this.rows);
    table.append(element("caption", "pv-spoken", "Aggregates"), top, body);
    this.root.append(table);
  }

  /** @param {number} number */
  select(number) {
    this.rows.forEach((row, at) => {
      const on = at === number - 1;
      row.toggleAttribute("aria-selected", false);
      if (on) row.setAttribute("aria-selected", "true");
      row.querySelector("button")?.setAttribute("aria-current", String(on));
    });
    this.rows[number - 1]?.scrollIntoView({ block: "nearest" });
  }
}

/** @param {AggregateRow} given @param {{ select: (number: number) => void }} on */
function line({ number, functions, keys, stages, shuffles, operators }, on) {
  const made = element("tr"),
    first = element("td", "pv-agg-number");
  first.append(button("", String(number), `Aggregate ${number}: ${functions}`, () => on.select(number)));
  made.append(first);
  /** @type {[text: string | number, className: string][]} */
  const cells = [
    [functions, "pv-agg-code"],
    [keys, "pv-agg-code"],
    [stages, ""],
    [shuffles, ""],
    [operators, ""],
  ];
  for (const [text, className] of cells) {
    const cell = element("td", className, String(text));
    cell.title = String(text);
    made.append(cell);
  }
  made.addEventListener("click", () => on.select(number));
  return made;
}
