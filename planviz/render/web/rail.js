// The tree rail: the plan as an ARIA tree. Only the rows in view exist, so 20,000 nodes scroll like twenty.
import { element, quoted } from "./dom.js";
import { short } from "./units.js";

const ROW = 25,
  SPARE = 8,
  INDENT = 110;

export class Rail {
  /** @type {Map<number, HTMLElement>} */ rows;
  /** @type {Plan} */ plan;
  /** @type {Theme} */ theme;
  /** @type {Mode} */ mode;
  /** @type {Pixels} */ step;
  /** @type {number} */ logMost;
  /** @type {Int32Array} */ place;
  /** @type {Int32Array} */ siblings;
  /** @type {Int32Array} */ rowOf;
  /** @type {number[]} */ visible;
  /** @type {Set<number> | null} */ found;

  // on: {select(node), toggle(node)}
  /** @param {{ select: (node: number) => void; toggle: (node: number) => void }} on */
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-tree");
    this.root.setAttribute("role", "tree");
    this.root.setAttribute("aria-label", "Operators of the plan");
    this.root.tabIndex = 0;
    this.space = element("div", "pv-tree-space");
    this.space.setAttribute("role", "presentation");
    this.root.append(this.space);
    this.rows = new Map(); // position -> element
    this.prefix = `pv${Math.random().toString(36).slice(2, 8)}-`;
    this.root.addEventListener("scroll", () => this.draw(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("click", (event) => this.#click(event));
    this.root.addEventListener("dblclick", (event) => this.#at(event) >= 0 && this.on.toggle(this.#at(event)));
    this.root.addEventListener(
      "focus",
      () => this.selected < 0 && this.plan?.size && this.on.select(this.plan.order[0]),
    );
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(this.root);
    this.selected = -1;
  }

  destroy() {
    this.resizing.disconnect();
  }

  /** @param {Plan} plan @param {Theme} theme @param {Mode} mode */
  show(plan, theme, mode) {
    this.plan = plan;
    this.theme = theme;
    this.mode = mode;
    const depth = plan.nodes.depth.reduce((a, b) => Math.max(a, b), 1);
    this.step = Math.min(10, INDENT / depth);
    let most = 1;
    for (const rows of plan.nodes.rows) if (rows != null && rows > most) most = rows;
    this.logMost = Math.log1p(most);
    this.#siblings();
    this.changed();
  }

  // aria-posinset and aria-setsize need each node's place among its siblings.
  #siblings() {
    const { plan } = this,
      at = (this.place = new Int32Array(plan.size)),
      of = (this.siblings = new Int32Array(plan.size));
    const note = (/** @type {Int32Array} */ some) => {
      for (let k = 0; k < some.length; k++) {
        at[some[k]] = k + 1;
        of[some[k]] = some.length;
      }
    };
    note(plan.roots);
    for (let i = 0; i < plan.size; i++) note(plan.children(i));
  }

  // After something was collapsed or opened. Folded chains stay unfolded here: the rail is the full account.
  changed() {
    const { plan } = this,
      visible = [];
    this.rowOf = new Int32Array(plan.size).fill(-1);
    for (let at = 0; at < plan.size; at++) {
      const i = plan.order[at];
      this.rowOf[i] = visible.push(i) - 1;
      if (plan.collapsed[i]) at += plan.below[i];
    }
    this.visible = visible;
    this.space.style.height = `${visible.length * ROW + 8}px`;
    this.redraw();
  }

  redraw() {
    this.space.replaceChildren();
    this.rows.clear();
    this.draw();
  }

  draw() {
    if (!this.plan) return;
    const top = this.root.scrollTop,
      height = this.root.clientHeight || 600;
    const from = Math.max(0, Math.floor(top / ROW) - SPARE),
      to = Math.min(this.visible.length, Math.ceil((top + height) / ROW) + SPARE);
    for (const [at, row] of this.rows) {
      if (at >= from && at < to) continue;
      row.remove();
      this.rows.delete(at);
    }
    let before = null;
    for (let at = from; at < to; at++) {
      let row = this.rows.get(at);
      if (!row) {
        row = this.#row(at);
        this.rows.set(at, row);
        if (before)
          before.after(row); // reading order is the order in the document
        else this.space.prepend(row);
      }
      before = row;
    }
    this.#markActive();
  }

  /** @param {number} at */
  #row(at) {
    const { plan } = this,
      i = this.visible[at],
      { nodes } = plan,
      below = plan.below[i];
    const row = element("div", "pv-row");
    row.id = this.prefix + i;
    row.dataset.node = String(i);
    row.style.transform = `translateY(${at * ROW}px)`;
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", String(nodes.depth[i] + 1));
    row.setAttribute("aria-posinset", String(this.place[i]));
    row.setAttribute("aria-setsize", String(this.siblings[i]));
    const selected = i === this.selected;
    row.setAttribute("aria-selected", String(selected));
    row.classList.toggle("pv-selected", selected);
    if (this.found) row.classList.add(this.found.has(i) ? "pv-found" : "pv-dim");
    const pad = element("span", "pv-pad");
    pad.style.width = `${4 + nodes.depth[i] * this.step}px`;
    const twist = element("span", "pv-twist", below ? (plan.collapsed[i] ? "▸" : "▾") : "");
    const dot = element("span", "pv-dot");
    dot.style.background = this.theme.kinds[plan.kind(i)][this.mode];
    row.append(pad, twist, dot, quoted("span", "pv-name", plan.titles[i]));
    let label = plan.titles[i];
    if (below) row.setAttribute("aria-expanded", String(!plan.collapsed[i]));
    if (below && plan.collapsed[i]) row.append(element("span", "pv-count", `+${below}`));
    if (nodes.badges[i].length) {
      label += `, ${nodes.badges[i].join(", ")}`;
      const badge = nodes.badges[i].find((words) => this.theme.badges[words]);
      if (badge) row.append(element("span", `pv-mark pv-${this.theme.badges[badge]}`, "!"));
    }
    if (nodes.rows[i] != null) {
      const bar = element("span", `pv-bar pv-${plan.scene.rows_are}${nodes.sign?.[i] ? " pv-formula" : ""}`);
      bar.style.width = `${Math.max(2, (Math.log1p(nodes.rows[i]) / this.logMost) * 38)}px`;
      row.append(bar);
      label += `, ${nodes.sign?.[i] ? `rows ${plan.rowsAre(i)}` : `${plan.scene.rows_are} rows`} ${short(nodes.rows[i])}`;
    }
    row.setAttribute("aria-label", label);
    row.title = label;
    return row;
  }

  /** @param {number} i */
  select(i) {
    const old = this.rows.get(this.selected < 0 ? -1 : this.rowOf[this.selected]);
    this.selected = i;
    old?.classList.remove("pv-selected");
    old?.setAttribute("aria-selected", "false");
    const at = i < 0 ? -1 : this.rowOf[i];
    if (at >= 0) {
      const top = at * ROW,
        { scrollTop, clientHeight } = this.root;
      if (top < scrollTop) this.root.scrollTop = Math.max(0, top - ROW);
      else if (clientHeight && top + ROW > scrollTop + clientHeight) this.root.scrollTop = top + 2 * ROW - clientHeight;
      this.draw();
      const row = this.rows.get(at);
      row?.classList.add("pv-selected");
      row?.setAttribute("aria-selected", "true");
    }
    this.#markActive();
  }

  #markActive() {
    if (this.selected >= 0 && this.rows.has(this.rowOf[this.selected]))
      this.root.setAttribute("aria-activedescendant", this.prefix + this.selected);
    else this.root.removeAttribute("aria-activedescendant");
  }

