// The side of the Cardinality page while nothing is selected: where most rows are, where estimates go wrong, a run beside.
import { button, element } from "./dom.js";
import { atMost, count, error, errorWords, expected, marked } from "./figures.js";
import { beyond, grouped } from "./units.js";

const FACTORS = [2, 10, 100];

// Rows in words, so that estimated ones never look measured.
/** @param {EstimatedPlan} side @param {number | null | undefined} rows */
function told(side, rows) {
  return marked(count(rows), side.scene.rows_are !== "measured");
}

/** @param {Estimated} answer */
export function isMeasured(answer) {
  return answer.sides.some((side) => side.cards.some((card) => card.measured != null));
}

// The rows of all joins together, in both plans: what the order of joins is worth.
/** @param {Estimated} given */
export function verdict({ sides }) {
  const sums = sides.map((side) => joins(side).reduce((sum, i) => sum + (expected(side, i).value ?? 0), 0));
  if (sums.every((rows) => !rows)) return [];
  if (sums.every(beyond)) return [element("span", "pv-muted", "rows out of all joins: no usable estimate")];
  const said = sums.map((rows, at) => told(sides[at], rows)),
    equal = said.length > 1 && said[0] === said[1];
  return [
    element("span", "pv-muted", "rows out of all joins "),
    element("b", "", equal ? said[0] : said.join(" → ")),
    ...(equal ? [element("span", "pv-muted", " in both")] : []),
  ];
}

/** @param {EstimatedPlan} given */
function joins({ scene }) {
  return [...scene.nodes.kind.keys()].filter((i) => scene.kinds[scene.nodes.kind[i]] === "join");
}

// Where rows come from in a plan without joins: operators that do not only pass on what they read.
/** @param {EstimatedPlan} given @param {(node: number) => number | null | undefined} value */
function sources({ scene: { nodes } }, value) {
  const passing = new Set(nodes.parent.filter((above, i) => above >= 0 && value(i) === value(above)));
  return [...nodes.parent.keys()].filter((i) => !passing.has(i));
}

/**
 * @typedef {object} OverviewListener
 * @property {(side: number, node: number) => void} select
 * @property {(times: number) => void} factor
 * @property {(text: string) => void} give
 * @property {() => void} take
 *
 * @typedef {{ theme: Theme; mode: Mode; editable: boolean; asked: EstimatesAsked }} OverviewMore
 */

// on: { select(side, node), factor(times), give(text), take() }; more: { theme, mode, editable, asked }
/** @param {Estimated} answer @param {OverviewMore} more @param {OverviewListener} on */
export function overview(answer, more, on) {
  const { sides, divergence } = answer,
    parts = /** @type {HTMLElement[]} */ ([element("h3", "", sides.map(({ title }) => title).join(" beside "))]);
  parts.push(
    element(
      "p",
      "pv-small",
      "Click a card or a number: how it was calculated, from what, and what it takes for granted.",
    ),
  );
  if (isMeasured(answer)) parts.push(first(sides, divergence, more.asked.factor ?? 10, on));
  sides.forEach((side, at) => parts.push(most(side, sides.length > 1, more, (i) => on.select(at, i))));
  if (sides.some(({ imagined }) => imagined))
    parts.push(
      element(
        "p",
        "pv-small",
        "In brackets: with CBO off Spark calculates bytes alone; these rows are what its formulas would give for this plan.",
      ),
    );
  if (sides.some((side) => side.cards.some((_, i) => atMost(side, i) != null)))
    parts.push(
      element(
        "p",
        "pv-small",
        "With ≤: Spark has no formula for these rows, and no more can come out than follow from what is known beneath.",
      ),
    );
  for (const note of answer.notes ?? []) parts.push(element("p", "pv-note", note));
  if (sides.every(({ scene }) => scene.rows_are !== "measured")) parts.push(run(isMeasured(answer), more.asked, on));
  return parts;
}

/**
 * @param {EstimatedPlan[]} sides
 * @param {Estimated["divergence"]} found
 * @param {number} factor
 * @param {OverviewListener} on
 */
