// A pad for drawing a digit. The drawing is converted like the data set: a 32 by 32 bitmap with the digit in the
// middle is reduced to 8 by 8 pixels, which count the black pixels (0 to 16) of 4 by 4 blocks.

const BITMAP = 32;
const BLOCK = 4;
const PEN = 4; // in pixels of the bitmap, about the width of the data set's pens
const MARGIN = 1;

/** @typedef {[number, number][]} Stroke */

/**
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context
 * @param {Stroke[]} strokes
 */
function drawStrokes(context, strokes) {
  context.lineCap = context.lineJoin = "round";
  for (const stroke of strokes) {
    context.beginPath();
    context.moveTo(...stroke[0]);
    for (const point of stroke) {
      context.lineTo(...point);
    }
    context.stroke();
  }
}

/**
 * Scale the strokes to fill the bitmap except for the pen's width, and keep their proportions.
 * @param {Stroke[]} strokes
 * @returns {Stroke[]}
 */
function fitted(strokes) {
  const xs = strokes.flat().map(([x]) => x);
  const ys = strokes.flat().map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const room = BITMAP - PEN - 2 * MARGIN;
  const scale = room / Math.max(right - left, bottom - top, 1);
  const place = (/** @type {number} */ value, /** @type {number} */ middle) =>
    (value - middle) * scale + BITMAP / 2;
  return strokes.map((stroke) =>
    stroke.map(([x, y]) => [place(x, (left + right) / 2), place(y, (top + bottom) / 2)]),
  );
}

/**
 * @param {Stroke[]} strokes
 * @returns {Uint8Array} 64 values, 0 to 16
 */
export function toDigit(strokes) {
  const digit = new Uint8Array((BITMAP / BLOCK) ** 2);
  if (strokes.length === 0) {
    return digit;
  }
  const context = new OffscreenCanvas(BITMAP, BITMAP).getContext("2d");
  if (!context) {
    throw new Error("this browser has no 2D canvas");
  }
  context.lineWidth = PEN;
  drawStrokes(context, fitted(strokes));
  const { data } = context.getImageData(0, 0, BITMAP, BITMAP);
  for (let pixel = 0; pixel < BITMAP * BITMAP; pixel++) {
    if (data[4 * pixel + 3] > 127) {
      const [row, column] = [Math.floor(pixel / BITMAP), pixel % BITMAP];
      digit[Math.floor(row / BLOCK) * (BITMAP / BLOCK) + Math.floor(column / BLOCK)]++;
    }
  }
  return digit;
}

/**
 * Draw a digit of 64 values on a canvas of 8 by 8 pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} digit
 */
export function showDigit(canvas, digit) {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  context.fillStyle = getComputedStyle(canvas).color;
  for (const [index, value] of digit.entries()) {
    context.globalAlpha = value / 16;
    context.fillRect(index % width, Math.floor(index / width), 1, 1);
  }
}

/**
 * Draw a digit of 64 values as dots, larger for darker pixels, with a margin of one dot.
 * @param {CanvasRenderingContext2D} context
 * @param {Uint8Array} digit
 * @param {number} side side of the canvas
 */
function drawDots(context, digit, side) {
  const width = BITMAP / BLOCK;
  const place = side / (width + 2);
  for (const [index, value] of digit.entries()) {
    const [row, column] = [Math.floor(index / width), index % width];
    context.beginPath();
    const radius = 0.6 * place * Math.sqrt(value / 16);
    context.arc((column + 1.5) * place, (row + 1.5) * place, radius, 0, 2 * Math.PI);
    context.fill();
  }
}

/**
 * Let the user draw on a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {(strokes: Stroke[]) => void} onChange called after each movement of the pen
 * @returns {{ clear: () => void, show: (digit: Uint8Array) => void }} `show` shows a digit of 64
 *   values until the pad is cleared or drawn on
 */
export function openPad(canvas, onChange) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Stroke[]} */
  const strokes = [];
  /** @type {Uint8Array} */
  let shown = new Uint8Array();

  function paint() {
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineWidth = canvas.width / 12;
    context.strokeStyle = getComputedStyle(canvas).color;
    drawStrokes(context, strokes);
    context.fillStyle = context.strokeStyle;
    drawDots(context, shown, canvas.width);
  }

  function redraw() {
    shown = new Uint8Array();
    paint();
    onChange(strokes);
  }

  /** @param {PointerEvent} event */
  function addPoint(event) {
    const scale = canvas.width / canvas.clientWidth;
    strokes.at(-1)?.push([event.offsetX * scale, event.offsetY * scale]);
    redraw();
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    strokes.push([]);
    addPoint(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (canvas.hasPointerCapture(event.pointerId)) {
      addPoint(event);
    }
  });
  return {
    clear() {
      strokes.length = 0;
      redraw();
    },
    show(digit) {
      strokes.length = 0;
      shown = digit;
      paint();
    },
  };
}
