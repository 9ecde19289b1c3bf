// The plan on screen: the scene's parallel arrays, what is collapsed or folded, where every box stands, what is in view.
import { spine } from "./spine.js";
import { tidy } from "./tidy.js";
import { beyond, byteSize, short } from "./units.js";

const BAND = 96; // px of drawing per band of the spatial index: about one level of cards
const MOST_LINES = 8; // on a card that shows everything
const AT_MOST = 2; // what nodes.sign tells of rows that Spark itself does not estimate; 1: what its formulas would give
const ROWS_ARE = [undefined, "by formula", "at most"];
export const CHAIN = 3; // nodes a single-child chain needs before folding it into one box saves room

// A box is what the canvas draws: one node, or a folded chain. Nothing has a place before the first `arrange`.
export class Plan {
  /** @type {Snug | null} */ snug;
  /** @type {string | null | undefined} */ text;
  /** @type {Finding[] | undefined} */ findings;
  /** @type {Int32Array} */ kidStart;
  /** @type {Int32Array} */ kids;
  /** @type {Int32Array} */ order;
  /** @type {Int32Array} */ below;
  /** @type {Int32Array} */ head;
  /** @type {Int32Array} */ chain;
  /** @type {number} */ inChains;
  /** @type {Int32Array} */ box;
  /** @type {Int32Array} */ first;
  /** @type {Int32Array} */ last;
  /** @type {Int32Array} */ up;
  /** @type {number} */ count;
  /** @type {Float64Array} */ x;
  /** @type {Float64Array} */ y;
  /** @type {Float64Array} */ w;
  /** @type {Float64Array} */ h;
  /** @type {Pixels} */ width;
  /** @type {Pixels} */ height;
  /** @type {Int32Array} */ bandStart;
  /** @type {Int32Array} */ byBand;
  /** @type {Float64Array} */ bandLeft;
  /** @type {Float64Array} */ bandRight;
  /** @type {Pixels} */ tallest;
  /** @type {string[] | undefined} */ haystacks;

  /** @param {Scene} scene @param {Theme} theme */
  constructor(scene, theme) {
    this.scene = scene;
    this.theme = theme;
    const nodes = (this.nodes = scene.nodes);
    this.size = nodes.id.length;
    this.titles = nodes.title;
    this.subs = nodes.sub;
    this.details = scene.details;
    this.collapsed = new Uint8Array(this.size);
    this.folded = new Uint8Array(this.size); // by head of chain
    this.roomy = false; // metrics and details inside the cards
    this.snug = null; // { gap, width(box), down }: cards of one line, so near that a whole plan can be read at once, the first input straight down or not; { placed }: as the scene has them
    this.#relate();
    this.#findChains();
  }

