// The colours of planviz/render/theme.json as custom properties of an element, light or dark.
import { element } from "./dom.js";

/** @type {Plain[]} */
const PLAIN = ["surface", "card", "border", "line", "ink", "muted", "accent", "edge", "link"];
/** @type {Tinted[]} */
const SETS = ["badge", "estimated", "warning", "problem", "removed", "inserted", "moved"];
/** @type {(keyof Tint)[]} */
const PARTS = ["fill", "border", "text"];

// Dark when told so (true or false); else as Streamlit's own page is, or as the system is. Returns "light" or "dark".
/**
 * @param {HTMLElement} root
 * @param {Theme} theme
 * @param {boolean | null | undefined} dark
 * @param {MediaQueryList} scheme
 * @returns {Mode}
 */
export function dress(root, theme, dark, scheme) {
  let on = dark;
  if (on == null) {
    const streamlit = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
    on = streamlit ? luminance(streamlit) < 0.4 : scheme.matches;
  }
  const mode = on ? "dark" : "light",
    colours = theme[mode],
    { style } = root;
  for (const name of PLAIN) style.setProperty(`--pv-${name}`, colours[name]);
  for (const name of SETS) for (const part of PARTS) style.setProperty(`--pv-${name}-${part}`, colours[name][part]);
  style.setProperty("--pv-font", `'${theme.font.family}', ${theme.font.fallback}`);
  style.colorScheme = mode;
  return mode;
}

/** @param {string} colour */
function luminance(colour) {
  const probe = /** @type {CanvasRenderingContext2D} */ (element("canvas").getContext("2d"));
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}
