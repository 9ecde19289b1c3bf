// What-ifs of the Joins page: settings, the join's hints and type, sizes of tables. Each slider acts while it is dragged.
import { button, element } from "./dom.js";
import { byteSize } from "./units.js";

const THRESHOLD = "spark.sql.autoBroadcastJoinThreshold",
  PARTITIONS = "spark.sql.shuffle.partitions";
const PREFER = "spark.sql.join.preferSortMergeJoin",
  FACTOR = "spark.sql.shuffledHashJoinFactor";
const STEPS = 1000,
  FEW = 4;
/** @type {Record<string, string | undefined>} */
const HINT_NAMES = {
  broadcast: "BROADCAST",
  merge: "MERGE",
  shuffle_hash: "SHUFFLE_HASH",
  shuffle_replicate_nl: "SHUFFLE_REPLICATE_NL",
};

/**
 * A control that shows what a what-if stands at.
 *
 * @typedef {HTMLElement & { set: () => void }} Field
 *
 * @typedef {object} Scale
 * @property {(value: number) => number} at
 * @property {(position: number) => number | undefined} value
 */

export class WhatIfs {
  /** @type {Map<string, Field>} */ fields;
  /** @type {string | null} */ key;
  /** @type {{ join: AskableJoin; base: JoinsData["settings"]; asked: JoinsAsked }} */ values;

