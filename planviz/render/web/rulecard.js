// The card of a rule: what it does and when it must not, what this step did, the plan without it.
import { button, element, told } from "./dom.js";
import { termed } from "./glossary.js";
import { unified } from "./textdiff.js";
import { duration } from "./units.js";

const MOST_ROWS = 160,
  MOST_CHARACTERS = 1_500,
  MOST_CHANGES = 40;

/**
 * @typedef {object} RuleListener
 * @property {(slot: Slot) => void} select
 * @property {(rule: string) => void} off
 * @property {(line: number) => void} source
 * @property {(rule: string) => void} why
 */

export class RuleCard {
  /** @type {RulesData} */ extra;
  /** @type {Steps} */ steps;
  /** @type {number} */ k;
  /** @type {HTMLElement} */ node;
  /** @type {string} */ asked;

  // on: {select(slot), off(rule), source(line), why(rule)}
  /** @param {RuleListener} on */
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-panel-body pv-rule");
  }

  /** @param {Steps} steps @param {number} k @param {RulesData} extra */
  show(steps, k, extra) {
    this.extra = extra;
    const step = steps.steps[k],
      about = extra.cards?.[step.rule];
    /** @type {HTMLElement[]} */
    const parts = [element("h3", "", step.rule)];
    if (about) parts.push(...this.#about(about));
    if (!extra.comparing) parts.push(...this.#beside(steps, k), ...this.#explained(steps, k), this.#facts(steps, k));
    parts.push(this.#step(steps, k, extra), this.#node(), ...this.#without(step, extra), ...this.#silent(extra));
    const same = this.steps === steps && this.k === k,
      held = /** @type {ShadowRoot} */ (this.root.getRootNode()).activeElement?.className;
    this.root.replaceChildren(...parts);
    Object.assign(this, { steps, k });
    // With the frame: here it would make the browser lay out twice.
    if (!same) requestAnimationFrame(() => (this.root.scrollTop = 0));
    else if (held === "pv-select")
      /** @type {HTMLElement | null} */ (this.root.querySelector(".pv-select"))?.focus({ preventScroll: true });
  }

  /** @param {RuleWords} given */
  #about({ what, algebra, unsafe, example, document }) {
    const parts = [];
    if (what) parts.push(worded("pv-rule-what", what));
    for (const line of algebra ?? []) parts.push(element("code", "pv-line pv-algebra", line));
    for (const line of unsafe ?? []) parts.push(worded("pv-rule-unsafe", line));
    if (example) parts.push(element("pre", "pv-pre", example));
    if (document) parts.push(element("p", "pv-muted", document));
    return parts;
  }

  // Why the rule did that: its logic with the branch taken, what it saw, and rows where they are known.
  /** @param {Steps} steps @param {number} k */
  #explained(steps, k) {
    return (steps.data.explained?.[k] ?? []).map(({ rule, node, logic, seen, reason, rows }) => {
      const box = element("section", "pv-section pv-why"),
        code = element("ol", "pv-logic"),
        list = element("ul", "pv-seen");
      code.setAttribute("aria-label", `The logic of ${rule}`);
      for (const [text, taken] of logic) {
        const line = element("li", taken ? "pv-taken" : "", text.trimStart());
        line.style.paddingLeft = `${18 + 7 * (text.length - text.trimStart().length)}px`;
        if (taken) line.prepend(element("span", "pv-spoken", "taken: "));
        code.append(line);
      }
      for (const [what, gave] of seen) {
        const item = element("li");
        item.append(element("code", "", what), " ", gave);
        list.append(item);
      }
      box.append(
        element("h4", "", "Why"),
        ...(rule === steps.steps[k].rule ? [] : [element("p", "pv-muted", `Its part ${rule}, at`)]),
        element("code", "pv-line", node),
      );
      if (seen.length) box.append(list);
      box.append(
        element("p", "", reason),
        ...(rows ? [tableOf(rows)] : []),
        element("p", "pv-muted", "The rule's logic, in our words"),
        code,
      );
      return box;
    });
  }

  // Of Spark's own log: whether planviz takes the same step, and in which lines the plans after it differ.
  /** @param {Steps} steps @param {number} k */
  #beside(steps, k) {
    const found = steps.data.beside?.[k];
    if (!found) return [];
    const box = element("section", "pv-section pv-beside");
    box.append(element("h4", "", "planviz"), element("p", "", found.words));
    if (found.lines.length) box.append(element("pre", "pv-pre", found.lines.join("\n")));
    return [box];
  }

  /** @param {Steps} steps @param {number} k */
  #facts(steps, k) {
    const step = steps.steps[k],
      facts = element("dl"),
      add = (/** @type {string} */ name, /** @type {string} */ words) =>
        facts.append(termed(element("dt", "", name)), element("dd", "", words));
    add("batch", steps.data.batches[step.batch]?.name ?? "");
    if (step.iteration != null) add("iteration", String(step.iteration));
    if (step.milliseconds != null) add("time", duration(step.milliseconds));
    const again = steps.steps.reduce((count, other) => count + Number(other.rule === step.rule), 0);
    if (again > 1) add("changed", `the plan ${again} times in this trace`);
    if (step.name !== step.rule) add("class", step.name);
    if (step.matched) add("matched", step.matched);
    return facts;
  }

  // What happened, in words and as one text.
  /** @param {Steps} steps @param {number} k @param {RulesData} extra */
  #step(steps, k, extra) {
    const box = element("section", "pv-section"),
      { removed, inserted, moved, changed } = steps.marks(k),
      list = element("ul", "pv-changes");
    box.append(element("h4", "", extra.comparing ? "What the rule made of the final plan" : "This step"));
    /** @type {(slot: Slot, mark: Mark, sign: string, words: string) => void} */
    const add = (slot, mark, sign, words) => {
      if (list.childElementCount >= MOST_CHANGES) return;
      const item = element("li"),
        go = button(`pv-change pv-${mark}`, "", "", () => this.on.select(slot));
      go.append(element("b", "", sign), element("span", "", words));
      item.append(go);
      list.append(item);
    };
    for (const [slot, parts] of changed)
      add(
        slot,
        "changed",
        "~",
        `${steps.titleOf(k, slot)}: ${parts.map(([part, text]) => `${part} ${text}`.trim()).join("; ")}`,
      );
    for (const to of moved.values()) if (!changed.has(to)) add(to, "moved", "↕", `${steps.nameOf(k, to)} moved`);
    for (const slot of inserted) add(slot, "inserted", "+", steps.nameOf(k, slot));
    for (const slot of removed) add(slot, "removed", "−", steps.nameOf(k, slot));
    const total =
      changed.size + inserted.size + removed.size + [...moved.values()].filter((slot) => !changed.has(slot)).length;
    if (list.childElementCount) box.append(list);
    else
      box.append(
        element(
          "p",
          "pv-muted",
          "Nothing in the tree looks different: the rule set something that Spark does not print, such as a time zone.",
        ),
      );
    if (total > MOST_CHANGES) box.append(element("p", "pv-muted", `and ${total - MOST_CHANGES} more`));
    const rows = unified(steps.linesBefore[k], steps.linesAfter[k]);
    if (rows.length) box.append(this.#text(steps, rows));
    return box;
  }

  /** @param {Steps} steps @param {(TextRow | null)[]} rows */
  #text(steps, rows) {
    const pre = element("pre", "pv-pre pv-diff");
    pre.tabIndex = 0;
    pre.setAttribute("aria-label", "This step as text");
    const names = { "-": "pv-gone", "+": "pv-new", " ": "" };
    for (const row of rows.slice(0, MOST_ROWS)) {
      if (row === null) pre.append(element("span", "pv-muted", "⋯\n"));
      else pre.append(element("span", names[row[0]], `${row[0]} ${steps.line(row[1]).slice(0, MOST_CHARACTERS)}\n`));
    }
    if (rows.length > MOST_ROWS) pre.append(element("span", "pv-muted", `and ${rows.length - MOST_ROWS} lines more`));
    return pre;
  }

  // The selected operator as Spark prints it, before and after.
  #node() {
    this.node = element("section", "pv-section");
    this.node.hidden = true;
    return this.node;
  }

  /** @param {Steps} steps @param {number} k @param {Slot | null} slot */
  select(steps, k, slot) {
    if (!this.node) return;
    this.node.hidden = slot == null;
    if (slot == null) return;
    const before = steps.words(k, "before", slot),
      after = steps.words(k, "after", slot);
    this.node.replaceChildren(element("h4", "", "Selected operator"), element("b", "", steps.titleOf(k, slot)));
    const line = this.extra.comparing ? 0 : steps.lineOf(k, slot);
    if (line)
      this.node.append(
        " ",
        button("pv-link", `line ${line}`, "Show where it was written", () => this.on.source(line)),
      );
    const add = (/** @type {string} */ name, /** @type {string} */ words) =>
      this.node.append(element("p", "pv-muted", name), element("pre", "pv-pre pv-wrapped", words));
    if (before === after) add("as before", after ?? "");
    else {
      if (before != null) add("before", before);
      if (after != null) add("after", after);
    }
    this.node.scrollIntoView({ block: "nearest" });
  }

  // Why a rule that ran changed nothing.
  /** @param {RulesData} given */
  #silent({ silent = {}, why, comparing }) {
    const names = Object.keys(silent);
    if (!names.length || comparing) return [];
    const box = element("section", "pv-section"),
      choice = element("select", "pv-select"),
      answer = element("div");
    choice.setAttribute("aria-label", "A rule that changed nothing");
    for (const name of ["", ...names]) {
      const option = element("option", "", name || `one of ${names.length} rules…`);
      option.value = name;
      choice.append(option);
    }
    const tell = () => {
      this.asked = choice.value;
      answer.replaceChildren(...(silent[this.asked] ? this.#reason(silent[this.asked], why?.[this.asked]) : []));
    };
    choice.addEventListener("change", () => {
      tell();
      if (this.asked && !(this.asked in (why ?? {}))) this.on.why(this.asked);
    });
    choice.value = silent[this.asked] ? this.asked : "";
    box.append(element("h4", "", "Why did it not fire?"), choice, answer);
    tell();
    return [box];
  }

  /** @param {SilentRule} rule @param {WhyNot | null | undefined} told */
  #reason(rule, told) {
    if (told) return [element("p", "", told.sentence), ...this.#guards(told), ...this.#about(rule)];
    const times = (/** @type {number} */ count) => (count === 1 ? "once" : `${count} times`),
      needs = rule.needs.join(" or ");
    const passes = `It was called ${times(rule.runs)}. `;
    const why =
      rule.looked || !needs
        ? `${passes}What it looks for${needs ? ` (${needs})` : ""} was there ${times(rule.looked)}, but not as the rule needs it.`
        : `${passes}No plan that it saw held what it looks for: ${needs}.`;
    return [element("p", "", why), ...this.#about(rule)];
  }

  /** @param {WhyNot} given */
  #guards({ guards, looked_at }) {
    const list = element("ul", "pv-guards");
    for (const { node, reason, value } of guards) {
      const item = element("li");
      item.append(
        element("code", "pv-line", node),
        reason,
        ...(value == null ? [] : [": ", element("code", "", value)]),
      );
      list.append(item);
    }
    for (const node of looked_at) {
      const item = element("li");
      item.append("looked at ", element("code", "", node));
      list.append(item);
    }
    return list.childElementCount ? [list] : [];
  }

  /** @param {Step} step @param {RulesData} extra */
  #without(step, extra) {
    if (!extra.own) return [];
    const box = element("section", "pv-section"),
      told = extra.without?.[step.rule];
    box.append(element("h4", "", "Without this rule"));
    if (extra.fixed?.includes(step.rule)) {
      box.append(element("p", "pv-muted", "Spark does not let this rule be switched off."));
      return [box];
    }
    if (told) box.append(element("p", "", told.words));
    if (told && !told.trace) return [box];
    const busy = extra.waiting === step.rule && !told;
    const words = extra.comparing
      ? "Back to the steps"
      : told
        ? "Compare the final plans"
        : busy
          ? "Planning without it…"
          : "Switch it off and compare";
    const off = button("pv-flip", words, `${words} (${step.rule})`, () => this.on.off(step.rule));
    off.disabled = busy;
    box.append(off);
    return [box];
  }
}

// A paragraph in which `code` stands between backquotes.
/** @param {string} className @param {string} text */
function worded(className, text) {
  const made = element("p", className);
  told(text)
    .split("`")
    .forEach((part, at) => made.append(at % 2 ? element("code", "", part) : part));
  return made;
}

// Rows below a filter; those that it drops are struck through and say so.
/** @param {FilterRows} given */
function tableOf({ words, columns, rows, kept }) {
  const holder = element("div", "pv-rows"),
    table = element("table"),
    head = element("tr"),
    body = element("tbody"),
    top = element("thead");
  for (const name of [...columns, "filter"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  rows.forEach((row, at) => {
    const line = element("tr", kept[at] ? "pv-kept" : "pv-dropped");
    for (const value of row) line.append(element("td", value === "null" ? "pv-null" : "", value));
    line.append(element("td", "pv-verdict", kept[at] ? "keeps" : "drops"));
    body.append(line);
  });
  top.append(head);
  table.append(element("caption", "", words), top, body);
  holder.append(table);
  holder.tabIndex = 0;
  holder.setAttribute("role", "region");
  holder.setAttribute("aria-label", "Rows before the filter");
  return holder;
}
