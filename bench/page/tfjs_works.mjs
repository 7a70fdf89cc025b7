// The works of ../works.py in TensorFlow.js, on the same arrays.

/**
 * @typedef {import("@tensorflow/tfjs").Tensor} Tensor
 * @typedef {Record<string, any>} Tensors
 * @typedef {() => Tensor} Run
 * @typedef {() => Promise<Float32Array>} Fit
 *
 * @typedef {{name: string, channels: number, expanded: number, out: number, stride: number}} Block
 *
 * @typedef {object} Parameters PARAMETERS of ../works.py
 * @property {number[]} mobilenetV1 strides of MobileNetV1's blocks
 * @property {Block[]} mobilenetV2
 * @property {{layers: number, heads: number, epsilon: number}} transformer
 * @property {number} chainLength
 * @property {number} smallOps
 * @property {number} mlpSteps
 * @property {Record<string, number>} rates learning rates
 * @property {Record<string, number>} fitBatches sizes of batches
 * @property {number} fitRate
 *
 * @typedef {(x: Tensors, parameters: Parameters) => Run} Maker
 *
 * A layer: x, its name, the stride, and whether relu6 follows.
 * @typedef {(x: any, name: string, stride: number, activated: boolean) => any} Layer
 *
 * @typedef {{conv: Layer, depthwise: Layer}} Layers
 */

/** @type {typeof import("@tensorflow/tfjs")} */
const tf = /** @type {any} */ (globalThis).tf;

/**
 * Convolutions with separate ops for bias and activation.
 * @param {Tensors} w
 * @returns {Layers}
 */
function plain(w) {
  /** @type {(y: Tensor, name: string, activated: boolean) => Tensor} */
  const finish = (y, name, activated) => {
    const biased = y.add(w[`${name}/bias`]);
    return activated ? tf.relu6(biased) : biased;
  };
  return {
    conv: (x, name, stride, activated) =>
      finish(tf.conv2d(x, w[`${name}/filter`], stride, "same"), name, activated),
    depthwise: (x, name, stride, activated) =>
      finish(tf.depthwiseConv2d(x, w[`${name}/filter`], stride, "same"), name, activated),
  };
}

/**
 * Convolutions with fused bias and activation.
 * @param {Tensors} w
 * @returns {Layers}
 */
function fused(w) {
  /** @type {(x: any, name: string, strides: number, activated: boolean) => any} */
  const call = (x, name, strides, activated) => ({
    x,
    filter: w[`${name}/filter`],
    strides,
    pad: "same",
    bias: w[`${name}/bias`],
    activation: activated ? "relu6" : "linear",
  });
  return {
    conv: (...layer) => tf.fused.conv2d(call(...layer)),
    depthwise: (...layer) => tf.fused.depthwiseConv2d(call(...layer)),
  };
}

/**
 * @param {any} y
 * @param {Tensors} w
 */
function classLogits(y, w) {
  const pooled = tf.avgPool(y, y.shape[1] ?? 1, 1, "valid").reshape([y.shape[0], -1]);
  return pooled.matMul(w["classes/filter"]).add(w["classes/bias"]);
}

/**
 * @param {Tensors} w
 * @param {number[]} strides
 * @param {Layers} layers
 */
function mobilenetV1Logits(w, strides, { conv, depthwise }) {
  let y = conv(w.input, "stem", 2, true);
  strides.forEach((stride, i) => {
    y = conv(depthwise(y, `depthwise${i}`, stride, true), `pointwise${i}`, 1, true);
  });
  return classLogits(y, w);
}

/** @type {(layers: (w: Tensors) => Layers) => Maker} */
const mobilenetV1 =
  (layers) =>
  (w, { mobilenetV1: strides }) =>
  () =>
    tf.softmax(mobilenetV1Logits(w, strides, layers(w)));

