// Measure models of packages on one backend: tfpy in turns with TensorFlow.js (graph models) or ONNX
// Runtime Web (ONNX files).
//
//   ?backend=webgl      wasm, webgl or webgpu
//   &threads=1          let the wasm backends use threads (default: one thread on both sides)
//   &work=blazeface,…   models, by name; default: all
//   &repeats=15         samples of each side, taken in turns
//   &post=1             post each record to /result
//
// The models are under /models/NAME/NAME.json, or the file that is named below. The sides load a model in turns, with
// the files in the cache. The record has the fastest load of each side.

import { loadTfpy } from "/tfpy.mjs";
import * as onnx from "./onnx.mjs";
import { open } from "./tfjs.mjs";

/** @type {typeof import("@tensorflow/tfjs")} */
const tf = /** @type {any} */ (globalThis).tf;

/**
 * The inputs of a model. `fills` has the inputs of an ONNX file: the number of all elements, or null.
 * @typedef {{shape: number[], integers?: boolean, file?: string, fills?: Record<string, number | null>}} How
 */

/** @type {Record<string, How>} */
const MODELS = {
  "movenet-lightning": { shape: [1, 192, 192, 3], integers: true },
  blazeface: { shape: [1, 256, 256, 3] },
  centernet: { shape: [1, 512, 512, 3] },
  facemesh: { shape: [1, 192, 192, 3] },
  "handlandmark-lite": { shape: [1, 224, 224, 3] },
  handtrack: { shape: [1, 320, 320, 3], integers: true },
  faceres: { shape: [1, 224, 224, 3] },
  basic_pitch: { shape: [1, 43844, 1] },
  mobilenet_v2_mid: { shape: [1, 224, 224, 3] },
  minilm: {
    shape: [1, 128],
    integers: true,
    file: "model.onnx",
    fills: { input_ids: null, attention_mask: 1, token_type_ids: 0 },
  },
};
const RUN_INS = 3; // untimed runs before a sample
const LOADS = 8; // of each side
const query = new URLSearchParams(location.search);
const backend = /** @type {import("/tfpy.mjs").BackendName} */ (query.get("backend") ?? "wasm");
const threads = query.has("threads");

/** @param {object} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (query.has("post")) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/**
 * Return numbers from 0 to 1, or integers from 0 to 255.
 * @param {How} how
 */
function numbers({ shape, integers }) {
  const size = shape.reduce((a, b) => a * b);
  const values = Float32Array.from({ length: size }, (_, i) => ((i * 7919) % 1009) / 1009);
  return integers ? values.map((x) => Math.floor(255 * x)) : values;
}

/**
 * Return ONNX Runtime's side of a model.
 * @param {string} address
 * @param {How} how
 */
function onnxPeer(address, how) {
  const inputs = Object.entries(how.fills ?? {}).map(([name, fill]) => [
    name,
    { shape: how.shape, values: numbers(how).map((x) => fill ?? x) },
  ]);
  return onnx.peer(address, backend, Object.fromEntries(inputs));
}

/**
 * Return TensorFlow.js's side of a model.
 * @param {string} address
 * @param {How} how
 */
async function peer(address, how) {
  const { shape, integers } = how;
  const model = await tf.loadGraphModel(address);
  const input = tf.tensor(numbers(how), shape, integers ? "int32" : "float32");
  /** @type {any[]} */
  let read = [];
  return {
    async load() {
      const start = performance.now();
      const again = await tf.loadGraphModel(address);
      const taken = performance.now() - start;
      again.dispose();
      return taken;
    },
    async sample() {
      const begin = performance.now();
      const made = await model.executeAsync(input);
      const tensors = Array.isArray(made) ? made : [made];
      read = await Promise.all(tensors.map((one) => one.data()));
      const taken = performance.now() - begin;
      tf.dispose(tensors);
      return taken;
    },
    outputs: () => onnx.sums(read),
  };
}

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * Time the first run of each side, then samples in turns.
 * @param {(() => Promise<number>)[]} sides
 */
async function measured(sides) {
  const timings = [];
  for (const sample of sides) timings.push({ first: await sample(), samples: [] });
  for (let i = 0; i < Number(query.get("repeats") ?? 15); i++) {
    for (const [j, sample] of sides.entries()) {
      for (let k = 0; k < RUN_INS; k++) await sample();
      /** @type {number[]} */ (timings[j].samples).push(await sample());
    }
  }
  return timings.map(({ first, samples }) => ({
    first,
    median: median(samples),
    least: Math.min(...samples),
  }));
}

/**
 * @param {any} works tfpy's side
 * @param {string} name
 */
async function compared(works, name) {
  const how = MODELS[name];
  const address = `/models/${name}/${how.file ?? `${name}.json`}`;
  const other = await (how.fills ? onnxPeer(address, how) : peer(address, how));
  const loads = /** @type {number[][]} */ ([[], []]);
  for (let i = 0; i < LOADS; i++) {
    loads[0].push(await works.load(name, address, JSON.stringify(how)));
    loads[1].push(await other.load());
  }
  const [load, its_load] = loads.map((taken) => Math.min(...taken));
  const sides = [() => works.sample(name), other.sample];
  const [own, its] = await measured(sides);
  return {
    work: name,
    backend,
    threads,
    peer: how.fills ? "ONNX Runtime Web" : "TensorFlow.js",
    tfpy: { ...own, load },
    its: { ...its, load: its_load },
    ratio: its.median / own.median,
    least_ratio: its.least / own.least,
    outputs: [JSON.parse(works.outputs(name)), other.outputs()],
  };
}

const flags = {
  SOFTWARE_WEBGL_ENABLED: true,
  WEBGPU_SOFTWARE_ENABLED: true,
  WASM_HAS_MULTITHREAD_SUPPORT: threads,
};
const { pyodide } = await loadTfpy({ backend, flags });
pyodide.FS.mkdirTree("bench");
pyodide.FS.writeFile("bench/models.py", await (await fetch("../models.py")).text());
const works = await pyodide.runPythonAsync("from bench import models; models");
await open(backend, threads);
await onnx.open(backend, threads);
for (const name of query.get("work")?.split(",") ?? Object.keys(MODELS)) {
  try {
    await report(await compared(works, name));
  } catch (error) {
    await report({ work: name, backend, error: String(error) });
  }
}
await report({ done: true });
