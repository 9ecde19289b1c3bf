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
import { hosted } from "./host.js";

export function mount(parentElement, data, callbacks) {
  const bench = new AggregateBench(parentElement, callbacks);
  bench.handle = {
    update: (next) => bench.update(next),
    state: () => bench.state(),
    remember: () => bench.remember(),
    destroy: () => bench.destroy(),
  };
  bench.update(data);
  return bench.handle;
}

export default hosted(mount, () => ({ wholePage: true }));
