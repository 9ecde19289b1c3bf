// The raw text with line numbers, only the part in view in the document, the selected node's lines marked.
import { button, element, quoted } from "./dom.js";

const LINE = 19;
const SPARE = 120_000; // characters kept around the view, so that a selection may reach past it
const TALLEST = 8_000_000; // px; browsers stop near 17 million, so longer texts scroll in proportion
const WIDEST = 20_000; // characters of one line shown at once

export class RawText {
  /** @type {string | null | undefined} */ text;
  /** @type {Uint32Array | null} */ starts;
  /** @type {number} */ from;
  /** @type {number} */ to;
  /** @type {number} */ count;
  /** @type {Pixels} */ height;

  // on: {line(number)}
  /** @param {{ line: (line: number) => void }} on */
  constructor(on) {
    this.root = element("div", "pv-text");
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "Raw text of the plan");
    this.space = element("div", "pv-text-space");
    this.lines = element("div", "pv-text-lines");
    this.root.append(this.space, this.lines);
    this.marked = [0, 0];
    this.root.addEventListener("scroll", () => this.draw(), { passive: true });
    this.root.addEventListener("click", (event) => {
      const line = /** @type {HTMLElement} */ (event.target).closest?.(".pv-text-line");
      if (line && !String(getSelection())) on.line(Number(line.dataset.line));
    });
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(this.root);
  }

  destroy() {
    this.resizing.disconnect();
  }

  /** @param {string | null | undefined} text */
  show(text) {
    this.text = text;
    this.starts = null;
    this.from = this.to = -1;
    this.lines.replaceChildren();
  }

  // Where each line starts; found when the text is first looked at.
  #index() {
    if (this.starts || this.text == null) return;
    const { text } = this;
    let room = new Uint32Array(1024),
      count = 0;
    for (let at = 0; at >= 0 && at <= text.length; ) {
      if (count === room.length) {
        const more = new Uint32Array(count * 2);
        more.set(room);
        room = more;
      }
      room[count++] = at;
      const end = text.indexOf("\n", at);
      at = end < 0 ? -1 : end + 1;
    }
    if (count > 1 && room[count - 1] === text.length) count--; // a last newline ends a line, it starts none
    this.starts = room;
    this.count = count;
    this.height = Math.min(TALLEST, count * LINE);
    this.space.style.height = `${this.height + 16}px`;
    this.root.style.setProperty("--pv-digits", `${String(count).length + 1}ch`);
  }

  // The words of a line, from 1; "" for one that is not there.
  /** @param {number} number */
  lineText(number) {
    this.#index();
    return number >= 1 && number <= (this.count ?? 0) ? this.#line(number - 1) : "";
  }

  // Once it is indexed.
  get #whole() {
    return /** @type {{ text: string; starts: Uint32Array }} */ (this);
  }

  /** @param {number} n */
  #line(n) {
    const { text, starts } = this.#whole;
    const end = n + 1 < this.count ? starts[n + 1] - 1 : text.length;
    const line = text.slice(starts[n], end).replace(/[\r\n]+$/, "");
    return line.length > WIDEST ? `${line.slice(0, WIDEST)} … ${line.length - WIDEST} more characters` : line;
  }

  /** @param {number} first @param {number} last */
  mark(first, last) {
    this.marked = [first, last];
    for (const line of /** @type {Iterable<HTMLElement>} */ (this.lines.children))
      line.classList.toggle("pv-marked", this.#isMarked(Number(line.dataset.line)));
  }

  /** @param {number} n */
  #isMarked(n) {
    return n >= this.marked[0] && n <= this.marked[1];
  }

  // Scrolls the marked lines into view unless they are.
  reveal() {
    this.#index();
    if (!this.count || !this.marked[0]) return;
    const height = this.root.clientHeight,
      top = this.#top(this.marked[0] - 1),
      { scrollTop } = this.root;
    if (top < scrollTop || top + LINE > scrollTop + height) this.root.scrollTop = Math.max(0, top - height / 3);
    this.draw();
  }

  /** @param {number} n */
  #top(n) {
    const whole = this.count * LINE,
      height = this.root.clientHeight;
    if (whole <= TALLEST) return n * LINE;
    return (n * LINE * (this.height - height)) / (whole - height);
  }

  draw() {
    if (this.text == null || !this.root.clientHeight) return;
    this.#index();
    const { scrollTop, clientHeight: height } = this.root,
      whole = this.count * LINE;
    const scroll = whole <= TALLEST ? scrollTop : (scrollTop * (whole - height)) / (this.height - height);
    const first = Math.max(0, Math.floor(scroll / LINE)),
      last = Math.min(this.count, Math.ceil((scroll + height) / LINE));
    if (whole <= TALLEST && first >= this.from && last <= this.to) return;
    let from = first,
      to = last,
      room = SPARE;
    if (whole <= TALLEST) {
      const { text, starts } = this.#whole;
      while (from > 0 && room > 0) room -= starts[from] - starts[--from] + 20;
      for (room = SPARE; to < this.count && room > 0; to++)
        room -= (to + 1 < this.count ? starts[to + 1] : text.length) - starts[to] + 20;
    }
    this.from = from;
    this.to = to;
    const made = [];
    for (let n = from; n < to; n++) {
      const line = element("div", "pv-text-line");
      line.dataset.line = String(n + 1);
      line.classList.toggle("pv-marked", this.#isMarked(n + 1));
      const words = quoted("span", "pv-text-words", this.#line(n));
      line.append(words);
      made.push(line);
    }
    this.lines.replaceChildren(...made);
    this.lines.style.transform = `translateY(${8 + (whole <= TALLEST ? from * LINE : scrollTop + from * LINE - scroll)}px)`;
  }

  copyButton() {
    const copy = button("pv-button pv-copy-all", "Copy all", "Copy the whole text", async () => {
      await navigator.clipboard?.writeText(this.text ?? "");
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy all"), 1200);
    });
    return copy;
  }
}
