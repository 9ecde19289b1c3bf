// The keys, in one table: what they are called in the list that "?" shows, and what they do.

/** @type {KeyWords[]} */
export const KEYS = [
  [["↑", "↓", "←", "→"], "walk: parent, first input, neighbours"],
  [["Enter"], "open or close the details"],
  [["/"], "find in titles, operators and details"],
  [["n", "N"], "next and previous match"],
  [["f"], "fit: show everything, with names where they can be read"],
  [["h"], "where the most rows are"],
  [["v"], "one line for every operator"],
  [["+", "−", "0"], "zoom in, out, to 100%; Ctrl + wheel zooms too"],
  [["c"], "collapse or open what is below the selected node"],
  [["x", "X"], "fold or unfold the selected node's chain; all chains"],
  [["d"], "metrics and details in the cards"],
  [["t"], "raw text and back"],
  [["?"], "this list"],
  [["Esc"], "close, clear"],
];

/** @type {Record<string, string | undefined>} */
const ACTIONS = {
  ArrowUp: "walk",
  ArrowDown: "walk",
  ArrowLeft: "walk",
  ArrowRight: "walk",
  "/": "find",
  n: "next",
  N: "previous",
  f: "fit",
  h: "hot",
  v: "compact",
  c: "collapse",
  x: "fold",
  X: "foldAll",
  d: "details",
  t: "text",
  Enter: "panel",
  "+": "in",
  "=": "in",
  "-": "out",
  0: "whole",
  "?": "help",
  Escape: "close",
};

// What a key press means, or undefined: typing in a field, a browser shortcut, or a button's own key.
/** @param {KeyboardEvent} event */
export function keyAction(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const target = /** @type {HTMLElement | undefined} */ (event.composedPath()[0]),
    tag = target?.tagName;
  if (tag === "INPUT" || tag === "TEXTAREA" || target?.isContentEditable) return undefined;
  if (tag === "BUTTON" && event.key === "Enter") return undefined;
  if (target?.classList?.contains("pv-text") && event.key.startsWith("Arrow")) return undefined;
  return ACTIONS[event.key];
}
