// The element of the Aggregations page: its parts put together, and what is asked of the server.
import { AggregateTable } from "./aggregatetable.js";
import { post } from "./ask.js";
import { button, element } from "./dom.js";
import { Playback } from "./playback.js";
import { SampleRows } from "./samplerows.js";
import { stageCards } from "./stagecards.js";
import { Surroundings } from "./surroundings.js";
import { dress } from "./theme.js";
import { keyList, typedElsewhere } from "./transport.js";

const REMEMBERED = 24,
  PLAIN = "as planned",
  ROOM = 2,
  NARROW = 860;
const KINDS = ["aggregate", "exchange", "sort"];
/** @type {Map<string, AggregateAsked>} */
const memory = new Map(); // key -> what was asked for
// Another page that leads to an aggregate says which: then that one is shown, not what was looked at last.
document.addEventListener("planviz:select", ({ detail }) => {
  const key = `${detail.key.split("/")[0]}/aggregations`;
  if (detail.key !== key && memory.has(key)) memory.delete(key);
});

export class AggregateBench {
  /** @type {AggregationsData} */ data;
  /** @type {Mode} */ mode;
  /** @type {AggregateTold} */ told;
  /** @type {Map<number, string[]>} */ settings;
  /** @type {AggregateTable} */ table;
  /** @type {AggregateAsked} */ asked;
  /** @type {boolean | undefined} */ quiet;
  /** @type {AbortController | undefined} */ sent;
  /** @type {Playback | undefined} */ playback;
  /** @type {HTMLElement} */ holder;
  /** @type {HTMLAnchorElement[] | undefined} */ exports;
  /** @type {boolean | undefined} */ gone;
  /** @type {unknown} */ handle;

