// Guards the module's functions. After a trap the module's memory is not reliable, so no function is
// called and no memory is read.

import { OpError } from "../common/errors.mjs";

/** @param {unknown} cause */
function trapText(cause) {
  const why = cause === UNWOUND ? "one of its threads has ended" : String(cause);
  return (
    `wasm: the module has failed (${why}), and its tensors are lost, because they cannot be relied on; ` +
    'await tf.set_backend_async("wasm") reopens it, and other backends work'
  );
}

/** Exception with which Emscripten ends a call after a thread has trapped. */
const UNWOUND = "unwind";

export class Guard {
  /** @param {XnnpackModule} module */
  constructor(module) {
    this.own = /** @type {Record<string, any>} */ (/** @type {unknown} */ (module));
    this.isClosed = false;
    /** Reason why the module cannot be used any more; empty while it works. */
    this.trap = "";
    const names = Object.keys(module).filter((name) => name.startsWith("_tfpy_"));
    const calls = Object.fromEntries(names.map((name) => [name, this.guarded(name)]));
    /** The module with its functions guarded. @type {XnnpackModule} */
    this.module = Object.assign(Object.create(module), calls);
  }

  get isOver() {
    return this.isClosed || this.trap !== "";
  }

  /** @param {string} name name of a function, which Emscripten replaces at its first call */
  guarded(name) {
    const { own } = this;
    return (/** @type {number[]} */ ...values) => {
      if (this.isClosed) throw new Error("wasm: the backend is closed");
      if (this.trap !== "") throw new OpError("UnavailableError", this.trap);
      try {
        return own[name](...values);
      } catch (cause) {
        this.trap = trapText(cause);
        this.endThreads();
        throw new OpError("UnavailableError", this.trap);
      }
    };
  }

  close() {
    this.isClosed = true;
    this.endThreads();
  }

  /** Stop the threads; the trap that they may still report is already known. */
  endThreads() {
    const { PThread } = this.own;
    for (const worker of PThread?.runningWorkers ?? []) {
      worker.onerror = (/** @type {Event} */ event) => event.preventDefault();
    }
    PThread?.terminateAllThreads();
  }
}
