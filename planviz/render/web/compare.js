// Two plans compared, in one element.
//
//   mount(parent, data, callbacks) -> { update(data), choose(effect), view(name), few(on), destroy(), ... }   any page
//   default({ data, parentElement, setTriggerValue })  -> cleanup                               Streamlit components v2
//
// data: { key, names, headline, equal, total, all, few, effects, cells, operators, confidence, notes, unsure, theme, dark } as
// planviz/document/comparison/view.py makes it; of a chain { key, chain: [such data], names, headline, rows, theme, dark }. Text of plans reaches the page as text only.
import { Comparison } from "./comparison.js";
import { hosted } from "./host.js";

/** @param {HTMLElement} parentElement @param {CompareData} data @param {Callbacks | undefined} callbacks */
export function mount(parentElement, data, callbacks) {
  const comparison = new Comparison(parentElement, callbacks);
  const handle = {
    update: (/** @type {CompareData} */ next) => comparison.update(next),
    choose: (/** @type {number} */ at) => comparison.choose(at),
    view: (/** @type {View} */ name) => comparison.setView(name),
    few: (/** @type {boolean} */ on) => comparison.setFew(on),
    destroy: () => comparison.destroy(),
    state: () => comparison.state(),
    place: (/** @type {Slot} */ slot, /** @type {number | undefined} */ pane) => comparison.place(slot, pane),
  };
  comparison.handle = handle;
  comparison.update(data);
  return handle;
}

export default hosted(mount, () => ({ wholePage: true }));