  /** @param {HTMLElement} parent @param {Callbacks | undefined} callbacks */
  constructor(parent, callbacks) {
    this.callbacks = callbacks ?? {};
    const root = (this.root = element("div", "pv pv-aggregations"));
    root.tabIndex = -1;
    this.top = element("div", "pv-agg-top");
    this.stage = element("div", "pv-agg-stage");
    this.lead = element("header", "pv-agg-lead");
    this.flow = element("div");
    this.sample = new SampleRows({ change: (rows) => this.ask({ rows }) });
    this.why = element("section", "pv-agg-why");
    this.note = element("p", "pv-agg-note");
    this.note.setAttribute("role", "status");
    const below = element("div", "pv-agg-below");
    below.append(this.sample.root, this.why);
    this.playing = element("section", "pv-agg-play");
    this.stage.append(this.lead, this.flow, this.note, below, this.playing);
    this.footer = element("footer", "pv-footer");
    this.live = element("div", "pv-live");
    this.live.setAttribute("aria-live", "polite");
    root.append(this.top, this.stage, this.footer, this.live);
    parent.append(this.root);
    this.around = new Surroundings(root, {
      key: (event) => this.#key(event),
      wholePage: this.callbacks.wholePage,
      goto: (detail) => detail.key === this.data?.key && this.select(detail.id ?? this.data.first, { quiet: true }),
      scheme: () => this.data && this.#dress(),
      resized: () => this.root.classList.toggle("pv-narrow", this.root.clientWidth <= NARROW),
    });
    // The player is asked for when it comes into view.
    this.watching = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && this.#play(),
      { root: this.stage, rootMargin: "200px" },
    );
  }

  // Where this was left, for the next one that shows the same.
  remember(data = this.data) {
    if (!data || !this.told) return;
    memory.delete(data.key);
    memory.set(data.key, this.asked);
    if (memory.size > REMEMBERED) memory.delete(/** @type {string} */ (memory.keys().next().value));
  }

  destroy() {
    this.remember();
    this.gone = true;
    this.sent?.abort();
    this.around.destroy();
    this.watching.disconnect();
    this.sample.destroy();
    this.playback?.destroy();
    this.root.remove();
  }

  // ---- data

  /** @param {AggregationsData} data */
  update(data) {
    const received = performance.now(),
      old = this.data;
    this.data = data;
    if (old && old.key === data.key) return this.#dress();
    if (old) this.remember(old);
    window.__planviz = { received, painted: null, handle: this.handle };
    this.#dress();
    this.told = /** @type {any} */ (undefined); // until it is shown
    this.settings = new Map(); // number -> what can be tried
    this.table = new AggregateTable(data.rows, { select: (number) => this.select(number) });
    this.top.replaceChildren(this.table.root);
    this.asked = { number: data.told.number, setting: "", rows: null, room: null };
    this.#footer();
    this.#show(data.told);
    const kept = memory.get(data.key);
    if (kept && (kept.number !== this.asked.number || kept.setting || kept.rows || kept.room)) this.ask(kept);
    else this.#try();
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.__planviz.painted ??= performance.now();
        this.root.dispatchEvent(
          new CustomEvent("planviz:painted", { bubbles: true, composed: true, detail: window.__planviz }),
        );
      }, 0),
    );
  }

  #dress() {
    const { theme, dark } = this.data;
    this.mode = dress(this.root, theme, dark, this.around.scheme);
    for (const kind of KINDS) this.root.style.setProperty(`--pv-${kind}`, theme.kinds[kind][this.mode]);
    this.exports?.forEach((link) => this.#link(link));
  }

  // ---- what is asked

  /** @param {number} number */
  select(number, { quiet = false } = {}) {
    if (number === this.asked.number) return;
    this.quiet = quiet;
    this.ask({ number, setting: "", rows: null, room: null });
  }

  // Other things than are shown; the newest question counts.
  /** @param {Partial<AggregateAsked>} change */
  async ask(change) {
    const asked = (this.asked = { ...this.asked, ...change });
    this.sent?.abort(); // the server stops what nobody waits for
    this.sent = new AbortController();
    const told = await post(this.data.ask, asked, this.sent.signal);
    if (this.gone || this.asked !== asked || told.stopped) return;
    if (told.message) return void this.#complain(told.message);
    this.#show(told);
    this.#try();
  }

  // What can be tried of the aggregate: planned when the page stands.
  async #try() {
    const { number } = this.asked;
    if (this.settings.has(number)) return;
    this.settings.set(number, []);
    const { settings } = await post(this.data.ask, { number, want: "settings" });
    if (this.gone || !settings) return;
    this.settings.set(number, settings);
    if (this.asked.number === number) this.#lead();
  }

  /** @param {string} message */
  #complain(message) {
    this.note.className = "pv-agg-note pv-problem";
    this.note.textContent = this.live.textContent = message;
  }

  // ---- what is shown

  /** @param {AggregateTold} told */
  #show(told) {
    const before = this.told,
      same = before?.number === told.number && before.setting === told.setting;
    this.told = told;
    this.table.select(told.number);
    this.#lead();
    this.flow.replaceChildren(stageCards(told.flow));
    // Rows that were reset are drawn anew; those being typed in stay.
    this.sample.show(told.sample, this.asked.rows !== null, same && this.asked.rows !== null);
    this.note.className = told.error ? "pv-agg-note pv-problem" : "pv-agg-note";
    this.note.textContent = told.error || told.note;
    this.#whySection();
    if (before?.plays !== told.plays || !same) this.#player();
    this.exports?.forEach((link) => this.#link(link));
    if (!before) return;
    if (before.number !== told.number) {
      this.stage.scrollTop = 0;
      if (!this.quiet)
        this.root.dispatchEvent(
          new CustomEvent("planviz:select", {
            bubbles: true,
            composed: true,
            detail: { id: told.number, key: this.data.key },
          }),
        );
    }
    this.quiet = false;
    this.live.textContent = told.error || `${told.functions} ${told.keys}: ${told.facts.join(", ")}`;
  }

  #lead() {
    const { functions, keys, facts, notes, number, setting } = this.told;
    const head = element("h3", "", functions),
      words = element("div", "pv-agg-words");
    head.append(" ", element("span", "pv-muted", keys));
    words.append(head, element("p", "pv-muted", facts.join(" · ")));
    for (const [rule, rest] of notes) {
      const note = element("p", "pv-note");
      note.append(element("b", "", rule), ` ${rest}`);
      words.append(note);
    }
    const options = this.settings.get(number) ?? [];
    this.lead.replaceChildren(
      words,
      ...(options.length
        ? [
            segment("What if", [PLAIN, ...options], setting || PLAIN, (chosen) =>
              this.ask({ setting: chosen === PLAIN ? "" : chosen }),
            ),
          ]
        : []),
    );
  }

  #whySection() {
    const { tests, unseen, rejected } = this.told;
    this.why.replaceChildren(element("h4", "", "Why these stages"));
    if (unseen) this.why.append(element("p", "pv-muted", unseen));
    if (tests.length) {
      const table = element("table", "pv-tests"),
        body = element("tbody");
      for (const [question, answer, seen] of tests) {
        const line = element("tr"),
          said = element("td");
        said.append(element("b", "", answer));
        line.append(element("td", "", question), said, element("td", "pv-muted", seen));
        body.append(line);
      }
      table.append(body);
      this.why.append(table);
    }
    if (tests.length && rejected.length) {
      const list = element("ul", "pv-rejected");
      for (const [name, why] of rejected) {
        const item = element("li");
        item.append(element("b", "", name), ` ${why}`);
        list.append(item);
      }
      this.why.append(element("h4", "", "Not taken"), list);
    }
  }

  // ---- the operators at work

  // The player's place; its plays are asked for when it is seen.
  #player() {
    this.playback?.destroy();
    this.playback = undefined;
    this.watching.disconnect();
    this.playing.replaceChildren();
    this.playing.hidden = !this.told.playable;
    if (!this.told.playable) return;
    const head = element("div", "pv-agg-play-head"),
      words = element("div", "pv-agg-words");
    words.append(
      element("h4", "", "Row by row"),
      element("p", "pv-muted", "The operators at work on the sample rows."),
    );
    head.append(words);
    const rooms = ["memory for all groups", `for ${ROOM} groups`];
    if (this.told.hashed)
      head.append(
        segment("Memory", rooms, rooms[this.asked.room ? 1 : 0], (chosen) =>
          this.ask({ room: chosen === rooms[0] ? null : ROOM }),
        ),
      );
    head.append(
      element("div", "pv-grow"),
      button("pv-button", "As interactive HTML", "", () => this.#page()),
    );
    this.holder = element("div", "pv-player-holder");
    this.playing.append(head, this.holder);
    this.watching.observe(this.holder);
  }

  async #play() {
    this.watching.disconnect();
    const { told, holder } = this,
      { plays, message } = await post(this.data.ask, { ...this.asked, want: "plays" });
    if (this.gone || this.holder !== holder || this.told.plays !== told.plays) return;
    if (!plays?.length)
      return void holder.replaceWith(
        element("p", "pv-muted", message ?? "These operators cannot be played on these rows."),
      );
    this.playback = new Playback(holder, {});
    this.playback.update({
      key: `${this.data.key}/${told.number}/${told.plays}`,
      plays,
      theme: this.data.theme,
      dark: this.mode === "dark",
      play: 0,
      step: null,
    });
  }

  async #page() {
    const { html, message } = await post(this.data.ask, { ...this.asked, want: "page" });
    if (!html) return void this.#complain(message);
    save(new Blob([html], { type: "text/html" }), `aggregate-${this.told.number}.html`);
  }

  // ---- footer and keys

  #footer() {
    this.exports = ["svg", "png"].map((format) => {
      const link = element("a", "pv-button", format.toUpperCase());
      link.title = `The stages as ${format.toUpperCase()}`;
      link.dataset.format = format;
      return link;
    });
    const links = element("div", "pv-exports");
    links.append(...this.exports);
    const keys = this.data.rows.length > 1 ? [keyList([[["j", "k"], "aggregate"]])] : [];
    const count = this.data.rows.length;
    this.footer.replaceChildren(
      ...keys,
      element("div", "pv-grow"),
      element("span", "pv-total", count === 1 ? "1 aggregate" : `${count} aggregates`),
      links,
    );
  }

  /** @param {HTMLAnchorElement} link */
  #link(link) {
    if (!this.told) return;
    const { number, setting } = this.told,
      { format } = link.dataset;
    link.href = `${this.data.ask}/${number}.${format}?theme=${this.mode}${setting ? `&setting=${encodeURIComponent(setting)}` : ""}`;
    link.download = `aggregate-${number}.${format}`;
  }

  state() {
    const { number, setting, flow } = this.told;
    return {
      number,
      setting,
      stages: flow.cards.filter(({ kind }) => kind === "stage").map(({ title }) => title),
      mode: this.mode,
    };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement | undefined} */ (event.composedPath()[0]);
    if (!this.told || typedElsewhere(event) || this.playing.contains(target ?? null)) return;
    const { number } = this.asked,
      last = this.data.rows.length;
    /** @type {Record<string, number | undefined>} */
    const near = { j: Math.min(last, number + 1), k: Math.max(1, number - 1) };
    const to =
      near[event.key] ?? (/^[1-9]$/.test(event.key) && Number(event.key) <= last ? Number(event.key) : undefined);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(to);
  }
}

// A choice of one among a few words.
/** @param {string} label @param {string[]} options @param {string} chosen @param {(chosen: string) => void} act */
function segment(label, options, chosen, act) {
  const made = element("div", "pv-segment");
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  for (const words of options) {
    const option = button("", words, "", () => words !== chosen && act(words));
    option.setAttribute("aria-pressed", String(words === chosen));
    made.append(option);
  }
  return made;
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
