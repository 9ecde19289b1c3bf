// Elements without markup: text goes in as text, whatever a plan holds.
/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

// A text in the reader's language, where no element shows it: what is drawn or measured (language.js does the others).
/** @param {string} text */
export function told(text) {
  return globalThis.__planvizLanguage?.told(text) ?? text;
}

// The name of a part of an operator, "condition": a column may be called so, too, but for that no message stands.
/** @param {string} name */
export function partName(name) {
  const asked = `part:${name}`,
    found = told(asked);
  return found === asked ? told(name) : found;
}

// An element whose text is the plan's or the user's own: it is shown as it stands, in every language.
/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @returns {HTMLElementTagNameMap[K]}
 */
export function quoted(tag, className = "", text = "") {
  const made = element(tag, className, text);
  made.translate = false;
  return made;
}

// A change that gives another operator, with what that would cost; one that nobody should try unseen says so.
/** @param {Flip} flip @param {() => void} act */
export function flipButton(flip, act) {
  const words = `${flip.short} → ${flip.outcome}`,
    said = [flip.words, flip.cost].filter(Boolean).join(". ");
  const made = button(
    flip.unsafe ? "pv-flip pv-unsafe" : "pv-flip",
    words,
    flip.unsafe ? `Unsafe: ${said}` : said,
    act,
  );
  if (flip.unsafe) made.append(element("small", "", `unsafe: ${flip.cost}`));
  return made;
}

/** @param {string} className @param {string} text @param {string} label @param {(event: MouseEvent) => void} act */
export function button(className, text, label, act) {
  const made = element("button", className, text);
  made.type = "button";
  if (label) {
    made.setAttribute("aria-label", label);
    made.title = label;
  }
  made.addEventListener("click", act);
  return made;
}
