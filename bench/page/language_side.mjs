// One side of the benchmark of language models, in a frame of language.mjs.
//
//   ?side=wllama        a side of language_sides.mjs
//   &backend=wasm&threads=2&prompt=128&tokens=32&repeats=3&check=1   as in language.mjs
//
// The frame posts a Result to its parent, which removes the frame. Thus, the memory of a side is
// free before the next side begins.

import { SIDES } from "./language_sides.mjs";
import { countBytes, liveBytes } from "./memory.mjs";

/**
 * @typedef {object} Times in milliseconds, from the beginning of the generation
 * @property {number} first until the first token
 * @property {number} last until the last token
 *
 * @typedef {Times & import("./language_sides.mjs").Found} Sample
 *
 * @typedef {object} Result
 * @property {string} side
 * @property {string} name of the library, with its version
 * @property {string} [failure]
 * @property {number} open milliseconds to load the runtime
 * @property {number} load milliseconds to load the model
 * @property {Sample} cold the first generation, which compiles programs
 * @property {Sample[]} samples
 * @property {import("./memory.mjs").Bytes} bytes
 * @property {string[]} files addresses of the runtime's files
 */

const query = new URLSearchParams(location.search);
const side = query.get("side") ?? "tfpy";
/** @type {import("./language_sides.mjs").Options} */
const options = {
  backend: query.get("backend") === "webgpu" ? "webgpu" : "wasm",
  threads: Number(query.get("threads") ?? 1),
  tokens: Number(query.get("tokens") ?? 32),
  length: Number(query.get("prompt") ?? 128),
  check: query.has("check"),
};

/**
 * Return a prompt of as many tokens as wanted. Each word is one token.
 * @param {{words: string[], ids: number[]}} story
 * @param {number} number of the sample; prompts begin at different words, so that no side can use the keys and values
 *   of the last one
 */
function promptOf({ words, ids }, number) {
  const places = Array.from({ length: options.length }, (_, i) => (i + 5 * number) % words.length);
  return { text: places.map((i) => ` ${words[i]}`).join(""), ids: places.map((i) => ids[i]) };
}

/**
 * @param {import("./language_sides.mjs").Model} model
 * @param {import("./language_sides.mjs").Prompt} prompt
 * @returns {Promise<Sample>}
 */
async function sampled(model, prompt) {
  /** @type {number[]} */
  const times = [];
  const start = performance.now();
  const found = await model.run(prompt, () => times.push(performance.now() - start));
  if (times.length === 0) throw new Error("no token was generated");
  const last = /** @type {number} */ (times.at(-1));
  return { first: times[0], last, ...(await found()) };
}

async function measured() {
  if (options.threads > 1 && !crossOriginIsolated) {
    throw new Error("threads need a server that sends the headers of cross-origin isolation");
  }
  countBytes();
  const story = await (await fetch("/models/story.json")).json();
  const begin = performance.now();
  const { name, load, files } = await SIDES[side](options);
  const open = performance.now() - begin;
  const start = performance.now();
  const model = await load();
  const loaded = performance.now() - start;
  const cold = await sampled(model, promptOf(story, 0));
  const samples = [];
  for (let i = 0; i < Number(query.get("repeats") ?? 3); i++) {
    samples.push(await sampled(model, promptOf(story, i + 1)));
  }
  const entries = performance.getEntriesByType("resource").map((entry) => entry.name);
  const runtime = entries.filter((address) => !/\/(models|bench)\//.test(address));
  const bytes = await liveBytes();
  if (options.backend === "webgpu" && bytes.gpu === 0) {
    throw new Error(`${name} has no buffer on the GPU, so it computes on the processor`);
  }
  return { side, name, open, load: loaded, cold, samples, bytes, files: [...runtime, ...files] };
}

try {
  parent.postMessage(await measured());
} catch (error) {
  parent.postMessage({ side, failure: String(/** @type {any} */ (error)?.stack ?? error) });
}
