// What a page will show, on screen before Streamlit has run it: our own elements with data from our own addresses, over
// the place where the page's own element appears, until that is painted.
//
//   window.__planvizAhead = { show(name, data, { whole }), clear() }   whole: the heading's place is covered, too
//
// Data of the other pages and stages are fetched while nobody waits, and forgotten with every change of what is shown.
const BAR = 52,
  HEADING = 48,
  LONGEST = 10_000,
  REST = 250,
  COSTLY = 600,
  PATIENCE = 700; // pixels, pixels, ms, ms, ms, ms
const LINKS = ".st-key-planviz-links a[href]";
/** @type {Record<string, string | undefined>} */
const PAGES = {
  "": "explore",
  explore: "explore",
  rules: "rules",
  joins: "joins",
  aggregations: "aggregations",
  cardinality: "cardinality",
};
const elements = window.__planvizElements ?? {};
/**
 * @typedef {{ mount: (place: HTMLElement, data: unknown, callbacks: Callbacks) => Handle<unknown> }} Script
 * @type {Map<string, Promise<[script: Script, style: string]>>}
 */
const scripts = new Map(); // name -> [mount, style]
/** @type {Map<string, Promise<[name: string, data: unknown] | null>>} */
const fetched = new Map(); // address -> promise of [name, data] or null
/** @type {{ host: HTMLElement; handle: Handle<unknown> | null; timer: number } | null} */
let shown = null; // { host, handle, timer }
let asked = 0,
  resting = 0,
  stamp = 0;

/**
 * @param {string} name
 * @returns {Promise<[script: Script, style: string]>}
 */
function load(name) {
  let loaded = scripts.get(name);
  if (!loaded) {
    const [script, style] = elements[name];
    loaded = Promise.all([import(script), fetch(style).then((answer) => answer.text())]);
    scripts.set(name, loaded);
  }
  return loaded;
}

function clear() {
  if (!shown) return;
  clearTimeout(shown.timer);
  shown.handle?.destroy();
  shown.host.remove();
  shown = null;
}

/** @param {string} name @param {unknown} data */
async function show(name, data, { whole = false } = {}) {
  const turn = ++asked;
  // Another text is open now: until its page says so (planviz:place), what was fetched, and the server's word, are of the one before.
  if (whole) leave();
  const [{ mount }, style] = await load(name);
  if (turn !== asked) return;
  const app = document.querySelector(".stApp") ?? document.body,
    at = (/** @type {string} */ key) => document.querySelector(`.st-key-planviz-${key}`)?.getBoundingClientRect();
  const bar = at("bar")?.bottom ?? BAR,
    top = whole ? bar : Math.max(bar, at("heading")?.bottom ?? bar + HEADING);
  const before = shown,
    host = document.createElement("div");
  host.id = "planviz-ahead";
  host.style.cssText = `position:fixed;left:0;right:0;bottom:0;top:${top}px;z-index:94;background:${getComputedStyle(app).backgroundColor};padding-top:${whole ? Math.max(HEADING, at("heading")?.height ?? HEADING) : 0}px;box-sizing:border-box`;
  const root = host.attachShadow({ mode: "open" }),
    dress = document.createElement("style"),
    place = document.createElement("div");
  dress.textContent = style;
  place.style.cssText = "height:100%;overflow:hidden";
  root.append(dress, place);
  document.body.append(host);
  shown = { host, handle: null, timer: setTimeout(clear, LONGEST) };
  if (before) {
    clearTimeout(before.timer);
    before.handle?.destroy();
    before.host.remove();
  }
  try {
    shown.handle = mount(place, data, {});
  } catch (error) {
    clear();
    throw error;
  }
}

// ---- pages and stages

/**
 * @param {string} address
 * @returns {Promise<[name: string, data: unknown] | null>}
 */
function ask(address) {
  const known = fetched.get(address);
  if (known) return known;
  const of = stamp;
  /** @type {Promise<[name: string, data: unknown] | null>} */
  const found = fetch(address, { credentials: "same-origin" })
    .then(async (answer) => {
      if (answer.status !== 200 || of !== stamp) return null;
      return /** @type {[name: string, data: unknown]} */ ([
        answer.headers.get("x-planviz-element"),
        await answer.json(),
      ]);
    })
    .catch(() => null);
  fetched.set(address, found);
  return found;
}

/** @param {string} address */
async function turn(address) {
  const of = ++asked,
    started = performance.now();
  const found = await ask(address);
  // The page itself may have been faster, or another one is asked for.
  if (!found || of !== asked || (window.__planviz?.received ?? 0) > started) return;
  show(...found);
}

