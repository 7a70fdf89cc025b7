/** An error that Python raises as the tf.errors class of the same name; other errors become InternalError. */

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

/** An allocation failed, and nothing was changed. */
export class NoMemory extends OpError {
  /**
   * @param {string} backend
   * @param {number} wanted number of bytes requested
   * @param {number} used bytes in use
   */
  constructor(backend, wanted, used) {
    super(
      "ResourceExhaustedError",
      `${backend}: out of memory: ${wanted} bytes wanted, ${used} in use`,
    );
  }
}

/** A step of a Program has rejected an index in one of its operands. */
export class WrongIndex extends OpError {
  /**
   * @param {string} message
   * @param {number} step number of the step in the Program
   */
  constructor(message, step) {
    super("InvalidArgumentError", message);
    this.step = step;
  }
}
