// The stages of an aggregate as cards in one grid, so that their parts stand in lines, with exchanges between them.
// `flow` is planviz/document/rows/stage_cards.py's Flow as JSON; every text reaches the page as text.
import { element, quoted } from "./dom.js";
import { termed } from "./glossary.js";

const WIDTHS = { input: "minmax(148px, 250px)", expand: "minmax(148px, 250px)", stage: "minmax(172px, 330px)" };
const STEP = "minmax(40px, 48px)",
  SHUFFLE = "minmax(92px, 132px)";
const ROWS = 7; // header, five parts, sample rows

/** @param {StageFlow} given */
export function stageCards({ cards, between }) {
  const flow = element("div", "pv-flow"),
    columns = /** @type {string[]} */ ([]);
  cards.forEach((told, at) => {
    if (at) {
      columns.push(between[at - 1].name ? SHUFFLE : STEP);
      flow.append(betweenCards(between[at - 1]));
    }
    columns.push(WIDTHS[told.kind]);
    flow.append(card(told));
  });
  flow.style.gridTemplateColumns = columns.join(" ");
  flow.tabIndex = 0;
  flow.setAttribute("role", "region");
  flow.setAttribute("aria-label", "Stages");
  return flow;
}

/** @param {StageCard} given */
function card({ kind, number, title, about, parts, rows }) {
  const made = element("section", kind === "stage" ? "pv-card" : "pv-card pv-input"),
    head = element("header"),
    name = (kind === "stage" ? quoted : element)("h3"); // an operator's name is Spark's
  if (number) name.append(element("span", "pv-card-number", String(number)));
  name.append(title);
  head.append(name, element("p", "", about));
  // A card with fewer parts than others: its first one takes their room.
  const shown = parts.map((told) => part(told)),
    missing = ROWS - 2 - shown.length;
  if (missing > 0) shown[0].style.gridRow = `span ${missing + 1}`;
  made.append(head, ...shown, sample(rows));
  return made;
}

/** @param {CardPart} given */
function part({ title, items, questions, outcome, figures, quiet, small, is_many }) {
  const made = element("div", "pv-part");
  made.append(termed(element("h4", "", title)));
  if (items.length) {
    const list = element("ul", is_many ? "pv-list pv-many" : "pv-list");
    list.append(...items.map(named));
    made.append(list);
  }
  if (questions.length) {
    const path = element("ol", "pv-path");
    path.append(...questions.map(asked));
    made.append(path);
  }
  if (outcome) made.append(element("b", "pv-outcome", outcome));
  if (figures) made.append(element("b", "pv-figures", figures));
  if (quiet) made.append(element("span", "pv-muted", quiet));
  made.append(...small.map((line) => element("small", "", line)));
  return made;
}

/** @param {CardItem} given */
function named({ text, aside, tone }) {
  const item = element("li", tone === "fixed" ? "pv-buffer pv-fixed" : tone === "mutable" ? "pv-buffer" : "");
  item.append(element("code", "", text));
  if (aside) item.append(" ", tone === "mode" ? element("i", "pv-mode", aside) : quoted("i", "", aside));
  return item;
}

/** @param {CardQuestion} given */
function asked({ text, answer, seen, ruled_out: ruledOut }) {
  const item = element("li", answer ? "" : "pv-unasked");
  item.append(element("span", "", text));
  if (answer) item.append(" ", element("b", "", answer));
  if (seen) item.append(element("small", "", seen));
  if (ruledOut) item.append(element("em", "", `not ${ruledOut}`));
  return item;
}

/** @param {CardRows | null} rows */
function sample(rows) {
  const made = element("div", "pv-part pv-sample");
  if (!rows) return made;
  const scroll = element("div", "pv-scroll"),
    table = element("table"),
    top = element("thead"),
    head = element("tr"),
    body = element("tbody");
  for (const [name, type] of rows.columns) {
    const cell = quoted("th", "", name);
    cell.scope = "col";
    cell.title = type;
    head.append(cell);
  }
  const wide = (/** @type {HTMLTableCellElement} */ cell) => {
    cell.colSpan = Math.max(1, rows.columns.length);
    return cell;
  };
  for (const [name, cells, told] of rows.partitions) {
    const where = element("tr", "pv-where"),
      label = wide(element("th", "", name));
    label.scope = "rowgroup";
    where.append(label);
    body.append(where);
    for (const row of cells) {
      const line = element("tr");
      line.append(...row.map((value) => (value === null ? quoted("td", "pv-null", "null") : quoted("td", "", value))));
      body.append(line);
    }
    if (told) {
      const line = element("tr");
      line.append(wide(element("td", "pv-null", told)));
      body.append(line);
    }
  }
  top.append(head);
  table.append(top, body);
  scroll.append(table);
  made.append(element("h4", "", rows.caption), scroll);
  return made;
}

/** @param {StageFlow["between"][number]} given */
function betweenCards({ name, lines, sorts }) {
  const made = element("div", name ? "pv-between pv-exchange" : "pv-between");
  if (name) made.append(termed(element("b", "", name)));
  made.append(...lines.map((line) => element("span", "", line)));
  if (sorts) made.append(element("span", "pv-sort", "Sort by the keys"));
  return made;
}
