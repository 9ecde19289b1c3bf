// How the chosen operator works: both sides with what was put in beneath the join, and words.
import { element } from "./dom.js";

const ROLES = { build: "build side", stream: "stream side", "": "" };

/** @param {Mechanism} given @param {Theme} theme @param {Mode} mode */
export function mechanism({ op, words, sides, limits }, theme, mode) {
  const box = element("section", "pv-mechanism");
  box.append(element("h4", "", `How ${op} works`), element("p", "", words));
  if (!sides.length) return box;
  const picture = element("div", "pv-flow"),
    join = element("div", "pv-flow-join");
  join.append(element("b", "", op));
  for (const side of sides) {
    const line = element("div", `pv-flow-side pv-flow-${side.role || "even"}`);
    const leaf = element("div", "pv-flow-card pv-flow-input"),
      name = element("b", "", side.names);
    leaf.append(name, element("span", "pv-muted", [side.side, side.size].filter(Boolean).join(" · ")));
    line.append(leaf);
    for (const put of [...side.put].reverse()) {
      const card = element("div", "pv-flow-card"),
        colour = theme.kinds[put.kind]?.[mode];
      if (colour) card.style.borderLeftColor = colour;
      card.append(element("b", "", put.op), element("span", "pv-muted", put.text));
      card.title = put.text;
      line.append(card);
    }
    const end = element("div", "pv-flow-end");
    end.append(element("b", "", ROLES[side.role] || "merged in order"), element("span", "pv-muted", side.asks));
    line.append(end);
    picture.append(line);
  }
  const whole = element("div", "pv-flow-whole");
  whole.append(picture, join);
  box.append(whole);
  if (limits.length) {
    const line = element("p", "pv-muted", "While it runs, the broadcast may not exceed ");
    limits.forEach(([number, about, setting], at) => {
      const one = element("b", "", number);
      one.title = setting ? `${about} (${setting})` : about;
      line.append(at ? ", " : "", one);
    });
    line.append(". None of these chooses the join: only the threshold does.");
    box.append(line);
  }
  return box;
}
