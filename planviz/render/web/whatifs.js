// What-ifs of the Joins page: settings, the join's hints and type, sizes of tables. Each slider acts while it is dragged.
import { button, element } from "./dom.js";
import { byteSize } from "./units.js";

const THRESHOLD = "spark.sql.autoBroadcastJoinThreshold",
  PARTITIONS = "spark.sql.shuffle.partitions";
const PREFER = "spark.sql.join.preferSortMergeJoin",
  FACTOR = "spark.sql.shuffledHashJoinFactor";
const STEPS = 1000,
  FEW = 4;
const HINT_NAMES = {
  broadcast: "BROADCAST",
  merge: "MERGE",
  shuffle_hash: "SHUFFLE_HASH",
  shuffle_replicate_nl: "SHUFFLE_REPLICATE_NL",
};

export class WhatIfs {
  constructor(on) {
    this.on = on;
    this.root = element("div", "pv-whatifs");
    this.fields = new Map(); // "settings threshold" and such -> field
    this.all = false;
  }

  size(bytes) {
    if (bytes < 0) return "off";
    return byteSize(bytes);
  }

  words(name, value) {
    return `${name.split(".").pop()} ${name === THRESHOLD ? this.size(value) : value}`;
  }

  // The same join again only sets the fields: a slider that is held must stay the same element.
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

  #build(join) {
    this.fields.clear();
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
    const shown = this.all ? join.tables : join.tables.slice(0, FEW);
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
    if (join.tables.length > FEW) {
      rows.push(
        button("pv-more", this.all ? "fewer" : `${join.tables.length - FEW} more tables`, "", () => {
          this.all = !this.all;
          this.show(this.values.join, this.values.base, this.values.asked, true);
        }),
      );
    }
    this.root.replaceChildren(...rows);
  }

  // What a field stands at and what it would stand at if nothing were asked.
  #values(part, name) {
    const { join, base, asked } = this.values,
      own = asked[part]?.[name];
    const usual = part === "settings" ? base[name] : join.tables.find((table) => table.name === name)?.size;
    return { now: own ?? usual, usual, other: own !== undefined };
  }

  #row(part, name, label, control) {
    const row = element("div", "pv-what"),
      words = element("span", "pv-what-name", label);
    words.title = name;
    row.append(words, control);
    this.fields.set(`${part} ${name}`, control);
    return row;
  }

  #slider(part, name, label, { at, value }, words, read) {
    const holder = element("div", "pv-what-slider"),
      slider = element("input"),
      field = element("input", "pv-what-field");
    slider.type = "range";
    slider.min = 0;
    slider.max = STEPS;
    slider.setAttribute("aria-label", label);
    field.type = "text";
    field.spellcheck = false;
    field.setAttribute("aria-label", `${label}, as a number`);
    const change = (next) => {
      const { usual } = this.#values(part, name);
      this.on.change(part, name, next === usual ? undefined : next);
    };
    slider.addEventListener("input", () => {
      const { usual } = this.#values(part, name),
        position = Number(slider.value);
      change(usual != null && Math.round(at(usual)) === position ? usual : value(position));
    });
    field.addEventListener("change", () => {
      const next = read(field.value);
      if (next === undefined) return holder.set();
      change(next);
    });
    holder.append(slider, field);
    holder.set = () => {
      const { now, other } = this.#values(part, name);
      slider.value = now == null ? STEPS : at(now);
      slider.setAttribute("aria-valuetext", words(now));
      field.value = words(now);
      holder.classList.toggle("pv-other", other);
    };
    return this.#row(part, name, label, holder);
  }

  #choice(part, name, label, choices) {
    const holder = element("div", "pv-segment");
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

  #hint(at, join) {
    const select = element("select", "pv-select"),
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

  #type(join) {
    const select = element("select", "pv-select");
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

function bytesOf(text) {
  if (/^\s*(off|-1)\s*$/i.test(text)) return -1;
  const match = /^\s*([\d.]+)\s*([kmgtpe]?)i?b?\s*$/i.exec(text);
  if (!match) return undefined;
  const value = Math.round(Number(match[1]) * 1024 ** " kmgtpe".indexOf(match[2].toLowerCase() || " "));
  return Number.isFinite(value) ? value : undefined;
}

function wholeOf(text) {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 ? value : undefined;
}
