// Finds the parts of a value that are transferred to or from a worker.

/** Classes of transferable objects; browsers lack some of them. */
const MOVED = ["ArrayBuffer", "ImageBitmap", "OffscreenCanvas", "VideoFrame", "MessagePort"];

/**
 * Return the parts of a value that can be transferred instead of copied: the memory of typed arrays, images, …
 * @param {any} value
 * @param {Set<any>} [found]
 * @returns {Transferable[]}
 */
export function transferable(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) {
    transferable(value.buffer, found);
  } else if (MOVED.some((name) => isA(value, name))) {
    found.add(value);
  } else if (Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype) {
    for (const part of Object.values(value)) transferable(part, found);
  }
  return [...found];
}

/** @param {any} value @param {string} name of a class */
function isA(value, name) {
  const kind = /** @type {any} */ (globalThis)[name];
  return kind !== undefined && value instanceof kind;
}