  // Children (one array, sliced by kidStart), pre-order, number of nodes below: three passes, no recursion.
  #relate() {
    const { size } = this,
      parent = this.nodes.parent;
    const start = (this.kidStart = new Int32Array(size + 2)),
      kids = (this.kids = new Int32Array(size));
    for (let i = 0; i < size; i++) start[parent[i] + 2]++;
    for (let i = 0; i <= size; i++) start[i + 1] += start[i];
    const next = start.slice();
    for (let i = 0; i < size; i++) kids[next[parent[i] + 1]++] = i; // slot 0 holds the roots
    const order = (this.order = new Int32Array(size)),
      stack = /** @type {number[]} */ ([]);
    for (let k = start[1] - 1; k >= 0; k--) stack.push(kids[k]);
    for (let at = 0; stack.length; at++) {
      const i = (order[at] = /** @type {number} */ (stack.pop()));
      for (let k = start[i + 2] - 1; k >= start[i + 1]; k--) stack.push(kids[k]);
    }
    this.below = new Int32Array(size);
    for (let at = size - 1; at >= 0; at--) {
      const i = order[at];
      if (parent[i] >= 0) this.below[parent[i]] += this.below[i] + 1;
    }
  }

  /** @param {number} i */
  children(i) {
    return this.kids.subarray(this.kidStart[i + 1], this.kidStart[i + 2]);
  }

  get roots() {
    return this.kids.subarray(0, this.kidStart[1]);
  }

  // head[i]: first node of i's chain of nodes with exactly one child, or -1; chain[head]: how many nodes it has.
  #findChains() {
    const { size, order } = this,
      parent = this.nodes.parent,
      edge = this.nodes.edge;
    const head = (this.head = new Int32Array(size).fill(-1)),
      chain = (this.chain = new Int32Array(size));
    for (const i of order) {
      if (this.kidStart[i + 2] - this.kidStart[i + 1] !== 1) continue;
      const p = parent[i],
        joined = p >= 0 && head[p] >= 0 && edge[i] !== "s";
      head[i] = joined ? head[p] : i;
      chain[head[i]]++;
    }
    this.inChains = 0;
    for (let i = 0; i < size; i++) {
      if (head[i] < 0) continue;
      if (chain[head[i]] < CHAIN) head[i] = -1;
      else this.inChains++;
    }
  }

  /** @param {boolean} on */
  foldAll(on) {
    for (let i = 0; i < this.size; i++) this.folded[i] = on && this.head[i] === i ? 1 : 0;
  }

  get anyFolded() {
    return this.folded.includes(1);
  }

  // Boxes from the nodes that are not hidden, then their places. The scene's own places hold while nothing is hidden.
  arrange() {
    const { size, order, collapsed, head, folded } = this,
      nodes = this.nodes;
    const box = (this.box = new Int32Array(size)); // node -> its box, or the box that hides it
    const first = [],
      last = [],
      up = [];
    let plain = !this.roomy && (!this.snug || Boolean(this.snug.placed));
    for (let at = 0; at < size; ) {
      const i = order[at],
        p = nodes.parent[i],
        above = p < 0 ? -1 : box[p];
      const fold = head[i] >= 0 && folded[head[i]] === 1;
      if (fold && head[i] !== i) {
        box[i] = above;
        last[above] = i;
      } else {
        box[i] = first.push(i) - 1;
        last.push(i);
        up.push(above);
      }
      if (fold) plain = false;
      at++;
      if (collapsed[i] && this.below[i]) {
        plain = false;
        for (const end = at + this.below[i]; at < end; at++) box[order[at]] = box[i];
      }
    }
    this.first = Int32Array.from(first);
    this.last = Int32Array.from(last);
    this.up = Int32Array.from(up);
    this.count = first.length;
    this.#place(plain);
    this.#index();
  }

  /** @param {boolean} plain */
  #place(plain) {
    const { count, first, snug } = this,
      nodes = this.nodes,
      { card, layout } = this.theme;
    const w = (this.w = new Float64Array(count)),
      h = (this.h = new Float64Array(count));
    for (let b = 0; b < count; b++) {
      const i = first[b];
      w[b] = snug?.width ? snug.width(b) : this.isFolded(b) ? card.width : nodes.w[i];
      h[b] = snug?.width ? card.snug.height : this.roomy && !this.isFolded(b) ? this.roomyHeight(i) : nodes.h[i];
    }
    if (plain) {
      this.x = Float64Array.from(first, (i) => nodes.x[i]);
      this.y = Float64Array.from(first, (i) => nodes.y[i]);
      [this.width, this.height] = this.scene.size;
      return;
    }
    const near = snug && card.snug,
      gap = /** @type {Pixels} */ (snug?.gap),
      margin = near ? near.margin : layout.margin;
    if (near && snug.down)
      [this.x, this.y] = spine(
        this.up,
        w,
        h,
        near.gap_x,
        gap,
        Array.from(first, (i) => nodes.edge[i] === "s"),
        snug.lying,
      );
    else
      [this.x, this.y] = near
        ? tidy(this.up, w, h, near.gap_x, gap, near.fork_gap)
        : tidy(this.up, w, h, layout.gap_x, layout.gap_y, layout.fork_gap);
    this.width = this.height = 0;
    for (let b = 0; b < count; b++) {
      this.x[b] += margin;
      this.y[b] += margin;
      this.width = Math.max(this.width, this.x[b] + w[b] + margin);
      this.height = Math.max(this.height, this.y[b] + h[b] + margin);
    }
  }

  /** @param {number} b */
  isFolded(b) {
    return this.first[b] !== this.last[b];
  }

  /** @param {number} b */
  foldedCount(b) {
    return this.nodes.depth[this.last[b]] - this.nodes.depth[this.first[b]] + 1;
  }

  // A card of one line: the title, and how many more operators a folded chain has.
  /** @param {number} b */
  lineOf(b, selected = -1) {
    const title = this.titles[selected >= 0 && this.box[selected] === b ? selected : this.first[b]];
    return this.isFolded(b) ? `${title.slice(0, 40)} +${this.foldedCount(b) - 1}` : title;
  }

  // What stands beside such a card where there is room: the lines of a whole card.
  /** @param {number} b @returns {Line[]} */
  linesBeside(b, selected = -1) {
    const i = selected >= 0 && this.box[selected] === b ? selected : this.first[b];
    return this.isFolded(b) ? [] : (this.subs?.[i] ?? []);
  }

  // Where the next card at the right of b begins, at its height, or `most` where none is nearer.
  /** @param {number} b @param {Pixels} most */
  free(b, most) {
    const { x, y, w, h } = this,
      right = x[b] + w[b],
      top = y[b],
      bottom = top + h[b];
    let found = most;
    this.within(right, top, most, bottom, (other) => {
      if (other !== b && x[other] >= right && x[other] < found && y[other] < bottom && y[other] + h[other] > top)
        found = x[other];
    });
    return found;
  }

  /** @param {number} b */
  hiddenBelow(b) {
    return this.collapsed[this.last[b]] ? this.below[this.last[b]] : 0;
  }

  /** @param {number} i */
  roomyHeight(i) {
    const { card } = this.theme,
      lines = this.lines(i).length + (this.nodes.badges[i].length ? 1 : 0);
    return card.bare_height + card.line * lines;
  }

  // Lines under the title when the cards show everything: [lead, text]; what the card says anyway is not repeated.
  /** @param {number} i */
  lines(i) {
    const lines = (this.subs?.[i] ?? []).slice(),
      { rows, bytes } = this.nodes;
    const sizes = [rows[i] == null ? "" : `${short(rows[i])} rows`, bytes[i] == null ? "" : byteSize(bytes[i])].filter(
      Boolean,
    );
    if (sizes.length) lines.push([this.rowsAre(i), sizes.join(" · ")]);
    const said = new Set(lines.map((line) => line[1]));
    for (const [name, text] of this.details?.[i] ?? []) {
      const words = text.replace(/\n/g, ", ");
      if (lines.length < MOST_LINES && !said.has(words)) lines.push([name, words]);
    }
    return lines;
  }

  // The rows of a node in short form: ≈ marks an estimate, brackets what only the formulas would give; "" when unknown.
  /** @param {number} i */
  rowsWords(i) {
    const { rows, sign } = this.nodes;
    if (rows[i] == null || (beyond(rows[i]) && sign?.[i] === AT_MOST)) return "";
    if (sign?.[i]) return `(${sign[i] === AT_MOST ? "≤" : ""}${short(rows[i])})`;
    return (this.estimated && !beyond(rows[i]) ? "≈" : "") + short(rows[i]);
  }

  // What kind of number the rows of a node are.
  /** @param {number} i */
  rowsAre(i) {
    return ROWS_ARE[this.nodes.sign?.[i] ?? 0] ?? this.scene.rows_are;
  }

  get estimated() {
    return this.scene.rows_are === "estimated";
  }

  // Boxes by band of y, in each band by x, with bounds that allow a binary search for what meets a range of x. A box's
  // extent includes the edge to its parent, so the edge of a card outside the view is found too.
  #index() {
    const { count, x, y, w, up } = this;
    const bands = Math.max(1, Math.ceil(this.height / BAND) + 1);
    const start = (this.bandStart = new Int32Array(bands + 1)),
      of = new Int32Array(count);
    this.tallest = 0;
    for (let b = 0; b < count; b++) {
      of[b] = Math.min(bands - 1, Math.max(0, Math.floor(y[b] / BAND)));
      start[of[b] + 1]++;
      this.tallest = Math.max(this.tallest, this.h[b], up[b] < 0 ? 0 : y[b] - y[up[b]]);
    }
    for (let k = 0; k < bands; k++) start[k + 1] += start[k];
    const next = start.slice(),
      byBand = (this.byBand = new Int32Array(count));
    for (let b = 0; b < count; b++) byBand[next[of[b]]++] = b;
    const right = (this.bandRight = new Float64Array(count)),
      left = (this.bandLeft = new Float64Array(count));
    for (let k = 0; k < bands; k++) {
      const some = byBand.subarray(start[k], start[k + 1]).sort((a, b) => x[a] - x[b]);
      let reach = -Infinity;
      for (let j = 0; j < some.length; j++) {
        const b = some[j],
          p = up[b];
        reach = Math.max(reach, x[b] + w[b], p < 0 ? -Infinity : x[p] + w[p] / 2);
        right[start[k] + j] = reach;
      }
      reach = Infinity;
      for (let j = some.length - 1; j >= 0; j--) {
        const b = some[j],
          p = up[b];
        reach = Math.min(reach, x[b], p < 0 ? Infinity : x[p] + w[p] / 2);
        left[start[k] + j] = reach;
      }
    }
  }

  // Boxes whose card or edge may meet the rectangle, in drawing pixels, band by band and from left to right.
  /**
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {(box: number) => void} visit
   */
  within(x0, y0, x1, y1, visit) {
    const bands = this.bandStart.length - 1;
    const from = Math.max(0, Math.floor((y0 - this.tallest) / BAND)),
      to = Math.min(bands - 1, Math.floor((y1 + this.tallest) / BAND));
    for (let k = from; k <= to; k++) {
      const end = this.bandStart[k + 1];
      let low = this.bandStart[k],
        high = end;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.bandRight[middle] < x0) low = middle + 1;
        else high = middle;
      }
      for (; low < end && this.bandLeft[low] <= x1; low++) visit(this.byBand[low]);
    }
  }

  /** @param {number} px @param {number} py */
  boxAt(px, py) {
    let found = -1;
    const { x, y, w, h } = this;
    this.within(px, py, px, py, (b) => {
      if (px >= x[b] && px <= x[b] + w[b] && py >= y[b] && py <= y[b] + h[b]) found = b;
    });
    return found;
  }

  // Opens every collapsed node above i, so that i can be seen. Returns whether anything changed.
  /** @param {number} i */
  reveal(i) {
    let changed = false;
    for (let p = this.nodes.parent[i]; p >= 0; p = this.nodes.parent[p]) {
      if (this.collapsed[p]) {
        this.collapsed[p] = 0;
        changed = true;
      }
    }
    return changed;
  }

  // The node with the most rows, the deepest of several: where they come from. -1 when no rows are known, and none of
  // those whose number nobody can believe.
  hottest() {
    let best = -1;
    const { rows, depth, sign } = this.nodes;
    // Above tables of which nobody knows a row a limit's are not the most: where those come from is unknown.
    const scans = [...this.order].filter((i) => !this.below[i] && this.kind(i) === "scan");
    if (this.estimated && scans.length && scans.every((i) => rows[i] == null)) return -1;
    for (let i = 0; i < this.size; i++) {
      const many = rows[i],
        most = /** @type {number} */ (rows[best]);
      if (many == null || beyond(many) || sign?.[i] === AT_MOST) continue;
      if (best < 0 || many > most || (many === most && depth[i] > depth[best])) best = i;
    }
    return best;
  }

  /** @param {number} i */
  kind(i) {
    return this.scene.kinds[this.nodes.kind[i]];
  }

  // What search looks at: title, operator, the lines below and every detail, in lower case; made once per node.
  /** @param {number} i */
  haystack(i) {
    this.haystacks ??= new Array(this.size);
    if (this.haystacks[i] === undefined) {
      const words = [this.titles[i], this.nodes.op[i]];
      for (const pair of this.subs?.[i] ?? []) words.push(pair[1]);
      for (const pair of this.details?.[i] ?? []) words.push(pair[1]);
      this.haystacks[i] = words.join("\n").toLowerCase();
    }
    return this.haystacks[i];
  }

  /** @param {string} words */
  search(words) {
    const needle = words.trim().toLowerCase(),
      found = [];
    if (needle) for (const i of this.order) if (this.haystack(i).includes(needle)) found.push(i);
    return found;
  }

  // Titles, lines and details that came later than the scene.
  /** @param {SceneDetails} given */
  fill({ title, sub, details }) {
    if (title) this.titles = title;
    if (sub) this.subs = sub;
    if (details) this.details = details;
    this.haystacks = undefined;
    if (this.roomy) this.arrange();
  }
}
