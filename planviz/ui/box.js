// The box that takes anything: paste, type, Ctrl/Cmd+Enter, or drop a file anywhere on the page.
//
// data: { look, limit, error, text, hint }
//   look   "box": the text area, "small": a lower one; "drop": nothing to see, only files dropped on the page
//   limit  most characters; more is refused here, before anything is sent
//   error  { message, line } of the text that was sent last, or null
//   text   what the box shows at first, such as the text of a link that could not be opened
// Tells Python "opened" with { text, name }, or { key, name } of a text that it sent to /plan before; name is a file's
// name or "".
const QUICK = 50_000; // characters that a text area takes without delay
const PATIENCE = 300; // ms that Streamlit waits for the picture
const SHOWN = 2_000_000; // characters put into the text area at all; a longer text is kept aside
/** @type {WeakMap<HTMLElement, Box>} */
const boxes = new WeakMap(); // Streamlit's parent element -> Box
const UNSENT = "planviz.unsent";
let unsent = sessionStorage.getItem(UNSENT) ?? ""; // what was typed, should the box be taken away and come back
sessionStorage.removeItem(UNSENT);
// The page comes again in another language (languages.js).
document.addEventListener(
  "planviz:leaving",
  () => unsent && unsent.length <= QUICK && sessionStorage.setItem(UNSENT, unsent),
);

class Box {
  /** @type {string | null} */ sent;
  /** @type {string | null} */ held;
  /** @type {(value: unknown) => void} */ send;
  /** @type {BoxData} */ data;
  /** @type {HTMLElement | undefined} */ root;
  /** @type {HTMLTextAreaElement} */ area;
  /** @type {HTMLElement} */ alert;
  /** @type {HTMLButtonElement} */ go;
  /** @type {HTMLButtonElement} */ clear;
  /** @type {HTMLElement} */ count;
  /** @type {string} */ before;
  /** @type {string | undefined} */ name;
  /** @type {number | undefined} */ turn;
  /** @type {number | undefined} */ turnOfText;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.parent = parent;
    this.sent = null; // what was sent without being shown
    this.held = null; // the whole text when it is too long for the text area
    this.drop = element("div", "drop");
    this.drop.append(element("b", "", "Drop the file to open it"));
    this.drop.hidden = true;
    this.listeners = new AbortController();
    const { signal } = this.listeners,
      /** @type {<Name extends keyof DocumentEventMap>(name: Name, act: (event: DocumentEventMap[Name]) => unknown) => void} */
      on = (name, act) => document.addEventListener(name, act, { capture: true, signal });
    on("dragover", (event) => this.#over(event));
    on("dragleave", (event) => !event.relatedTarget && (this.drop.hidden = true));
    on("drop", (event) => this.#dropped(event));
    on("paste", (event) => this.#pastedAnywhere(event));
    on("click", (event) => this.#copied(/** @type {HTMLElement} */ (event.target).closest?.(".pv-lines button")));
  }

  /** @param {BoxData} data @param {(value: unknown) => void} send */
  update(data, send) {
    this.send = send;
    const first = !this.data,
      fresh = JSON.stringify(this.data?.error) !== JSON.stringify(data.error);
    const taken = !first && this.data.taken !== data.taken;
    this.data = data;
    if (first) this.#build();
    if (!this.area) return;
    if (taken) this.#show("", true);
    if (first && (data.text || unsent)) this.#show(data.text || unsent);
    this.#busy(false);
    if (data.error) window.__planvizAhead?.clear();
    if (data.error && this.sent !== null) this.#show(this.sent, true);
    if (first || fresh || data.error) this.#complain(data.error?.message ?? "", data.error?.line);
  }

  destroy() {
    this.listeners.abort();
    this.root?.remove();
    this.drop.remove();
  }

  #build() {
    this.parent.append(this.drop);
    if (this.data.look === "drop") return;
    const root = (this.root = element("div", `box ${this.data.look}`));
    const area = (this.area = element("textarea"));
    area.setAttribute("aria-label", "SQL, plan text, rule log, event log or JSON");
    area.placeholder = "Paste SQL, a program, or what Spark printed";
    area.spellcheck = false;
    area.autocomplete = "off";
    area.wrap = "off";
    this.alert = element("div", "alert");
    this.alert.setAttribute("role", "alert");
    this.alert.hidden = true;
    this.go = button("go", "Open", () => this.#submit());
    this.clear = button("clear", "Clear", () => this.#show(""));
    this.count = element("span", "count");
    const file = element("input");
    file.type = "file";
    file.hidden = true;
    file.setAttribute("aria-label", "Choose a file");
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      if (chosen) this.#file(chosen);
    });
    const row = element("div", "row");
    const words = element(
      "span",
      "words",
      `${/Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"}+Enter opens it; a file may be dropped anywhere`,
    );
    row.append(
      this.go,
      button("pick", "Choose a file…", () => file.click()),
      this.clear,
      words,
      this.count,
      file,
    );
    root.append(this.alert, area, row);
    this.parent.prepend(root);
    area.addEventListener("paste", (event) => this.#pasted(event));
    area.addEventListener("input", () => this.#typed());
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#submit();
    });
    this.before = "";
    this.#counted();
    area.focus({ preventScroll: true });
    if (this.data.look === "box") this.#takeOver(window.__planvizEarly?.take());
  }

  // What was typed before the app's own box was there (early.js).
  /** @param {EarlyText | undefined} early */
  #takeOver(early) {
    if (!early?.text || !this.#fits(early.text.length)) return;
    this.#show(early.text);
    if (early.focused) this.area.setSelectionRange(early.start, early.end);
    // Streamlit takes no message from an element before that is mounted.
    if (early.asked) setTimeout(() => this.#submit(), 0);
  }

  // The lines beside the box (planviz.ui.components.lines).
  /** @param {HTMLElement | null | undefined} pressed */
  async #copied(pressed) {
    if (!pressed) return;
    const lines = /** @type {HTMLElement} */ (pressed.parentElement?.querySelector("pre"));
    try {
      await navigator.clipboard.writeText(lines.textContent ?? "");
      pressed.textContent = "Copied";
      setTimeout(() => (pressed.textContent = "Copy"), 1600);
    } catch {
      getSelection()?.selectAllChildren(lines); // without https there is only the keyboard's way
    }
  }

  // A paste that no field takes opens, also over an open document.
  /** @param {ClipboardEvent} event */
  #pastedAnywhere(event) {
    const takes = (/** @type {EventTarget} */ target) => {
      const at = /** @type {Partial<HTMLElement>} */ (target);
      return at.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at.tagName ?? "");
    };
    if (this.data?.look === "small" || event.composedPath().some(takes)) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!(text.trim().includes("\n") || text.length > 40) || !this.#fits(text.length)) return;
    event.preventDefault();
    this.#open(text, "");
  }

