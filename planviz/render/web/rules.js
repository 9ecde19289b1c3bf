// The step player: timeline, canvas before and after a rule, the rule's card, in one element.
//
//   mount(parent, data, callbacks) -> { update(data), go(step), destroy(), ... }           any page
//   default({ data, parentElement, setTriggerValue })  -> cleanup                          Streamlit components v2
//
// callbacks, all optional: ask(rule, "off" | "why"): the final plan without it, why it did not fire; wholePage: true lets the keys work before anything was clicked.
// data: { key, trace, theme, dark, cards, own, without, fixed, step, exports }; trace as planviz/render/steps.py tells it. Text of plans
// reaches the page as text only.
//
// For measurements: window.__planviz = { received, drawn, painted, stepped, frames, handle }; stepped holds of the last step when it was
// asked for, drawn and handed to the screen (performance.now()). The element dispatches "planviz:painted" after the first
// frame and "planviz:select" (detail: { id, key }, id the step from 1) when a step is shown, both bubbling and composed.
import { hosted } from "./host.js";
import { Player } from "./player.js";

/** @param {HTMLElement} parentElement @param {RulesData} data @param {RulesCallbacks | undefined} callbacks */
export function mount(parentElement, data, callbacks) {
  const player = new Player(parentElement, callbacks);
  const handle = {
    update: (/** @type {RulesData} */ next) => player.update(next),
    go: (/** @type {number} */ k) => player.go(k),
    view: (/** @type {View} */ name) => player.setView(name),
    remember: () => player.remember(),
    destroy: () => player.destroy(),
    state: () => player.state(),
    place: (/** @type {Slot} */ slot, /** @type {number | undefined} */ pane) => player.place(slot, pane),
  };
  player.handle = handle;
  player.update(data);
  return handle;
}

export default hosted(mount, (now) => ({
  ask: (/** @type {string} */ rule, /** @type {"off" | "why"} */ what) =>
    now.trigger("asked", { rule, what, at: Date.now() }),
  wholePage: true,
}));
