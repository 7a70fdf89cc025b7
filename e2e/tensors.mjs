// Tensors and Programs as JSON from tests, for the pages that drive a runtime.

/**
 * @typedef {{dtype: string, values: (number | string)[]}} Tensor infinities and NaN as strings
 * @typedef {{json: string, inputs: Tensor[]}} Call a Program without constants, and its inputs
 */

/** @param {Tensor} tensor */
function bytesOf({ dtype, values }) {
  const numbers = values.map(Number);
  if (dtype === "float32") return new Uint8Array(new Float32Array(numbers).buffer);
  return dtype === "int32"
    ? new Uint8Array(new Int32Array(numbers).buffer)
    : new Uint8Array(numbers);
}

/**
 * Creates the slot of a tensor.
 *
 * @param {import("../web/common/backend.mjs").Backend} backend
 * @param {Tensor} tensor
 */
export function write(backend, tensor) {
  const bytes = bytesOf(tensor);
  return backend.write(bytes.buffer, 0, tensor.values.length, tensor.dtype);
}

/**
 * Converts elements to values that JSON can represent.
 *
 * @param {Iterable<number>} elements
 */
export function plain(elements) {
  return [...elements].map((v) => (Number.isFinite(v) ? v : `${v}`));
}
