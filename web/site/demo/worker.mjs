// Runs demo.py in a worker, so that the page never waits for Python.
//
// The page sends {id, call, argument}; the answer is {id, result} or {id, error}. While it loads
// and trains, {event, values} tells how far it is.

import { loadTfpy } from "../tfpy.mjs";

/** @type {any} the Demo of demo.py, a PyProxy */
let demo;
/** @type {import("../tfpy.mjs").Tfpy} */
let tfpy;
let stopWanted = false;

/** @param {string} event @param {any[]} values */
const tell = (event, ...values) => postMessage({ event, values });

/** What demo.py calls while it trains; step says whether to go on. */
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
  /** Brings everything up; the argument has loadTfpy's options, demo.py's text and the digits. */
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
  /** Takes an untrained network into use, on a backend of this name. */
  async pick(name) {
    await tfpy.tf.set_backend_async(name);
    demo.reset();
    return backends();
  },
  backends,
  reset: () => demo.reset(),
  /** Trains; gives false if stop() ended it. */
  async train() {
    stopWanted = false;
    await demo.train(report);
    return !stopWanted;
  },
  stop() {
    stopWanted = true;
  },
  /** The probabilities of ten digits for 64 grey values. */
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
