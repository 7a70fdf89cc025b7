// ONNX Runtime Web's side of the benchmark: the models of ../onnx_models.py, and packages' ONNX files.

/**
 * @typedef {import("./bench.mjs").Contender} Contender
 * @typedef {import("./tfjs.mjs").HostArray} HostArray
 */

const MODELS = ["mobilenet_v1", "mobilenet_v2"];
const PACKAGE = "/node_modules/onnxruntime-web/dist/";
/** The build for each backend, which has a provider with that name. */
const BUILDS = /** @type {Record<string, string>} */ ({
  wasm: "ort.wasm.min.mjs",
  webgpu: "ort.webgpu.min.mjs",
});

/** @type {any} */
let runtime;

/**
 * Load the runtime. Return false if the server does not have it, or if it has no such backend.
 * @param {string} backend
 * @param {boolean} threads
 */
export async function open(backend, threads) {
  if (!(backend in BUILDS)) return false;
  const loaded = await import(`${PACKAGE}${BUILDS[backend]}`).catch(() => undefined);
  if (loaded === undefined) return false;
  runtime = loaded;
  runtime.env.wasm.wasmPaths = PACKAGE;
  runtime.env.wasm.numThreads = threads ? Math.min(navigator.hardwareConcurrency, 8) : 1;
  return true;
}

/**
 * @param {string} address
 * @param {string} backend
 */
function started(address, backend) {
  return runtime.InferenceSession.create(address, { executionProviders: [backend] });
}

/**
 * Return a model of a package, as a side of models.mjs.
 * @param {string} address
 * @param {string} backend
 * @param {Record<string, {shape: number[], values: Float32Array}>} inputs integers
 */
export async function peer(address, backend, inputs) {
  if (runtime === undefined) throw new Error(`ONNX Runtime Web has no ${backend} here`);
  const pairs = Object.entries(inputs).map(([name, { shape, values }]) => [
    name,
    new runtime.Tensor("int64", BigInt64Array.from(values, BigInt), shape),
  ]);
  const feeds = Object.fromEntries(pairs);
  const session = await started(address, backend);
  /** @type {Float32Array[]} */
  let read = [];
  return {
    async load() {
      const start = performance.now();
      const again = await started(address, backend);
      const taken = performance.now() - start;
      await again.release();
      return taken;
    },
    async sample() {
      const start = performance.now();
      const results = await session.run(feeds);
      const tensors = session.outputNames.map((/** @type {string} */ name) => results[name]);
      read = await Promise.all(tensors.map((/** @type {any} */ tensor) => tensor.getData()));
      return performance.now() - start;
    },
    outputs: () => sums(read),
  };
}

/**
 * Return the sum of the magnitudes and the number of elements of each output.
 * @param {ArrayLike<number>[]} outputs
 */
export function sums(outputs) {
  return outputs.map((one) => [Array.from(one, Math.abs).reduce((a, b) => a + b, 0), one.length]);
}

/**
 * Return the image with channels first.
 * @param {HostArray} image [1, height, width, channels]
 */
function channelsFirst({ shape, values }) {
  const [, height, width, channels] = shape;
  const moved = new Float32Array(values.length);
  const plane = height * width;
  for (let i = 0; i < plane; i++) {
    for (let c = 0; c < channels; c++) moved[c * plane + i] = values[i * channels + c];
  }
  return new runtime.Tensor("float32", moved, [1, channels, height, width]);
}

/**
 * @param {string} work
 * @param {Record<string, HostArray>} arrays
 * @param {string} backend
 * @returns {Promise<Contender[]>}
 */
export async function contenders(work, arrays, backend) {
  if (runtime === undefined || !MODELS.includes(work)) return [];
  const address = `/models/${work}.onnx`;
  if (!(await fetch(address, { method: "HEAD" })).ok) return [];
  const session = await started(address, backend);
  const input = channelsFirst(arrays.input);
  let values = new Float32Array();
  return [
    {
      name: `ONNX Runtime Web ${runtime.env.versions.web}`,
      async sample() {
        const start = performance.now();
        const results = await session.run({ input });
        values = results[session.outputNames[0]].data;
        return performance.now() - start;
      },
      result: () => values,
    },
  ];
}