  /** @param {{ change: (part: JoinPart, name: string, value: unknown) => void }} on */
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-whatifs");
    this.fields = new Map(); // "settings threshold" and such -> field
    this.all = false;
  }

  /** @param {Bytes} bytes */
  size(bytes) {
    if (bytes < 0) return "off";
    return byteSize(bytes);
  }

  /** @param {string} name @param {any} value */
  words(name, value) {
    return `${name.split(".").pop()} ${name === THRESHOLD ? this.size(value) : value}`;
  }

  // The same join again only sets the fields: a slider that is held must stay the same element.
  /** @param {JoinTold | AskableJoin} join @param {JoinsData["settings"]} base @param {JoinsAsked} asked @param {boolean} own */
  show(join, base, asked, own) {
    if (!own) return;
    if (!join.tables) {
      // A join that was read off the text stands beside queries that were planned: nothing can be asked of it.
      this.key = null;
      this.fields.clear();
      this.root.replaceChildren();
      return;
    }
    const key = JSON.stringify([join.n, join.tables.map(({ name }) => name), join.types, this.all]);
    this.values = { join, base, asked };
    if (key !== this.key) {
      this.key = key;
      this.#build(join);
    }
    for (const field of this.fields.values()) field.set();
  }

  /** @param {AskableJoin} join */
  #build(join) {
    this.fields.clear();
    /** @type {HTMLElement[]} */
    const rows = [
      this.#slider("settings", THRESHOLD, "threshold", scale(1 << 10, 2 ** 42, -1), (v) => this.size(v), bytesOf),
      this.#slider("settings", PARTITIONS, "partitions", scale(1, 10000), String, wholeOf),
      this.#choice("settings", PREFER, "prefer sort merge", [
        [true, "true"],
        [false, "false"],
      ]),
      this.#slider("settings", FACTOR, "hash factor", scale(1, 64), String, wholeOf),
    ];
    for (const at of [0, 1]) rows.push(this.#hint(at, join));
    if (join.types.length) rows.push(this.#type(join));
    const { tables } = join,
      shown = this.all ? tables : tables.slice(0, FEW);
    if (shown.length) rows.push(element("p", "pv-muted pv-what-head", "sizes of the tables beneath"));
    for (const { name } of shown)
      rows.push(
        this.#slider(
          "sizes",
          name,
          name,
          scale(1 << 10, 2 ** 45),
          (v) => (v == null ? "unknown" : this.size(v)),
          bytesOf,
        ),
      );
    if (tables.length > FEW) {
      rows.push(
        button("pv-more", this.all ? "fewer" : `${tables.length - FEW} more tables`, "", () => {
          this.all = !this.all;
          this.show(this.values.join, this.values.base, this.values.asked, true);
        }),
      );
    }
    this.root.replaceChildren(...rows);
  }

  // What a field stands at and what it would stand at if nothing were asked.
  /** @param {JoinPart} part @param {string} name */
  #values(part, name) {
    const { join, base, asked } = this.values,
      own = asked[part]?.[name];
    const usual = part === "settings" ? base[name] : join.tables.find((table) => table.name === name)?.size;
    return { now: own ?? usual, usual, other: own !== undefined };
  }

  /** @param {JoinPart} part @param {string} name @param {string} label @param {Field} control */
  #row(part, name, label, control) {
    const row = element("div", "pv-what"),
      words = element("span", "pv-what-name", label);
    words.title = name;
    row.append(words, control);
    this.fields.set(`${part} ${name}`, control);
    return row;
  }

  /**
   * @param {JoinPart} part
   * @param {string} name
   * @param {string} label
   * @param {Scale} given
   * @param {(value: any) => string} words
   * @param {(text: string) => number | undefined} read
   */
  #slider(part, name, label, { at, value }, words, read) {
    const holder = /** @type {HTMLDivElement & Field} */ (element("div", "pv-what-slider")),
      slider = element("input"),
      field = element("input", "pv-what-field");
    slider.type = "range";
    slider.min = "0";
    slider.max = String(STEPS);
    slider.setAttribute("aria-label", label);
    field.type = "text";
    field.spellcheck = false;
    field.setAttribute("aria-label", `${label}, as a number`);
    const change = (/** @type {unknown} */ next) => {
      const { usual } = this.#values(part, name);
      this.on.change(part, name, next === usual ? undefined : next);
    };
    slider.addEventListener("input", () => {
      const { usual } = this.#values(part, name),
        position = Number(slider.value);
      change(usual != null && Math.round(at(Number(usual))) === position ? usual : value(position));
    });
    field.addEventListener("change", () => {
      const next = read(field.value);
      if (next === undefined) return holder.set();
      change(next);
    });
    holder.append(slider, field);
    holder.set = () => {
      const { now, other } = this.#values(part, name);
      slider.value = String(now == null ? STEPS : at(Number(now)));
      slider.setAttribute("aria-valuetext", words(now));
      field.value = words(now);
      holder.classList.toggle("pv-other", other);
    };
    return this.#row(part, name, label, holder);
  }

  /**
   * @param {JoinPart} part
   * @param {string} name
   * @param {string} label
   * @param {[value: boolean, words: string][]} choices
   */
  #choice(part, name, label, choices) {
    const holder = /** @type {HTMLDivElement & Field} */ (element("div", "pv-segment"));
    const buttons = choices.map(([value, words]) =>
      button("", words, `${label}: ${words}`, () =>
        this.on.change(part, name, value === this.#values(part, name).usual ? undefined : value),
      ),
    );
    holder.append(...buttons);
    holder.set = () => {
      const { now } = this.#values(part, name);
      choices.forEach(([value], at) => buttons[at].setAttribute("aria-pressed", String(value === now)));
    };
    return this.#row(part, name, label, holder);
  }

  /** @param {number} at @param {AskableJoin} join */
  #hint(at, join) {
    const select = /** @type {HTMLSelectElement & Field} */ (element("select", "pv-select")),
      label = `${at ? "right" : "left"} hint`;
    select.setAttribute("aria-label", label);
    for (const hint of ["", ...join.known_hints]) {
      const option = element("option", "", HINT_NAMES[hint] ?? (hint || "none"));
      option.value = hint;
      select.append(option);
    }
    select.addEventListener("change", () => {
      const { join: now, asked } = this.values,
        hints = [...(asked.hints[now.n] ?? now.hints)];
      hints[at] = select.value || null;
      this.on.change("hints", String(now.n), hints.join() === now.usual.hints.join() ? undefined : hints);
    });
    select.set = () =>
      (select.value = (this.values.asked.hints[this.values.join.n] ?? this.values.join.hints)[at] ?? "");
    return this.#row("hints", label, label, select);
  }

  /** @param {AskableJoin} join */
  #type(join) {
    const select = /** @type {HTMLSelectElement & Field} */ (element("select", "pv-select"));
    select.setAttribute("aria-label", "join type");
    for (const [kind, words] of join.types) {
      const option = element("option", "", words);
      option.value = kind;
      select.append(option);
    }
    select.addEventListener("change", () => {
      const { n, usual } = this.values.join;
      this.on.change("types", String(n), select.value === usual.type ? undefined : select.value);
    });
    select.set = () => (select.value = this.values.join.type);
    return this.#row("types", "type", "join type", select);
  }
}

// A logarithmic scale from position to value and back; `zero`, where given, is the value of position 0.
/**
 * @param {number} least
 * @param {number} most
 * @param {number} [zero]
 * @returns {Scale}
 */
function scale(least, most, zero) {
  const first = zero === undefined ? 0 : 1,
    span = STEPS - first;
  return {
    at: (value) =>
      value < least
        ? value <= (zero ?? -Infinity) || first
          ? 0
          : first
        : first + (span * Math.log(value / least)) / Math.log(most / least),
    value: (position) => (position < first ? zero : Math.round(least * (most / least) ** ((position - first) / span))),
  };
}

/** @param {string} text */
function bytesOf(text) {
  if (/^\s*(off|-1)\s*$/i.test(text)) return -1;
  const match = /^\s*([\d.]+)\s*([kmgtpe]?)i?b?\s*$/i.exec(text);
  if (!match) return undefined;
  const value = Math.round(Number(match[1]) * 1024 ** " kmgtpe".indexOf(match[2].toLowerCase() || " "));
  return Number.isFinite(value) ? value : undefined;
}

/** @param {string} text */
function wholeOf(text) {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 ? value : undefined;
}
