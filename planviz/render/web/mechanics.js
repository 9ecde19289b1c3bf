// The player of operators' mechanics as one element.
//
//   mount(parent, data, callbacks) -> { update(data), go(step), open(play), state(), destroy() }   any page
//   default({ data, parentElement })  -> cleanup                                                  Streamlit components v2
//
// data: { key, plays, theme, dark, play, step }; plays as planviz/mechanics/play.py tells them. Texts of rows reach the page
// as text only. The element dispatches "planviz:painted" once and "planviz:select" (detail: { id, key }, id the step from 1)
// when a step is shown.
import { hosted } from "./host.js";
import { Playback } from "./playback.js";

/** @param {HTMLElement} parentElement @param {MechanicsData} data @param {Callbacks | undefined} callbacks */
export function mount(parentElement, data, callbacks) {
  const playback = new Playback(parentElement, callbacks);
  playback.update(data);
  return {
    update: (/** @type {MechanicsData} */ next) => playback.update(next),
    go: (/** @type {number} */ k) => playback.go(k),
    open: (/** @type {number} */ play) => playback.open(play),
    state: () => playback.state(),
    destroy: () => playback.destroy(),
  };
}

export default hosted(mount, () => ({}));
