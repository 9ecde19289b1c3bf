// The language of the app's texts: what the address says, else what was chosen in this tab, else in this browser, else the
// browser's own. It stands in the page's head; the messages and what puts them in place are fetched for those who read them.
(() => {
  const LONGEST = 3000; // ms
  const NAME = "planviz.language",
    OFFERED = ["en", ...Object.keys(window.__planvizTexts)];
  const known = (/** @type {string | null} */ language) => (language && OFFERED.includes(language) ? language : null);
  const kept = (/** @type {"localStorage" | "sessionStorage"} */ storage) => {
    try {
      return known(window[storage].getItem(NAME));
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  const keep = (/** @type {"localStorage" | "sessionStorage"} */ storage, /** @type {string} */ language) => {
    try {
      window[storage].setItem(NAME, language);
    } catch {
      // Then the address alone has it.
    }
  };
  const address = new URL(location.href),
    asked = known(address.searchParams.get("lang"));
  if (asked) keep("sessionStorage", asked);
  const own = known((navigator.language ?? "").slice(0, 2).toLowerCase()) ?? "en";
  const language = asked ?? kept("sessionStorage") ?? kept("localStorage") ?? own;
  // What goes without saying does not stand in the address.
  const part = asked || language !== own ? `lang=${language}` : "";
  if (part && !asked) {
    address.searchParams.set("lang", language);
    history.replaceState(history.state, "", address);
  }
  document.documentElement.lang = language === "zh" ? "zh-CN" : language;
  document.cookie = `planviz-language=${language}; path=/; SameSite=Strict`; // for what leaves the server as a file
  const state = (window.__planvizLanguage = { language, part, told: (text) => text });

  // The whole page comes again, in the other language; the address has what is open.
  /** @param {string} to */
  function turn(to) {
    keep("sessionStorage", to);
    keep("localStorage", to);
    document.dispatchEvent(new CustomEvent("planviz:leaving"));
    const next = new URL(location.href);
    if (to === own) next.searchParams.delete("lang");
    else next.searchParams.set("lang", to);
    location.replace(next);
  }

  document.addEventListener("click", (event) => {
    const button = event
      .composedPath()
      .find((at) => /** @type {Partial<HTMLElement>} */ (at).matches?.(".pv-language"));
    if (button) turn(language === "en" ? OFFERED[1] : "en");
  });
  if (language === "en") return;

  // What is in an element's shadow no observer outside of it sees.
  const attach = Element.prototype.attachShadow,
    shadows = /** @type {ShadowRoot[]} */ ([]);
  /** @type {{ watch: (root: Node) => void } | null} */
  let translator = null;
  Element.prototype.attachShadow = function (options) {
    const shadow = attach.call(this, options);
    if (translator) translator.watch(shadow);
    else shadows.push(shadow);
    return shadow;
  };
  // Nothing is shown in English first; what is there takes keys meanwhile, and is shown without texts that do not come.
  const { style } = document.documentElement,
    show = () => (style.opacity = "");
  style.opacity = "0";
  setTimeout(show, LONGEST);
  const [module, messages] = window.__planvizTexts[language];
  Promise.all([import(module), fetch(messages).then((answer) => answer.json())])
    .then(([{ Texts, Translator }, told]) => {
      const texts = new Texts(told);
      state.told = (text) => texts.told(text);
      const started = new Translator(texts);
      translator = started;
      for (const root of [document.documentElement, ...shadows]) started.watch(root);
      document.dispatchEvent(new CustomEvent("planviz:language"));
    })
    .catch((error) => console.warn(error))
    .finally(show);
})();
