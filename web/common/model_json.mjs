// model.json of TensorFlow.js for Python, as data of its marshal: csrc/model_json. Python's own json takes three
// times as long, since it makes an object of each of some ten thousand values of which most are equal to others.

import bytes from "model-json";

/** @typedef {import("./bridge.mjs").HeapOwner} HeapOwner */
/**
 * @typedef {object} Converter
 * @property {WebAssembly.Memory} memory
 * @property {() => void} _initialize
 * @property {(size: number) => number} tfpy_text
 * @property {() => number} tfpy_convert
 * @property {() => number} tfpy_result
 */

/** Larger files are Python's. */
const MAX_BYTES = 1 << 24;
/** A module with more memory, which does not shrink, is not kept. */
const MAX_KEPT = 1 << 24;

let isComing = false;
/** @type {Converter | undefined} */
let converter;

/** Begins to make the module ready. */
export function prepareModels() {
  if (!isComing) open();
  isComing = true;
}

async function open() {
  try {
    const imports = { env: { emscripten_notify_memory_growth() {} } };
    const { instance } = await WebAssembly.instantiate(bytes, imports);
    const made = /** @type {Converter} */ (/** @type {unknown} */ (instance.exports));
    made._initialize();
    converter = made;
  } catch {} // Python reads by itself
}

/**
 * Converts a model.json of Python's heap; how many bytes there are for `takeModel` to take, or 0 where Python
 * should read by itself: while the module is not ready, and for a file that is none, or unusual.
 * @param {HeapOwner} owner
 * @param {number} pointer
 * @param {number} size
 */
export function convertModel(owner, pointer, size) {
  prepareModels();
  if (converter === undefined || size > MAX_BYTES) return 0;
  try {
    const place = converter.tfpy_text(size);
    const text = owner.HEAPU8.subarray(pointer, pointer + size);
    new Uint8Array(converter.memory.buffer, place, size).set(text);
    return converter.tfpy_convert();
  } catch {
    converter = undefined; // which had no memory left
    return 0;
  }
}

/**
 * Puts what `convertModel` has made into Python's heap.
 * @param {HeapOwner} owner
 * @param {number} pointer
 * @param {number} size
 */
export function takeModel(owner, pointer, size) {
  const { memory, tfpy_result } = /** @type {Converter} */ (converter);
  owner.HEAPU8.set(new Uint8Array(memory.buffer, tfpy_result(), size), pointer);
  if (memory.buffer.byteLength > MAX_KEPT) {
    converter = undefined;
    isComing = false;
  }
}
