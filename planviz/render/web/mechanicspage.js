// The one-file page: an operator's mechanics, playable. Data lies in the page as JSON that no parser of markup or script
// ever sees as either.
import { mount } from "./mechanics.js";

const data = JSON.parse(document.getElementById("planviz-data").textContent);
window.__planviz = { handle: mount(document.getElementById("planviz"), data, { wholePage: true }) };
