// Widths of texts in px, each measured once for all pictures: a plan that is shown ahead is drawn again by its page.
const MOST = 50_000;
const rulers = new Map(); // font -> a canvas's context that has it
let widths = new Map();
document.fonts?.addEventListener?.("loadingdone", () => (widths = new Map()));

// `font` is a font of CSS, as the context of a canvas takes it.
/** @param {string} text @param {string} font */
export function textWidth(text, font) {
  const key = `${font}\n${text}`,
    known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size >= MOST) widths = new Map();
  let ruler = rulers.get(font);
  if (!ruler) {
    rulers.set(font, (ruler = document.createElement("canvas").getContext("2d")));
    ruler.font = font;
  }
  const { width } = ruler.measureText(text);
  widths.set(key, width);
  return width;
}
