// Words on hover: what a term means, as docs/glossary.md says it.
/** @type {Record<string, string>} */
const TERMS = {}; // filled by planviz/render/web/__init__.py: name in small letters -> meaning

// Gives an element the meaning of the term that it shows, where the glossary has it; the element.
/**
 * @template {HTMLElement} N
 * @param {N} node
 */
export function termed(node, term = node.textContent) {
  const meaning = TERMS[term.trim().toLowerCase()];
  if (meaning && !node.title) {
    node.title = meaning;
    node.classList.add("pv-term");
  }
  return node;
}
