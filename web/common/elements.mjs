/**
 * Elements of tensors in arrays: as Python's heap has them, and as shaders store them, where a bool
 * is an int. Those of float16 are known by their bits: not all browsers have arrays of them.
 *
 * @typedef {Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>} Elements
 */

/** @type {Record<string, {bytes: number, array: new (...args: any[]) => Elements}>} bytes in the heap */
const KINDS = {
  float32: { bytes: 4, array: Float32Array },
  int32: { bytes: 4, array: Int32Array },
  bool: { bytes: 1, array: Int32Array },
  float16: { bytes: 2, array: Uint16Array },
};

/**
 * Bytes of elements in the heap.
 *
 * @param {number} count
 * @param {string} dtype
 */
export function nbytesOf(count, dtype) {
  return count * KINDS[dtype].bytes;
}

/**
 * Bytes of elements as shaders store them.
 *
 * @param {number} count
 * @param {string} dtype
 */
export function storedBytes(count, dtype) {
  return count * (dtype === "bool" ? 4 : KINDS[dtype].bytes);
}

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
  const { bytes, array } = KINDS[dtype];
  const aligned = ptr % bytes === 0 && heap instanceof ArrayBuffer;
  return dtype === "bool" || !aligned
    ? copied(heap, ptr, count, dtype)
    : new array(heap, ptr, count);
}

/**
 * @param {string} dtype
 * @param {number} count
 * @returns {Elements}
 */
export function emptyArray(dtype, count) {
  return new KINDS[dtype].array(count);
}

/**
 * Copies elements to the heap.
 *
 * @param {ArrayBufferLike} heap
 * @param {number} ptr
 * @param {string} dtype
 * @param {Elements} elements
 */
export function copyOut(heap, ptr, dtype, elements) {
  const { buffer, byteOffset, byteLength, length } = elements;
  if (dtype === "bool") new Uint8Array(heap, ptr, length).set(elements);
  else new Uint8Array(heap, ptr, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
}

/**
 * Elements of bytes that shaders have stored.
 *
 * @param {string} dtype
 * @param {ArrayBuffer} bytes
 * @param {number} offset
 * @param {number} count
 * @returns {Elements}
 */
export function elementsOf(dtype, bytes, offset, count) {
  return new KINDS[dtype].array(bytes, offset, count);
}

/**
 * Elements that shaders have stored, as the heap has them.
 *
 * @param {string} dtype
 * @param {Elements} elements
 * @returns {import("./backend.mjs").TensorArray}
 */
export function shown(dtype, elements) {
  return dtype === "bool" ? Uint8Array.from(elements) : elements;
}
