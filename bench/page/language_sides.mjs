// The sides of the benchmark of language models: tfpy and its peers, with the same functions.

/**
 * @typedef {object} Options
 * @property {"wasm" | "webgpu"} backend
 * @property {number} threads of the processor
 * @property {number} length tokens of a prompt
 * @property {number} tokens to generate
 * @property {boolean} check allow software rendering, and use the same weights on all sides
 *
 * @typedef {{text: string, ids: number[]}} Prompt
 *
 * @typedef {object} Found
 * @property {number[]} [ids] the tokens
 * @property {string[]} [pieces] the text of each token
 * @property {string} [text] all text, if the library does not return the tokens
 * @property {number} [whole] milliseconds until the result of a generation that is not streamed
 *
 * @typedef {object} Model
 * @property {(prompt: Prompt, notify: () => void) => Promise<() => Promise<Found>>} run continue a
 *   prompt, and call back for each token; the returned function finds the tokens afterwards
 *
 * @typedef {object} Side
 * @property {string} name
 * @property {() => Promise<Model>} load
 * @property {string[]} files addresses of the runtime's files that only its workers request
 */

/** The gallery's file, and the same with the weights of the ONNX files. */
const [GGUF, ROUNDED] = ["/models/model.gguf", "/models/decoder/model.gguf"];
const ONNX_RUNTIME = "/node_modules/onnxruntime-web/dist/";
const TRANSFORMERS = "/peers/transformers";
/** The build of ONNX Runtime Web that transformers.js requires, which is not a release. */
const ITS_RUNTIME = "/peers/onnxruntime/dist/";
const WLLAMA = "/peers/wllama/esm";
const BATCH = 512; // tokens of a prompt that wllama computes at once

/**
 * @param {Options} options
 * @returns {Promise<Side>}
 */
async function tfpy({ backend, threads, length, tokens, check }) {
  const { loadTfpy } = await import("/tfpy.mjs");
  const { pyodide, tf } = await loadTfpy({
    backend,
    packages: ["keras-hub"],
    flags: {
      WEBGPU_SOFTWARE_ENABLED: check,
      TFPY_WEBGPU_USE_SUBGROUP_MATRIX: true, // if the browser's flags permit it
      WASM_HAS_MULTITHREAD_SUPPORT: threads > 1,
      TFPY_WASM_THREADS_COUNT: threads,
    },
  });
  if (backend === "wasm" && tf.get_threads_count() !== threads) {
    throw new Error(`tfpy uses ${tf.get_threads_count()} threads`);
  }
  const source = await (await fetch("../language_side.py")).text();
  pyodide.FS.mkdirTree("bench");
  pyodide.FS.writeFile("bench/language_side.py", source);
  const module = await pyodide.runPythonAsync("from bench import language_side; language_side");
  return {
    name: `tfpy ${tf.__version__}`,
    files: [],
    async load() {
      const model = await module.load(new URL(check ? ROUNDED : GGUF, location.href).href);
      const end = length + tokens;
      return {
        async run({ text, ids }, notify) {
          await model.run(text, end, notify);
          return async () => {
            const found = await model.tokens(text, pyodide.toPy(ids), end);
            const [whole, made, pieces] = found.toJs();
            found.destroy();
            return { whole, ids: made, pieces };
          };
        },
      };
    },
  };
}

/**
 * @param {Options} options
 * @returns {Promise<Side>}
 */
async function wllama({ backend, threads, length, tokens, check }) {
  const { Wllama } = await import(`${WLLAMA}/index.min.js`);
  const { version } = await (await fetch("/peers/wllama/package.json")).json();
  const wasm = new URL(`${WLLAMA}/wasm/wllama.wasm`, location.href).href;
  const runtime = new Wllama({ default: wasm }, { suppressNativeLog: true });
  return {
    name: `wllama ${version}`,
    files: [wasm],
    async load() {
      await runtime.loadModelFromUrl(new URL(check ? ROUNDED : GGUF, location.href).href, {
        useCache: false,
        n_ctx: Math.max(BATCH, length + tokens),
        n_batch: BATCH,
        n_parallel: 1,
        n_threads: threads,
        ...(backend === "wasm" && { n_gpu_layers: 0 }),
      });
      return {
        async run(prompt, notify) {
          let text = "";
          let read = 0;
          const parts = await runtime.createCompletion({
            ...{ prompt: prompt.text, max_tokens: tokens, temperature: 0, ignore_eos: true },
            ...{ stream: true, cache_prompt: false },
          });
          for await (const { choices, usage } of parts) {
            read = usage?.prompt_tokens ?? read;
            const part = choices[0]?.text ?? "";
            if (part) notify();
            text += part;
          }
          if (read !== prompt.ids.length) throw new Error(`wllama read ${read} tokens`);
          return async () => ({ text });
        },
      };
    },
  };
}

