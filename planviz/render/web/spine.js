// The layout of planviz/layout/spine.py, step for step: a change there is a change here. The first input goes straight
// down, every other one stands to the right of it.

const ROWS_A_COLUMN = 4,
  LYING = 5;

/** @typedef {(number[] | null)[]} Shapes of subtrees: columns from its own on, by row; null once taken */

// Top left corners of a forest of boxes; aside[i]: never straight below (subqueries); `lying`: the second of two inputs lies
// in one row when it is a short chain. Returns [x, y].
/**
 * @param {Column} parent
 * @param {Column} width
 * @param {Column} height
 * @param {number} gapX
 * @param {number} gapY
 * @param {boolean[]} [aside]
 * @param {boolean} [lying]
 * @returns {[x: Float64Array, y: Float64Array]}
 */
export function spine(parent, width, height, gapX, gapY, aside, lying = false) {
  /** @type {number[]} */
  const roots = [];
  const count = parent.length,
    below = Array.from({ length: count }, () => /** @type {number[]} */ ([]));
  for (let i = 0; i < count; i++) (parent[i] < 0 ? roots : below[parent[i]]).push(i);
  const column = new Int32Array(count),
    row = new Int32Array(count),
    shapes = /** @type {Shapes} */ (new Array(count));
  const lies = lying ? lyingOf(parent, below, aside) : new Uint8Array(count);
  for (let i = count - 1; i >= 0; i--)
    shapes[i] = lies[i] ? inOneRow(below[i], shapes, column) : placed(below[i], shapes, column, row, aside);
  let right = 0;
  for (const root of roots) {
    column[root] = right;
    for (const used of /** @type {number[]} */ (shapes[root])) right = Math.max(right, column[root] + used);
  }
  for (let i = 0; i < count; i++) {
    if (parent[i] < 0) continue;
    column[i] += column[parent[i]];
    row[i] += row[parent[i]];
  }
  return coordinates(column, row, width, height, gapX, gapY, chainsOf(parent, lies));
}

// The boxes of every chain that lies, from the left.
/** @param {Column} parent @param {Uint8Array} lies */
function chainsOf(parent, lies) {
  const found = [],
    chains = new Map();
  for (let i = 0; i < parent.length; i++) {
    if (!lies[i]) continue;
    if (lies[parent[i]]) chains.set(i, chains.get(parent[i]));
    else chains.set(i, found[found.push([]) - 1]);
    chains.get(i).push(i);
  }
  return found;
}

// The boxes of chains that lie.
/** @param {Column} parent @param {number[][]} below @param {boolean[] | undefined} aside */
function lyingOf(parent, below, aside) {
  const length = new Int32Array(parent.length),
    lies = new Uint8Array(parent.length); // of the chain that a subtree is, else 0
  for (let i = parent.length - 1; i >= 0; i--) {
    if (below[i].length < 2)
      length[i] = below[i].length && length[below[i][0]] ? 1 + length[below[i][0]] : Number(!below[i].length);
  }
  for (let i = 0; i < parent.length; i++) {
    const above = parent[i];
    if (above < 0) continue;
    const second = below[above].length === 2 && i !== below[above].find((child) => !aside?.[child]);
    lies[i] = Number(lies[above] || (second && length[i] > 0 && length[i] <= LYING));
  }
  return lies;
}

/** @param {number[]} below @param {Shapes} shapes @param {Int32Array} column */
function inOneRow(below, shapes, column) {
  for (const child of below) column[child] = 1;
  return [below.length ? 1 + /** @type {number[]} */ (shapes[below[0]])[0] : 1];
}

// Places the boxes below one, relative to it. Returns what it takes with them: from its last row to its first, how
// many columns from its own on.
/**
 * @param {number[]} below
 * @param {Shapes} shapes
 * @param {Int32Array} column
 * @param {Int32Array} row
 * @param {boolean[] | undefined} aside
 */
