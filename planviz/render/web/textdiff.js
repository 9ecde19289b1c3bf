// Two tree texts as one: lines kept, removed and inserted. A line that only moved deeper or shallower in the tree is kept,
// for its tree marks say nothing about the operator.
const MOST = 1_500_000; // pairs of lines compared within one changed piece

// [sign, line] with " ", "-" or "+" and null for lines left out; lines are [tree marks, words], equal where words are.
/** @param {TextLine[]} before @param {TextLine[]} after */
export function unified(before, after, context = 3) {
  const rows = merged(before, after),
    near = new Uint8Array(rows.length);
  rows.forEach(([sign], at) => {
    if (sign !== " ") near.fill(1, Math.max(0, at - context), at + context + 1);
  });
  /** @type {(TextRow | null)[]} */
  const found = [];
  rows.forEach((row, at) => {
    if (near[at]) found.push(row);
    else if (found.length && found[found.length - 1] !== null && near.indexOf(1, at) > 0) found.push(null);
  });
  return found;
}

/** @param {TextLine[]} before @param {TextLine[]} after */
function merged(before, after) {
  /** @type {TextRow[]} */
  const rows = [];
  const same = (/** @type {number} */ a, /** @type {number} */ b) => before[a][1] === after[b][1];
  let start = 0,
    endA = before.length,
    endB = after.length;
  while (start < endA && start < endB && same(start, start)) start++;
  while (endA > start && endB > start && same(endA - 1, endB - 1)) {
    endA--;
    endB--;
  }
  const keep = (/** @type {number} */ b) => rows.push([" ", after[b]]);
  for (let b = 0; b < start; b++) keep(b);
  const n = endA - start,
    m = endB - start;
  if (n * m > MOST) {
    for (let a = start; a < endA; a++) rows.push(["-", before[a]]);
    for (let b = start; b < endB; b++) rows.push(["+", after[b]]);
  } else {
    // Longest common subsequence of what lies between.
    const wide = m + 1,
      length = new Uint16Array((n + 1) * wide);
    for (let i = n - 1; i >= 0; i--)
      for (let j = m - 1; j >= 0; j--)
        length[i * wide + j] = same(start + i, start + j)
          ? length[(i + 1) * wide + j + 1] + 1
          : Math.max(length[(i + 1) * wide + j], length[i * wide + j + 1]);
    let i = 0,
      j = 0;
    while (i < n || j < m) {
      if (i < n && j < m && same(start + i, start + j)) {
        keep(start + j);
        i++;
        j++;
      } else if (i < n && (j === m || length[(i + 1) * wide + j] >= length[i * wide + j + 1]))
        rows.push(["-", before[start + i++]]);
      else rows.push(["+", after[start + j++]]);
    }
  }
  for (let b = endB; b < after.length; b++) keep(b);
  return rows;
}

// Spark's own form (PlanChangeLogger): lines paired by position, "!" where they differ, the right tree three columns
// behind the widest line of the left. Returns [marked, text] rows.
/** @param {string[]} left @param {string[]} right */
export function sideBySide(left, right) {
  const width = left.reduce((most, line) => Math.max(most, line.length), 0),
    rows = /** @type {[marked: boolean, text: string][]} */ ([]);
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const l = left[at] ?? "",
      r = right[at] ?? "";
    rows.push([l !== r, `${l === r ? " " : "!"}${l.padEnd(width)}   ${r}`]);
  }
  return rows;
}