function first(sides, found, factor, on) {
  const box = element("section", "pv-section pv-first"),
    pick = element("div", "pv-segment");
  box.append(element("h4", "", "First divergence"));
  if (found) {
    const { scene, cards } = sides[found.side],
      i = found.node,
      wrong = error(expected(sides[found.side], i).value, cards[i].measured);
    const go = button("pv-neighbour", "", "", () => on.select(found.side, i));
    go.append(element("span", "pv-name", scene.nodes.title[i]), element("b", `pv-${wrong?.side}`, errorWords(wrong)));
    box.append(
      go,
      element(
        "p",
        "pv-small",
        `The deepest operator that is off by ${factor}× or more, with what feeds it still right: what is above inherits from it.`,
      ),
    );
  } else box.append(element("p", "pv-small", `No operator is off by ${factor}× or more.`));
  for (const times of FACTORS) {
    const one = button("", `${times}×`, `Off by ${times} times or more`, () => on.factor(times));
    one.setAttribute("aria-pressed", String(times === factor));
    pick.append(one);
  }
  box.append(pick);
  return box;
}

/**
 * @param {EstimatedPlan} side
 * @param {boolean} several
 * @param {OverviewMore} given
 * @param {(node: number) => void} select
 */
function most(side, several, { theme, mode, editable }, select) {
  const { nodes, kinds } = side.scene,
    box = element("section", "pv-section"),
    list = element("div", "pv-neighbours");
  box.append(element("h4", "", several ? `Most rows, ${side.title}` : "Most rows"), list);
  const value = (/** @type {number} */ i) => expected(side, i).value,
    some = joins(side).length ? joins(side) : sources(side, value);
  // Without statistics little more than a global aggregate's one row is known: that of other operators then.
  const telling = some.filter((i) => value(i) != null),
    all = telling.length ? telling : [...nodes.rows.keys()].filter((i) => value(i) != null);
  const vast = all.filter((i) => beyond(value(i) ?? 0)).length;
  const top = all
    .filter((i) => !beyond(value(i) ?? 0))
    .sort((a, b) => Number(value(b)) - Number(value(a)))
    .slice(0, 6);
  for (const i of top) {
    const go = button("pv-neighbour", "", "", () => select(i)),
      { value: rows, imagined } = expected(side, i),
      dot = element("span", "pv-swatch");
    dot.style.background = theme.kinds[kinds[nodes.kind[i]]][mode];
    go.append(
      element("span", "pv-number", imagined ? `(${told(side, rows)})` : told(side, rows)),
      dot,
      element("span", "pv-name", `${nodes.title[i]} ${nodes.sub?.[i]?.[0]?.join(" ") ?? ""}`),
    );
    list.append(go);
  }
  if (vast)
    box.append(
      element(
        "p",
        "pv-small",
        `Left out: ${vast === 1 ? "one operator" : `${grouped(vast)} operators`} with more than 10¹⁵ rows, an estimate that says nothing of what will come.`,
      ),
    );
  if (!all.length)
    list.append(
      element(
        "p",
        "pv-small",
        editable
          ? "No rows are known: the tables have no statistics. Put numbers into Statistics, and the plans follow."
          : "No rows are known.",
      ),
    );
  else if (!telling.length && editable)
    box.append(
      element(
        "p",
        "pv-small",
        "No more is known: the tables have no statistics. Put numbers into Statistics, and the plans follow.",
      ),
    );
  return box;
}

// A run of the query beside its estimates: its event log or REST answer goes the way of every pasted text.
/** @param {boolean} measured @param {EstimatesAsked} asked @param {OverviewListener} on */
function run(measured, asked, on) {
  const box = element("section", "pv-section");
  box.append(element("h4", "", measured ? "Measured rows" : "Beside a run"));
  if (measured) {
    box.append(element("p", "pv-small", "The numbers after → were measured in the run that you gave."));
    if (asked.measured) box.append(button("pv-button", "Take them away", "", on.take));
    return box;
  }
  const area = element("textarea", "pv-run");
  area.rows = 2;
  area.placeholder = "Paste the event log or Spark's REST answer of its run";
  area.setAttribute("aria-label", "A run's event log or REST answer");
  /** @type {number | undefined} */
  let waiting;
  // A paste of many lines may tell of each of them.
  area.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => area.isConnected && on.give(area.value), 200);
  });
  area.addEventListener("drop", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const file = event.dataTransfer?.files[0];
    on.give(file ? await file.text() : (event.dataTransfer?.getData("text") ?? ""));
  });
  box.append(
    area,
    element(
      "p",
      "pv-small",
      "Its measured rows then stand beside the expected ones: orange where Spark expected too few, blue where too many.",
    ),
  );
  return box;
}