// The plan behind a stage's tab, which may be shown in another language than the server names it in.
/** @param {string} shown */
function planOf(shown) {
  const stages = window.__planvizPlace?.stages ?? {},
    told = window.__planvizLanguage?.told ?? ((name) => name);
  const stage = Object.keys(stages).find((name) => name === shown || told(name) === shown);
  return stage === undefined ? undefined : stages[stage];
}

/** @param {NonNullable<Window["__planvizPlace"]>} place @param {string} page @param {number | string} [plan] */
function addressOf(place, page, plan) {
  return `/ahead/${place.visitor}/${page}${plan === undefined ? "" : `?plan=${plan}`}`;
}

// Streamlit's link to the first page has an empty address, which is the page that one is on: a new tab would open that.
document.addEventListener(
  "pointerover",
  (event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest?.(LINKS);
    if (link?.getAttribute("href") === "") link.setAttribute("href", "/");
  },
  true,
);

document.addEventListener(
  "click",
  (event) => {
    const place = window.__planvizPlace;
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || !place) return;
    const link = /** @type {HTMLElement} */ (event.target).closest?.(LINKS);
    if (link) {
      const path = new URL(link.getAttribute("href") || "/", location.origin).pathname,
        page = PAGES[path.slice(1)];
      ++asked; // what was asked for before is not wanted any more
      if (page && path !== location.pathname) turn(addressOf(place, page));
      else clear();
      return;
    }
    const tab = /** @type {HTMLElement} */ (event.target).closest?.('[class*="st-key-planviz-tab"] button');
    const plan = tab && planOf((tab.textContent ?? "").trim());
    if (tab && plan !== undefined && plan !== null && tab.getAttribute("aria-checked") !== "true")
      turn(addressOf(place, "explore", plan));
  },
  true,
);

// What is shown or selected has changed: what was fetched before is of yesterday.
function forget() {
  stamp++;
  fetched.clear();
  clearTimeout(resting);
  resting = setTimeout(() => (window.requestIdleCallback ?? setTimeout)(fetchAll), REST);
}

function leave() {
  stamp++;
  fetched.clear();
  clearTimeout(resting);
  delete window.__planvizPlace;
}

async function fetchAll() {
  const place = window.__planvizPlace,
    of = stamp;
  if (!place || document.hidden || shown) return;
  const here = location.pathname.slice(1),
    pages = ["explore", "joins", "cardinality", "aggregations"].filter((page) => PAGES[here] !== page);
  const addresses = [
    ...pages.map((page) => addressOf(place, page)),
    ...Object.values(place.stages).map((plan) => addressOf(place, "explore", plan)),
  ];
  // A trace costs most: whoever asks for another page meanwhile would wait behind it.
  if (PAGES[here] !== "rules") addresses.push(addressOf(place, "rules"));
  for (const address of addresses) {
    if (of !== stamp) return;
    const begun = performance.now();
    await ask(address);
    // Of a document that takes long, the rest is asked for when somebody wants it.
    if (performance.now() - begun > COSTLY) return;
  }
}

document.addEventListener("planviz:place", forget);
document.addEventListener("planviz:select", forget);
document.addEventListener("planviz:mounting", () => shown?.handle?.remember?.());
document.addEventListener("planviz:painted", (event) => shown && !event.composedPath().includes(shown.host) && clear());
addEventListener("popstate", () => {
  asked++;
  clear();
});
window.__planvizAhead = { show, clear };

// ---- what later pages need, while nobody waits

async function later() {
  for (const name of ["workbench", "rules", "joins", "cardinality", "aggregations", "compare"])
    if (elements[name]) await load(name).catch(() => {});
  for (const address of window.__planvizLater ?? []) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "modulepreload", href: address });
    document.head.append(link);
  }
}

addEventListener("load", () => (window.requestIdleCallback ?? setTimeout)(later));

// ---- a sign that the server works, where a page takes longer than one waits without asking

const working = Object.assign(document.createElement("div"), { id: "planviz-working" });
working.setAttribute("role", "status");
let busy = 0;

/** @param {HTMLElement} app */
function look(app) {
  const runs = app.dataset.testScriptState === "running" || app.dataset.testScriptState === "rerunRequested";
  if (runs === Boolean(busy)) return;
  clearTimeout(busy);
  busy = runs ? setTimeout(() => (working.textContent = "Working…"), PATIENCE) : 0;
  if (!runs) working.textContent = "";
}

new MutationObserver((_, observer) => {
  const app = /** @type {HTMLElement | null} */ (document.querySelector(".stApp"));
  if (!app) return;
  observer.disconnect();
  document.body.append(working);
  new MutationObserver(() => look(app)).observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
  look(app);
}).observe(document.documentElement, { childList: true, subtree: true });
