// The Cardinality page's element: plans with their numbers, the card of an estimate, statistics to edit, the order of joins.
//
//   mount(parent, data, callbacks) -> { update(data), destroy(), state(), ... }           any page
//   default({ data, parentElement, setTriggerValue })  -> cleanup                          Streamlit components v2
//
// data: { key, theme, dark, ways, tables, slides, exports, asked, answer } as planviz/ui/cardinality.py tells it. What is
// edited is asked of the server at `exports`, without Python's page running again. Text of plans reaches the page as text
// only.
//
// For measurements: window.__planviz = { received, drawn, painted, planned, frames, handle }; planned holds of the last
// edit when it was asked for, answered and handed to the screen (performance.now()).
import { Estimates } from "./estimates.js";
import { hosted } from "./host.js";

/** @param {HTMLElement} parentElement @param {EstimatesData} data @param {Callbacks | undefined} callbacks */
export function mount(parentElement, data, callbacks) {
  const page = new Estimates(parentElement, callbacks);
  const handle = {
    update: (/** @type {EstimatesData} */ next) => page.update(next),
    destroy: () => page.destroy(),
    state: () => page.state(),
    select: (/** @type {number} */ side, /** @type {number} */ node) => page.select(side, node, true),
    place: (/** @type {number} */ side, /** @type {number} */ node) => page.flow.place(side, node),
    view: (/** @type {EstimatesView} */ name) => page.setView(name),
  };
  page.handle = handle;
  page.update(data);
  return handle;
}

export default hosted(mount, () => ({ wholePage: true }));
