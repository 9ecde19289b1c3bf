// A drawing of ours: SVG that Python made in the light theme, put into the page, in the dark theme recoloured.

/** @param {string} text @param {Theme} theme @param {Mode} mode */
export function drawn(text, theme, mode) {
  const shown =
    mode === "dark" ? text.replace(/#[0-9a-f]{6}\b/g, (colour) => darkened(theme).get(colour) ?? colour) : text;
  const svg = document.importNode(new DOMParser().parseFromString(shown, "image/svg+xml").documentElement, true);
  svg.removeAttribute("role");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

/** @typedef {{ [name: string]: string | Shades }} Shades */

// Every colour of the light theme with its dark twin; where two names share a colour, the first counts.
/** @type {Map<string, string>} */
let twins;
/** @type {Theme | undefined} */
let of;
/** @param {Theme} theme */
function darkened(theme) {
  if (of === theme) return twins;
  of = theme;
  twins = new Map();
  /** @type {(light: Shades, dark: Shades) => void} */
  const pair = (light, dark) => {
    for (const [name, value] of Object.entries(light)) {
      const other = dark[name];
      if (typeof value === "object") pair(value, /** @type {Shades} */ (other));
      else if (!twins.has(value)) twins.set(value, /** @type {string} */ (other));
    }
  };
  pair(
    /** @type {Shades} */ (/** @type {unknown} */ (theme.light)),
    /** @type {Shades} */ (/** @type {unknown} */ (theme.dark)),
  );
  for (const { light, dark } of Object.values(theme.kinds)) if (!twins.has(light)) twins.set(light, dark);
  return twins;
}
