// Texts in the reader's language, at the last step before the screen. Everything in planviz says what it says in English;
// here a text is looked up among the messages of a catalogue (planviz/language.py has the same search in Python). What is
// nobody's text but the user's own or Spark's stands under translate="no", or in an element that holds code.
//
// A message may have values, "{rows} rows": it is then a pattern, and what stands at a value is looked up by itself.
const SHORT = 12; // letters: a pattern with fewer takes no sentence as a value, or it would take any text
const TINY = 3; // letters: "{first} to {last}" is about numbers alone
const FEW = 6; // letters: a pattern with fewer takes no plain word, either
const STRONG = ["\n", " · ", ". ", "; "],
  WEAK = [" — ", ": ", ", "]; // what texts are put together with
const LONGEST = 1500,
  DEEPEST = 4,
  KEPT = 20_000; // characters of a text; values within values; texts that are kept
const CODE = "{code"; // a value that is a piece of a plan, whatever it holds
const OWN = /^\{(?:code|name|table|relation|column|scan|short|key|node)/,
  ONE_NAME = /^[\w.]+$/; // values that may be names of the user's
const PLURAL = "{s}"; // the ending of a plural, which other languages may leave out
const COUNTS = new Set(["{n}", "{m}"]),
  COUNT = /^[^A-Za-z]*\d[^A-Za-z]*[KMGTB]?$/; // "{n} Sort" is no name of an operator
const NAME = /^[A-Z][a-z]+(?: [A-Z][a-z]+)+$/; // operators are called so: only a message of just these words is about them
const VALUE = /\{\w+\}/g;
const PLAIN = /^\S*(?:, \S+)*$/,
  WORDS = /^[a-z]+(?:[-, ]+[a-z]+)*$/;
const STOP = /([\u4e00-\u9fff][^.]*(?:\.\d+[^.]*)*)\.$/; // a full stop that follows a value
const ENGLISH = /(?<![\w.`'"])[a-z]{2,}(?![\w.(=`'"])/; // a plain word that is no part of a name

/** @typedef {{ parts: RegExp[]; names: string[]; other: string; letters: number; counts: number }} Pattern */

export class Texts {
  /** @type {Map<string, string>} */ exact;
  /** @type {Map<string, Pattern[]>} */ patterns;
  /** @type {Map<string, string | undefined>} */ found;

  // messages: English -> the other language.
  /** @param {Record<string, string>} messages */
  constructor(messages) {
    this.exact = new Map();
    this.patterns = new Map(); // a pattern's longest word -> the patterns with it
    this.found = new Map();
    for (const [english, other] of Object.entries(messages)) {
      if (/^[,;:]/.test(english))
        this.#add(`{head}${english}`, `{head}${other}`); // goes on behind another text
      else if (english.search(VALUE) < 0) this.exact.set(english, other);
      else this.#add(english, other);
    }
  }

  /** @param {string} english @param {string} other */
  #add(english, other) {
    const names = [...english.matchAll(VALUE)].map(([name]) => name),
      literal = english.split(VALUE);
    const words = literal.join(" ").match(/[A-Za-z]+/g);
    if (!words) return;
    const escaped = literal.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")),
      written = [escaped[0]],
      values = /** @type {string[]} */ ([]);
    names.forEach((name, at) => {
      if (name === PLURAL) written[written.length - 1] += `s?${escaped[at + 1]}`;
      else {
        values.push(name);
        written.push(escaped[at + 1]);
      }
    });
    written[written.length - 1] += "$";
    const parts = written.map((part, at) => new RegExp(part, at ? "g" : "y")),
      counts = values.filter((name) => COUNTS.has(name)).length;
    const key = wholeWords(literal).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
    if (!this.patterns.has(key)) this.patterns.set(key, []);
    /** @type {Pattern[]} */ (this.patterns.get(key)).push({
      parts,
      names: values,
      other,
      letters: words.join("").length,
      counts,
    });
  }

  // A text in the other language; what is no message stays as it is.
  /** @param {string} text */
  told(text) {
    return this.#told(text, 0) ?? text;
  }

  /** @param {string} text @param {number} depth */
  #told(text, depth) {
    const words = text.trim();
    if (depth > DEEPEST || words.length > LONGEST || !/[A-Za-z]/.test(words)) return undefined;
    const known = `${depth && 1} ${words}`; // a value is told of more strictly than a text
    if (!this.found.has(known)) {
      if (this.found.size >= KEPT) this.found.clear();
      this.found.set(known, this.#looked(words, depth));
    }
    const told = this.found.get(known);
    return told === undefined ? undefined : text.replace(words, () => told.replace(STOP, "$1。"));
  }

  /** @param {string} words @param {number} depth */
  #looked(words, depth) {
    return (
      this.exact.get(words) ??
      this.exact.get(words.replace(/\s+/g, " ")) ??
      this.#matched(words, depth, (letters) => letters >= SHORT) ??
      this.#pieces(words, depth, STRONG) ??
      this.#matched(words, depth, (letters) => letters < SHORT) ??
      this.#pieces(words, depth, WEAK)
    );
  }

  /** @param {string} words @param {number} depth @param {(letters: number) => boolean} wanted */
  #matched(words, depth, wanted) {
    if (NAME.test(words)) return undefined;
    const keys = new Set(["", ...(words.match(/[A-Za-z]+/g) ?? [])]);
    const there = [...keys].flatMap((key) => (this.patterns.get(key) ?? []).filter(({ letters }) => wanted(letters)));
    for (const { parts, names, other, letters } of there.sort((a, b) => b.letters - a.letters || b.counts - a.counts)) {
      const found = valuesIn(words, parts, names);
      if (!found || (letters < TINY && found.some((value) => ENGLISH.test(value)))) continue;
      const told = found.map((value, at) => this.#value(value, names[at], letters, depth));
      if (!found.length || told.includes(undefined)) continue;
      const values = new Map(names.map((name, at) => [name, told[at]]));
      return other.replace(VALUE, (name) => values.get(name) ?? name);
    }
    return undefined;
  }

  // A value in the other language; as it is, where the pattern may take it so.
  /** @param {string} value @param {string} name @param {number} letters @param {number} depth */
  #value(value, name, letters, depth) {
    if (OWN.test(name) && ONE_NAME.test(value)) return value;
    return this.#told(value, depth + 1)?.trim() ?? (fits(value, name, letters) ? value : undefined);
  }

  // Sentences and lists, each piece by itself: of a text one of them has to be a message, of a value and between weak
  // separators all.
  /** @param {string} words @param {number} depth @param {string[]} separators */
  #pieces(words, depth, separators) {
    for (const separator of separators) {
      const parts = LEADS.has(separator) ? parted(words, separator) : words.split(separator);
      if (parts.length < 2) continue;
      const told = parts.map((part, at) => this.#piece(part, at < parts.length - 1 && separator === ". ", depth));
      if (told.every((part) => part === undefined)) continue;
      const whole = parts.every((part, at) => told[at] !== undefined || !ENGLISH.test(part));
      if (!whole && (depth || separators === WEAK)) continue;
      const shown = parts.map(
        (part, at) => told[at] ?? (separator === ". " && at < parts.length - 1 ? `${part}. ` : part),
      );
      return shown.join(JOINED[separator] ?? separator);
    }
    return undefined;
  }

  // A sentence may be a message with its full stop, or without.
  /** @param {string} part @param {boolean} ended @param {number} depth */
  #piece(part, ended, depth) {
    if (!ended) return this.#told(part, depth + 1);
    const told = this.#told(`${part}.`, depth + 1) ?? this.#told(part, depth + 1);
    return told === undefined || /[。.？！]$/.test(told) ? told : `${told}。`;
  }
}

