// The minimap: the whole plan in a corner of the drawing, with what is in view; dragging over it moves the view.
import { element } from "./dom.js";
import { drawMinimap } from "./far.js";

const MAP = { width: 148, height: 112 };
const LETTER = 6.5; // px of a letter beside a card, about

export class Minimap {
  /** @type {number | undefined} */ timer;
  /** @type {[sx: number, sy: number, left: number, top: number] | undefined} */ scale;
  /** @type {[x0: number, y0: number, x1: number, y1: number] | undefined} */ extent;

  /** @param {Canvas} view whose plan, camera and size it shows */
  constructor(view) {
    this.view = view;
    const root = (this.root = element("div", "pv-map"));
    this.canvas = element("canvas");
    this.frame = element("div", "pv-map-view");
    root.append(this.canvas, this.frame);
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      this.#jump(event);
    });
    root.addEventListener("pointermove", (event) => event.buttons && this.#jump(event));
  }

  destroy() {
    clearTimeout(this.timer);
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), this.scale ? 30 : 120); // the first frame comes first
  }

  draw() {
    if (!this.view.plan || !this.view.width || this.view.gone) return;
    this.canvas.width = MAP.width * this.view.ratio;
    this.canvas.height = MAP.height * this.view.ratio;
    this.scale = drawMinimap(
      /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d")),
      this.view,
      MAP.width,
      MAP.height,
      this.view.ratio,
    );
    this.extent = extentOf(this.view.plan);
    this.place();
  }

  place() {
    const { plan, camera } = this.view,
      w = this.view.width / camera.k,
      h = this.view.height / camera.k;
    const [x0, y0, x1, y1] = this.extent ?? [0, 0, plan.width, plan.height];
    const all = camera.x <= x0 + 1 && camera.y <= y0 + 1 && camera.x + w >= x1 - 1 && camera.y + h >= y1 - 1;
    this.root.classList.toggle("pv-faded", all);
    if (!this.scale || all) return;
    const [sx, sy, left, top] = this.scale;
    const clip = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(most, Math.max(0, value));
    const from = [clip(left + camera.x * sx, MAP.width - 3), clip(top + camera.y * sy, MAP.height - 3)];
    const to = [clip(left + (camera.x + w) * sx, MAP.width), clip(top + (camera.y + h) * sy, MAP.height)];
    const style = this.frame.style;
    style.transform = `translate(${from[0]}px, ${from[1]}px)`;
    style.width = `${Math.max(3, to[0] - from[0])}px`;
    style.height = `${Math.max(3, to[1] - from[1])}px`;
  }

  // The minimap stands in a corner where no card is nor what changed on it is told; where every corner has some, it waits
  // for the next pan.
  standAside() {
    const { root } = this,
      {
        plan,
        camera: { x, y, k },
      } = this.view;
    if (!plan || this.view.gone || root.matches(":hover")) return;
    const headroom = parseFloat(getComputedStyle(root).getPropertyValue("--pv-headroom")) || 0; // what stands over the drawing
    const free = (/** @type {string} */ corner) => {
      const left = corner.includes("left") ? 0 : this.view.width - MAP.width - 28,
        top = corner.includes("top") ? headroom : this.view.height - MAP.height - 28;
      const [x0, y0, x1, y1] = [
        x + left / k,
        y + top / k,
        x + (left + MAP.width + 28) / k,
        y + (top + MAP.height + 28) / k,
      ];
      let alone = true;
      plan.within(x0, y0, x1, y1, (b) => {
        if (plan.x[b] < x1 && plan.x[b] + plan.w[b] > x0 && plan.y[b] < y1 && plan.y[b] + plan.h[b] > y0) alone = false;
      });
      for (const [b, words] of this.view.labels ?? []) {
        const right = plan.x[b] + plan.w[b];
        if (right < x1 && right + 12 + words.length * LETTER > x0 && plan.y[b] < y1 && plan.y[b] + plan.h[b] > y0)
          alone = false;
      }
      return alone;
    };
    const corner = ["bottom right", "bottom left", "top right", "top left"].find(free);
    root.classList.toggle("pv-away", !corner);
    if (corner) root.dataset.corner = corner;
  }

  /** @param {MouseEvent} event */
  #jump(event) {
    if (!this.scale) return;
    const bounds = this.root.getBoundingClientRect(),
      [sx, sy, left, top] = this.scale,
      { k } = this.view.camera;
    const x = (event.clientX - bounds.left - left) / sx,
      y = (event.clientY - bounds.top - top) / sy;
    this.view.moveTo({ x: x - this.view.width / k / 2, y: y - this.view.height / k / 2, k }, false);
  }
}

// [x0, y0, x1, y1] of the cards.
/**
 * @param {Plan} plan
 * @returns {[x0: number, y0: number, x1: number, y1: number]}
 */
function extentOf({ count, x, y, w, h }) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let b = 0; b < count; b++) {
    x0 = Math.min(x0, x[b]);
    y0 = Math.min(y0, y[b]);
    x1 = Math.max(x1, x[b] + w[b]);
    y1 = Math.max(y1, y[b] + h[b]);
  }
  return [x0, y0, x1, y1];
}
