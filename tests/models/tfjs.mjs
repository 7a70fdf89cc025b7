// TensorFlow.js's side of the tests of layers-models, on its backend of plain JavaScript.
//   node tfjs.mjs NODE_MODULES predict FOLDER…   io.json's inputs through model.json; writes tfjs.json
//   node tfjs.mjs NODE_MODULES make FOLDER       models of its own, with what they predict

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, command, ...folders] = process.argv.slice(2);
/** @type {typeof import("@tensorflow/tfjs")} */
const tf = createRequire(join(modules, "index.js"))("@tensorflow/tfjs");
await tf.setBackend("cpu");

/** @param {import("@tensorflow/tfjs").Tensor} t */
const shown = (t) => ({ shape: t.shape, dtype: t.dtype, values: Array.from(t.dataSync()) });

/** @param {any} tensors */
const asList = (tensors) => (Array.isArray(tensors) ? tensors : [tensors]);

/** @param {string} folder */
async function predict(folder) {
  /** @param {string} name */
  const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const { modelTopology, weightsManifest } = json("model.json");
  const specs = weightsManifest.flatMap((/** @type {any} */ group) => group.weights);
  const paths = weightsManifest.flatMap((/** @type {any} */ group) => group.paths);
  const data = Buffer.concat(paths.map((/** @type {string} */ p) => readFileSync(join(folder, p))));
  const weightData = new Uint8Array(data).buffer;
  const handler = tf.io.fromMemory({ modelTopology, weightSpecs: specs, weightData });
  const model = await tf.loadLayersModel(handler);
  const inputs = json("io.json").inputs.map((/** @type {any} */ t) =>
    tf.tensor(t.values, t.shape, t.dtype),
  );
  const outputs = asList(model.predict(inputs.length === 1 ? inputs[0] : inputs));
  writeFileSync(join(folder, "tfjs.json"), JSON.stringify(outputs.map(shown)));
}

/** @type {Record<string, () => import("@tensorflow/tfjs").LayersModel>} */
const MODELS = {
  convolutional: () =>
    tf.sequential({
      layers: [
        tf.layers.conv2d({ inputShape: [9, 9, 2], filters: 3, kernelSize: 3, activation: "relu6" }),
        tf.layers.batchNormalization(),
        tf.layers.depthwiseConv2d({ kernelSize: 3, strides: 2, padding: "same" }),
        tf.layers.leakyReLU({ alpha: 0.1 }),
        tf.layers.separableConv2d({ filters: 4, kernelSize: 2 }),
        tf.layers.thresholdedReLU({ theta: 0.1 }),
        tf.layers.flatten(),
        tf.layers.dense({ units: 3, activation: "hardSigmoid" }),
      ],
    }),
  recurrent: () => {
    const input = tf.input({ shape: [5], dtype: "int32" });
    let x = tf.layers.embedding({ inputDim: 9, outputDim: 4, maskZero: true }).apply(input);
    x = tf.layers
      .bidirectional({
        layer: /** @type {any} */ (tf.layers.lstm({ units: 3, returnSequences: true })),
        mergeMode: "concat",
      })
      .apply(x);
    x = tf.layers.timeDistributed({ layer: tf.layers.dense({ units: 3 }) }).apply(x);
    x = tf.layers.gru({ units: 2, returnSequences: true }).apply(x);
    const cells = [tf.layers.simpleRNNCell({ units: 3 }), tf.layers.lstmCell({ units: 2 })];
    x = tf.layers.rnn({ cell: tf.layers.stackedRNNCells({ cells }) }).apply(x);
    return tf.model({ inputs: input, outputs: /** @type {any} */ (x) });
  },
  states: () => {
    const [a, b] = [tf.input({ shape: [4, 2] }), tf.input({ shape: [3, 2] })];
    const [, ...state] = asList(tf.layers.lstm({ units: 3, returnState: true }).apply(a));
    const y = tf.layers.lstm({ units: 3 }).apply([b, ...state]);
    return tf.model({ inputs: [a, b], outputs: /** @type {any} */ (y) });
  },
  nested: () => {
    const inner = tf.sequential({
      name: "inner",
      layers: [tf.layers.dense({ inputShape: [3], units: 3, activation: "swish" })],
    });
    const input = tf.input({ shape: [3] });
    const shared = tf.layers.dense({ units: 3, name: "shared" });
    const x = inner.apply(shared.apply(inner.apply(input)));
    const y = tf.layers.add().apply(/** @type {any} */ ([x, shared.apply(x)]));
    return tf.model({ inputs: input, outputs: /** @type {any} */ ([y, inner.apply(y)]) });
  },
};

/** @param {string} folder @param {string} name */
async function make(folder, name) {
  const model = MODELS[name]();
  model.setWeights(model.getWeights().map((w, i) => tf.randomUniform(w.shape, 0.1, 0.9, "float32", i)));
  const inputs = model.inputs.map((t, i) => {
    const shape = t.shape.map((n) => n ?? 2);
    return t.dtype === "int32"
      ? tf.randomUniform(shape, 0, 9, "int32", 7)
      : tf.randomUniform(shape, -1, 1, "float32", i);
  });
  const outputs = asList(model.predict(inputs.length === 1 ? inputs[0] : inputs));
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  await model.save(
    tf.io.withSaveHandler(async (made) => {
      const { weightData, weightSpecs, ...rest } = made;
      const bytes = new Uint8Array(/** @type {ArrayBuffer} */ (weightData));
      const manifest = [{ paths: ["./weights.bin"], weights: weightSpecs }];
      writeFileSync(join(path, "weights.bin"), bytes);
      writeFileSync(join(path, "model.json"), JSON.stringify({ ...rest, weightsManifest: manifest }));
      return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: "JSON" } };
    }),
  );
  const io = { inputs: inputs.map(shown), outputs: outputs.map(shown) };
  writeFileSync(join(path, "io.json"), JSON.stringify(io));
}

for (const folder of folders) {
  if (command === "predict") await predict(folder);
  else for (const name in MODELS) await make(folder, name);
}
