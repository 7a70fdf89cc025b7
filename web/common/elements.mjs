/**
 * Elements of tensors in arrays, in the layout of Python's heap and in the layout of shaders, where a
 * bool is an int. A float16 is stored as its bits, because not all browsers have float16 arrays.
 *
 * @typedef {Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>
 *   | Int8Array<ArrayBuffer>} Elements
 */

/** @type {Record<string, {bytes: number, array: new (...args: any[]) => Elements}>} bytes in the heap */
const KINDS = {
  float32: { bytes: 4, array: Float32Array },
  int32: { bytes: 4, array: Int32Array },
  bool: { bytes: 1, array: Int32Array },
  float16: { bytes: 2, array: Uint16Array },
  int8: { bytes: 1, array: Int8Array },
};

/**
 * Return the number of bytes that elements take in the heap.
 *
 * @param {number} count
 * @param {string} dtype
 */
export function nbytesOf(count, dtype) {
  return count * KINDS[dtype].bytes;
}

/**
 * Return the number of bytes that elements take in the layout of shaders.
 *
 * @param {number} count
 * @param {string} dtype
 */
export function storedBytes(count, dtype) {
  return count * (dtype === "bool" ? 4 : KINDS[dtype].bytes);
}

/**
 * Copy elements of a heap to a new array.
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
 * Return a view of elements in the heap, or a copy where shaders use another layout.
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
 * Copy elements to the heap.
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
 * Return the elements in bytes that shaders have stored.
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
 * Convert elements that shaders have stored to the layout of the heap.
 *
 * @param {string} dtype
 * @param {Elements} elements
 * @returns {import("./backend.mjs").TensorArray}
 */
export function shown(dtype, elements) {
  return dtype === "bool" ? Uint8Array.from(elements) : elements;
}
