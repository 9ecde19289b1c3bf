// Elements without markup: text goes in as text, whatever a plan holds.
export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

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
