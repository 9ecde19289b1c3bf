// The detail panel: everything known about the selected node, or the plan as a whole when none is selected.
import { button, element, partName, quoted } from "./dom.js";
import { termed } from "./glossary.js";
import { beyond, byteSize, grouped, short } from "./units.js";
import { Why } from "./why.js";

const PLANVIZS = /^(?:yes|no|[\d,]+ [a-z]+)$/; // words of planviz, where others are the plan's
const CODE =
  /^(on|condition|keys|left keys|right keys|functions|output|project list|sort order|partition keys|.*filters|.*expressions|result.*|aggregate.*|generator|.*spec|read schema|arguments|text|details|.*schema)$/;
const CLAMP = 12; // lines of one fact shown before "show all"
const LONG = 1600; // characters of one fact shown before "show all"
const MOST_FINDINGS = 3;
/** @type {[kind: string, page: Page, words: string][]} */
const STORIES = [
  ["join", "joins", "Why each join, and what would flip it"],
  ["aggregate", "aggregations", "Why each aggregate has these stages"],
];

/**
 * @typedef {object} PanelListener
 * @property {(node: number) => void} select
 * @property {(node: number) => void} source
 * @property {() => boolean} hasText
 * @property {(line: number) => string} [lineText]
 * @property {WorkbenchCallbacks["go"]} [go]
 */

export class Panel {
  /** @type {Plan} */ plan;
  /** @type {WorkbenchData} */ data;
  /** @type {Theme} */ theme;
  /** @type {Mode} */ mode;
  /** @type {boolean} */ scrolled;

  // on: {select(node), source(node), kind(words), close()}
  /** @param {PanelListener} on */
  constructor(on) {
    this.on = on;
    this.why = new Why({ go: on.go });
    this.root = element("div", "pv-panel-body");
    this.root.addEventListener("scroll", () => (this.scrolled = true), { passive: true });
  }

  /** @param {Plan} plan @param {Theme} theme @param {Mode} mode @param {number} selected @param {WorkbenchData} data */
  show(plan, theme, mode, selected, data) {
    this.plan = plan;
    this.data = data;
    this.theme = theme;
    this.mode = mode;
    this.root.replaceChildren(...(selected < 0 ? this.#overview() : this.#node(selected)));
    if (this.scrolled) this.root.scrollTop = 0; // asking where it stands would cost a layout
    this.scrolled = false;
  }

  /** @param {string} kind */
  #swatch(kind) {
    const swatch = element("span", "pv-swatch");
    swatch.style.background = this.theme.kinds[kind][this.mode];
    return swatch;
  }

  /** @param {string} text */
  #badge(text, style = /** @type {string | undefined} */ (this.theme.badges[text])) {
    return element("span", `pv-badge${style ? ` pv-${style}` : ""}`, text);
  }

