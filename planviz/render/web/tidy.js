// The tidy layout of planviz/layout/tidy.py, step for step: a change there is a change here.

// The outline of subtrees that stand side by side. An outline is a list of steps from the deepest to the topmost, so
// that a parent is appended; merging replaces the top of the taller outline, which keeps the whole layout linear.
class Forest {
  /** @param {number} half @param {number} bottom */
  constructor(half, bottom) {
    this.leftBottoms = [bottom];
    this.leftXs = [-half];
    this.leftShift = 0;
    this.rightBottoms = [bottom];
    this.rightXs = [half];
    this.rightShift = 0;
  }

  /** @param {number} half @param {number} bottom */
  putOnTop(half, bottom) {
    this.leftBottoms.push(bottom);
    this.leftXs.push(-half - this.leftShift);
    this.rightBottoms.push(bottom);
    this.rightXs.push(half - this.rightShift);
  }

  // Takes `other` in on the right, as near as `gap` allows; notes each push after the first; returns how far it moved.
  /** @param {Forest} other @param {number} gap @param {[depth: number, by: number][] | null} pushes */
  add(other, gap, pushes) {
    const bottoms = this.rightBottoms,
      xs = this.rightXs;
    const otherBottoms = other.leftBottoms,
      otherXs = other.leftXs;
    const base = this.rightShift + gap - other.leftShift;
    let i = xs.length - 1,
      j = otherXs.length - 1;
    let moved = xs[i] - otherXs[j] + base;
    for (;;) {
      const bottom = bottoms[i],
        otherBottom = otherBottoms[j];
      if (bottom <= otherBottom) i--;
      if (otherBottom <= bottom) j--;
      if (i < 0 || j < 0) break;
      const needed = xs[i] - otherXs[j] + base;
      if (needed > moved) {
        if (pushes) pushes.push([Math.min(bottom, otherBottom), needed - moved]);
        moved = needed;
      }
    }
    other.leftShift += moved;
    other.rightShift += moved;
    if (i >= 0) {
      replaceTop(bottoms, xs, i, other.rightBottoms, other.rightXs, other.rightShift - this.rightShift);
    } else {
      if (j >= 0) {
        replaceTop(otherBottoms, otherXs, j, this.leftBottoms, this.leftXs, this.leftShift - other.leftShift);
        this.leftBottoms = otherBottoms;
        this.leftXs = otherXs;
        this.leftShift = other.leftShift;
      }
      this.rightBottoms = other.rightBottoms;
      this.rightXs = other.rightXs;
      this.rightShift = other.rightShift;
    }
    return moved;
  }
}

/**
 * @param {number[]} bottoms
 * @param {number[]} xs
 * @param {number} keep
 * @param {number[]} newBottoms
 * @param {number[]} newXs
 * @param {number} by
 */
function replaceTop(bottoms, xs, keep, newBottoms, newXs, by) {
  bottoms.length = xs.length = keep + 1;
  for (let k = 0; k < newXs.length; k++) {
    bottoms.push(newBottoms[k]);
    xs.push(newXs[k] + by);
  }
}

// Places `below` side by side, the middle between the first and the last at 0: `offset` gets their centres relative to
// the parent's. Returns their common outline.
/** @param {number[]} below @param {(Forest | null)[]} forests @param {Float64Array} offset @param {number} gap */
function beside(below, forests, offset, gap) {
  const forest = take(forests, below[0]);
  const places = [0];
  // [lowest point, sibling] of those seen from the right, the nearest last: whoever ends above the next is hidden.
  const seen = [[forest.rightBottoms[0], 0]];
  /** @type {[first: number, last: number, by: number][]} */
  const ramps = [];
  for (let k = 1; k < below.length; k++) {
    const other = take(forests, below[k]);
    /** @type {[depth: number, by: number][] | null} */
    const pushes = below.length > 2 ? [] : null;
    const lowest = other.rightBottoms[0];
    places.push(forest.add(other, gap, pushes));
    if (!pushes) continue;
    let owner = seen.length - 1;
    for (const [depth, by] of pushes) {
      while (seen[owner][0] <= depth) owner--;
      if (seen[owner][1] < k - 1) ramps.push([seen[owner][1], k, by]);
    }
    while (seen.length && seen[seen.length - 1][0] <= lowest) seen.pop();
    seen.push([lowest, k]);
  }
  shareSlack(places, ramps);
  const middle = (places[0] + places[places.length - 1]) / 2;
  for (let k = 0; k < below.length; k++) offset[below[k]] = places[k] - middle;
  forest.leftShift -= middle;
  forest.rightShift -= middle;
  return forest;
}

/** @param {(Forest | null)[]} forests @param {number} index */
function take(forests, index) {
  const forest = /** @type {Forest} */ (forests[index]);
  forests[index] = null;
  return forest;
}

// Moves the siblings between the first and the last of every ramp by even steps into the room that opened up.
/** @param {number[]} places @param {[first: number, last: number, by: number][]} ramps */
function shareSlack(places, ramps) {
  if (ramps.length === 0) return;
  const spread = new Float64Array(places.length + 1),
    drop = new Float64Array(places.length + 1);
  for (const [first, last, by] of ramps) {
    const step = by / (last - first);
    spread[first + 1] += step;
    spread[last] -= step;
    drop[last] += step * (last - first - 1);
  }
  let slope = 0,
    moved = 0;
  for (let k = 0; k < places.length; k++) {
    slope += spread[k];
    moved += slope - drop[k];
    places[k] += moved;
  }
}

// Top left corners of a forest of boxes. parent[i] < i or -1; sizes and gaps in pixels. Returns [x, y].
/**
 * @param {Column} parent
 * @param {Column} width
 * @param {Column} height
 * @param {number} gapX
 * @param {number} gapY
 * @param {number} forkGap
 */
export function tidy(parent, width, height, gapX, gapY, forkGap) {
  const count = parent.length;
  const children = Array.from({ length: count }, () => /** @type {number[]} */ ([]));
  /** @type {number[]} */
  const roots = [];
  for (let i = 0; i < count; i++) (parent[i] < 0 ? roots : children[parent[i]]).push(i);
  const y = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const p = parent[i];
    if (p >= 0) y[i] = y[p] + height[p] + (children[p].length > 1 ? gapY + forkGap : gapY);
  }
  const offset = new Float64Array(count);
  const forests = new Array(count).fill(null);
  for (let i = count - 1; i >= 0; i--) {
    const half = width[i] / 2,
      bottom = y[i] + height[i] + gapY;
    if (children[i].length === 0) {
      forests[i] = new Forest(half, bottom);
    } else {
      forests[i] = beside(children[i], forests, offset, gapX);
      forests[i].putOnTop(half, bottom);
    }
  }
  if (roots.length) beside(roots, forests, offset, gapX);
  let leftmost = Infinity;
  for (let i = 0; i < count; i++) {
    if (parent[i] >= 0) offset[i] += offset[parent[i]];
    leftmost = Math.min(leftmost, offset[i] - width[i] / 2);
  }
  const x = new Float64Array(count);
  for (let i = 0; i < count; i++) x[i] = offset[i] - width[i] / 2 - leftmost;
  return [x, y];
}
