// Words on hover: what a term means, as docs/glossary.md says it.
const TERMS = {}; // filled by planviz/render/web/__init__.py: name in small letters -> meaning

// Gives an element the meaning of the term that it shows, where the glossary has it; the element.
export function termed(node, term = node.textContent) {
  const meaning = TERMS[term.trim().toLowerCase()];
  if (meaning && !node.title) {
    node.title = meaning;
    node.classList.add("pv-term");
  }
  return node;
}
