// The documents' slide examples: the slide's own numbers beside what planviz estimates, each with its label.
import { element } from "./dom.js";
import { count } from "./figures.js";
import { label } from "./formula.js";

/** @param {SlideLink[]} slides @param {Estimated} answer */
export function slideView(slides, answer) {
  const list = element("nav", "pv-slide-list");
  list.setAttribute("aria-label", "Slide examples");
  for (const { title, about, href, open } of slides) {
    const link = element("a", "pv-slide-link");
    link.href = href;
    link.target = "_self";
    if (open) link.setAttribute("aria-current", "page");
    link.append(element("b", "", title), element("span", "pv-muted", about));
    list.append(link);
  }
  return answer.slide
    ? [list, one({ slide: answer.slide, sides: answer.sides })]
    : [
        list,
        element(
          "p",
          "pv-muted",
          "Worked examples of the documents: open one to see its numbers beside those of planviz.",
        ),
      ];
}

/** @param {{ slide: SlideAnswer; sides: EstimatedPlan[] }} given */
function one({ slide, sides }) {
  const box = element("section", "pv-slide"),
    table = element("table", "pv-order-table"),
    head = element("tr");
  box.append(element("h3", "", slide.title), element("p", "pv-small", slide.about));
  for (const fact of slide.facts) box.append(element("p", "pv-change-line", fact));
  head.append(element("th", "", "rows of"));
  for (const [words, kind] of [
    ["without CBO", "slide"],
    ["with CBO", "slide"],
    ...sides.map(({ title }) => [title, "estimated"]),
  ]) {
    const cell = element("th", "", `${words} `);
    cell.append(label(kind));
    head.append(cell);
  }
  table.append(head);
  for (const [what, off, on, ours, guessed] of slide.rows) {
    const row = element("tr"),
      name = element("td", "", guessed ? `${what} *` : what);
    row.append(
      name,
      ...[off, on].map((rows) => cell(rows, "")),
      ...ours.map((rows, at) => cell(rows, "≈", sides[at].imagined)),
    );
    table.append(row);
  }
  const joins = element("tr");
  joins.append(
    element("td", "", "joins, from the top"),
    ...slide.joins.map((names) => element("td", "", counted(names))),
  );
  table.append(joins);
  box.append(table);
  if (slide.rows.some(([, , , , guessed]) => guessed))
    box.append(
      element(
        "p",
        "pv-small",
        "* Where this number stands in the slide's picture is a guess: the text of the slide has lost its form.",
      ),
    );
  for (const note of slide.notes) box.append(element("p", "pv-small", note));
  box.append(
    element(
      "p",
      "pv-small",
      "A dash: the slide shows none, or the plan has no such join. Slides were measured on Spark 2.2 with 1 TB; planviz calculates with statistics of that size and even spread of values.",
    ),
  );
  return box;
}

/** @param {number | null} rows @param {string} about @param {boolean} [imagined] */
function cell(rows, about, imagined) {
  const words = rows == null ? "–" : about + count(rows);
  const made = element("td", rows == null ? "pv-muted" : "", imagined && rows != null ? `(${words})` : words);
  if (rows != null) made.title = rows.toLocaleString("en");
  return made;
}

// "Broadcast Hash Join ×3, Sort Merge Join"
/** @param {string[]} names */
function counted(names) {
  const times = new Map();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].map(([name, many]) => (many > 1 ? `${name} ×${many}` : name)).join(", ") || "–";
}
