// TensorFlow.js's side of the tests of layers-models, on its plain JavaScript backend.
// node tfjs.mjs NODE_MODULES predict FOLDER…   io.json's inputs through model.json; writes tfjs.json
// node tfjs.mjs NODE_MODULES make FOLDER       its own models, with their predictions
// node tfjs.mjs NODE_MODULES learn FOLDER      models saved during training, with the later losses
// node tfjs.mjs NODE_MODULES train FOLDER…     continues training from model.json; writes tfjs.json

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

/** @param {string} folder @param {string} name */
const json = (folder, name) => JSON.parse(readFileSync(join(folder, name), "utf8"));

/** @param {any[]} entries */
const tensors = (entries) => entries.map((t) => tf.tensor(t.values, t.shape, t.dtype));

/** @param {string} folder */
async function load(folder) {
  const { modelTopology, weightsManifest, trainingConfig } = json(folder, "model.json");
  const specs = weightsManifest.flatMap((/** @type {any} */ group) => group.weights);
  const paths = weightsManifest.flatMap((/** @type {any} */ group) => group.paths);
  const data = Buffer.concat(paths.map((/** @type {string} */ p) => readFileSync(join(folder, p))));
  const weightData = new Uint8Array(data).buffer;
  return tf.loadLayersModel(
    tf.io.fromMemory({ modelTopology, weightSpecs: specs, weightData, trainingConfig }),
  );
}

/** @param {string} folder */
async function predict(folder) {
  const model = await load(folder);
  const inputs = tensors(json(folder, "io.json").inputs);
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

/**
 * @param {import("@tensorflow/tfjs").LayersModel} model
 * @param {string} path
 * @param {boolean} [includeOptimizer]
 */
async function save(model, path, includeOptimizer = false) {
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
    { includeOptimizer },
  );
}

/** @type {Record<string, () => import("@tensorflow/tfjs").Optimizer>} */
const OPTIMIZERS = {
  sgd: () => tf.train.sgd(0.1),
  momentum: () => tf.train.momentum(0.05, 0.8),
  nesterov: () => tf.train.momentum(0.05, 0.8, true),
  adagrad: () => tf.train.adagrad(0.1, 0.2),
  adam: () => tf.train.adam(0.02, 0.8, 0.99),
  rmsprop: () => tf.train.rmsprop(0.01, 0.8),
  rmsprop_momentum: () => tf.train.rmsprop(0.01, 0.8, 0.5, 1e-5),
};

/** Returns a model with two outputs, a frozen layer, and a normalized one. */
function heads() {
  const input = tf.input({ shape: [6] });
  const frozen = tf.layers.dense({ units: 5, activation: "tanh", trainable: false, name: "frozen" });
  let x = tf.layers.dense({ units: 5, name: "body" }).apply(frozen.apply(input));
  x = tf.layers.batchNormalization().apply(x);
  const outputs = [
    tf.layers.dense({ units: 3, activation: "softmax", name: "kind" }).apply(x),
    tf.layers.dense({ units: 1, name: "size" }).apply(x),
  ];
  return tf.model({ inputs: input, outputs: /** @type {any} */ (outputs) });
}

/** @param {any} model @param {any[]} inputs @param {any[]} labels @param {number} steps */
async function losses(model, inputs, labels, steps) {
  const [x, y] = [inputs, labels].map((list) => (list.length === 1 ? list[0] : list));
  const found = [];
  for (let i = 0; i < steps; i++) found.push(asList(await model.trainOnBatch(x, y)));
  return found;
}

/** @param {string} path @param {any} model @param {any} compiled */
async function learn(path, model, compiled) {
  const values = model.getWeights().map((/** @type {any} */ w, /** @type {number} */ i) =>
    tf.randomUniform(w.shape, -0.6, 0.6, "float32", i).abs(),
  );
  model.setWeights(values);
  model.compile(compiled);
  const inputs = [tf.randomUniform([8, 6], -1, 1, "float32", 3)];
  const kinds = tf.oneHot(tf.tensor1d([0, 1, 2, 2, 1, 0, 2, 1], "int32"), 3).toFloat();
  const labels = [kinds, tf.randomUniform([8, 1], -1, 1, "float32", 4)].slice(0, model.outputs.length);
  await losses(model, inputs, labels, 3);
  await save(model, path, true);
  const next = await losses(model, inputs, labels, 4);
  const io = { inputs: inputs.map(shown), labels: labels.map(shown), losses: next };
  writeFileSync(join(path, "io.json"), JSON.stringify(io));
}

/** @param {string} folder */
async function learnAll(folder) {
  for (const [name, optimizer] of Object.entries(OPTIMIZERS)) {
    const layers = [
      tf.layers.dense({ inputShape: [6], units: 4, activation: "relu" }),
      tf.layers.dense({ units: 3, activation: "softmax" }),
    ];
    const compiled = { optimizer: optimizer(), loss: "categoricalCrossentropy", metrics: ["accuracy"] };
    await learn(join(folder, name), tf.sequential({ layers }), compiled);
  }
  await learn(join(folder, "heads"), heads(), {
    optimizer: tf.train.adam(0.02),
    loss: { kind: "categoricalCrossentropy", size: "meanSquaredError" },
    metrics: { kind: "accuracy", size: "mae" },
  });
}

/** @param {string} folder */
async function train(folder) {
  const io = json(folder, "io.json");
  const model = await load(folder);
  const found = await losses(model, tensors(io.inputs), tensors(io.labels), io.losses.length);
  writeFileSync(join(folder, "tfjs.json"), JSON.stringify(found));
}

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
  await save(model, path);
  const io = { inputs: inputs.map(shown), outputs: outputs.map(shown) };
  writeFileSync(join(path, "io.json"), JSON.stringify(io));
}

for (const folder of folders) {
  if (command === "predict") await predict(folder);
  else if (command === "learn") await learnAll(folder);
  else if (command === "train") await train(folder);
  else for (const name in MODELS) await make(folder, name);
}
