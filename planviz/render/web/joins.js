// The Joins page's element: a table of joins, the selected one's decision tree, what-ifs that plan anew.
//
//   mount(parent, data, callbacks) -> { update(data), state(), destroy(), ... }            any page
//   default({ data, parentElement, setTriggerValue })  -> cleanup                          Streamlit components v2
//
// callbacks, all optional: wholePage: true lets the keys work before anything was clicked.
// data: { key, ask, theme, dark, own, note, settings, told } as planviz/ui/joins.py tells it. A change is asked for at `ask`
// (POST, JSON) and painted when the answer comes; while one is under way only the newest other one waits. Text of plans reaches
// the page as text only; the drawings are SVG of our own, every text in them escaped.
//
// For measurements: window.__planviz = { received, painted, asked, handle }; asked holds of the last change when it was made,
// answered and handed to the screen (performance.now()). The element dispatches "planviz:select" (detail: { id, key }) when
// another join or another what-if is shown.
import { hosted, mounting } from "./host.js";
import { JoinBench } from "./joinbench.js";

export const mount = mounting(JoinBench);

export default hosted(mount, () => ({ wholePage: true }));
