/** Errors that Python raises as the class of tf.errors with their name; others are InternalError. */

export class OpError extends Error {
  /**
   * @param {"ResourceExhaustedError" | "UnavailableError"} name
   * @param {string} message
   */
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/**
 * @param {string} backend
 * @param {number} wanted bytes
 * @param {number} used bytes in use
 */
export function outOfMemory(backend, wanted, used) {
  const text = `${backend}: out of memory: ${wanted} bytes wanted, ${used} in use`;
  return new OpError("ResourceExhaustedError", text);
}
