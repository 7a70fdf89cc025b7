// Page-side half of test_webgpu_products.py: drives web/webgpu/webgpu.mjs without Pyodide.

import { openWebgpu } from "../web/webgpu/webgpu.mjs";

/** @typedef {{json: string, inputs: number[][]}} Call a Program of float32 without constants, its inputs */

/**
 * Runs Programs on a browser whose WGSL has no functions but the oldest ones.
 *
 * @param {Call[]} calls
 */
export async function plainResults(calls) {
  const { gpu } = navigator;
  Object.defineProperty(gpu, "wgslLanguageFeatures", { value: new Set(), configurable: true });
  try {
    return await results(calls);
  } finally {
    Reflect.deleteProperty(gpu, "wgslLanguageFeatures");
  }
}

/**
 * Runs Programs of one output each, one after the other.
 *
 * @param {Call[]} calls
 */
export async function results(calls) {
  const backend = await openWebgpu({ allowSoftware: true });
  const values = [];
  for (const { json, inputs } of calls) {
    const nothing = new ArrayBuffer(0);
    const program = await backend.registerAsync(json, nothing, 0, 0, () => {});
    const slots = inputs.map((input) => {
      return backend.write(new Float32Array(input).buffer, 0, input.length, "float32");
    });
    const output = backend.run(program, ...slots);
    values.push([...(await backend.readAsync(output))]);
    backend.free(output, ...slots);
    backend.release(program);
  }
  backend.close();
  return values;
}
