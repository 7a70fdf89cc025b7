// Measures graph-models that packages ship: tfpy in turns with TensorFlow.js, on one backend.
//
//   ?backend=webgl      wasm or webgl
//   &threads=1          lets the wasm backends use threads (default: one thread on both sides)
//   &work=blazeface,…   models, by name; default: all
//   &repeats=15         samples of each side, taken in turns
//   &post=1             posts each record to /result
//
// The models lie under /models/NAME/NAME.json. Each side loads a model twice, so that the second time
// the files come from the cache; that time is in the record.

import { loadTfpy } from "/tfpy.mjs";
import { open } from "./tfjs.mjs";

/** @type {typeof import("@tensorflow/tfjs")} */
const tf = /** @type {any} */ (globalThis).tf;

/** @type {Record<string, {shape: number[], integers?: boolean}>} */
const MODELS = {
  "movenet-lightning": { shape: [1, 192, 192, 3], integers: true },
  blazeface: { shape: [1, 256, 256, 3] },
  centernet: { shape: [1, 512, 512, 3] },
  facemesh: { shape: [1, 192, 192, 3] },
  "handlandmark-lite": { shape: [1, 224, 224, 3] },
  handtrack: { shape: [1, 320, 320, 3], integers: true },
  faceres: { shape: [1, 224, 224, 3] },
  basic_pitch: { shape: [1, 43844, 1] },
};
const RUN_INS = 3; // untimed runs before a sample
const query = new URLSearchParams(location.search);
const backend = query.get("backend") ?? "wasm";
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
 * TensorFlow.js's side of a model.
 * @param {string} address
 * @param {{shape: number[], integers?: boolean}} how
 */
async function peer(address, { shape, integers }) {
  await tf.loadGraphModel(address);
  const start = performance.now();
  const model = await tf.loadGraphModel(address);
  const load = performance.now() - start;
  const size = shape.reduce((a, b) => a * b);
  const values = Float32Array.from({ length: size }, (_, i) => ((i * 7919) % 1009) / 1009);
  const input = integers
    ? tf.tensor(
        Int32Array.from(values, (x) => Math.floor(255 * x)),
        shape,
        "int32",
      )
    : tf.tensor(values, shape);
  /** @type {any[]} */
  let read = [];
  return {
    load,
    async sample() {
      const begin = performance.now();
      const made = await model.executeAsync(input);
      const tensors = Array.isArray(made) ? made : [made];
      read = await Promise.all(tensors.map((one) => one.data()));
      const taken = performance.now() - begin;
      tf.dispose(tensors);
      return taken;
    },
    /** The sum and the number of elements of each output. */
    outputs: () =>
      read.map((one) => [Array.from(one, Math.abs).reduce((a, b) => a + b, 0), one.length]),
  };
}

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * The first run of each side, then samples in turns.
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
  const address = `/models/${name}/${name}.json`;
  const other = await peer(address, MODELS[name]);
  await works.load(name, address, MODELS[name].shape);
  const load = await works.load(name, address, MODELS[name].shape);
  const sides = [() => works.sample(name), other.sample];
  const [own, its] = await measured(sides);
  return {
    work: name,
    backend,
    threads,
    tfpy: { ...own, load },
    tfjs: { ...its, load: other.load },
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
for (const name of query.get("work")?.split(",") ?? Object.keys(MODELS)) {
  try {
    await report(await compared(works, name));
  } catch (error) {
    await report({ work: name, backend, error: String(error) });
  }
}
await report({ done: true });
