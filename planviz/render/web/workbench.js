// The workbench: tree rail, canvas, detail panel, raw text, search and keys in one element.
//
//   mount(parent, data, callbacks) -> { update(data), select(index), destroy(), ... }     any page
//   default({ data, parentElement, setTriggerValue })  -> cleanup                          Streamlit components v2
//
// callbacks, all optional: onSelect(id or null, index or -1); report(id or null), debounced, when data.report_selection;
// wholePage: true lets the keys work before anything in the workbench was clicked.
// data: { key, scene, text, theme, dark, findings, selected, details_url, report_selection }. Colours, sizes and icons
// come from data.theme (planviz/render/theme.json). Text of plans reaches the page as text only.
//
// For measurements: window.__planviz = { received, drawn, painted, nodes, frames, handle } holds when the data came, when the
// canvas was drawn and when that frame was handed to the screen (performance.now()), the number of nodes, the last frames' drawing times in ms
// and the handle of the last mount. The element dispatches "planviz:painted" (detail: that object) after the first frame
// and "planviz:select" (detail: { id, key }) when a node is selected, both bubbling and composed.
import { Workbench } from "./bench.js";
import { hosted } from "./host.js";

/** @param {HTMLElement} parentElement @param {WorkbenchData} data @param {WorkbenchCallbacks | undefined} callbacks */
export function mount(parentElement, data, callbacks) {
  const bench = new Workbench(parentElement, callbacks);
  const handle = {
    update: (/** @type {WorkbenchData} */ next) => bench.update(next),
    select: (/** @type {number} */ index) => bench.select(index),
    remember: () => bench.remember(),
    destroy: () => bench.destroy(),
    // For measurements: the camera in drawing pixels and zoom, moved at once; how many boxes the last frame drew.
    camera: (/** @type {Partial<Camera> | undefined} */ to) => {
      if (to) bench.canvas.moveTo({ ...bench.canvas.camera, ...to }, false);
      return {
        ...bench.canvas.camera,
        boxes: bench.canvas.drawn,
        width: bench.canvas.width,
        height: bench.canvas.height,
      };
    },
    state: () => ({
      selected: bench.selected,
      boxes: bench.plan.count,
      folded: bench.plan.anyFolded,
      compact: bench.plan.snug !== null,
      hits: bench.hits.length,
      mode: bench.mode,
      first: bench.plan.lineOf(0, bench.selected),
    }),
    place: (/** @type {number} */ index) => bench.place(index),
  };
  bench.handle = handle;
  bench.update(data);
  return handle;
}

export default hosted(mount, (now) => ({
  report: (/** @type {number | null} */ id) => now.trigger("select", id),
  go: (/** @type {Page} */ page, /** @type {number | null} */ number) => now.trigger("go", { page, number }),
}));
