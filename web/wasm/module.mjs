// Starts the XNNPACK module, with thread workers if the variant has threads.

import createXnnpack from "xnnpack";
import threadsText from "xnnpack-threads" with { type: "text" };
import createXnnpackThreads from "xnnpack-threads";

/** @typedef {"simd" | "relaxed" | "simd-threads" | "relaxed-threads"} Variant */

/** When to compile elementwise kernels; the numbers belong to the C API. */
const CODEGEN = { auto: 0, always: 1, never: 2 };

/** @typedef {keyof typeof CODEGEN} Codegen */

/** More threads than this improve speed little and cost memory. */
const MAX_THREADS = 8;

/** @param {string} text */
function scriptUrl(text) {
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}

/**
 * Check whether the page's content security policy allows a worker from a Blob.
 * @returns {Promise<boolean>}
 */
async function canStartWorkers() {
  const url = scriptUrl("postMessage(0)");
  try {
    const worker = new Worker(url);
    const started = await new Promise((resolve) => {
      worker.onmessage = () => resolve(true);
      worker.onerror = () => resolve(false);
    });
    worker.terminate();
    return started;
  } catch {
    return false;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {number} wanted number of threads; 0 for as many as the device has
 * @returns {Promise<number>}
 */
async function threadCount(wanted) {
  const count = Math.min(wanted || globalThis.navigator?.hardwareConcurrency || 1, MAX_THREADS);
  return count > 1 && !(await canStartWorkers()) ? 1 : count;
}

/**
 * @param {Uint8Array} wasm
 * @param {number} threads
 */
async function createWithWorkers(wasm, threads) {
  const url = scriptUrl(threadsText);
  try {
    return await createXnnpackThreads({
      wasmBinary: wasm,
      mainScriptUrlOrBlob: url,
      threads: threads - 1,
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Start a module; the main thread counts as one of its threads.
 * @param {Variant} variant
 * @param {Uint8Array} wasm the module's bytes
 * @param {number} threads number of threads; 0 for as many as the device has
 * @param {Codegen} codegen
 * @returns {Promise<XnnpackModule>}
 */
export async function startModule(variant, wasm, threads, codegen) {
  if (!Object.hasOwn(CODEGEN, codegen)) throw new Error(`wasm: codegen cannot be ${codegen}`);
  if (!Number.isInteger(threads) || threads < 0) {
    throw new Error(`wasm: threads must be an integer of at least 0, not ${threads}`);
  }
  const isThreaded = variant.endsWith("-threads");
  const count = isThreaded ? await threadCount(threads) : 1;
  const module = isThreaded
    ? await createWithWorkers(wasm, count)
    : await createXnnpack({ wasmBinary: wasm });
  if (module._tfpy_open(count, CODEGEN[codegen]) < 0) {
    throw new Error(`wasm: ${module.UTF8ToString(module._tfpy_last_error())}`);
  }
  return module;
}
