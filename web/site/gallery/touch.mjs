// Canvases with touch input: by a pointer, or by a cross that the arrow keys move and the space bar presses.

const STRIDE = 1 / 64; // step of the cross per press of an arrow key
const ARROWS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-STRIDE, 0],
  ArrowRight: [STRIDE, 0],
  ArrowUp: [0, -STRIDE],
  ArrowDown: [0, STRIDE],
});

const within = (/** @type {number} */ share) => Math.min(Math.max(share, 0), 1 - 1e-6);

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(place: [number, number], began: boolean) => void} onTouch called with places within the
 *   canvas, from 0 to 1, while it is touched
 */
export function watchTouches(canvas, onTouch) {
  const frame = document.createElement("div");
  const cross = document.createElement("span");
  frame.className = "touched";
  cross.className = "cross";
  canvas.replaceWith(frame);
  frame.append(canvas, cross);
  canvas.tabIndex = 0;

  /** @type {[number, number]} */
  let place = [0.5, 0.5];
  let isDown = false;

  /** @param {number} x @param {number} y */
  function move(x, y) {
    place = [within(x), within(y)];
    cross.style.left = `${100 * place[0]}%`;
    cross.style.top = `${100 * place[1]}%`;
    if (isDown) onTouch(place, false);
  }

  function press() {
    isDown = true;
    onTouch(place, true);
  }

  /** @param {PointerEvent} event */
  function point({ clientX, clientY }) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    move((clientX - left) / width, (clientY - top) / height);
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    point(event);
    press();
  });
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow && event.key !== " ") return;
    event.preventDefault();
    if (arrow) move(place[0] + arrow[0], place[1] + arrow[1]);
    else if (!event.repeat) press();
  });
  for (const type of ["pointerup", "pointercancel", "keyup", "blur"]) {
    canvas.addEventListener(type, (event) => {
      if (!(event instanceof KeyboardEvent) || event.key === " ") isDown = false;
    });
  }
}
