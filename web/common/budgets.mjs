/**
 * Default limits of the bytes that a backend, and the host on its behalf, may hold.
 *
 * @typedef {object} Budgets
 * @property {number} gpu
 * @property {number} wasm size of the module's heap
 * @property {number} host for data that leaves a backend
 */

const GIB = 2 ** 30;

/** Estimated bytes of GPU memory per pixel of the screen. */
const BYTES_OF_A_PIXEL = 600;

/** Assumed memory in GiB where the browser does not report it. */
const USUAL_MEMORY = 4;

/**
 * Return the default budgets. A GPU gets half of the device's memory (browsers report 8 GiB at most), or
 * more if the screen suggests a larger GPU, and at least 1 GiB. Wasm gets a budget that keeps the heap
 * below its limit of 4 GiB.
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

/** Number of pixels of the screen; 0 in a worker. */
function screenPixels() {
  const { screen, devicePixelRatio: ratio = 1 } = /** @type {any} */ (globalThis);
  return screen ? screen.width * screen.height * ratio ** 2 : 0;
}
