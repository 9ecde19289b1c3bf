// What an element listens to outside itself, for as long as it is there: the page's keys, its theme, fonts, size, address.

/**
 * @typedef {object} Listener
 * @property {(event: KeyboardEvent) => unknown} key
 * @property {boolean} [wholePage] in a page of its own the keys work before anything was clicked
 * @property {() => unknown} scheme the system turned light or dark
 * @property {() => unknown} resized
 * @property {() => unknown} [fonts] fonts have come
 * @property {(detail: DocumentEventMap["planviz:goto"]["detail"]) => unknown} [goto] Back and Forward of the browser (planviz/ui/address.js)
 */

export class Surroundings {
  /** @param {HTMLElement} root @param {Listener} on */
  constructor(root, on) {
    this.ends = new AbortController();
    const { signal } = this.ends;
    root.addEventListener("keydown", on.key);
    if (on.wholePage)
      document.addEventListener(
        "keydown",
        (event) => event.target === document.body && root.isConnected && on.key(event),
        { signal },
      );
    const { goto, fonts } = on;
    if (goto) document.addEventListener("planviz:goto", ({ detail }) => goto(detail), { signal });
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", on.scheme, { signal });
    if (fonts) document.fonts?.addEventListener?.("loadingdone", fonts, { signal });
    this.resizing = new ResizeObserver(on.resized);
    this.resizing.observe(root);
  }

  destroy() {
    this.ends.abort();
    this.resizing.disconnect();
  }
}
