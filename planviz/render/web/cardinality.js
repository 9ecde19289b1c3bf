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

export function mount(parentElement, data, callbacks) {
  const page = new Estimates(parentElement, callbacks);
  page.handle = {
    update: (next) => page.update(next),
    destroy: () => page.destroy(),
    state: () => page.state(),
    select: (side, node) => page.select(side, node, true),
    place: (side, node) => page.flow.place(side, node),
    view: (name) => page.setView(name),
  };
  page.update(data);
  return page.handle;
}

export default hosted(mount, () => ({ wholePage: true }));
