// The sides of the benchmark of language models: tfpy and its peers, with the same functions.

/**
 * @typedef {object} Options
 * @property {"wasm" | "webgpu"} backend
 * @property {number} threads of the processor
 * @property {number} length tokens of a prompt
 * @property {number} tokens to generate
 * @property {boolean} software allow software rendering
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

const GGUF = "/models/model.gguf";
const WLLAMA = "/peers/wllama/esm";
const BATCH = 512; // tokens of a prompt that wllama computes at once

/**
 * @param {Options} options
 * @returns {Promise<Side>}
 */
async function tfpy({ backend, threads, length, tokens, software }) {
  const { loadTfpy } = await import("/tfpy.mjs");
  const { pyodide, tf } = await loadTfpy({
    backend,
    packages: ["keras-hub"],
    flags: {
      WEBGPU_SOFTWARE_ENABLED: software,
      WASM_HAS_MULTITHREAD_SUPPORT: threads > 1,
      TFPY_WASM_THREADS_COUNT: threads,
    },
  });
  const source = await (await fetch("../language_side.py")).text();
  pyodide.FS.mkdirTree("bench");
  pyodide.FS.writeFile("bench/language_side.py", source);
  const module = await pyodide.runPythonAsync("from bench import language_side; language_side");
  return {
    name: `tfpy ${tf.__version__}`,
    files: [],
    async load() {
      const model = await module.load(new URL(GGUF, location.href).href);
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
async function wllama({ backend, threads, length, tokens }) {
  const { Wllama } = await import(`${WLLAMA}/index.min.js`);
  const { version } = await (await fetch("/peers/wllama/package.json")).json();
  const wasm = new URL(`${WLLAMA}/wasm/wllama.wasm`, location.href).href;
  const runtime = new Wllama({ default: wasm }, { suppressNativeLog: true });
  return {
    name: `wllama ${version}`,
    files: [wasm],
    async load() {
      await runtime.loadModelFromUrl(new URL(GGUF, location.href).href, {
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

/** @type {Record<string, (options: Options) => Promise<Side>>} */
export const SIDES = { tfpy, wllama };
