// The models in the tests of TensorFlow.js's converter, which its package ships as scripts.
// node converter_data.mjs NODE_MODULES TARGET   writes folders with model.json, weights.bin and
// tfjs.json, the results of TensorFlow.js for the inputs in io.json

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runInNewContext } from "node:vm";

const [modules, target] = process.argv.slice(2);
/** @type {typeof import("@tensorflow/tfjs")} */
const tf = createRequire(join(modules, "index.js"))("@tensorflow/tfjs");
await tf.setBackend("cpu");

const DATA = "@tensorflow/tfjs-converter/dist/executor/test_data";
/** @type {Record<string, Record<string, any>>} */
const INPUTS = {
  hash_table_v2: { input: tf.tensor1d(["b", "a", "c", "b"], "string") },
  structured_outputs: {
    "input1:0": tf.tensor2d([[1], [-2]]),
    "input2:0": tf.tensor2d([[3], [0.5]]),
    "input3:0": tf.tensor2d([[2], [4]]),
  },
};

/** Return the value that a script exports. @param {string} name */
function exported(name) {
  const text = readFileSync(join(modules, DATA, `${name}_model_loader.js`), "utf8");
  return runInNewContext(text.replace(/^export const \w+ =/m, "globalThis.model ="), { Uint8Array });
}

/** Tensors by name as JSON. @param {Record<string, any>} tensors */
function shown(tensors) {
  const pairs = Object.entries(tensors).map(([key, tensor]) => [key, tensor.arraySync()]);
  return JSON.stringify(Object.fromEntries(pairs));
}

for (const [name, inputs] of Object.entries(INPUTS)) {
  const model = exported(name);
  const { weightSpecs, weightData, ...rest } = model;
  const folder = join(target, name);
  const manifest = [{ paths: ["weights.bin"], weights: weightSpecs }];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "weights.bin"), new Uint8Array(weightData));
  writeFileSync(
    join(folder, "model.json"),
    JSON.stringify({ ...rest, weightsManifest: manifest }),
  );
  const loaded = await tf.loadGraphModel({ load: async () => model });
  writeFileSync(join(folder, "io.json"), shown(inputs));
  const found = await loaded.predictAsync(inputs);
  const named = found instanceof tf.Tensor ? { output_0: found } : found;
  writeFileSync(join(folder, "tfjs.json"), shown(named));
}