  /** @param {number} i */
  #node(i) {
    const { plan } = this,
      { nodes } = plan,
      head = element("div", "pv-head");
    head.append(this.#swatch(plan.kind(i)), quoted("h3", "", plan.titles[i]), this.#badge(`#${nodes.number[i]}`));
    const marks = element("div", "pv-badges");
    marks.append(termed(this.#badge(this.theme.kinds[plan.kind(i)].label)));
    if (nodes.op[i] !== plan.titles[i]) marks.append(termed(element("code", "", nodes.op[i])));
    if (nodes.codegen[i] >= 0) marks.append(termed(this.#badge(`codegen stage ${nodes.codegen[i]}`), "codegen"));
    for (const badge of nodes.badges[i])
      if (badge !== "codegen" || nodes.codegen[i] < 0) marks.append(termed(this.#badge(badge), badge));
    const facts = element("dl");
    for (const [name, value] of this.#numbers(i)) facts.append(termed(element("dt", "", name)), value);
    const details = plan.details?.[i];
    for (const [name, text] of details ?? plan.subs?.[i] ?? [])
      facts.append(element("dt", "", partName(name || "what")), this.#fact(name, text));
    if (details === undefined || details === null)
      facts.append(element("dt", "pv-muted", "details"), element("dd", "pv-muted", "loading…"));
    if (nodes.first[i] > 0) facts.append(element("dt", "", partName("source")), this.#source(i));
    const why = this.why.place(this.data, nodes.id[i]);
    return [head, marks, ...this.#findings(i), facts, ...(why ? [why] : []), ...this.#neighbours(i)];
  }

  // What the findings say of this operator.
  /** @param {number} i */
  #findings(i) {
    const id = this.plan.nodes.id[i],
      all = this.plan.findings ?? this.data.findings ?? [];
    return all
      .filter((finding) => finding.node === id || finding.nodes?.includes(id))
      .map((finding) => {
        const { severity, title, evidence, why, advice, cost } = finding,
          note = element("div", `pv-note pv-severity-${severity}`);
        note.append(element("b", "", title), element("p", "", evidence ?? ""));
        for (const [word, text] of [
          ["Why", why],
          ["To do", advice],
          ["Cost", cost],
        ]) {
          if (!text) continue;
          const line = element("p", "pv-muted");
          line.append(element("b", "", `${word}: `), text);
          note.append(line);
        }
        if (finding.name && this.data.why_url) {
          const more = element("a", "pv-muted", "In the catalogue");
          more.href = `/catalogue?entry=finding:${encodeURIComponent(finding.name)}`;
          more.target = "_blank";
          more.rel = "noopener";
          note.append(more);
        }
        return note;
      });
  }

  // Rows and bytes, what kind of numbers they are, and the rows of the inputs.
  /** @param {number} i */
  #numbers(i) {
    const { plan } = this,
      { rows, bytes } = plan.nodes,
      about = plan.estimated ? "≈" : "";
    /** @type {[name: string, dd: HTMLElement][]} */
    const lines = [];
    /** @type {(name: string, words: string, more: string, exact: string, are?: string) => void} */
    const add = (name, words, more, exact, are = plan.scene.rows_are) => {
      const dd = element("dd", "", words);
      dd.title = `${exact}, ${are}`;
      dd.append(element("span", "pv-muted", `${more} · ${are}`));
      lines.push([name, dd]);
    };
    if (rows[i] != null) {
      const inputs = [...plan.children(i)]
        .map((child) => rows[child])
        .filter((some) => some != null)
        .map(short);
      const of = inputs.length ? ` of ${inputs.slice(0, 4).join(" + ")}${inputs.length > 4 ? " + …" : ""}` : "";
      add("rows", plan.rowsWords(i), of, `${grouped(rows[i])} rows`, plan.rowsAre(i));
    }
    if (bytes[i] != null) add("size", about + byteSize(bytes[i]), "", `${grouped(bytes[i])} bytes`);
    return lines;
  }

  // One fact: code for expressions, words for the rest; long ones are cut until asked for.
  /** @param {string} name @param {string} text */
  #fact(name, text) {
    const dd = element("dd"),
      lines = text.split("\n"),
      code = CODE.test(name) || lines.length > 1;
    const long = lines.length > CLAMP || text.length > LONG;
    const fill = (/** @type {boolean} */ all) => {
      const some = all ? text : lines.slice(0, CLAMP).join("\n").slice(0, LONG);
      dd.replaceChildren();
      if (code) dd.append(...some.split("\n").map((line) => element("code", "pv-line", line)));
      else dd.append((PLANVIZS.test(some) ? element : quoted)("span", "", some));
      if (long && !all)
        dd.append(
          button("pv-more", lines.length > CLAMP ? `show all ${lines.length}` : "show all", "", () => fill(true)),
        );
    };
    fill(false);
    return dd;
  }

  /** @param {number} i */
  #source(i) {
    const { first, last } = this.plan.nodes,
      dd = element("dd");
    const words = first[i] === last[i] ? `line ${first[i]}` : `lines ${first[i]}–${last[i]}`;
    if (this.on.hasText()) dd.append(button("pv-link", words, "Show in the raw text", () => this.on.source(i)));
    else dd.append(words);
    const code = this.on.lineText?.(first[i]).trim();
    if (code) dd.append(element("code", "pv-line", code.slice(0, 200)));
    return dd;
  }

  // Parent, children and cross links, each a click away.
  /** @param {number} i */
  #neighbours(i) {
    const { plan } = this;
    /** @type {[words: string, other: number][]} */
    const lines = [];
    const add = (/** @type {string} */ words, /** @type {number} */ other) => lines.push([words, other]);
    if (plan.nodes.parent[i] >= 0) add("feeds", plan.nodes.parent[i]);
    for (const child of plan.children(i)) add(plan.nodes.edge[child] === "s" ? "subquery" : "reads", child);
    for (const [from, to, type] of plan.scene.links) {
      if (from === i) add(FROM[type] ?? type, to);
      else if (to === i) add(TO[type] ?? type, from);
    }
    if (!lines.length) return [];
    const box = element("div", "pv-section"),
      list = element("div", "pv-neighbours");
    box.append(element("h4", "", "Connected"), list);
    for (const [words, other] of lines.slice(0, 40)) {
      const go = button("pv-neighbour", "", "", () => this.on.select(other));
      go.append(
        element("span", "pv-muted", words),
        this.#swatch(plan.kind(other)),
        quoted("span", "pv-name", plan.titles[other]),
        element("span", "pv-muted", `#${plan.nodes.number[other]}`),
      );
      list.append(go);
    }
    if (lines.length > 40) list.append(element("span", "pv-muted", `and ${lines.length - 40} more`));
    return [box];
  }

  // Title, notes, what the colours mean and how many of each, where the rows are.
  #overview() {
    const { plan } = this,
      { scene } = plan,
      head = element("div", "pv-head");
    head.append(element("h3", "", scene.title || "Plan"));
    const marks = element("div", "pv-badges");
    if (scene.stage && scene.stage !== "other" && !scene.title?.toLowerCase().includes(scene.stage))
      marks.append(termed(this.#badge(scene.stage)));
    if (scene.rows_are !== "unknown")
      marks.append(
        termed(this.#badge(`rows ${scene.rows_are}`, plan.estimated ? "estimated" : undefined), scene.rows_are),
      );
    /** @type {HTMLElement[]} */
    const parts = [head, marks, ...this.#short()];
    for (const note of scene.notes) parts.push(element("p", "pv-note", note));
    parts.push(...this.#standsOut(), ...this.#reasons());
    const count = new Map();
    for (const kind of plan.nodes.kind) count.set(kind, (count.get(kind) ?? 0) + 1);
    const legend = element("div", "pv-section"),
      list = element("div", "pv-legend");
    legend.append(element("h4", "", "Operators"), list);
    /** @type {(name: string, words: string, many: number) => void} */
    const add = (name, words, many) => {
      const line = element("div", "pv-legend-row");
      line.append(
        this.#icon(name),
        termed(element("span", "", words), this.theme.kinds[name].label),
        element("span", "pv-muted", grouped(many)),
      );
      list.append(line);
    };
    for (const [kind, many] of [...count].sort((a, b) => b[1] - a[1])) {
      const name = scene.kinds[kind],
        { label } = this.theme.kinds[name];
      // What moves rows is counted as it is beneath the picture; what reads, wraps or reuses one stands by itself.
      const moving = name === "exchange" ? scene.exchanges : many;
      if (moving) add(name, label, moving);
      if (many > moving) add(name, `${label}: stages, readers, reused`, many - moving);
    }
    parts.push(...this.#heaviest(), legend);
    return parts;
  }

  // The plan in a few words; each line leads to the operator that it is most about.
  #short() {
    const lines = this.plan.scene.short ?? [];
    if (!lines.length) return [];
    const facts = element("dl", "pv-short");
    for (const [word, text, i] of lines) {
      const dd = element("dd");
      dd.append(i < 0 ? text : button("pv-plain", text, "", () => this.on.select(i)));
      facts.append(element("dt", "", word), dd);
    }
    return [facts];
  }

  // What to look at first: the gravest findings with what to do about them.
  #standsOut() {
    const { plan } = this,
      all = plan.findings ?? this.data.findings ?? [],
      box = element("section", "pv-section pv-look");
    box.append(element("h4", "", "Worth a look"));
    for (const { severity, title, evidence, advice, node, nodes } of all.slice(0, MOST_FINDINGS)) {
      const note = element("div", `pv-note pv-severity-${severity}`),
        at = plan.nodes.id.indexOf(nodes?.[0] ?? node ?? -1);
      note.append(at < 0 ? element("b", "", title) : button("pv-plain pv-strong", title, "", () => this.on.select(at)));
      note.append(element("p", "", evidence ?? ""));
      if (advice) note.append(element("p", "pv-muted", advice));
      box.append(note);
    }
    if (all.length > MOST_FINDINGS)
      box.append(element("p", "pv-muted pv-hint", `and ${all.length - MOST_FINDINGS} more beneath the tree`));
    return box.childElementCount > 1 ? [box] : [];
  }

  /** @param {string} kind */
  #has(kind) {
    return this.plan.nodes.kind.some((_, i) => this.plan.kind(i) === kind);
  }

  // Why the joins are what they are, what would change the one that the least would change, and where all is told.
  #reasons() {
    const { plan } = this,
      box = element("section", "pv-section pv-reasons");
    box.append(element("h4", "", "Why it is so"));
    const told = this.#has("join") && this.why.joins(this.data, (id) => this.on.select(plan.nodes.id.indexOf(id)));
    if (told) box.append(told);
    for (const [kind, page, words] of this.on.go ? STORIES : []) {
      if (this.#has(kind)) box.append(button("pv-link", words, "", () => this.on.go?.(page, null)));
    }
    return box.childElementCount > 1 ? [box] : [];
  }

  /** @param {string} kind */
  #icon(kind) {
    const space = "http://www.w3.org/2000/svg",
      svg = document.createElementNS(space, "svg"),
      path = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", `0 0 ${this.theme.icon_box} ${this.theme.icon_box}`);
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", this.theme.kinds[kind].icon);
    svg.style.color = this.theme.kinds[kind][this.mode];
    svg.append(path);
    return svg;
  }

  #heaviest() {
    const { plan } = this,
      { rows } = plan.nodes;
    if (plan.hottest() < 0) return [];
    const top = /** @type {number[]} */ ([]),
      vast = rows.filter((many) => many != null && beyond(many)).length;
    for (let i = 0; i < rows.length; i++) {
      const many = rows[i];
      if (many == null || beyond(many) || (top.length === 5 && many <= Number(rows[top[4]]))) continue;
      // An operator that passes on what it reads is not one more place with many rows.
      if ([...plan.children(i)].some((child) => rows[child] === many)) continue;
      const at = top.findIndex((other) => Number(rows[other]) < many);
      top.splice(at < 0 ? top.length : at, 0, i);
      top.length = Math.min(top.length, 5);
    }
    const box = element("div", "pv-section"),
      list = element("div", "pv-neighbours");
    box.append(element("h4", "", "Most rows"), list);
    for (const i of top) {
      const go = button("pv-neighbour", "", "", () => this.on.select(i));
      go.append(
        element("span", "pv-number", plan.rowsWords(i)),
        this.#swatch(plan.kind(i)),
        quoted("span", "pv-name", plan.titles[i]),
      );
      list.append(go);
    }
    if (top.some((i) => plan.nodes.sign?.[i]))
      box.append(
        element(
          "p",
          "pv-muted pv-hint",
          "In brackets: what the optimizer's formulas give; with CBO off Spark itself does not count them. ≤ is a bound.",
        ),
      );
    if (vast)
      box.append(
        element(
          "p",
          "pv-muted pv-hint",
          `Left out: ${vast === 1 ? "one operator" : `${grouped(vast)} operators`} with more than 10¹⁵ rows, an estimate that says nothing of what will come.`,
        ),
      );
    return [box];
  }
}

/** @type {Record<string, string | undefined>} */
const FROM = { reuse: "reuses", pruning: "prunes by", bloom: "bloom filter from", subquery: "subquery" };
/** @type {Record<string, string | undefined>} */
const TO = { reuse: "reused by", pruning: "prunes", bloom: "bloom filter for", subquery: "used by" };