/** @type {(layers: (w: Tensors) => Layers) => Maker} */
const mobilenetV2 =
  (layers) =>
  (w, { mobilenetV2: blocks }) => {
    const { conv, depthwise } = layers(w);
    return () => {
      let y = conv(w.input, "stem", 2, true);
      for (const { name, channels, expanded, out, stride } of blocks) {
        const before = y;
        if (expanded) y = conv(y, `${name}/expand`, 1, true);
        y = depthwise(y, `${name}/depthwise`, stride, true);
        y = conv(y, `${name}/project`, 1, false);
        if (stride === 1 && channels === out) y = tf.add(before, y);
      }
      return tf.softmax(classLogits(conv(y, "head", 1, true), w));
    };
  };

/** @type {Maker} */
const transformer =
  (w, { transformer: { layers, heads, epsilon } }) =>
  () => {
    let x = w.input;
    const [tokens, width] = x.shape;
    /** @type {(y: any, name: string) => any} */
    const dense = (y, name) => y.matMul(w[`${name}/matrix`]).add(w[`${name}/bias`]);
    /** @type {(y: any) => any} */
    const split = (y) => y.reshape([tokens, heads, width / heads]).transpose([1, 0, 2]);
    /** @type {(y: any, name: string) => any} */
    const norm = (y, name) => {
      const { mean, variance } = tf.moments(y, -1, true);
      const scaled = y.sub(mean).mul(variance.add(epsilon).rsqrt());
      return scaled.mul(w[`${name}/scale`]).add(w[`${name}/offset`]);
    };
    for (let layer = 0; layer < layers; layer++) {
      const [query, key, value] = ["query", "key", "value"].map((name) =>
        split(dense(x, `${layer}/${name}`)),
      );
      const scores = tf.matMul(query, key, false, true).mul(1 / Math.sqrt(width / heads));
      const mixed = tf.matMul(tf.softmax(scores), value).transpose([1, 0, 2]);
      const attended = dense(mixed.reshape([tokens, width]), `${layer}/mixed`);
      x = norm(x.add(attended), `${layer}/attended`);
      const fed = dense(dense(x, `${layer}/inner`).relu(), `${layer}/outer`);
      x = norm(x.add(fed), `${layer}/fed`);
    }
    return x;
  };

/** @type {Maker} */
const lstm = (w) => () => {
  const units = w.bias.shape[0] / 4;
  const forget = tf.scalar(1);
  /** @type {any} */
  let memory = tf.zeros([w.input.shape[1], units]);
  let state = memory;
  for (const step of /** @type {any[]} */ (tf.unstack(w.input))) {
    [memory, state] = tf.basicLSTMCell(forget, w.kernel, w.bias, step, memory, state);
  }
  return state;
};

/** @type {Maker} */
const matmul = (x) => () => x.a.matMul(x.b).slice([0, 0], [1, -1]);

/** @type {Maker} */
const chain =
  (x, { chainLength }) =>
  () => {
    let y = x.x;
    for (let i = 0; i < chainLength; i++) y = y.mul(x.a).add(x.b).relu();
    return y.slice([0], [16]);
  };

/** @type {Maker} */
const softmax = (x) => () => tf.softmax(x.x).slice([0, 0], [1, -1]);

/** @type {Maker} */
const smallOps =
  (x, { smallOps: count }) =>
  () => {
    let total = x.x;
    for (let i = 0; i < count / 2; i++) total = total.add(x.y).mul(x.y);
    return total;
  };

/**
 * Return steps of stochastic gradient descent on all arrays except the input and the labels.
 * @param {string} name of the work
 * @param {(w: Tensors, parameters: Parameters) => any} logits
 * @param {(parameters: Parameters) => number} steps
 * @returns {Maker}
 */
function training(name, logits, steps) {
  return (x, parameters) => {
    /** @type {Tensors} */
    const w = {};
    for (const [key, value] of Object.entries(x)) {
      w[key] = key === "input" || key === "labels" ? value : tf.variable(value);
    }
    const optimizer = tf.train.sgd(parameters.rates[name]);
    const loss = () =>
      /** @type {any} */ (tf.losses.softmaxCrossEntropy(w.labels, logits(w, parameters)));
    return () => {
      for (let i = 1; i < steps(parameters); i++) optimizer.minimize(loss);
      return /** @type {Tensor} */ (optimizer.minimize(loss, true));
    };
  };
}

