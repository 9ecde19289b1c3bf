// The one-file page: an operator's mechanics, playable. Data lies in the page as JSON that no parser of markup or script
// ever sees as either.
import { mount } from "./mechanics.js";

// What planviz/render/html.py puts into the page.
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

const data = JSON.parse(part("planviz-data").textContent ?? "");
window.__planviz = { handle: mount(part("planviz"), data, { wholePage: true }) };
