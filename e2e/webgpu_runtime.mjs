// Page-side half of test_webgpu_products.py and test_grids.py: drives web/webgpu/webgpu.mjs without Pyodide.

import { openWebgpu } from "../web/webgpu/webgpu.mjs";
import { plain, write } from "./tensors.mjs";

/** @typedef {import("./tensors.mjs").Call} Call */

/**
 * Runs Programs in a browser whose WGSL has only the oldest functions.
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
 * Runs Programs with one output each in sequence. Infinities and NaN are returned as strings.
 *
 * @param {Call[]} calls
 */
export async function results(calls) {
  const backend = await openWebgpu();
  const nothing = new ArrayBuffer(0);
  const programs = await Promise.all(
    calls.map(({ json }) => backend.registerAsync(json, nothing, 0, 0, () => {})),
  );
  const values = [];
  for (const [number, { inputs }] of calls.entries()) {
    const program = programs[number];
    const slots = inputs.map((input) => write(backend, input));
    const output = backend.run(program, ...slots);
    values.push(await backend.readAsync(output, plain));
    backend.free(output, ...slots);
    backend.release(program);
  }
  backend.close();
  return values;
}
