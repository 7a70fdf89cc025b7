// Runs demo.py in a worker, so that Python never blocks the page.
//
// The page sends {id, call, argument}, and the worker answers {id, result} or {id, error}. While it
// loads and trains, it sends {event, values}.

import { loadTfpy } from "../tfpy.mjs";

/** @type {any} instance of demo.py's Demo, a PyProxy */
let demo;
/** @type {import("../tfpy.mjs").Tfpy} */
let tfpy;
let stopWanted = false;

/** @param {string} event @param {any[]} values */
const tell = (event, ...values) => postMessage({ event, values });

/** Callbacks for demo.py during training; step returns whether to continue. */
const report = {
  /** @type {(done: number, steps: number, loss: number, ms: number) => boolean} */
  step(...values) {
    tell("step", ...values);
    return !stopWanted;
  },
  /** @type {(done: number, accuracy: number, ms: number) => void} */
  epoch: (...values) => tell("epoch", ...values),
};

function backends() {
  const found = tfpy.tf.backend_report();
  const entries = found.toJs({ dict_converter: Object.fromEntries });
  found.destroy();
  return { backend: tfpy.backend(), report: entries };
}

/** @type {Record<string, (argument: any) => any>} */
const calls = {
  /** Load everything; the argument has loadTfpy's options, the source of demo.py and the digits. */
  async open({ source, digits, ...options }) {
    const packages = ["keras"];
    tfpy = await loadTfpy({
      ...options,
      packages,
      onProgress: (progress) => tell("progress", progress),
    });
    await tfpy.run(source);
    demo = tfpy.pyodide.globals.get("Demo")(digits);
    return backends();
  },
  /** Switch to a backend and an untrained network. */
  async pick(name) {
    await tfpy.tf.set_backend_async(name);
    demo.reset();
    return backends();
  },
  backends,
  reset: () => demo.reset(),
  /** Train; return false if stop() ended the training. */
  async train() {
    stopWanted = false;
    await demo.train(report);
    return !stopWanted;
  },
  stop() {
    stopWanted = true;
  },
  /** Return the probabilities of ten digits for 64 gray values. */
  async predict(digit) {
    const answer = await demo.predict(digit);
    const probabilities = answer.toJs();
    answer.destroy();
    return probabilities;
  },
};

addEventListener("message", async ({ data: { id, call, argument } }) => {
  try {
    postMessage({ id, result: await calls[call](argument) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
