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

const WASM_FOLDER = new URL("../../peers/", import.meta.url).href;

/** @type {Error | undefined} the reason why the backend could not be opened */
let fault;

/**
 * Open a backend and return its description.
 * @param {string} backend
 * @param {boolean} threads whether the wasm backend may use threads
 */
export async function open(backend, threads) {
  // The scripts of the backends also work on `tf`, so it exists without the library's script.
  if (tf?.setBackend === undefined) throw new Error("TensorFlow.js could not be loaded");
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
 * Continue without TensorFlow.js: each contender then fails with this error.
 * @param {Error} error of {@link open}
 */
export function missing(error) {
  fault = error;
  return "TensorFlow.js";
}

/**
 * Return the variants of a work, with one copy of the arrays.
 * @param {string} work
 * @param {Record<string, HostArray>} arrays
 * @param {Parameters} parameters
 * @returns {Contender[]}
 */
export function contenders(work, arrays, parameters) {
  if (fault !== undefined) return Object.keys(WORKS[work] ?? { "": null }).map(failing);
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

/** @param {string} variant */
const nameOf = (variant) => (variant ? `TensorFlow.js ${variant}` : "TensorFlow.js");

/**
 * @param {string} variant
 * @returns {Contender}
 */
function failing(variant) {
  return {
    name: nameOf(variant),
    sample: () => Promise.reject(fault),
    result: () => new Float32Array(),
  };
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
    name: nameOf(variant),
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
  if (fault !== undefined) return;
  tf.disposeVariables();
  tf.engine().endScope();
}
