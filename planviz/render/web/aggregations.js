// The Aggregations page's element: the table of aggregates, one aggregate's stages, sample rows, the operators at work.
//
//   mount(parent, data, callbacks) -> { update(data), state(), destroy(), ... }            any page
//   default({ data, parentElement, setTriggerValue })  -> cleanup                          Streamlit components v2
//
// callbacks, all optional: wholePage: true lets the keys work before anything was clicked.
// data: { key, ask, theme, dark, rows, told } as planviz/ui/aggregate_views.py tells it; what is edited is asked for at `ask`
// (POST, JSON). The element dispatches "planviz:painted" once and "planviz:select" (detail: { id, key }, id the aggregate from
// 1) when another aggregate is shown.
import { AggregateBench } from "./aggregatebench.js";
import { hosted, mounting } from "./host.js";

export const mount = mounting(AggregateBench);

export default hosted(mount, () => ({ wholePage: true }));