// The values in a text that reads like a message, each as short as it may be; null for another text. One look for each part:
// a single expression for all of it would try every way to part a text that repeats.
/** @param {string} words @param {RegExp[]} parts @param {string[]} names */
function valuesIn(words, parts, names) {
  const found = [];
  let from = 0;
  for (let at = 0; at < parts.length; at++) {
    parts[at].lastIndex = from;
    const there = parts[at].exec(words);
    if (!there) return null;
    if (at) found.push(words.slice(from, there.index));
    from = there.index + there[0].length;
  }
  return found.every((value, at) => !COUNTS.has(names[at]) || COUNT.test(value)) ? found : null;
}

const LEADS = new Set([" — ", ": "]); // what follows stands behind a title or a name, whatever it holds itself

/** @param {string} words @param {string} separator */
function parted(words, separator) {
  const at = words.indexOf(separator);
  return at < 0 ? [words] : [words.slice(0, at), words.slice(at + separator.length)];
}

/** @type {Record<string, string>} */
const JOINED = { ". ": "", "; ": "；", ": ": "：", ", ": "，" };

// Whether a value of this name may stay as it is in a pattern with so many letters; one called {code} always may.
/** @param {string} value @param {string} name @param {number} letters */
function fits(value, name, letters) {
  if (letters >= SHORT || name.startsWith(CODE) || !ENGLISH.test(value)) return true;
  return PLAIN.test(value) && !(letters < FEW && WORDS.test(value));
}

