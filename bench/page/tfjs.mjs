// TensorFlow.js's side of the benchmark: the workloads of ../workloads.py on the same arrays.

/**
 * @typedef {import("@tensorflow/tfjs").Tensor} Tensor
 * @typedef {Record<string, any>} Tensors
 * @typedef {() => Tensor} Run
 * @typedef {{shape: number[], values: Float32Array}} HostArray
 *
 * @typedef {object} Parameters PARAMETERS of ../workloads.py
 * @property {number[]} strides of MobileNetV1's blocks
 * @property {number} chainLength
 * @property {number} eagerCalls
 * @property {number} mlpSteps
 * @property {number} mlpRate
 *
 * @typedef {(x: Tensors, parameters: Parameters) => Run} Maker
 */

/** @type {typeof import("@tensorflow/tfjs") & {wasm: typeof import("@tensorflow/tfjs-backend-wasm")}} */
const tf = /** @type {any} */ (globalThis).tf;

const WASM_FOLDER = "/node_modules/@tensorflow/tfjs-backend-wasm/dist/";

/**
 * Opens a backend and gives its description.
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
  return `${tf.version.tfjs}${backend === "wasm" && threads ? `, ${tf.wasm.getThreadsCount()} threads` : ""}`;
}

/**
 * @param {Tensors} w
 * @param {number[]} strides
 * @param {(x: any, name: string, stride: number) => Tensor} conv convolution, bias and relu6
 * @param {(x: any, name: string, stride: number) => Tensor} depthwise
 */
function mobilenet(w, strides, conv, depthwise) {
  let y = conv(w.image, "stem", 2);
  strides.forEach((stride, i) => {
    y = conv(depthwise(y, `depthwise${i}`, stride), `pointwise${i}`, 1);
  });
  const pooled = tf.avgPool(/** @type {any} */ (y), y.shape[1] ?? 1, 1, "valid").reshape([1, -1]);
  return tf.softmax(pooled.matMul(w["classes/filter"]).add(w["classes/bias"]));
}

/** @type {Maker} */
const mobilenetPlain =
  (w, { strides }) =>
  () => {
    /** @type {(y: Tensor, name: string) => Tensor} */
    const activate = (y, name) => tf.relu6(y.add(w[`${name}/bias`]));
    return mobilenet(
      w,
      strides,
      (x, name, stride) => activate(tf.conv2d(x, w[`${name}/filter`], stride, "same"), name),
      (x, name, stride) =>
        activate(tf.depthwiseConv2d(x, w[`${name}/filter`], stride, "same"), name),
    );
  };

/** @type {Maker} */
const mobilenetFused =
  (w, { strides }) =>
  () => {
    /** @type {(x: Tensor, name: string, stride: number) => any} */
    const call = (x, name, stride) => ({
      x,
      filter: w[`${name}/filter`],
      strides: stride,
      pad: "same",
      bias: w[`${name}/bias`],
      activation: "relu6",
    });
    return mobilenet(
      w,
      strides,
      (x, name, stride) => tf.fused.conv2d(call(x, name, stride)),
      (x, name, stride) => tf.fused.depthwiseConv2d(call(x, name, stride)),
    );
  };

/** @type {Maker} */
const matmul = (x) => () => x.a.matMul(x.b).slice([0, 0], [1, -1]);

/** @type {Maker} */
const chain =
  (x, { chainLength }) =>
  () => {
    let y = x.x;
    for (let i = 0; i < chainLength; i++) {
      y = y.mul(x.a).add(x.b).relu();
    }
    return y.slice([0], [16]);
  };

/** @type {Maker} */
const eager =
  (x, { eagerCalls }) =>
  () => {
    let total = x.x;
    for (let i = 0; i < eagerCalls; i++) {
      total = total.add(x.y);
    }
    return total;
  };

/** @type {Maker} */
const mlp = (x, { mlpSteps, mlpRate }) => {
  const [w1, b1, w2, b2] = ["w1", "b1", "w2", "b2"].map((name) => tf.variable(x[name]));
  const optimizer = tf.train.sgd(mlpRate);
  const loss = () => {
    const hidden = x.x.matMul(w1).add(b1).relu();
    const logits = hidden.matMul(w2).add(b2);
    return /** @type {any} */ (tf.losses.softmaxCrossEntropy(x.labels, logits));
  };
  return () => {
    for (let i = 1; i < mlpSteps; i++) {
      optimizer.minimize(loss);
    }
    return /** @type {Tensor} */ (optimizer.minimize(loss, true));
  };
};

/** @type {Record<string, Record<string, Maker>>} workload -> variant -> maker */
const WORKLOADS = {
  mobilenet_v1: { fused: mobilenetFused, plain: mobilenetPlain },
  matmul_1024: { "": matmul },
  elementwise_chain: { "": chain },
  mlp_training: { "": mlp },
  eager_add: { "": eager },
};

/** One workload in one variant. */
class Session {
  /** @param {string} variant @param {Run} run */
  constructor(variant, run) {
    this.name = variant ? `TensorFlow.js ${variant}` : "TensorFlow.js";
    this.run = run;
    /** @type {Float32Array} */
    this.values = new Float32Array();
  }

  /** Milliseconds of one run, from the call to the values. */
  async sample() {
    const start = performance.now();
    const result = tf.tidy(this.run);
    this.values = /** @type {Float32Array} */ (await result.data());
    const elapsed = performance.now() - start;
    result.dispose();
    return elapsed;
  }

  result() {
    return this.values;
  }
}

/**
 * The variants of a workload, over one copy of the arrays.
 * @param {string} workload
 * @param {Record<string, HostArray>} arrays
 * @param {Parameters} parameters
 */
export function sessions(workload, arrays, parameters) {
  tf.engine().startScope();
  /** @type {Tensors} */
  const tensors = {};
  for (const [name, { shape, values }] of Object.entries(arrays)) {
    tensors[name] = tf.tensor(values, shape);
  }
  return Object.entries(WORKLOADS[workload]).map(
    ([variant, make]) => new Session(variant, make(tensors, parameters)),
  );
}

/** Frees what {@link sessions} made and what its runs left. */
export function close() {
  tf.disposeVariables();
  tf.engine().endScope();
}
