// The one-file page: two plans compared.
import { mount } from "./compare.js";

// What planviz/render/html.py puts into the page.
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

async function openPage() {
  const data = JSON.parse(part("planviz-data").textContent ?? "");
  const faces = [400, 600].map((weight) => document.fonts.load(`${weight} 14px '${data.theme.font.family}'`));
  await Promise.allSettled(faces); // the cards were measured with these, which lie in the page too
  mount(part("planviz"), data, { wholePage: true });
}

openPage();
