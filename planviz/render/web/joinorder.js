// The search for the cheapest order: a row per set of relations, level by level, the winner's way lit.
import { button, element } from "./dom.js";
import { bytes, count } from "./figures.js";

const FEW = 12; // sets of a level shown before "show all"

/** @param {OrderAnswer} told */
export function joinOrder(told) {
  const parts = told.searches.map((search, at) => one(search, at, told.searches.length));
  if (told.refused.length) {
    const box = element("section", "pv-order");
    box.append(
      element("h3", "", parts.length ? "Groups of joins left as they are" : "The joins stay in the order of the query"),
    );
    for (const words of told.refused) box.append(element("p", "", words));
    parts.push(box);
  }
  if (!parts.length) parts.push(element("p", "pv-muted", "There is no group of inner joins to order."));
  return parts;
}

/** @param {OrderSearch} search @param {number} at @param {number} of */
function one(search, at, of) {
  const box = element("section", "pv-order"),
    names = search.relations.map(({ name }) => name);
  const title =
    of > 1
      ? `Group ${at + 1}: ${names.length} relations`
      : `${names.length} relations, ${search.candidates.toLocaleString("en")} candidates`;
  box.append(
    element("h3", "", title),
    element(
      "p",
      "pv-small",
      `cost = (rows ratio)^${search.weight} × (bytes ratio)^${Number((1 - search.weight).toFixed(4))}, over all results in between; the relations and the last join are the same in every order.`,
    ),
  );
  box.append(relations(search));
  if (search.chosen != null) box.append(chosen(search, names));
  for (const level of search.levels) box.append(oneLevel(level, names));
  return box;
}

/** @param {OrderSearch} search */
function relations(search) {
  const list = element("ol", "pv-relations");
  search.relations.forEach(({ name, rows, bytes: size }) => {
    const item = element("li");
    item.append(element("b", "", name), element("span", "pv-muted", `${count(rows)} rows · ${bytes(size)}`));
    list.append(item);
  });
  return list;
}

/** @param {OrderSearch} search @param {string[]} names */
function chosen(search, names) {
  const line = element("p", "pv-chosen");
  line.append(element("span", "pv-muted", "Chosen "), element("b", "", written(search.chosen ?? [], names)));
  if (search.cost)
    line.append(
      element("span", "pv-muted", ` · cost ${count(search.cost[0])} rows, ${bytes(search.cost[1])} in between`),
    );
  return line;
}

/**
 * @param {JoinOrder} order
 * @param {string[]} names
 * @returns {string}
 */
function written(order, names, outer = true) {
  if (typeof order === "number") return names[order];
  const words = order.map((part) => written(part, names, false)).join(" ⋈ ");
  return outer ? words : `(${words})`;
}

/** @param {OrderLevel} given @param {string[]} names */
function oneLevel({ level, candidates, sets }, names) {
  const box = element("details", "pv-level"),
    summary = element("summary"),
    lit = sets.filter((set) => set.chosen).length;
  box.open = level <= 1 || lit > 0;
  summary.append(
    element("b", "", `Level ${level}`),
    element("span", "pv-muted", `${level + 1} relations · ${sets.length} sets kept of ${candidates} candidates`),
  );
  const table = element("table", "pv-order-table"),
    head = element("tr");
  for (const words of ["set", "best plan", "rows in between", "bytes", "candidates"])
    head.append(element("th", "", words));
  table.append(head);
  const fill = (/** @type {boolean} */ all) => {
    for (const set of all ? sets.slice(FEW) : sets.slice(0, FEW)) table.append(...rows(set, names));
  };
  fill(false);
  box.append(summary, table);
  if (sets.length > FEW) {
    const more = button("pv-more", `show all ${sets.length} sets`, "", () => {
      fill(true);
      more.remove();
    });
    box.append(more);
  }
  return box;
}

/** @param {OrderSet} set @param {string[]} names */
function rows(set, names) {
  const said = (/** @type {number[]} */ some) => some.map((i) => names[i]).join(", "),
    pair = (/** @type {Candidate} */ [left, right]) => `${group(left, names)} ⋈ ${group(right, names)}`;
  const [best, ...others] = set.candidates,
    row = element("tr", set.chosen ? "pv-lit" : "");
  const opener = others.length
    ? button("pv-link", set.count === 2 ? "1 dropped" : `${set.count - 1} dropped`, "Show what it beat", () => toggle())
    : element("span", "pv-muted", "the only one");
  const cells = [
    element("td", "pv-set", said(set.set)),
    element("td", "pv-best", pair(best)),
    element("td", "pv-number-cell", count(best[2])),
    element("td", "pv-number-cell", bytes(best[3])),
    element("td"),
  ];
  cells[4].append(opener);
  row.append(...cells);
  const dropped = others.map((candidate) => {
    const line = element("tr", "pv-dropped-plan"),
      times = candidate[4];
    line.hidden = true;
    line.append(
      element("td"),
      element("td", "", pair(candidate)),
      element("td", "pv-number-cell", count(candidate[2])),
      element("td", "pv-number-cell", bytes(candidate[3])),
      element(
        "td",
        "pv-muted",
        times == null ? "" : times > 1e6 ? "far more" : `cost ×${Number(times.toPrecision(3))}`,
      ),
    );
    return line;
  });
  const toggle = () => dropped.forEach((line) => (line.hidden = !line.hidden));
  return [row, ...dropped];
}

/** @param {number[]} some @param {string[]} names */
function group(some, names) {
  return some.length === 1 ? names[some[0]] : `(${some.map((i) => names[i]).join(", ")})`;
}
