// ONNX Runtime Web's side of the benchmark: the models of ../onnx_models.py.

/**
 * @typedef {import("./bench.mjs").Contender} Contender
 * @typedef {import("./tfjs.mjs").HostArray} HostArray
 */

const MODELS = ["mobilenet_v1", "mobilenet_v2"];
const PACKAGE = "/node_modules/onnxruntime-web/dist/";
const PROVIDERS = /** @type {Record<string, string>} */ ({ wasm: "wasm" });

/** @type {any} */
let runtime;

/**
 * Loads the runtime; false where it is not served or has nothing to compare with a backend.
 * @param {string} backend
 * @param {boolean} threads
 */
export async function open(backend, threads) {
  if (!(backend in PROVIDERS)) return false;
  const loaded = await import(`${PACKAGE}ort.wasm.min.mjs`).catch(() => undefined);
  if (loaded === undefined) return false;
  runtime = loaded;
  runtime.env.wasm.wasmPaths = PACKAGE;
  runtime.env.wasm.numThreads = threads ? Math.min(navigator.hardwareConcurrency, 8) : 1;
  return true;
}

/**
 * The image with channels first.
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
  const session = await runtime.InferenceSession.create(`/models/${work}.onnx`, {
    executionProviders: [PROVIDERS[backend]],
  });
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
