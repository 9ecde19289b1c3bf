// The address bar and the button that copies it. The address always names the picture: document, plan, selected node.
//
// data: { query, view, node, button, part }
//   query  the part of the address after "?" without the node, or "" for none
//   view   which picture this is, as the workbench's key names it; a new one starts with `node` selected (or null)
//   part   what the selected thing is called in the address: "node", or "step" of a trace
//   button whether the button is shown; where the text is too long for a link another explains that
// The workbench tells of a selection with the event "planviz:select", detail { id, key }; it goes straight into the address,
// without Python. What is there is replaced, never added to the history: Back leaves the app, as everywhere.
const bars = new WeakMap(); // Streamlit's parent element -> Bar
const nodes = new Map(); // picture -> selected node: the workbench goes back to it when the picture comes again, from another page too
const given = new Map(); // picture -> the node that Python last told for it

class Bar {
  constructor(parent) {
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.textContent = "Copy link";
    this.button.addEventListener("click", () => this.#copy());
    parent.append(this.button);
    this.listeners = new AbortController();
    document.addEventListener("planviz:select", (event) => this.#selected(event.detail), this.listeners);
  }

  update(data) {
    this.data = data;
    if (!given.has(data.view) || given.get(data.view) !== data.node) nodes.set(data.view, data.node);
    given.set(data.view, data.node);
    this.button.hidden = !data.button;
    this.#write();
  }

  destroy() {
    this.listeners.abort();
    this.button.remove();
  }

  #selected({ id, key }) {
    nodes.set(key, id);
    this.#write();
  }

  #write() {
    const { query, view, part } = this.data, node = nodes.get(view);
    const search = [query, node == null ? "" : `${part}=${node}`].filter(Boolean).join("&");
    const address = location.pathname + (search ? `?${search}` : "");
    if (address !== location.pathname + location.search) history.replaceState(history.state, "", address);
  }

  async #copy() {
    this.#write();
    const done = (await copied(location.href)) ? "Copied" : "Copy it from the address bar";
    this.button.textContent = done;
    setTimeout(() => (this.button.textContent = "Copy link"), 1600);
  }
}

// Without https and away from this machine there is no clipboard to write to but the old way.
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

export default function ({ data, parentElement }) {
  const bar = bars.get(parentElement) ?? new Bar(parentElement);
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
