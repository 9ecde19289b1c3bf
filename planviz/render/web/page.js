// The one-file page: several plans as tabs, one workbench below them. Data lies in the page as JSON that no parser of
// markup or script ever sees as either.
import { button, element } from "./dom.js";
import { mount } from "./workbench.js";

// What planviz/render/html.py puts into the page.
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

async function openPage() {
  /** @type {{ plans: (Partial<WorkbenchData> & Pick<WorkbenchData, "scene">)[]; opened: number; theme: Theme; dark: boolean | null }} */
  const { plans, opened, theme, dark } = JSON.parse(part("planviz-data").textContent ?? "");
  const faces = [400, 600].map((weight) => document.fonts.load(`${weight} 14px '${theme.font.family}'`));
  await Promise.allSettled(faces); // the cards were measured with these, which lie in the page too
  const host = part("planviz"),
    tabs = part("planviz-tabs");
  const dataOf = (/** @type {number} */ at) => ({
    dark,
    theme,
    findings: [],
    selected: null,
    details_url: null,
    ...plans[at],
    key: `plan ${at}`,
  });
  const panel = mount(host, dataOf(opened), { wholePage: true });
  const shown = plans.map(({ scene }, at) => {
    const tab = button("pv-tab", scene.title || `Plan ${at + 1}`, "", () => open(at));
    tab.setAttribute("role", "tab");
    return tab;
  });
  const open = (/** @type {number} */ at) => {
    shown.forEach((tab, other) => {
      tab.setAttribute("aria-selected", String(other === at));
      tab.tabIndex = other === at ? 0 : -1;
    });
    panel.update(dataOf(at));
  };
  tabs.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key],
      at = shown.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (!by || at < 0) return;
    const to = (at + by + shown.length) % shown.length;
    shown[to].focus();
    open(to);
    event.preventDefault();
  });
  if (plans.length > 1) tabs.append(...shown);
  else if (document.title !== plans[0].scene.title) tabs.append(element("span", "pv-only-title", plans[0].scene.title));
  if (plans.length > 1) open(opened);
}

openPage();
