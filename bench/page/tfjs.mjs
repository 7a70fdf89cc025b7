// TensorFlow.js's side of the benchmark: it opens the backend and samples the works of tfjs_works.mjs.

import { FITS, WORKS } from "./tfjs_works.mjs";

/**
 * @typedef {import("./tfjs_works.mjs").Tensors} Tensors
 * @typedef {import("./tfjs_works.mjs").Parameters} Parameters
 * @typedef {import("./tfjs_works.mjs").Run} Run
 * @typedef {import("./tfjs_works.mjs").Fit} Fit
 * @typedef {import("./bench.mjs").Contender} Contender
 * @typedef {{shape: number[], values: Float32Array}} HostArray
 */

/** @type {typeof import("@tensorflow/tfjs") & {wasm: typeof import("@tensorflow/tfjs-backend-wasm")}} */
const tf = /** @type {any} */ (globalThis).tf;

const WASM_FOLDER = "/node_modules/@tensorflow/tfjs-backend-wasm/dist/";

/**
 * Open a backend and return its description.
 * @param {string} backend
 * @param {boolean} threads whether the wasm backend may use threads
 */
export async function open(backend, threads) {
  if (backend === "wasm") {
    tf.wasm.setWasmPaths(WASM_FOLDER);
    tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", threads);
  }
  if (!(await tf.setBackend(backend))) {
    throw new Error(`TensorFlow.js has no ${backend} backend here`);
  }
  await tf.ready();
  const workers = backend === "wasm" && threads ? `, ${tf.wasm.getThreadsCount()} threads` : "";
  return `TensorFlow.js ${tf.version.tfjs}${workers}`;
}

/**
 * Return the variants of a work, with one copy of the arrays.
 * @param {string} work
 * @param {Record<string, HostArray>} arrays
 * @param {Parameters} parameters
 * @returns {Contender[]}
 */
export function contenders(work, arrays, parameters) {
  tf.engine().startScope();
  /** @type {Tensors} */
  const tensors = {};
  for (const [name, { shape, values }] of Object.entries(arrays)) {
    tensors[name] = tf.tensor(values, shape);
  }
  if (work in FITS) return [contender("", FITS[work](tensors, parameters))];
  return Object.entries(WORKS[work]).map(([variant, make]) =>
    contender(variant, read(make(tensors, parameters))),
  );
}

/**
 * @param {string} variant
 * @param {Fit} run
 * @returns {Contender}
 */
function contender(variant, run) {
  /** @type {Float32Array} */
  let values = new Float32Array();
  return {
    name: variant ? `TensorFlow.js ${variant}` : "TensorFlow.js",
    async sample() {
      const start = performance.now();
      values = await run();
      return performance.now() - start;
    },
    result: () => values,
  };
}

/**
 * Return a run that also reads its result.
 * @param {Run} run
 * @returns {Fit}
 */
function read(run) {
  return async () => {
    const result = tf.tidy(run);
    try {
      return /** @type {any} */ (await result.data());
    } finally {
      result.dispose();
    }
  };
}

/** Free the tensors of {@link contenders} and of its runs. */
export function close() {
  tf.disposeVariables();
  tf.engine().endScope();
}