// Words that no value can be a part of: "row{s}" may stand for "rows".
/** @param {string[]} literal */
function wholeWords(literal) {
  return literal.flatMap((part, at) => {
    const inner = at > 0 ? part.replace(/^[A-Za-z]+/, "") : part;
    return (at < literal.length - 1 ? inner.replace(/[A-Za-z]+$/, "") : inner).match(/[A-Za-z]+/g) ?? [];
  });
}

const LEFT = "script, style, textarea, pre, code, [translate=no], [contenteditable=true]";
const NAMED = ["title", "aria-label", "placeholder", "aria-description", "aria-valuetext"];

// Puts a document, with the shadow roots in it, into the language of `texts`, and whatever comes into it.
export class Translator {
  /** @type {WeakMap<Node, string | Record<string, string>>} */ shown;

  /** @param {Texts} texts */
  constructor(texts) {
    this.texts = texts;
    this.shown = new WeakMap(); // a text node -> what it was made to say; an element -> { attribute: the same }
    this.observer = new MutationObserver((changes) => this.#changed(changes));
  }

  // A root and what comes into it.
  /** @param {Node} root */
  watch(root) {
    this.observer.observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: NAMED,
    });
    this.#walk(root);
  }

  /** @param {MutationRecord[]} changes */
  #changed(changes) {
    for (const { type, target, attributeName, addedNodes } of changes) {
      if (type === "attributes")
        this.#attribute(/** @type {Element} */ (target), /** @type {string} */ (attributeName));
      else if (type === "characterData") {
        if (!target.parentElement?.closest(LEFT)) this.#text(/** @type {Text} */ (target));
      } else if (target.nodeType !== Node.ELEMENT_NODE || !(/** @type {Element} */ (target).closest(LEFT))) {
        for (const node of addedNodes) this.#walk(node);
      }
    }
  }

  // Texts and elements beneath a node and itself; of those that are left alone only the element, for its attributes.
  /** @param {Node} root */
  #walk(root) {
    if (root.nodeType === Node.TEXT_NODE) return this.#text(/** @type {Text} */ (root));
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let node = root.nodeType === Node.ELEMENT_NODE ? root : walker.nextNode();
    while (node) {
      const isText = node.nodeType === Node.TEXT_NODE;
      const element = /** @type {Element} */ (node);
      if (isText) this.#text(/** @type {Text} */ (node));
      else for (const name of NAMED) if (element.hasAttribute(name)) this.#attribute(element, name);
      node = isText || !element.matches(LEFT) ? walker.nextNode() : behind(walker, root);
    }
  }

  /** @param {Text} node */
  #text(node) {
    if (this.shown.get(node) === node.data) return;
    const told = this.texts.told(node.data);
    this.shown.set(node, told);
    if (told !== node.data) node.data = told;
  }

  /** @param {Element} element @param {string} name */
  #attribute(element, name) {
    const english = element.getAttribute(name),
      all = /** @type {Record<string, string>} */ (this.shown.get(element) ?? {});
    if (english === null || all[name] === english || element.closest("[translate=no]")) return;
    const told = this.texts.told(english);
    this.shown.set(element, { ...all, [name]: told });
    if (told !== english) element.setAttribute(name, told);
  }
}

// The next node behind the one that a walker is at, without what is in it; null at the end of `root`.
/** @param {TreeWalker} walker @param {Node} root */
function behind(walker, root) {
  for (;;) {
    if (walker.currentNode === root) return null;
    const next = walker.nextSibling();
    if (next) return next;
    if (!walker.parentNode()) return null;
  }
}
