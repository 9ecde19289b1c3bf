// The one-file page: two plans compared.
import { mount } from "./compare.js";

async function openPage() {
  const data = JSON.parse(document.getElementById("planviz-data").textContent);
  const faces = [400, 600].map((weight) => document.fonts.load(`${weight} 14px '${data.theme.font.family}'`));
  await Promise.allSettled(faces); // the cards were measured with these, which lie in the page too
  mount(document.getElementById("planviz"), data, { wholePage: true });
}

openPage();
