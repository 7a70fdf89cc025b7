// Runs graph-models written by tfpy with TensorFlow.js on its plain JavaScript backend.
//   node tfjs.mjs NODE_MODULES FOLDER…   io.json's inputs through model.json; writes tfjs.json

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, ...folders] = process.argv.slice(2);
/** @type {typeof import("@tensorflow/tfjs")} */
const tf = createRequire(join(modules, "index.js"))("@tensorflow/tfjs");
await tf.setBackend("cpu");

/** @param {string} folder */
async function run(folder) {
  /** @param {string} name */
  const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const model = json("model.json");
  const weightSpecs = model.weightsManifest.flatMap((/** @type {any} */ g) => g.weights);
  const paths = model.weightsManifest.flatMap((/** @type {any} */ g) => g.paths);
  const data = Buffer.concat(paths.map((/** @type {string} */ p) => readFileSync(join(folder, p))));
  const weightData = new Uint8Array(data).buffer;
  const loaded = await tf.loadGraphModel(tf.io.fromMemory({ ...model, weightSpecs, weightData }));
  const inputs = json("io.json").map((/** @type {any} */ t) =>
    tf.tensor(t.values, t.shape, t.dtype),
  );
  const found = await loaded.predictAsync(inputs);
  const named = Array.isArray(found) || found instanceof tf.Tensor ? [found].flat() : found;
  const shown = Object.entries(named).map(([key, t]) => [
    key,
    { shape: t.shape, values: Array.from(t.dataSync()) },
  ]);
  return Object.fromEntries(shown);
}

for (const folder of folders) {
  /** @type {any} */
  let found;
  try {
    found = await run(folder);
  } catch (error) {
    found = { error: String(error) };
  }
  writeFileSync(join(folder, "tfjs.json"), JSON.stringify(found));
}
