// The box of the first page before the app's script has run: it takes a text, and hands it over to the app's own box
// (box.js) when that is there. Scripts of later pages are fetched when everything stands.
(() => {
  const root = document.getElementById("planviz-early"), area = root.querySelector("textarea"), say = root.querySelector("span");
  const LIMIT = 50_000_000, QUICK = 50_000; // characters that the box takes; those that a text area takes without delay
  let asked = false, held = null;
  const open = () => {
    if (!area.value.trim()) return area.focus();
    asked = true;
    say.textContent = "Opening …";
  };
  say.textContent = `${/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"}+Enter opens it`;
  root.querySelector("button").addEventListener("click", open);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    open();
  });
  // As in the app's box: what is pasted into the empty one opens.
  area.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (area.value || !(text.includes("\n") || text.length > 40)) return;
    if (text.length > QUICK) {
      event.preventDefault();
      if (text.length > LIMIT) return void (say.textContent = `This text has ${Math.round(text.length / 1e6)} million characters; the box takes up to ${LIMIT / 1e6} million.`);
      held = text;
      area.value = text.slice(0, 20_000);
      area.readOnly = true;
    }
    setTimeout(open, 0);
  });
  area.focus({ preventScroll: true });
  window.__planvizEarly = {
    // What was typed, where, and whether it is to be opened; the box goes.
    take() {
      const told = { text: held ?? area.value, asked, focused: document.activeElement === area, start: area.selectionStart, end: area.selectionEnd };
      root.remove();
      delete window.__planvizEarly;
      return told;
    },
  };
})();
