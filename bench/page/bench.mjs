// Compare tfpy with its peers on one backend. The address of the page has the parameters:
//
//   ?backend=wasm       cpu, wasm, webgl or webgpu
//   &threads=1          let the wasm backends use threads (default: one thread on all sides)
//   &work=a,b           works, by name; default: all
//   &repeats=15         samples of each side, taken in turns
//   &seconds=30         maximum time of a work, with at least three samples
//   &hardware=1         fail on a GPU backend that would compute on the processor
//   &peers=tfjs         only TensorFlow.js as a peer; default: all that the server has
//   &post=1             post each record to /result
//
// Records are JSON: one for each work and peer, then {"done": ...}. The program that drives the
// browser, or the page around this one, reads them with `await nextLines()`. "failure" has a traceback for
// developers, and "reason" its message.

import * as onnx from "./onnx.mjs";
import * as tfjs from "./tfjs.mjs";

/**
 * @typedef {{name: string, sample: () => Promise<number>, result: () => Float32Array}} Contender
 *
 * @typedef {object} Timing
 * @property {number} first milliseconds of the first run
 * @property {number} median
 * @property {number} least the fastest sample, which a busy machine lengthens least
 * @property {string} [failure]
 */

const PYTHON_FILES = [
  "fits.py",
  "works.py",
  "networks/__init__.py",
  "networks/digits.py",
  "networks/lstm.py",
  "networks/mobilenet_v1.py",
  "networks/mobilenet_v2.py",
  "networks/transformer.py",
];
const MIN_REPEATS = 3;
const KERAS_WORKS = /_fit$/;
const SITE = new URL("../../", import.meta.url); // which may be a folder of a server
const RUN_INS = 4; // untimed runs before a sample, the same number for all sides, because they train the networks further

const query = new URLSearchParams(location.search);
const options = {
  backend: /** @type {import("/tfpy.mjs").BackendName} */ (query.get("backend") ?? "wasm"),
  threads: query.has("threads"),
  work: query.get("work")?.split(",") ?? [],
  repeats: Number(query.get("repeats") ?? 15),
  seconds: Number(query.get("seconds") ?? 30),
  hardware: query.has("hardware"),
  peers: query.get("peers") ?? "all",
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

/** Return the lines that were reported since the last call. Wait for at least one. */
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

/** Load tfpy and the Python files of this folder. Return the module `works` and tfpy's time. */
async function openTfpy() {
  const { loadTfpy } = /** @type {typeof import("/tfpy.mjs")} */ (
    await import(new URL("tfpy.mjs", SITE).href)
  );
  const start = performance.now();
  const { pyodide } = await loadTfpy({
    backend: options.backend,
    flags: {
      SOFTWARE_WEBGL_ENABLED: !options.hardware,
      WEBGPU_SOFTWARE_ENABLED: !options.hardware,
      WASM_HAS_MULTITHREAD_SUPPORT: options.threads,
    },
  });
  const loaded = performance.now() - start;
  if (options.work.length === 0 || options.work.some((name) => KERAS_WORKS.test(name))) {
    await pyodide.loadPackage("keras", { messageCallback: () => {} });
  }
  pyodide.FS.mkdirTree("bench/networks");
  for (const name of PYTHON_FILES) {
    const response = await fetch(`../${name}`);
    if (!response.ok) {
      throw new Error(`${response.url}: ${response.status}`);
    }
    pyodide.FS.writeFile(`bench/${name}`, await response.text());
  }
  return { loaded, works: await pyodide.runPythonAsync("from bench import works; works") };
}

/**
 * Copy a Python array.
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
  /** @type {Record<string, import("./tfjs.mjs").HostArray>} */
  const arrays = {};
  for (const name of session.names().toJs()) {
    arrays[name] = { shape: session.shape(name).toJs(), values: copied(session.flat(name)) };
  }
  return arrays;
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Run a side until the idle threads of other sides have stopped spinning and its own are awake.
 * @param {Contender} contender
 */
async function runIn(contender) {
  for (let i = 0; i < RUN_INS; i++) await contender.sample();
}

/**
 * Time the first run of each side, then samples in turns, with untimed runs before each sample. A
 * side that cannot compute the work has the text of its error instead.
 * @param {Contender[]} contenders
 * @returns {Promise<Timing[]>}
 */
async function measure(contenders) {
  /** @type {Timing[]} */
  const timings = [];
  for (const contender of contenders) {
    try {
      timings.push({ first: await contender.sample(), median: 0, least: 0 });
    } catch (error) {
      timings.push({ first: 0, median: 0, least: 0, failure: String(error) });
    }
  }
  const able = contenders.filter((_, i) => timings[i].failure === undefined);
  const samples = new Map(able.map((contender) => [contender, /** @type {number[]} */ ([])]));
  const end = performance.now() + options.seconds * 1000;
  for (let i = 0; i < options.repeats; i++) {
    if (i >= MIN_REPEATS && performance.now() > end) break;
    for (const contender of able) {
      await runIn(contender);
      samples.get(contender)?.push(await contender.sample());
    }
  }
  contenders.forEach((contender, i) => {
    const own = samples.get(contender);
    if (own) Object.assign(timings[i], { median: median(own), least: Math.min(...own) });
  });
  return timings;
}

/**
 * Return the largest difference of two results, relative to the largest value.
 * @param {Float32Array} actual
 * @param {Float32Array} expected
 */
function relativeError(actual, expected) {
  if (actual.length !== expected.length) {
    throw new Error(`results have ${actual.length} and ${expected.length} values`);
  }
  let [difference, largest] = [0, 0];
  for (let i = 0; i < actual.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i] - expected[i]));
    largest = Math.max(largest, Math.abs(expected[i]));
  }
  return difference / largest;
}

