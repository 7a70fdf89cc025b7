// What stands between the backend and the module: after a trap nothing that is in its memory can be
// relied on, so that nothing of it is called or read any more.

import { OpError } from "../common/errors.mjs";

/** @param {unknown} cause */
function trapText(cause) {
  const why = cause === UNWOUND ? "one of its threads has ended" : String(cause);
  return (
    `wasm: the module has failed (${why}), and its tensors are gone, since they cannot be relied on; ` +
    'await tf.set_backend_async("wasm") opens it anew, and other backends work'
  );
}

/** What Emscripten throws to end a call while a thread has trapped. */
const UNWOUND = "unwind";

export class Guard {
  /** @param {XnnpackModule} module */
  constructor(module) {
    this.own = /** @type {Record<string, any>} */ (/** @type {unknown} */ (module));
    this.isClosed = false;
    /** Why it is of no use any more; empty while it is. */
    this.trap = "";
    const names = Object.keys(module).filter((name) => name.startsWith("_tfpy_"));
    const calls = Object.fromEntries(names.map((name) => [name, this.guarded(name)]));
    /** The module with its functions guarded. @type {XnnpackModule} */
    this.module = Object.assign(Object.create(module), calls);
  }

  get isOver() {
    return this.isClosed || this.trap !== "";
  }

  /** @param {string} name of a function, which Emscripten replaces when it is first called */
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

  /** Ends them; what they still have to say of a trap is told already. */
  endThreads() {
    const { PThread } = this.own;
    for (const worker of PThread?.runningWorkers ?? []) {
      worker.onerror = (/** @type {Event} */ event) => event.preventDefault();
    }
    PThread?.terminateAllThreads();
  }
}