function placed(below, shapes, column, row, aside) {
  /** @type {number[]} */
  const beside = []; // columns used beside the spine, from the first row below
  const straight = below.find((child) => !aside?.[child]);
  for (const child of below) {
    if (child === straight) continue;
    const shape = /** @type {number[]} */ (shapes[child]).reverse();
    let at = 1;
    for (let r = 0; r < Math.min(shape.length, beside.length); r++) at = Math.max(at, beside[r]);
    column[child] = at;
    row[child] = 1;
    while (beside.length < shape.length) beside.push(1);
    for (let r = 0; r < shape.length; r++) beside[r] = Math.max(beside[r], at + shape[r]);
    shapes[child] = null;
  }
  if (straight === undefined) return [...beside.reverse(), 1];
  const main = /** @type {number[]} */ (shapes[straight]);
  const meets = (/** @type {number} */ down) => {
    for (let at = Math.max(0, main.length - (beside.length - down)); at < main.length; at++)
      if (main[at] > 1) return true;
    return false;
  };
  let down = 0;
  while (down < beside.length && meets(down)) down++;
  let further = 0;
  for (let at = Math.max(0, main.length - beside.length); at < main.length; at++)
    further = Math.max(further, main[at] - 1);
  if (down > ROWS_A_COLUMN * further) {
    for (const child of below) if (child !== straight) column[child] += further;
    beside.forEach((used, r) => (beside[r] = used + further));
    down = 0;
  }
  column[straight] = 0;
  row[straight] = 1 + down;
  shapes[straight] = null;
  const over = beside.length - down - main.length; // rows of the inputs beside that reach below the spine
  if (over > 0) main.unshift(...beside.slice(down + main.length).reverse());
  for (let r = down; r < beside.length - Math.max(0, over); r++) {
    const at = main.length - 1 - (r - down);
    main[at] = Math.max(main[at], beside[r]);
  }
  for (let r = down - 1; r >= 0; r--) main.push(beside[r]);
  main.push(1);
  return main;
}

/**
 * @param {Int32Array} column
 * @param {Int32Array} row
 * @param {Column} width
 * @param {Column} height
 * @param {number} gapX
 * @param {number} gapY
 * @param {number[][]} chains
 * @returns {[x: Float64Array, y: Float64Array]}
 */
function coordinates(column, row, width, height, gapX, gapY, chains) {
  /** @type {number[]} */
  const widest = [];
  /** @type {number[]} */
  const tallest = [];
  const lying = new Set(chains.flat());
  column.forEach((c, i) => {
    widest[c] = Math.max(widest[c] ?? 0, lying.has(i) ? 0 : width[i]);
    tallest[row[i]] = Math.max(tallest[row[i]] ?? 0, height[i]);
  });
  // The boxes of a chain stand close together; its last column is as wide as that needs.
  for (const chain of chains) {
    const first = column[chain[0]],
      last = column[/** @type {number} */ (chain.at(-1))],
      sum = (/** @type {number[]} */ some) => some.reduce((all, one) => all + one, 0);
    widest[last] += Math.max(0, sum(chain.map((i) => width[i])) - sum(widest.slice(first, last + 1)));
  }
  const left = starts(widest, gapX),
    top = starts(tallest, gapY);
  const x = Float64Array.from(width, (w, i) => left[column[i]] + (widest[column[i]] - w) / 2);
  for (const chain of chains) {
    let at = left[column[chain[0]]];
    for (const i of chain) {
      x[i] = at;
      at += width[i] + gapX;
    }
  }
  return [x, Float64Array.from(row, (r) => top[r])];
}

// Where each column or row begins, one after the other with a gap between.
/** @param {(number | undefined)[]} sizes @param {number} gap */
function starts(sizes, gap) {
  let at = 0;
  return Array.from(sizes, (size) => {
    const start = at;
    at += (size ?? 0) + gap;
    return start;
  });
}