/**
 * @param {string} name
 * @param {any} session of the Python module
 * @returns {Contender}
 */
function tfpyContender(name, session) {
  return { name, sample: () => session.sample(), result: () => copied(session.result()) };
}

/** @param {number} milliseconds */
const rounded = (milliseconds) => Number(milliseconds.toFixed(4));

/**
 * @param {number} theirs milliseconds
 * @param {number} own milliseconds
 */
const ratio = (theirs, own) => Number((theirs / own).toFixed(3));

/**
 * Return the records of one work: one for each peer, or one without a peer.
 * @param {any} works the Python module
 * @param {string} work
 */
async function runWork(works, work) {
  const python = works.Session(work);
  const exact = python.exact ? works.Session(python.exact) : null;
  try {
    const arrays = hostArrays(python);
    const mine = tfpyContender("tfpy", python);
    const peers = [
      ...(exact ? [tfpyContender("tfpy float32", exact)] : []),
      ...tfjs.contenders(python.exact || work, arrays, JSON.parse(works.parameters())),
      ...(await onnx.contenders(python.exact || work, arrays, options.backend)),
    ];
    const [own, ...others] = await measure([mine, ...peers]);
    if (own.failure) throw new Error(own.failure);
    const values = mine.result();
    const base = {
      tfpy_ms: rounded(own.median),
      tfpy_least_ms: rounded(own.least),
      tfpy_first_ms: rounded(own.first),
      amount: python.amount,
      unit: python.unit,
    };
    if (peers.length === 0) return [{ ...base, peer: null }];
    return peers.map((peer, i) => {
      const { first, median: theirs, least, failure } = others[i];
      if (failure) return { ...base, peer: peer.name, peer_failure: failure };
      const error = relativeError(values, peer.result());
      if (!(error < python.tolerance)) {
        throw new Error(`${peer.name} differs by ${error} (relative to the largest value)`);
      }
      return {
        ...base,
        peer: peer.name,
        peer_ms: rounded(theirs),
        peer_least_ms: rounded(least),
        peer_first_ms: rounded(first),
        ratio: ratio(theirs, own.median),
        least_ratio: ratio(least, own.least),
        error,
      };
    });
  } finally {
    tfjs.close();
    python.destroy();
    exact?.destroy();
  }
}

/** Return the name of the graphics card, as far as the browser reports it. */
async function rendererName() {
  if (options.backend === "webgpu") {
    const info = (await navigator.gpu?.requestAdapter())?.info;
    return [info?.vendor, info?.architecture, info?.device, info?.description]
      .filter(Boolean)
      .join(" ");
  }
  if (options.backend !== "webgl") return "";
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  return gl && info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "none";
}

/**
 * Return the bytes of the resources with matching addresses.
 * @param {RegExp} pattern
 */
function downloaded(pattern) {
  return performance
    .getEntriesByType("resource")
    .filter(({ name }) => pattern.test(name))
    .reduce(
      (sum, entry) => sum + /** @type {PerformanceResourceTiming} */ (entry).encodedBodySize,
      0,
    );
}

/**
 * Return the fields of a record for an error. The reason of a missing backend is the one in tfpy's error, without the
 * advice for programs.
 * @param {any} error
 */
function described(error) {
  const message = String(error?.message ?? error);
  const [, missing] = /cannot be used here: (.*?)(?:; tf\.env\(\).*)?$/m.exec(message) ?? [];
  const stack = String(error?.stack ?? "");
  // Chromium's stacks begin with the message, Firefox's do not have it.
  const failure = stack.includes(message) ? stack : `${message}\n${stack}`.trim();
  return { failure, reason: missing ?? message };
}

async function main() {
  const { backend, threads } = options;
  const { works, loaded } = await openTfpy();
  const peer = await tfjs.open(backend, threads).catch(tfjs.missing);
  if (options.peers === "all") await onnx.open(backend, threads);
  const about = {
    backend,
    threads: works.threads(),
    variant: works.variant(),
    browser: navigator.userAgent,
    renderer: await rendererName(),
  };
  await report({
    work: "import",
    ...about,
    peer,
    tfpy_ms: rounded(loaded),
    tfpy_bytes: downloaded(/tfpy[^/]*\.(whl|mjs|js|wasm)$/),
    pyodide_bytes: downloaded(/\/pyodide\/(?!tfpy)/),
    peer_bytes: downloaded(/tensorflow/),
  });
  for (const work of options.work.length ? options.work : works.WORKS.keys()) {
    try {
      for (const record of await runWork(works, work)) await report({ work, ...about, ...record });
    } catch (error) {
      await report({ work, ...about, ...described(error) });
    }
  }
  await report({ done: backend, cores: navigator.hardwareConcurrency });
}

main().catch((error) => report({ done: options.backend, ...described(error) }));