/**
 * Return the weights' type of the ONNX file for a backend.
 * @param {Options} options
 */
async function onnxType({ backend }) {
  if (backend === "wasm") return "q4";
  const adapter = await /** @type {any} */ (navigator).gpu?.requestAdapter();
  return adapter?.features.has("shader-f16") ? "q4f16" : "q4";
}

/** @param {ArrayLike<number>} values */
function largest(values) {
  let at = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[at]) at = i;
  return at;
}

/**
 * @param {Options} options
 * @returns {Promise<Side>}
 */
async function onnxruntime(options) {
  const { backend, threads, tokens } = options;
  const ort = await import(`${ONNX_RUNTIME}ort.${backend}.min.mjs`);
  ort.env.wasm.wasmPaths = ONNX_RUNTIME;
  ort.env.wasm.numThreads = threads;
  const type = await onnxType(options);
  const config = await (await fetch("/models/decoder/config.json")).json();
  const none = [1, config.num_key_value_heads, 0, config.head_dim];
  const layers = Array.from({ length: config.num_hidden_layers }, (_, i) => i);
  const caches = layers.flatMap((i) => [`${i}.key`, `${i}.value`]);
  const kept = backend === "webgpu" ? "gpu-buffer" : "cpu";
  const integers = (/** @type {number[]} */ values) =>
    new ort.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
  return {
    name: `ONNX Runtime Web ${ort.env.versions.web} (${type})`,
    files: [],
    async load() {
      const session = await ort.InferenceSession.create(`/models/decoder/onnx/model_${type}.onnx`, {
        executionProviders: [backend],
        preferredOutputLocation: Object.fromEntries(
          caches.map((name) => [`present.${name}`, kept]),
        ),
      });
      const empty = () =>
        type === "q4"
          ? new ort.Tensor("float32", new Float32Array(0), none)
          : new ort.Tensor("float16", new Uint16Array(0), none);
      return {
        async run({ ids }, notify) {
          /** @type {number[]} */
          const made = [];
          let past = caches.map(empty);
          for (let given = ids; made.length < tokens; given = made.slice(-1)) {
            const mask = Array(ids.length + made.length).fill(1);
            const keys = caches.map((name, i) => [`past_key_values.${name}`, past[i]]);
            const results = await session.run({
              input_ids: integers(given),
              attention_mask: integers(mask),
              ...Object.fromEntries(keys),
            });
            made.push(largest(results.logits.data));
            notify();
            for (const tensor of past) tensor.dispose();
            past = caches.map((name) => results[`present.${name}`]);
          }
          for (const tensor of past) tensor.dispose();
          return async () => ({ ids: made });
        },
      };
    },
  };
}

/**
 * @param {Options} options
 * @returns {Promise<Side>}
 */
async function transformers(options) {
  const { backend, threads, tokens } = options;
  const { AutoModelForCausalLM, Tensor, env } = await import(
    `${TRANSFORMERS}/dist/transformers.min.js`
  );
  const origin = location.origin;
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true });
  Object.assign(env, { localModelPath: `${origin}/models/`, useBrowserCache: false });
  Object.assign(env, { useWasmCache: false });
  const { wasm } = env.backends.onnx;
  Object.assign(wasm, { wasmPaths: `${origin}${ITS_RUNTIME}`, numThreads: threads });
  const type = await onnxType(options);
  return {
    name: `transformers.js ${env.version} (${type})`,
    files: [],
    async load() {
      const model = await AutoModelForCausalLM.from_pretrained("decoder", {
        device: backend,
        dtype: type,
        local_files_only: true,
      });
      return {
        async run({ ids }, notify) {
          const integers = (/** @type {number[]} */ values) =>
            new Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
          let parts = 0;
          const found = await model.generate({
            inputs: integers(ids),
            attention_mask: integers(ids.map(() => 1)),
            ...{ max_new_tokens: tokens, min_new_tokens: tokens, do_sample: false },
            streamer: {
              put: () => (parts++ ? notify() : undefined), // the first part is the prompt
              end() {},
            },
          });
          return async () => ({ ids: found.tolist()[0].slice(ids.length).map(Number) });
        },
      };
    },
  };
}

/** @type {Record<string, (options: Options) => Promise<Side>>} */
export const SIDES = { tfpy, wllama, onnxruntime, transformers };
