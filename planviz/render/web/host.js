// What stands between Streamlit and a mounted element: repeated calls, late cleanups, data as bytes.

// mount(parentElement, data, callbacks) of a class of elements that update, tell their state, remember it and go.
/**
 * @template {object} Data
 * @typedef {object} Remembering
 * @property {unknown} handle
 * @property {(data: Data) => void} update
 * @property {() => unknown} state
 * @property {() => void} remember
 * @property {() => void} destroy
 */

/**
 * What is held of an element while Streamlit calls for it again and again.
 *
 * @template Data
 * @typedef {object} Held
 * @property {number} turn
 * @property {(name: string, value: unknown) => void} trigger
 * @property {Handle<Data>} [handle]
 * @property {boolean} [gone]
 * @property {Uint8Array} [bytes]
 * @property {Data | Promise<Data>} [told]
 */

/**
 * @template {object} Data
 * @param {new (parent: HTMLElement, callbacks?: Callbacks) => Remembering<Data>} Bench
 */
export function mounting(Bench) {
  return (
    /** @type {HTMLElement} */ parentElement,
    /** @type {Data} */ data,
    /** @type {Callbacks | undefined} */ callbacks,
  ) => {
    const bench = new Bench(parentElement, callbacks);
    const handle = {
      update: (/** @type {Data} */ next) => bench.update(next),
      state: () => bench.state(),
      remember: () => bench.remember(),
      destroy: () => bench.destroy(),
    };
    bench.handle = handle;
    bench.update(data);
    return handle;
  };
}

// The function that Streamlit calls, from mount(parentElement, data, callbacks) -> { update(data), destroy() } and a
// function that makes the callbacks; `now.trigger(name, value)` tells Python.
/**
 * @template {object} Data
 * @template {object} Given
 * @param {(parent: HTMLElement, data: Data, callbacks: Given) => Handle<Data>} mount
 * @param {(now: Held<Data>) => Given} callbacks
 * @returns {(mounted: Mounted<Data>) => () => void}
 */
export function hosted(mount, callbacks) {
  /** @type {WeakMap<HTMLElement, Held<Data>>} */
  const mounted = new WeakMap(); // Streamlit's parent element -> { handle, data, turn }
  // Streamlit calls this on every change of data or theme and may call the cleanup of an earlier call afterwards, so the
  // element goes only when no later call has taken it over.
  return ({ data, parentElement, setTriggerValue }) => {
    const now = mounted.get(parentElement) ?? { turn: 0, trigger: setTriggerValue };
    const turn = ++now.turn;
    now.trigger = setTriggerValue;
    mounted.set(parentElement, now);
    const show = (/** @type {Data} */ told) => {
      if (now.turn !== turn || now.gone) return;
      if (now.handle) now.handle.update(told);
      else {
        document.dispatchEvent(new CustomEvent("planviz:mounting"));
        now.handle = mount(parentElement, told, callbacks(now));
      }
    };
    const told = parsed(data, now);
    if (told instanceof Promise) told.then(show);
    else show(told);
    return () => {
      setTimeout(() => {
        if (now.turn !== turn) return;
        now.gone = true;
        now.handle?.destroy();
        mounted.delete(parentElement);
      }, 0);
    };
  };
}

// Data as bytes of JSON, gzipped or not, spare Streamlit three passes over it on every rerun; equal bytes are not
// parsed again.
/**
 * @template {object} Data
 * @param {Data | Uint8Array} data
 * @param {Held<Data>} now
 * @returns {Data | Promise<Data>}
 */
function parsed(data, now) {
  if (!(data instanceof Uint8Array)) return data;
  if (!now.bytes || !same(now.bytes, data)) {
    now.bytes = data;
    now.told =
      data[0] === 0x1f
        ? unpacked(data).then((told) => (now.bytes === data ? (now.told = told) : told))
        : JSON.parse(new TextDecoder().decode(data));
  }
  return /** @type {Data | Promise<Data>} */ (now.told);
}

/** @param {Uint8Array} data */
async function unpacked(data) {
  return new Response(
    new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (data)]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).json();
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function same(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