  /** @param {Set<number> | null} found */
  setFound(found) {
    this.found = found;
    this.redraw();
  }

  /** @param {MouseEvent} event */
  #at(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest?.(".pv-row");
    return row ? Number(row.dataset.node) : -1;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const i = this.#at(event);
    if (i < 0) return;
    if (/** @type {HTMLElement} */ (event.target).classList.contains("pv-twist") && this.plan.below[i])
      this.on.toggle(i);
    else this.on.select(i);
  }

  // The keys of the ARIA tree pattern; everything else is the workbench's.
  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.plan?.size) return;
    const { plan, visible } = this,
      i = this.selected < 0 ? visible[0] : this.selected,
      at = Math.max(0, this.rowOf[i]);
    const page = Math.max(1, Math.floor(this.root.clientHeight / ROW) - 1),
      last = visible.length - 1;
    let to = i;
    if (event.key === "ArrowDown") to = visible[Math.min(last, at + 1)];
    else if (event.key === "ArrowUp") to = visible[Math.max(0, at - 1)];
    else if (event.key === "Home") to = visible[0];
    else if (event.key === "End") to = visible[last];
    else if (event.key === "PageDown") to = visible[Math.min(last, at + page)];
    else if (event.key === "PageUp") to = visible[Math.max(0, at - page)];
    else if (event.key === "ArrowRight" && plan.below[i]) {
      if (plan.collapsed[i]) this.on.toggle(i);
      else to = plan.children(i)[0];
    } else if (event.key === "ArrowLeft") {
      if (plan.below[i] && !plan.collapsed[i]) this.on.toggle(i);
      else if (plan.nodes.parent[i] >= 0) to = plan.nodes.parent[i];
    } else if (event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== this.selected) this.on.select(to);
  }
}
