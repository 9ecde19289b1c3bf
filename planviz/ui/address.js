// The address bar and the button that copies it. The address always names the picture: document, plan, selected node.
//
// data: { query, view, node, button }
//   query  the part of the address after "?" without the node, or "" for none
//   view   which picture this is; a new one starts with `node` selected (or null)
//   button whether the button is shown; where the text is too long for a link another explains that
// The workbench tells of a selection with the event "planviz:select", detail { id }; it goes straight into the address,
// without Python. What is there is replaced, never added to the history: Back leaves the app, as everywhere.
const NAME = "node";
const bars = new WeakMap(); // Streamlit's parent element -> Bar

class Bar {
  constructor(parent) {
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.textContent = "Copy link";
    this.button.addEventListener("click", () => this.#copy());
    parent.append(this.button);
    this.listeners = new AbortController();
    document.addEventListener("planviz:select", (event) => this.#selected(event.detail?.id ?? null), this.listeners);
  }

  update(data) {
    if (this.data?.view !== data.view || !this.data) this.node = data.node;
    this.data = data;
    this.button.hidden = !data.button;
    this.#write();
  }

  destroy() {
    this.listeners.abort();
    this.button.remove();
  }

  #selected(node) {
    this.node = node;
    this.#write();
  }

  #write() {
    const { query } = this.data, node = this.node === null || this.node === undefined ? "" : `${NAME}=${this.node}`;
    const search = [query, node].filter(Boolean).join("&");
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
