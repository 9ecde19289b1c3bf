// What stands around the picture: the toolbar, the list of keys, a finding.
import { button, element } from "./dom.js";
import { KEYS } from "./keys.js";

// Buttons and fields that change with the plan become properties of the workbench.
/** @param {Workbench} bench */
export function toolbar(bench) {
  const bar = element("div", "pv-toolbar");
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "View");
  bench.railButton = button("pv-button pv-only-narrow", "☰ Tree", "Show the tree", () => bench.toggleRail());
  const views = element("div", "pv-segment");
  bench.planButton = button("", "Plan", "Show the drawing", () => bench.showText(false));
  bench.textButton = button("", "Text", "Show the raw text (t)", () => bench.showText(true));
  views.append(bench.planButton, bench.textButton);
  bench.chips = element("div", "pv-chips");
  bench.search = element("input", "pv-search");
  bench.search.type = "search";
  bench.search.placeholder = "Find  /";
  bench.search.setAttribute("aria-label", "Find in titles, operators and details");
  bench.search.spellcheck = false;
  bench.search.addEventListener("input", () => bench.find(bench.search.value));
  bench.search.addEventListener("keydown", (event) => bench.searchKey(event));
  bench.hitCount = element("span", "pv-hits");
  const finder = element("div", "pv-finder");
  bench.backButton = button("pv-step", "‹", "Previous match (N)", () => bench.step(-1));
  bench.nextButton = button("pv-step", "›", "Next match (n)", () => bench.step(1));
  finder.append(bench.search, bench.hitCount, bench.backButton, bench.nextButton);
  bench.roomyButton = button("pv-button", "Details", "Show metrics and details in the cards (d)", () =>
    bench.setRoomy(!bench.plan.roomy),
  );
  bench.snugButton = button("pv-button", "Compact", "One line for every operator (v)", () =>
    bench.setCompact(!bench.plan.snug),
  );
  bench.foldButton = button("pv-button", "Fold", "Fold single-child chains into one box each (x)", () =>
    bench.foldAll(!bench.plan.anyFolded),
  );
  bench.zoomWords = button("pv-step pv-zoom", "100%", "Zoom to 100% (0)", () =>
    bench.canvas.zoomAt(1 / bench.canvas.camera.k, undefined, undefined, true),
  );
  const zoom = element("div", "pv-segment pv-zooms");
  zoom.append(
    button("pv-step", "−", "Zoom out (-)", () => bench.canvas.zoomAt(1 / 1.3, undefined, undefined, true)),
    bench.zoomWords,
    button("pv-step", "+", "Zoom in (+)", () => bench.canvas.zoomAt(1.3, undefined, undefined, true)),
    button("pv-step", "Fit", "Show everything (f)", () => bench.canvas.fitNames()),
  );
  bench.sideButton = button("pv-button pv-side-button", "Panel", "Show or hide the details (Enter)", () =>
    bench.toggleSide(),
  );
  bench.copyButton = bench.raw.copyButton();
  bar.append(
    bench.railButton,
    views,
    bench.chips,
    element("div", "pv-grow"),
    finder,
    bench.copyButton,
    bench.snugButton,
    bench.roomyButton,
    bench.foldButton,
    zoom,
    bench.sideButton,
  );
  return bar;
}

// The dialog that "?" opens.
/** @param {Workbench} bench */
export function keyList(bench) {
  bench.help = element("div", "pv-help");
  bench.help.setAttribute("role", "dialog");
  bench.help.setAttribute("aria-label", "Keys");
  const list = element("dl");
  for (const [keys, words] of KEYS) {
    const dt = element("dt");
    for (const key of keys) dt.append(element("kbd", "", key));
    list.append(dt, element("dd", "", words));
  }
  bench.help.append(
    button("pv-close", "×", "Close", () => bench.showHelp(false)),
    element("h3", "", "Keys"),
    list,
  );
  return bench.help;
}

/** @type {Record<string, [sign: string, name: string]>} */
const SEVERITIES = { problem: ["!", "Problem"], warning: ["▲", "Warning"], info: ["i", "Information"] };

// One finding as a button; `open` gets the id of its node, at the next press that of its next one.
/** @param {Finding} given @param {(id: number | null) => void} open */
export function findingItem({ severity, title, evidence, node, nodes }, open) {
  const [sign, name] = SEVERITIES[severity] ?? SEVERITIES.info,
    places = nodes?.length ? nodes : [node];
  let at = -1;
  const next = () => open(places[(at = (at + 1) % places.length)]);
  const item = button(`pv-finding pv-severity-${SEVERITIES[severity] ? severity : "info"}`, "", "", next);
  const words = element("span");
  words.append(element("b", "", title), element("span", "pv-muted", evidence ?? ""));
  item.append(element("span", "pv-severity", sign), words);
  item.title = `${places.length > 1 ? `${name} at ${places.length} operators: press again for the next` : name}${evidence ? `\n${evidence}` : ""}`;
  item.disabled = node == null;
  return item;
}
