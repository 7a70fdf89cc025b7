// Measure how long graph models of packages load: tfpy in turns with TensorFlow.js, in milliseconds.
//
//   ?backend=webgl      wasm, webgl or webgpu
//   &work=blazeface,…   models, by name; default: all
//   &repeats=25         loads of each side, taken in turns
//   &post=1             post each record to /result
//
// A record has the median and the fastest load of each side: "memory", with the bytes of the files in memory (both
// sides parse model.json); "fetched", from an address; "aside", the part of it after the arrival of the last byte,
// according to the browser; "gap", from the arrival of model.json until the first file of weights is requested.

import { loadTfpy } from "/tfpy.mjs";
import { open } from "./tfjs.mjs";

/** @type {typeof import("@tensorflow/tfjs")} */
const tf = /** @type {any} */ (globalThis).tf;

const MODELS = [
  "movenet-lightning",
  "blazeface",
  "centernet",
  "mobilenet_v2_mid",
  "handtrack",
  "facemesh",
  "basic_pitch",
];
const KINDS = /** @type {const} */ (["memory", "fetched", "aside", "gap"]);
const query = new URLSearchParams(location.search);
const backend = /** @type {import("/tfpy.mjs").BackendName} */ (query.get("backend") ?? "wasm");
const repeats = Number(query.get("repeats") ?? 25);

/** @param {object} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (query.has("post")) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/** @typedef {{start: number, end: number}} Span */

/**
 * Return TensorFlow.js's side of a model.
 * @param {string} address
 * @param {Map<string, ArrayBuffer>} files
 */
function peer(address, files) {
  const [file] = files.keys();
  /** @param {any} source */
  async function loaded(source) {
    const start = performance.now();
    const model = await tf.loadGraphModel(source());
    const end = performance.now();
    model.dispose();
    return { start, end };
  }
  async function artifacts() {
    const said = JSON.parse(new TextDecoder().decode(files.get(file)));
    const groups = said.weightsManifest;
    return {
      ...said,
      weightSpecs: groups.flatMap((/** @type {any} */ group) => group.weights),
      weightData: groups.flatMap((/** @type {any} */ group) =>
        group.paths.map((/** @type {string} */ path) => files.get(path)),
      ),
    };
  }
  return {
    memory: () => loaded(() => ({ load: artifacts })),
    fetched: () => loaded(() => address),
  };
}

/**
 * Return tfpy's side of a model.
 * @param {any} works
 * @param {string} address
 * @param {Map<string, ArrayBuffer>} files
 */
function own(works, address, files) {
  works.hold(files);
  /** @param {any} proxy */
  const span = (proxy) => {
    const [start, end] = proxy.toJs();
    proxy.destroy();
    return { start, end };
  };
  return {
    memory: async () => span(await works.held()),
    fetched: async () => span(await works.fetched(address)),
  };
}

/**
 * Measure a load from memory and from an address.
 * @param {{memory(): Promise<Span>, fetched(): Promise<Span>}} side
 * @param {string} address
 */
async function sample(side, address) {
  const held = await side.memory();
  await pause();
  performance.clearResourceTimings();
  const { start, end } = await side.fetched();
  await pause(); // entries arrive later than the bytes
  const entries = /** @type {PerformanceResourceTiming[]} */ (
    performance.getEntriesByType("resource")
  );
  const [json, ...shards] = entries.sort((a, b) => a.startTime - b.startTime);
  if (!json.name.endsWith(address) || shards.length === 0) throw new Error(`${json.name} came`);
  return {
    memory: held.end - held.start,
    fetched: end - start,
    aside: end - Math.max(...entries.map((entry) => entry.responseEnd)),
    gap: Math.min(...shards.map((entry) => entry.startTime)) - json.responseEnd,
  };
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** @param {number[]} values */
function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], least: sorted[0] };
}

/**
 * @param {any} works
 * @param {string} name
 */
async function compared(works, name) {
  const address = `/models/${name}/${name}.json`;
  /** @type {Map<string, ArrayBuffer>} */
  const files = new Map();
  const get = async (/** @type {string} */ file) =>
    files.set(file, await (await fetch(`/models/${name}/${file}`)).arrayBuffer());
  await get(`${name}.json`);
  const said = JSON.parse(new TextDecoder().decode(files.get(`${name}.json`)));
  for (const group of said.weightsManifest) {
    for (const path of group.paths) await get(path);
  }
  const sides = [own(works, address, files), peer(address, files)];
  /** @type {Record<string, number>[][]} */
  const samples = [[], []];
  for (let i = 0; i < repeats + 2; i++) {
    for (const j of i % 2 ? [1, 0] : [0, 1]) samples[j].push(await sample(sides[j], address));
  }
  const [ours, its] = samples.map((taken) =>
    Object.fromEntries(
      KINDS.map((kind) => [kind, summary(taken.slice(2).map((one) => one[kind]))]),
    ),
  );
  return { work: name, backend, peer: "TensorFlow.js", tfpy: ours, its };
}

const flags = { SOFTWARE_WEBGL_ENABLED: true, WEBGPU_SOFTWARE_ENABLED: true };
const { pyodide } = await loadTfpy({ backend, flags });
pyodide.FS.mkdirTree("bench");
pyodide.FS.writeFile("bench/loads.py", await (await fetch("../loads.py")).text());
const works = await pyodide.runPythonAsync("from bench import loads; loads");
await open(backend, false);
for (const name of query.get("work")?.split(",") ?? MODELS) {
  try {
    await report(await compared(works, name));
  } catch (error) {
    await report({ work: name, backend, error: String(error) });
  }
}
await report({ done: true });
