// The box of the first page before the app's script has run: it takes a text, and hands it over to the app's own box
// (box.js) when that is there. It stands in the page's head, before the style sheets, for which a script further down
// would have to wait while the box takes keys already: it listens to the document, and looks for the box when it needs it.
(() => {
  const LIMIT = 50_000_000,
    QUICK = 50_000; // characters that the box takes; those that a text area takes without delay
  const HINT = `${/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"}+Enter opens it`;
  const root = () => document.getElementById("planviz-early"),
    /** @type {(name: string) => any} */
    part = (name) => root()?.querySelector(name);
  const isArea = (/** @type {any} */ at) => at?.matches?.("#planviz-early textarea") ?? false;
  /** @type {string | null} */
  let held = null;
  let asked = false;
  const say = (/** @type {string} */ words) => (part("span").textContent = words);
  const open = () => {
    const area = part("textarea");
    if (!area.value.trim()) return area.focus();
    asked = true;
    say("Opening …");
  };
  const listeners = new AbortController(),
    /** @type {<Name extends keyof DocumentEventMap>(name: Name, act: (event: DocumentEventMap[Name]) => unknown) => void} */
    on = (name, act) => document.addEventListener(name, act, { capture: true, signal: listeners.signal });
  on("click", (event) => /** @type {HTMLElement} */ (event.target).closest?.("#planviz-early button") && open());
  on("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !isArea(event.target)) return;
    event.preventDefault();
    open();
  });
  // As in the app's box: what is pasted into the empty one opens.
  on("paste", (event) => {
    const area = /** @type {HTMLTextAreaElement} */ (event.target),
      text = event.clipboardData?.getData("text/plain") ?? "";
    if (!isArea(area) || area.value || !(text.includes("\n") || text.length > 40)) return;
    if (text.length > QUICK) {
      event.preventDefault();
      if (text.length > LIMIT)
        return void say(
          `This text has ${Math.round(text.length / 1e6)} million characters; the box takes up to ${LIMIT / 1e6} million.`,
        );
      held = text;
      area.value = text.slice(0, 20_000);
      area.readOnly = true;
    }
    setTimeout(open, 0);
  });
  new MutationObserver((_, watch) => {
    if (!part("span")) return;
    watch.disconnect();
    if (!asked) say(HINT);
    part("textarea").focus({ preventScroll: true });
  }).observe(document, { childList: true, subtree: true });
  window.__planvizEarly = {
    // What was typed, where, and whether it is to be opened; the box goes.
    take() {
      const area = part("textarea");
      listeners.abort();
      const told = {
        text: held ?? area.value,
        asked,
        focused: document.activeElement === area,
        start: area.selectionStart,
        end: area.selectionEnd,
      };
      root()?.remove();
      delete window.__planvizEarly;
      return told;
    },
  };
})();
