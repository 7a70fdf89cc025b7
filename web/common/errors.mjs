/** Errors that Python raises as the class of tf.errors with their name; others are InternalError. */

export class OpError extends Error {
  /**
   * @param {"InvalidArgumentError" | "ResourceExhaustedError" | "UnavailableError"} name
   * @param {string} message
   */
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/** What was asked for found no memory, and nothing was done. */
export class NoMemory extends OpError {
  /**
   * @param {string} backend
   * @param {number} wanted bytes
   * @param {number} used bytes in use
   */
  constructor(backend, wanted, used) {
    super(
      "ResourceExhaustedError",
      `${backend}: out of memory: ${wanted} bytes wanted, ${used} in use`,
    );
  }
}

/** A step of a Program has refused an index of one of its operands. */
export class WrongIndex extends OpError {
  /**
   * @param {string} message
   * @param {number} step its number in the Program
   */
  constructor(message, step) {
    super("InvalidArgumentError", message);
    this.step = step;
  }
}
