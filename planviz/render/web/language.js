// Texts in the reader's language, at the last step before the screen. Everything in planviz says what it says in English;
// here a text is looked up among the messages of a catalogue (planviz/language.py has the same search in Python). What is
// nobody's text but the user's own or Spark's stands under translate="no", or in an element that holds code.
//
// A message may have values, "{rows} rows": it is then a pattern, and what stands at a value is looked up by itself.
const SHORT = 12; // letters: a pattern with fewer takes no value of several words, or it would take any sentence
const PLAIN = /^\S*(?:, \S+)*$/; // a value of one word, or a list of such
const SEPARATORS = ["\n", " · ", ". ", "; ", " — ", ": "];
const DEEPEST = 4, KEPT = 20_000;
const VALUE = /\{\w+\}/g;

export class Texts {
  // messages: English -> the other language.
  constructor(messages) {
    this.exact = new Map();
    this.patterns = new Map(); // a pattern's longest word -> the patterns with it, those with the most letters first
    this.found = new Map();
    for (const [english, other] of Object.entries(messages)) {
      if (english.search(VALUE) < 0) this.exact.set(english, other);
      else this.#add(english, other);
    }
    for (const patterns of this.patterns.values()) patterns.sort((a, b) => b.letters - a.letters);
  }

  #add(english, other) {
    const names = [...english.matchAll(VALUE)].map(([name]) => name), literal = english.split(VALUE);
    const words = literal.join(" ").match(/[A-Za-z]+/g);
    if (!words) return;
    const letters = words.join("").length, escaped = literal.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const shape = new RegExp(`^${escaped.join("(.*?)")}$`, "s");
    const key = wholeWords(literal).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
    if (!this.patterns.has(key)) this.patterns.set(key, []);
    this.patterns.get(key).push({ shape, names, other, letters });
  }

  // A text in the other language; what is no message stays as it is.
  told(text) {
    let known = this.found.get(text);
    if (known === undefined) {
      if (this.found.size >= KEPT) this.found.clear();
      this.found.set(text, (known = this.#told(text, 0) ?? text));
    }
    return known;
  }

  #told(text, depth) {
    const words = text.trim();
    if (depth > DEEPEST || !/[A-Za-z]/.test(words)) return undefined;
    const told = this.exact.get(words) ?? this.exact.get(words.replace(/\s+/g, " ")) ?? this.#matched(words, depth) ?? this.#pieces(words, depth);
    return told === undefined ? undefined : text.replace(words, () => told);
  }

  #matched(words, depth) {
    for (const key of new Set(["", ...(words.match(/[A-Za-z]+/g) ?? [])])) {
      for (const { shape, names, other, letters } of this.patterns.get(key) ?? []) {
        const [, ...found] = shape.exec(words) ?? [];
        const told = found.map((value) => this.#told(value, depth + 1) ?? (letters >= SHORT || PLAIN.test(value) ? value : undefined));
        if (!found.length || told.includes(undefined)) continue;
        const values = new Map(names.map((name, at) => [name, told[at]]));
        return other.replace(VALUE, (name) => values.get(name) ?? name);
      }
    }
    return undefined;
  }

  // Sentences and lists, each piece by itself; undefined where none is a message.
  #pieces(words, depth) {
    for (const separator of SEPARATORS) {
      const parts = words.split(separator);
      if (parts.length < 2) continue;
      const ended = separator === ". " ? parts.map((part, at) => (at < parts.length - 1 ? `${part}.` : part)) : parts;
      const told = ended.map((part) => this.#told(part, depth + 1));
      if (told.every((part) => part === undefined)) continue;
      return ended.map((part, at) => told[at] ?? part).join(separator === ". " ? "" : separator === "; " ? "；" : separator);
    }
    return undefined;
  }
}

// Words that no value can be a part of: "row{s}" may stand for "rows".
function wholeWords(literal) {
  return literal.flatMap((part, at) => {
    const inner = at > 0 ? part.replace(/^[A-Za-z]+/, "") : part;
    return (at < literal.length - 1 ? inner.replace(/[A-Za-z]+$/, "") : inner).match(/[A-Za-z]+/g) ?? [];
  });
}

const LEFT = "script, style, textarea, pre, code, [translate=no], [contenteditable=true]";
const NAMED = ["title", "aria-label", "placeholder", "aria-description", "aria-valuetext"];

// Keeps a document, with the shadow roots in it, in the language of `texts`, whatever is put into it.
export class Translator {
  constructor(texts) {
    this.texts = texts;
    this.roots = new Set();
    this.written = new WeakMap(); // a text node, or an element: { name of the attribute } -> { english, shown }
    this.observer = new MutationObserver((changes) => this.#changed(changes));
  }

  // A root and what comes into it.
  watch(root) {
    this.roots.add(new WeakRef(root));
    this.observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: NAMED });
    this.#walk(root);
  }

  // Everything in English again.
  stop() {
    this.observer.disconnect();
    for (const root of this.roots) if (root.deref()) this.#each(root.deref(), (node) => this.#restore(node));
    this.roots.clear();
  }

  #changed(changes) {
    for (const { type, target, attributeName, addedNodes } of changes) {
      if (type === "attributes") this.#attribute(target, attributeName);
      else if (type === "characterData") {
        if (!target.parentElement?.closest(LEFT)) this.#text(target);
      } else if (target.nodeType !== Node.ELEMENT_NODE || !target.closest(LEFT)) {
        for (const node of addedNodes) this.#walk(node);
      }
    }
  }

  #walk(root) {
    this.#each(root, (node) => {
      if (node.nodeType === Node.TEXT_NODE) return this.#text(node);
      for (const name of NAMED) if (node.hasAttribute(name)) this.#attribute(node, name);
    });
  }

  // Texts and elements beneath a node and itself; of those that are left alone only the element, for its attributes.
  #each(root, act) {
    if (root.nodeType === Node.TEXT_NODE) return void act(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let node = root.nodeType === Node.ELEMENT_NODE ? root : walker.nextNode();
    while (node) {
      act(node);
      const left = node.nodeType === Node.ELEMENT_NODE && node.matches(LEFT);
      node = left ? after(walker, root) : walker.nextNode();
    }
  }

  #text(node) {
    const known = this.written.get(node);
    if (known?.shown === node.data) return;
    const shown = this.texts.told(node.data);
    this.written.set(node, { english: node.data, shown });
    if (shown !== node.data) node.data = shown;
  }

  #attribute(element, name) {
    const english = element.getAttribute(name), all = this.written.get(element) ?? {};
    if (english === null || all[name]?.shown === english || element.closest("[translate=no]")) return;
    const shown = this.texts.told(english);
    this.written.set(element, { ...all, [name]: { english, shown } });
    if (shown !== english) element.setAttribute(name, shown);
  }

  #restore(node) {
    const known = this.written.get(node);
    if (!known) return;
    this.written.delete(node);
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.data === known.shown) node.data = known.english;
      return;
    }
    for (const [name, { english, shown }] of Object.entries(known)) if (node.getAttribute(name) === shown) node.setAttribute(name, english);
  }
}

// The next node behind the one that a walker is at, without what is in it; null at the end of `root`.
function after(walker, root) {
  for (;;) {
    if (walker.currentNode === root) return null;
    const next = walker.nextSibling();
    if (next) return next;
    if (!walker.parentNode()) return null;
  }
}
