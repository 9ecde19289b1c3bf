// A drawing of ours: SVG that Python made in the light theme, put into the page, in the dark theme recoloured.

export function drawn(text, theme, mode) {
  const shown =
    mode === "dark" ? text.replace(/#[0-9a-f]{6}\b/g, (colour) => darkened(theme).get(colour) ?? colour) : text;
  const svg = document.importNode(new DOMParser().parseFromString(shown, "image/svg+xml").documentElement, true);
  svg.removeAttribute("role");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

// Every colour of the light theme with its dark twin; where two names share a colour, the first counts.
let twins, of;
function darkened(theme) {
  if (of === theme) return twins;
  of = theme;
  twins = new Map();
  const pair = (light, dark) => {
    for (const [name, value] of Object.entries(light)) {
      if (typeof value === "object") pair(value, dark[name]);
      else if (!twins.has(value)) twins.set(value, dark[name]);
    }
  };
  pair(theme.light, theme.dark);
  for (const { light, dark } of Object.values(theme.kinds)) if (!twins.has(light)) twins.set(light, dark);
  return twins;
}