  // Into the empty box a paste opens at once; into a text that stands there it is an edit.
  /** @param {ClipboardEvent} event */
  #pasted(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text) return;
    const { area } = this,
      whole = area.selectionStart === 0 && area.selectionEnd === area.value.length;
    if (!whole && this.held === null && area.value.length + text.length <= SHOWN) return;
    event.preventDefault();
    if (!this.#fits(text.length)) return;
    if (text.includes("\n") || text.length > 40) this.#open(text, "");
    else this.#show(text);
  }

  // A text that appears at once in the empty box was pasted or dropped into it, whatever the event is called.
  #typed() {
    const { area } = this,
      { value } = area,
      before = this.before;
    this.before = value;
    unsent = value.length <= SHOWN ? value : "";
    this.held = this.sent = null;
    this.#counted();
    if (!this.#fits(value.length)) return this.#show("", true);
    this.#complain("");
    if (!before && value.length > 40 && value.includes("\n")) this.#open(value, "");
  }

  #submit() {
    const text = this.held ?? this.area.value;
    if (!text.trim())
      return this.#complain(
        'There is no text yet. Paste SQL, a program (PySpark, Scala, Java), what df.explain("formatted") printed, a rule log, or a plan’s JSON.',
      );
    if (this.#fits(text.length)) this.#open(text, this.name ?? "");
  }

  /** @param {string} text @param {string} name */
  #open(text, name) {
    this.name = name;
    this.#upload(text, name);
    if (!this.area) return;
    this.#complain("");
    this.#busy(true);
    // A long text in the text area takes longer to lay out than its plan to draw; it is shown when it must be mended.
    if (text.length <= QUICK) this.#show(text);
    else this.sent = text;
  }

  // The text is opened beside Streamlit's run of the page, and its picture shown before that (ahead.js). A server that
  // does not know the address (another start file) gets the text as Streamlit takes it, as do short ones with a fault.
  /** @param {string} text @param {string} name */
  async #upload(text, name) {
    /** @type {{ key?: string; element?: string; data?: unknown; message?: string; line?: number }} */
    let told = {};
    const turn = (this.turnOfText = (this.turnOfText ?? 0) + 1);
    try {
      const answer = await fetch(`/plan?${new URLSearchParams(this.data.planned ?? {})}`, {
        method: "POST",
        body: text,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
      });
      told = (answer.headers.get("content-type") ?? "").includes("json") ? await answer.json() : {};
    } catch {
      // The way through Streamlit remains.
    }
    if (turn !== this.turnOfText) return; // another text has come
    if (told.key) {
      // The picture first: what Streamlit renders at the word would stand before its frame.
      if (told.data && window.__planvizAhead) {
        await drawn(window.__planvizAhead.show(told.element ?? "", told.data, { whole: true }));
        if (turn !== this.turnOfText) return;
      }
      this.send({ key: told.key, name });
    } else if (told.message && this.area && text.length > QUICK) {
      this.#busy(false);
      if (this.sent !== null) this.#show(this.sent, true);
      this.#complain(told.message, told.line);
    } else this.send({ text, name });
  }

  /** @param {number} length */
  #fits(length) {
    if (length <= this.data.limit) return true;
    const millions = (/** @type {number} */ n) => Math.round(n / 1e6).toLocaleString("en");
    const words = `This text has ${millions(length)} million characters; the box takes up to ${millions(this.data.limit)} million. Paste the plan alone or one execution of the log, or read the file with “planviz parse FILE”.`;
    if (this.area) this.#complain(words);
    else this.#tell(words);
    return false;
  }

  // Refusals where no box is to be seen.
  /** @param {string} words */
  #tell(words) {
    this.drop.replaceChildren(element("b", "", words));
    this.drop.setAttribute("role", "alert");
    this.drop.hidden = false;
    setTimeout(() => {
      this.drop.hidden = true;
      this.drop.removeAttribute("role");
      this.drop.replaceChildren(element("b", "", "Drop the file to open it"));
    }, 6000);
  }

  // The text area shows a text, or the start of one that is too long for it, which is then kept whole beside it.
  /** @param {string} text */
  #show(text, quiet = false) {
    const { area } = this,
      long = text.length > SHOWN;
    this.sent = null;
    this.held = long ? text : null;
    area.value = long ? text.slice(0, 20_000) : text;
    area.readOnly = long;
    this.before = area.value;
    unsent = long ? "" : text;
    this.#counted();
    if (!text) area.focus({ preventScroll: true });
    if (!text && !quiet) this.#complain("");
  }

  #counted() {
    const { length } = this.held ?? this.area.value;
    this.count.textContent = !length
      ? ""
      : this.held === null
        ? `${length.toLocaleString("en")} characters`
        : `the first 20,000 of ${length.toLocaleString("en")} characters`;
    this.clear.hidden = !length;
  }

  /** @param {string} words @param {number} [line] */
  #complain(words, line) {
    this.alert.replaceChildren(element("span", "", words));
    if (words && line)
      this.alert.append(button("line", `Show line ${line.toLocaleString("en")}`, () => this.#reveal(line)));
    this.alert.hidden = !words;
  }

  /** @param {number} line */
  #reveal(line) {
    const { area } = this;
    let start = 0;
    for (let n = 1; n < line && start >= 0; n++) start = area.value.indexOf("\n", start) + 1 || -1;
    if (start < 0) return;
    const end = area.value.indexOf("\n", start);
    area.focus();
    area.setSelectionRange(start, end < 0 ? area.value.length : end);
    area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(area).lineHeight));
  }

  /** @param {boolean} on */
  #busy(on) {
    this.go.textContent = on ? "Opening…" : "Open";
    this.go.disabled = on;
    this.root?.classList.toggle("busy", on);
  }

  // ---- files

  /** @param {DragEvent} event */
  #over(event) {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    this.drop.hidden = false;
  }

  /** @param {DragEvent} event */
  #dropped(event) {
    const file = event.dataTransfer?.files?.[0];
    this.drop.hidden = true;
    if (!file || event.defaultPrevented) return;
    event.preventDefault();
    this.#file(file);
  }

  /** @param {File} file */
  async #file(file) {
    if (!this.#fits(file.size)) return;
    const stream = /\.gz$/i.test(file.name)
      ? file.stream().pipeThrough(new DecompressionStream("gzip"))
      : file.stream();
    try {
      const text = await this.#read(stream);
      if (text !== null) this.#open(text, file.name);
    } catch {
      const words = `${file.name} could not be read. Is it a text file, or a whole .gz file?`;
      if (this.area) this.#complain(words);
      else this.#tell(words);
    }
  }

  // The text of a file, read no further than the limit, which a small .gz file can pass a thousand times over.
  /** @param {ReadableStream<BufferSource>} stream */
  async #read(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader(),
      parts = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return parts.join("");
      parts.push(value);
      length += value.length;
      if (length > this.data.limit) {
        await reader.cancel();
        this.#fits(length);
        return null;
      }
    }
  }
}

/**
 * Settles when a picture stands on the screen, failed, or takes long: a page that nobody sees has no frames.
 * @param {Promise<void>} shown
 * @returns {Promise<void>}
 */
function drawn(shown) {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE);
    shown.then(
      () => requestAnimationFrame(() => setTimeout(resolve, 0)),
      () => resolve(),
    );
  });
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** @param {string} className @param {string} text @param {() => void} act */
function button(className, text, act) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// Streamlit calls this on every change of data and may clean up an earlier call afterwards: the box goes only when no
// later call has taken it over.
/** @param {Mounted<BoxData> & { data: BoxData }} mounted */
export default function ({ data, parentElement, setTriggerValue }) {
  const box = boxes.get(parentElement) ?? new Box(parentElement);
  boxes.set(parentElement, box);
  const turn = (box.turn = (box.turn ?? 0) + 1);
  box.update(data, (value) => setTriggerValue("opened", value));
  return () => {
    setTimeout(() => {
      if (box.turn !== turn) return;
      box.destroy();
      boxes.delete(parentElement);
    }, 0);
  };
}
