// Converts TensorFlow.js's model.json to Python's marshal format with csrc/model_json. Python's json module takes
// three times as long, because it creates an object for each of about ten thousand values, most of them duplicates.

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

/** Python parses larger files. */
const MAX_BYTES = 1 << 24;
/** A module with more memory than this is discarded after use, because wasm memory does not shrink. */
const MAX_KEPT = 1 << 24;

let isComing = false;
/** @type {Converter | undefined} */
let converter;

/** Begin to load the module. */
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
  } catch {} // Python's parser is used instead
}

/**
 * Convert a model.json in Python's heap. Return the number of bytes that `takeModel` will copy, or 0 if Python must
 * parse the text: while the module is not ready, and for files that are unusual or not a model.json.
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
    converter = undefined; // it ran out of memory
    return 0;
  }
}

/**
 * Copy the result of `convertModel` to Python's heap.
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