/** @param {Tensors} w */
function mlpLogits(w) {
  return w.input.matMul(w.w1).add(w.b1).relu().matMul(w.w2).add(w.b2);
}

/** @param {Tensors} w */
function digitsLogits(w) {
  let y = w.input;
  for (const name of ["conv1", "conv2"]) {
    const conv = tf.conv2d(y, w[`${name}/filter`], 1, "same");
    y = tf.maxPool(/** @type {any} */ (conv.add(w[`${name}/bias`]).relu()), 2, 2, "same");
  }
  return y.reshape([y.shape[0], -1]).matMul(w["dense/filter"]).add(w["dense/bias"]);
}

function mlpLayers() {
  return [
    tf.layers.dense({ units: 128, activation: "relu", inputShape: [784] }),
    tf.layers.dense({ units: 10, activation: "softmax" }),
  ];
}

function digitsLayers() {
  /** @type {(filters: number, more?: object) => any} */
  const conv = (filters, more) =>
    tf.layers.conv2d({ filters, kernelSize: 3, padding: "same", activation: "relu", ...more });
  return [
    conv(16, { inputShape: [28, 28, 1] }),
    tf.layers.maxPooling2d({ poolSize: 2 }),
    conv(32),
    tf.layers.maxPooling2d({ poolSize: 2 }),
    tf.layers.flatten(),
    tf.layers.dense({ units: 10, activation: "softmax" }),
  ];
}

/**
 * Return a `model.fit` of an epoch with the same weights. A run resolves to the mean loss.
 * @param {string} name of the work
 * @param {() => any[]} layers
 * @returns {(x: Tensors, parameters: Parameters) => Fit}
 */
function fitting(name, layers) {
  return ({ input, labels, ...weights }, { fitBatches, fitRate }) => {
    const model = tf.sequential({ layers: layers() });
    model.setWeights(Object.values(weights));
    model.compile({
      optimizer: tf.train.adam(fitRate),
      loss: "categoricalCrossentropy",
      metrics: ["accuracy"],
    });
    const options = { batchSize: fitBatches[name], epochs: 1, shuffle: false };
    return async () => {
      // By default it waits for frames between batches, which tfpy does not do.
      const { history } = await model.fit(input, labels, { ...options, yieldEvery: "never" });
      return Float32Array.from(/** @type {number[]} */ (history.loss));
    };
  };
}

/** @type {Record<string, (x: Tensors, parameters: Parameters) => Fit>} work -> maker */
export const FITS = {
  mlp_fit: fitting("mlp_fit", mlpLayers),
  digits_fit: fitting("digits_fit", digitsLayers),
};

/** @type {Record<string, Record<string, Maker>>} work -> variant -> maker */
export const WORKS = {
  mobilenet_v1: { fused: mobilenetV1(fused), plain: mobilenetV1(plain) },
  mobilenet_v2: { fused: mobilenetV2(fused) },
  transformer: { "": transformer },
  lstm: { "": lstm },
  matmul_256: { "": matmul },
  matmul_512: { "": matmul },
  matmul_1024: { "": matmul },
  matmul_2048: { "": matmul },
  matmul_4096: { "": matmul },
  elementwise_chain: { "": chain },
  softmax: { "": softmax },
  mlp_training: { "": training("mlp_training", mlpLogits, (p) => p.mlpSteps) },
  digits_training: { "": training("digits_training", digitsLogits, () => 1) },
  mobilenet_training: {
    "": training(
      "mobilenet_training",
      (w, { mobilenetV1: strides }) => mobilenetV1Logits(w, strides, plain(w)),
      () => 1,
    ),
  },
  eager_ops: { "": smallOps },
  compiled_ops: { "": smallOps },
  calls: {},
};
