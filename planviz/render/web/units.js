// Numbers as people read them: rows, bytes and times, in one form everywhere. planviz/units.py is the same in Python.
const THOUSANDS = ["", "K", "M", "B", "T"],
  BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const READABLE = 1e15; // from here on nobody reads digits one by one

// 1234567 as "1,234,567", 2.4e22 in short; the browser's own number formats take 10 ms to start.
/** @param {number} value */
export function grouped(value) {
  if (Math.abs(value) >= READABLE) return power(value);
  const [whole, rest] = String(value).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

// Whether a count is more than anybody counts: what an estimate comes to where nothing is known to divide by.
/** @param {number | string} value */
export function beyond(value) {
  return Number(value) >= READABLE;
}

// 1234567 as "1.2M": at most three digits, as on edges and bars; from 10^15 on only that it is so many.
/** @param {number | string} value */
export function short(value) {
  let v = Number(value),
    at = 0;
  while (v >= 999.5 && at < THOUSANDS.length - 1) [v, at] = [v / 1000, at + 1];
  if (v >= 999.5) return ">10¹⁵";
  return (at === 0 || v >= 99.95 ? Math.floor(v + 0.5) : tenths(v)) + THOUSANDS[at];
}

// Bytes in the unit of which there are at least two, as Spark does: 1351 B, 11 KiB, 476.8 MiB, over 10,000 EiB.
/** @param {number | string} value */
export function byteSize(value) {
  let v = Number(value),
    at = 0;
  while (v >= 2048 && at < BINARY.length - 1) [v, at] = [v / 1024, at + 1];
  if (v >= 9999.5) return "over 10,000 EiB";
  return `${tenths(v)} ${BINARY[at]}`;
}

// Milliseconds with as many digits as mean something: 0.42 ms, 3.1 ms, 850 ms, 4.2 s, 3 min 07 s, 2 h 05 min.
/** @param {Milliseconds | string} milliseconds */
export function duration(milliseconds) {
  const ms = Number(milliseconds),
    two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  if (ms < 999.5) {
    if (ms > 0 && ms < 1) return `${(Math.floor(ms * 100 + 0.5) / 100).toFixed(2)} ms`;
    return `${ms < 9.95 ? tenths(ms) : Math.floor(ms + 0.5)} ms`;
  }
  if (ms < 59950) return `${(Math.floor(ms / 100 + 0.5) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000 + 0.5);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60 + 0.5);
  return `${grouped(Math.floor(minutes / 60))} h ${two(minutes % 60)} min`;
}

/** @param {number} value */
function tenths(value) {
  return String(Math.floor(value * 10 + 0.5) / 10);
}

/** @param {number} value */
function power(value) {
  return Number.isFinite(Number(value)) ? Number(value).toExponential(1).replace("e+", "e") : "∞";
}
