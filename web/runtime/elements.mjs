/**
 * Elements of tensors in arrays: as Python's heap has them, and as shaders store them, where a bool
 * is an int.
 *
 * @typedef {Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>} Elements
 */

/**
 * Elements of a heap in an array of their own.
 *
 * @param {ArrayBufferLike} heap
 * @param {number} ptr
 * @param {number} count
 * @param {string} dtype
 * @returns {Elements}
 */
export function copied(heap, ptr, count, dtype) {
  if (dtype === "bool") {
    return Int32Array.from(new Uint8Array(heap, ptr, count), (b) => (b === 0 ? 0 : 1));
  }
  const data = emptyArray(dtype, count);
  new Uint8Array(data.buffer).set(new Uint8Array(heap, ptr, data.byteLength));
  return data;
}

/**
 * Elements of the heap as they lie there, or a copy where shaders store them otherwise.
 *
 * @param {ArrayBufferLike} heap
 * @param {number} ptr
 * @param {number} count
 * @param {string} dtype
 * @returns {Elements}
 */
export function viewed(heap, ptr, count, dtype) {
  const aligned = ptr % 4 === 0 && heap instanceof ArrayBuffer;
  if (dtype === "bool" || !aligned) return copied(heap, ptr, count, dtype);
  return dtype === "float32"
    ? new Float32Array(heap, ptr, count)
    : new Int32Array(heap, ptr, count);
}

/**
 * @param {string} dtype
 * @param {number} count
 * @returns {Elements}
 */
export function emptyArray(dtype, count) {
  return dtype === "float32" ? new Float32Array(count) : new Int32Array(count);
}
