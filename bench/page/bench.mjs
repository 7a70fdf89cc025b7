// Measures tfpy against TensorFlow.js on one backend, as the page's address says:
//
//   ?backend=wasm       cpu, wasm or webgl
//   &threads=1          lets both wasm backends use threads (default: one thread on both sides)
//   &only=a,b           workloads, by name; default: all
//   &repeats=15         samples of each contender, taken in turns
//   &seconds=30         a slow workload ends earlier, after three samples at least
//   &post=1             posts each line of results to /result
//
// Results are JSON lines: one for each workload, then {"done": ...}. A driver of the browser takes
// them from `await nextLines()`.

import { loadTfpy } from "/tfpy.mjs";
import * as tfjs from "./tfjs.mjs";

/**
 * @typedef {{name: string, sample: () => Promise<number>, result: () => Float32Array}} Contender
 */

const PYTHON_FILES = ["mobilenet.py", "workloads.py"];
const WARM_UPS = 2;
const MIN_REPEATS = 3;
const TOLERANCE = 1e-3; // largest error relative to the largest value: the sides computed the same

const query = new URLSearchParams(location.search);
const options = {
  backend: query.get("backend") ?? "wasm",
  threads: query.has("threads"),
  only: query.get("only")?.split(",") ?? [],
  repeats: Number(query.get("repeats") ?? 15),
  seconds: Number(query.get("seconds") ?? 30),
  post: query.has("post"),
};

/** @type {object[]} */
let lines = [];
let wake = () => {};

/** @param {object} line */
async function report(line) {
  lines.push(line);
  wake();
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (options.post) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/** The lines that were reported since the last call; waits for one. */
async function nextLines() {
  while (lines.length === 0) {
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        wake = resolve;
      })
    );
  }
  const taken = lines;
  lines = [];
  return taken;
}
Object.assign(globalThis, { nextLines });

/** Loads tfpy and this folder's Python, and gives the module `workloads`. */
async function openTfpy() {
  const { pyodide } = await loadTfpy({
    backend: options.backend,
    flags: { SOFTWARE_WEBGL_ENABLED: true, WASM_HAS_MULTITHREAD_SUPPORT: options.threads },
  });
  pyodide.FS.mkdir("bench");
  for (const name of PYTHON_FILES) {
    const response = await fetch(`../${name}`);
    if (!response.ok) {
      throw new Error(`${response.url}: ${response.status}`);
    }
    pyodide.FS.writeFile(`bench/${name}`, await response.text());
  }
  return pyodide.runPythonAsync("from bench import workloads; workloads");
}

/**
 * A copy of a Python array.
 * @param {any} array
 * @returns {Float32Array}
 */
function copied(array) {
  const view = array.getBuffer("f32");
  try {
    return view.data.slice();
  } finally {
    view.release();
    array.destroy();
  }
}

/** @param {any} session */
function hostArrays(session) {
  /** @type {Record<string, {shape: number[], values: Float32Array}>} */
  const arrays = {};
  for (const name of session.names().toJs()) {
    arrays[name] = { shape: session.shape(name).toJs(), values: copied(session.flat(name)) };
  }
  return arrays;
}

/**
 * Samples of each contender, taken in turns, after a warm-up.
 * @param {Contender[]} contenders
 */
async function measure(contenders) {
  const samples = contenders.map(() => /** @type {number[]} */ ([]));
  const end = performance.now() + options.seconds * 1000;
  for (let i = 0; i < WARM_UPS; i++) {
    for (const contender of contenders) {
      await contender.sample();
    }
  }
  for (let i = 0; i < options.repeats; i++) {
    if (i >= MIN_REPEATS && performance.now() > end) {
      break;
    }
    for (const [j, contender] of contenders.entries()) {
      samples[j].push(await contender.sample());
    }
  }
  return samples;
}

/**
 * The largest difference between two results, relative to the largest value.
 * @param {Float32Array} actual
 * @param {Float32Array} expected
 */
function relativeError(actual, expected) {
  if (actual.length !== expected.length) {
    throw new Error(`results have ${actual.length} and ${expected.length} values`);
  }
  let difference = 0;
  let largest = 0;
  for (let i = 0; i < actual.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i] - expected[i]));
    largest = Math.max(largest, Math.abs(expected[i]));
  }
  return difference / largest;
}

/**
 * @param {any} workloads the Python module
 * @param {string} workload
 */
async function runWorkload(workloads, workload) {
  const python = workloads.Session(workload);
  const parameters = JSON.parse(workloads.parameters());
  const peers = tfjs.sessions(workload, hostArrays(python), parameters);
  try {
    /** @type {Contender[]} */
    const contenders = [
      { name: "tfpy", sample: () => python.sample(), result: () => copied(python.result()) },
      ...peers,
    ];
    const samples = await measure(contenders);
    const mine = contenders[0].result();
    const errors = peers.map((peer) => relativeError(mine, peer.result()));
    if (!errors.every((error) => error < TOLERANCE)) {
      throw new Error(`the results differ by ${errors} (relative to the largest value)`);
    }
    return {
      amount: python.amount,
      unit: python.unit,
      error: Math.max(...errors),
      samples: Object.fromEntries(contenders.map(({ name }, i) => [name, samples[i]])),
    };
  } finally {
    tfjs.close();
    python.destroy();
  }
}

async function main() {
  const label = `${options.backend}${options.threads ? " threads" : ""}`;
  const peer = await tfjs.open(options.backend, options.threads);
  const workloads = await openTfpy();
  const variants = { tfpy: workloads.variant(), "TensorFlow.js": peer };
  const names = options.only.length ? options.only : workloads.WORKLOADS.keys();
  for (const workload of names) {
    try {
      const result = await runWorkload(workloads, workload);
      await report({ workload, backend: label, variants, ...result });
    } catch (error) {
      await report({ workload, backend: label, variants, failure: String(error) });
    }
  }
  await report({ done: label, agent: navigator.userAgent, cores: navigator.hardwareConcurrency });
}

main().catch((error) => report({ done: options.backend, failure: String(error?.stack ?? error) }));
