// The card of one estimate: the number, how it was estimated, what it takes for granted, where the statistics are from.
import { element } from "./dom.js";
import { bytes, change, count, error, errorWords } from "./figures.js";

/** @type {Record<string, string | undefined>} */
const LABELS = {
  estimated: "estimated",
  measured: "measured",
  unknown: "unknown",
  fitted: "fitted to the plan",
  slide: "slide",
  spark: "estimated by Spark",
};

/** @param {string} kind */
export function label(kind) {
  return element("span", `pv-badge pv-label-${kind}`, LABELS[kind] ?? kind);
}

// told: { title, sub, card, rows, bytes, other: { title, rows, bytes } or null }
/** @param {EstimateTold} told */
export function formulaCard(told) {
  const { card } = told;
  /** @type {HTMLElement[]} */
  const parts = [head(told)];
  parts.push(figures(told));
  if (card.formula)
    parts.push(section(card.rows == null ? "How many bytes" : "How many rows", calculated(card.formula, card.inputs)));
  if (card.steps?.length) parts.push(section(card.steps_are ?? "Step by step", steps(card.steps)));
  if (card.size) parts.push(section("How many bytes", calculated(card.size, card.size_inputs)));
  if (card.assumes?.length) parts.push(section("Taken for granted", list(card.assumes)));
  if (card.columns?.length) parts.push(section("Columns before and after", columns(card.columns)));
  if (card.sources?.length) parts.push(section("Where the statistics come from", list(card.sources)));
  return parts;
}

/** @param {string} title @param {...Node} content */
function section(title, ...content) {
  const box = element("section", "pv-section");
  box.append(element("h4", "", title), ...content);
  return box;
}

/** @param {EstimateTold} given */
function head({ title, sub }) {
  const box = element("div", "pv-card-head");
  box.append(element("h3", "", title));
  for (const [lead, text] of sub ?? []) {
    const line = element("p", "pv-card-sub");
    if (lead) line.append(element("span", "pv-muted", `${lead} `));
    line.append(text);
    box.append(line);
  }
  return box;
}

/** @param {EstimateTold} given */
function figures({ card, rows, bytes: size, other }) {
  const table = element("table", "pv-figures"),
    compared = Boolean(other);
  /**
   * @param {string} name
   * @param {number | null | undefined} value
   * @param {string | number | null | undefined} exact
   * @param {number | null | undefined} from
   * @param {(value: number | null | undefined) => string} say
   * @param {string} kind
   */
  const line = (name, value, exact, from, say, kind) => {
    const row = element("tr"),
      cell = element("td", "pv-figure", value == null ? "?" : say(value));
    if (exact) cell.title = String(exact);
    row.append(element("th", "", name), cell);
    if (compared)
      row.append(
        element("td", "pv-muted", from == null ? "" : `from ${say(from)}`),
        element("td", "pv-by", change(from, value)),
      );
    const tag = element("td", "pv-figure-label");
    tag.append(label(kind));
    row.append(tag);
    table.append(row);
  };
  const kind = card.label === "estimated by Spark" ? "spark" : card.label;
  line("rows", rows, card.rows, other?.rows, count, kind);
  if (card.imagined != null) line("if CBO", card.imagined, null, null, count, "estimated");
  if (card.most != null) line("at most", card.most, null, null, count, "estimated");
  line(
    "size",
    size,
    card.bytes && `${card.bytes} bytes`,
    other?.bytes,
    bytes,
    card.size_label ?? (card.label === "unknown" && size != null ? "estimated" : kind),
  );
  if (card.measured != null) {
    line("measured", card.measured, null, null, count, "measured");
    const found = error(rows ?? card.imagined, card.measured);
    const row = element("tr");
    row.append(
      element("th", "", "error"),
      element("td", `pv-figure pv-${found?.side ?? ""}`, errorWords(found) || "unknown"),
    );
    table.append(row);
  }
  const box = element("div", "pv-figures-box");
  box.append(table);
  if (card.imagined != null)
    box.append(
      element(
        "p",
        "pv-small",
        "Without its cost-based optimizer Spark calculates bytes alone. The rows in brackets are what its formulas would give for this plan.",
      ),
    );
  if (card.most != null)
    box.append(
      element(
        "p",
        "pv-small",
        "Spark has no formula for these rows. No more can come out than follow from what is known beneath.",
      ),
    );
  return box;
}

/** @param {Calculated} given @param {Line[] | undefined} inputs */
function calculated({ name, text, spark, calculation }, inputs) {
  const box = element("div", "pv-estimated");
  if (name) box.append(element("p", "", name));
  if (text) box.append(element("code", "pv-formula", text));
  if (calculation && calculation !== text) box.append(element("code", "pv-formula pv-put-in", calculation));
  if (inputs?.length) {
    const table = element("table", "pv-inputs");
    for (const [what, value] of inputs) {
      const row = element("tr");
      row.append(element("th", "", what), element("td", "", value));
      table.append(row);
    }
    box.append(table);
  }
  if (spark) box.append(element("span", "pv-small", spark));
  return box;
}

/** @param {EstimateStep[]} all */
function steps(all) {
  const list = element("ul", "pv-steps");
  for (const { about, value, name, calculation, parts } of all) {
    const item = element("li"),
      top = element("div", "pv-step");
    top.append(element("code", "", about || "the whole"), element("b", "", value));
    item.append(top);
    if (calculation || name)
      item.append(
        element("span", "pv-small", [calculation, calculation === name ? "" : name].filter(Boolean).join(" · ")),
      );
    if (parts?.length) item.append(steps(parts));
    list.append(item);
  }
  return list;
}

/** @param {Line[]} entries */
function list(entries) {
  const box = element("dl", "pv-granted");
  for (const [name, text] of entries) box.append(element("dt", "", name), element("dd", "", text));
  return box;
}

/** @param {NonNullable<EstimateCard["columns"]>} all */
function columns(all) {
  const table = element("table", "pv-inputs pv-columns"),
    head = element("tr");
  for (const name of ["column", "statistic", "before", "after"]) head.append(element("th", "", name));
  table.append(head);
  for (const { name, changes } of all) {
    changes.forEach(([what, before, after], at) => {
      const row = element("tr");
      row.append(
        element("th", "", at ? "" : name),
        element("td", "pv-muted", what),
        element("td", "", before),
        element("td", "", after),
      );
      table.append(row);
    });
  }
  return table;
}
