// The language of the app's texts: what the address says, else what was chosen in this tab, else in this browser, else the
// browser's own. It stands in the page's head; the messages and what puts them in place are fetched for those who read them.
(() => {
  const NAME = "planviz.language", OFFERED = ["en", ...Object.keys(window.__planvizTexts)];
  const shadows = new Set(), known = (language) => (OFFERED.includes(language) ? language : null);
  const kept = (storage) => {
    try {
      return known(window[storage].getItem(NAME));
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  const keep = (storage, language) => {
    try {
      window[storage].setItem(NAME, language);
    } catch {
      // Then it lasts as long as the page.
    }
  };
  const own = () => known((navigator.language ?? "").slice(0, 2).toLowerCase()) ?? "en";
  const asked = known(new URLSearchParams(location.search).get("lang"));
  if (asked) keep("sessionStorage", asked);
  let translator = null, turns = 0;
  const state = (window.__planvizLanguage = {
    language: asked ?? kept("sessionStorage") ?? kept("localStorage") ?? own(),
    // The part of an address that says it; "" where it goes without saying.
    get part() {
      return asked || state.language !== own() ? `lang=${state.language}` : "";
    },
    told: (text) => translator?.texts.told(text) ?? text,
    turn(language) {
      keep("sessionStorage", language);
      keep("localStorage", language);
      state.language = language;
      const address = new URL(location.href);
      if (state.part) address.searchParams.set("lang", language);
      else address.searchParams.delete("lang");
      history.replaceState(history.state, "", address);
      show();
    },
  });

  async function show() {
    const turn = ++turns, { language } = state;
    document.documentElement.lang = language === "zh" ? "zh-CN" : language;
    document.cookie = `planviz-language=${language}; path=/; SameSite=Strict`;
    const [address, messages] = window.__planvizTexts[language] ?? [];
    const [module, told] = address ? await Promise.all([import(address), fetch(messages).then((answer) => answer.json())]) : [];
    if (turn !== turns) return; // turned again
    translator?.stop();
    translator = module ? new module.Translator(new module.Texts(told)) : null;
    translator?.watch(document.documentElement);
    for (const shadow of shadows) if (shadow.deref()) translator?.watch(shadow.deref());
    document.dispatchEvent(new CustomEvent("planviz:language"));
  }

  // What is in an element's shadow no observer outside of it sees.
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const shadow = attach.call(this, options);
    shadows.add(new WeakRef(shadow));
    translator?.watch(shadow);
    return shadow;
  };
  document.addEventListener("click", (event) => {
    const button = event.composedPath().find((at) => at.matches?.(".pv-language"));
    if (button) state.turn(state.language === "en" ? OFFERED[1] : "en");
  });
  show();
})();
