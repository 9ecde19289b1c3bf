// What a pointer does on the drawing: dragging pans, a pinch zooms, a click selects, resting on a card tells its whole text.
import { element } from "./dom.js";
import { foldedWords, titleOf } from "./look.js";
import { short } from "./units.js";

export class Pointer {
  /** @type {number | undefined} */ timer;

  /** @param {Canvas} view which it moves and asks what stands where */
  constructor(view) {
    this.view = view;
    this.tip = element("div", "pv-tip");
    this.#listen();
  }

  #listen() {
    const { canvas } = this.view,
      down = new Map();
    let moved = 0,
      pinch = 0;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, event);
      moved = 0;
      pinch = spread(down);
      this.hideTip();
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last) return this.#hoverAt(event);
      moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
      down.set(event.pointerId, event);
      if (down.size === 2) {
        const now = spread(down),
          [px, py] = this.#local(event);
        if (pinch > 0) this.view.zoomAt(now / pinch, px, py);
        pinch = now;
      } else if (moved > 3) {
        canvas.classList.add("pv-panning");
        this.view.map.root.classList.remove("pv-away");
        this.view.panBy(event.clientX - last.clientX, event.clientY - last.clientY);
      }
    });
    const up = (/** @type {PointerEvent} */ event) => {
      if (!down.delete(event.pointerId)) return;
      canvas.classList.remove("pv-panning");
      if (event.type === "pointerup" && moved <= 3) this.#clicked(event);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => this.#hoverAt(null));
    canvas.addEventListener("dblclick", (event) => {
      const b = this.#boxUnder(event);
      if (b >= 0) this.view.on.toggle(this.view.plan.first[b]);
    });
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  // A plain wheel is the page's; a trackpad's pinch arrives as a wheel with Ctrl.
  /** @param {WheelEvent} event */
  #wheel(event) {
    this.hideTip();
    if (!event.ctrlKey && !event.metaKey) {
      this.view.say("Ctrl + wheel zooms, dragging pans", 1200);
      return;
    }
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const [px, py] = this.#local(event);
    this.view.zoomAt(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) / 240), px, py);
  }

  /** @param {MouseEvent} event */
  #local(event) {
    const bounds = this.view.canvas.getBoundingClientRect();
    return [event.clientX - bounds.left, event.clientY - bounds.top];
  }

  /** @param {MouseEvent} event */
  #boxUnder(event) {
    const [px, py] = this.#local(event),
      { x, y, k } = this.view.camera;
    return this.view.plan ? this.view.plan.boxAt(x + px / k, y + py / k) : -1;
  }

  // The node whose number stands where the pointer is, or -1.
  /** @param {MouseEvent} event */
  #numberUnder(event) {
    const [px, py] = this.#local(event),
      x = this.view.camera.x + px / this.view.camera.k,
      y = this.view.camera.y + py / this.view.camera.k;
    return this.view.labelled?.find(([x0, y0, x1, y1]) => x >= x0 && x <= x1 && y >= y0 && y <= y1)?.[4] ?? -1;
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const b = this.#boxUnder(event);
    if (b < 0) return this.view.on.select(this.#numberUnder(event));
    const { plan, selected } = this.view;
    this.view.on.select(selected >= 0 && plan.box[selected] === b ? selected : plan.first[b]);
  }

  /** @param {MouseEvent | null} event */
  #hoverAt(event) {
    const b = event ? this.#boxUnder(event) : -1;
    if (this.view.measure && event)
      this.view.canvas.classList.toggle("pv-over", b >= 0 || this.#numberUnder(event) >= 0);
    if (b === this.view.hover) return;
    this.view.hover = b;
    this.view.canvas.classList.toggle("pv-over", b >= 0);
    this.view.draw();
    this.hideTip();
    if (event && b >= 0) this.timer = setTimeout(() => this.#showTip(b, event), 350);
  }

  hideTip() {
    clearTimeout(this.timer);
    this.tip.classList.remove("pv-on");
  }

  // The whole text of a card that is too small, or cut.
  /** @param {number} b @param {MouseEvent} event */
  #showTip(b, event) {
    const { tip } = this,
      { plan } = this.view,
      i = plan.first[b];
    tip.replaceChildren(element("b", "", titleOf(this.view, b)));
    const lines = plan.isFolded(b)
      ? [foldedWords(plan, b)]
      : (plan.subs?.[i] ?? []).map((line) => line.join(" ").trim());
    for (const line of lines) tip.append(element("div", "", line.slice(0, 400)));
    if (plan.nodes.rows[i] != null)
      tip.append(element("div", "", `rows ${plan.rowsAre(i)}: ${short(plan.nodes.rows[i])}`));
    const [px, py] = this.#local(event);
    tip.style.transform = `translate(${Math.max(8, Math.min(px + 12, this.view.width - 340))}px, ${Math.min(py + 16, this.view.height - 120)}px)`;
    tip.classList.add("pv-on");
  }
}

/** @param {Map<number, PointerEvent>} down */
function spread(down) {
  if (down.size !== 2) return 0;
  const [a, b] = [...down.values()];
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}
