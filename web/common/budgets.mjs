/**
 * How many bytes a backend, and the host for it, may hold where nobody says so.
 *
 * @typedef {object} Budgets
 * @property {number} gpu
 * @property {number} wasm of the module's heap
 * @property {number} host of what leaves a backend
 */

const GIB = 2 ** 30;

/** Of a GPU's memory, for each pixel of the screen that it draws. */
const BYTES_OF_A_PIXEL = 600;

/** In GiB, of a device whose browser does not say. */
const USUAL_MEMORY = 4;

/**
 * For a GPU half of the device's memory as far as browsers tell (8 GiB at most), or what a screen of
 * that size lets expect of its GPU, 1 GiB at least; for wasm what keeps the heap from its end at 4 GiB.
 *
 * @returns {Budgets}
 */
export function defaultBudgets() {
  const memory = /** @type {any} */ (globalThis.navigator)?.deviceMemory ?? 0;
  return {
    gpu: Math.max(GIB, (memory * GIB) / 2, Math.trunc(screenPixels() * BYTES_OF_A_PIXEL)),
    wasm: 3 * GIB,
    host: (memory || USUAL_MEMORY) * GIB,
  };
}

/** Of the screen; 0 in a worker. */
function screenPixels() {
  const { screen, devicePixelRatio: ratio = 1 } = /** @type {any} */ (globalThis);
  return screen ? screen.width * screen.height * ratio ** 2 : 0;
}
