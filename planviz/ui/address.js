// The address bar and the button that copies it. The address always names the picture: document, plan, selected node.
//
// data: { query, view, node, button, part, visitor }
//   query  the part of the address after "?" without the node, or "" for none
//   view   which picture this is, as the workbench's key names it; a new one starts with `node` selected (or null)
//   part   what the selected thing is called in the address: "node", or "step" of a trace
//   visitor the name under which the server keeps what is selected
//   button whether the button is shown; where the text is too long for a link another explains that
// The workbench tells of a selection with the event "planviz:select", detail { id, key }; it goes straight into the address,
// without Python, and to the server's list of selections, where the next stage or page finds it. What a person turns to is
// added to the history: Back and Forward walk through it, and Python is told with the trigger "walk". What follows within
// STEADY ms of something else (keys held down, a step player that runs) replaces it.
const STEADY = 700;
const LOCAL = new Set(["node", "join", "step", "aggregate"]); // what an element goes to by itself: it listens to "planviz:goto"
/** @type {WeakMap<HTMLElement, Bar>} */
const bars = new WeakMap(); // Streamlit's parent element -> Bar
/** @type {Map<string, number | string | null>} */
const nodes = new Map(); // picture -> selected node: the workbench goes back to it when the picture comes again, from another page too
let written = -STEADY; // when the address changed last
/** @type {string | null} */
let walking = null; // where Back or Forward led, until Python shows it
/** @type {Map<string, number | string | null>} */
const given = new Map(); // picture -> the node that Python last told for it

class Bar {
  /** @type {AddressData} */ data;
  /** @type {string | undefined} */ path;
  /** @type {string | undefined} */ told;
  /** @type {number | undefined} */ turn;
  /** @type {((search: string) => void) | undefined} */ walk;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.textContent = "Copy link";
    this.button.addEventListener("click", () => this.#copy());
    parent.append(this.button);
    this.listeners = new AbortController();
    document.addEventListener("planviz:select", (event) => this.#selected(event.detail), this.listeners);
    addEventListener("popstate", () => this.#walked(), this.listeners);
  }

  /** @param {AddressData} data */
  update(data) {
    this.data = data;
    if (!given.has(data.view) || given.get(data.view) !== data.node) nodes.set(data.view, data.node);
    given.set(data.view, data.node);
    this.button.hidden = !data.button;
    window.__planvizPlace = { visitor: data.visitor, stages: data.stages ?? {} };
    document.dispatchEvent(new CustomEvent("planviz:place"));
    this.#write();
  }

  destroy() {
    this.listeners.abort();
    if (window.__planvizPlace?.visitor === this.data?.visitor) delete window.__planvizPlace;
    this.button.remove();
  }

  /** @param {Chosen} given */
  #selected({ id, key }) {
    nodes.set(key, id);
    this.#write(true);
    this.#tell(key, id);
  }

  // Back or Forward within a page; to another page Streamlit turns itself.
  #walked() {
    if (location.pathname !== this.path) return;
    const { query, view, part } = this.data,
      asked = new URLSearchParams(location.search),
      number = asked.get(part);
    const rest = new URLSearchParams(query);
    const same =
      [...rest].every(([name, value]) => asked.get(name) === value) &&
      [...asked.keys()].every((name) => rest.has(name) || ["what", "lang", part].includes(name));
    if (same && LOCAL.has(part)) {
      const id = number === null ? null : Number(number);
      nodes.set(view, id);
      document.dispatchEvent(new CustomEvent("planviz:goto", { detail: { key: view, id } }));
      return this.#tell(view, id);
    }
    walking = location.search;
    given.delete(view);
    this.walk?.(location.search);
  }

  /** @param {string} view @param {number | string | null} id */
  #tell(view, id) {
    const number = Number.parseInt(String(id), 10),
      body = JSON.stringify({ view, number: Number.isNaN(number) ? null : number });
    fetch(`/selected/${this.data.visitor}`, { method: "POST", body, keepalive: true }).catch(() => {});
  }

  #write(chosen = false) {
    const { query, view, part } = this.data,
      node = nodes.get(view);
    const search = [query, node == null ? "" : `${part}=${node}`, window.__planvizLanguage?.part]
      .filter(Boolean)
      .join("&");
    const address = location.pathname + (search ? `?${search}` : "");
    const turned = this.path === location.pathname && (chosen || this.told !== query);
    this.path = location.pathname;
    this.told = query;
    if (walking !== null && !chosen)
      return void (walking === search || `?${search}` === walking ? (walking = null) : null);
    walking = null;
    if (address === location.pathname + location.search) return;
    const now = performance.now(),
      steady = now - written > STEADY;
    written = now;
    if (turned && steady) history.pushState(history.state, "", address);
    else history.replaceState(history.state, "", address);
  }

  async #copy() {
    this.#write();
    const done = (await copied(location.href)) ? "Copied" : "Copy it from the address bar";
    this.button.textContent = done;
    setTimeout(() => (this.button.textContent = "Copy link"), 1600);
  }
}

// Without https and away from this machine there is no clipboard to write to but the old way.
/** @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.cssText = "position:fixed;opacity:0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** @param {Mounted<AddressData> & { data: AddressData }} mounted */
export default function ({ data, parentElement, setTriggerValue }) {
  const bar = bars.get(parentElement) ?? new Bar(parentElement);
  bar.walk = (search) => setTriggerValue("walk", search);
  bars.set(parentElement, bar);
  const turn = (bar.turn = (bar.turn ?? 0) + 1);
  bar.update(data);
  return () => {
    setTimeout(() => {
      if (bar.turn !== turn) return;
      bar.destroy();
      bars.delete(parentElement);
    }, 0);
  };
}
