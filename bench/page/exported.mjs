// Measure the time to the first result of a page: an exported program compared with TensorFlow.js
// and the same graph model. The page loads itself many times, with the sides in turns.
//
//   ?backend=webgl      wasm or webgl
//   &work=blazeface     a model of ../exported.py
//   &pairs=10           loads of each side, after one pair that fills the caches
//   &post=1             post the record to /result
//
// The time of a side is from the navigation to the values of all outputs.

/** @typedef {{ms: number, files: string[]}} Start */

const FOLDER = "/node_modules/@tensorflow/";
const KEY = "starts";
const SIDES = /** @type {const} */ (["tfpy", "tfjs"]);
const query = new URLSearchParams(location.search);
const backend = query.get("backend") === "webgl" ? "webgl" : "wasm";
const work = query.get("work") ?? "blazeface";
const pairs = Number(query.get("pairs") ?? 10);

/** @param {{shape: number[], dtype: string}} spec */
function numbers({ shape, dtype }) {
  const size = shape.reduce((a, b) => a * b);
  const values = Float32Array.from({ length: size }, (_, i) => ((i * 7919) % 1009) / 1009);
  return dtype === "int32" ? values.map((x) => Math.floor(255 * x)) : values;
}

async function ours() {
  const { loadProgram } = await import("/run/tfpy-run.mjs");
  const options = /** @type {const} */ ({ backend, allowSoftwareWebgl: true });
  const model = await loadProgram(`/models/${work}.tfpy`, options);
  const [[signature]] = Object.values(model.functions);
  const [input] = signature.inputs;
  await model.run({ [input.name]: numbers(input) });
}

/** @param {string} path */
function script(path) {
  const element = document.createElement("script");
  element.src = FOLDER + path;
  document.head.append(element);
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${path} is not there`));
  });
}

async function theirs() {
  await script("tfjs/dist/tf.es2017.min.js");
  if (backend === "wasm") await script("tfjs-backend-wasm/dist/tf-backend-wasm.es2017.min.js");
  /** @type {any} */
  const tf = /** @type {any} */ (globalThis).tf;
  if (backend === "wasm") {
    tf.wasm.setWasmPaths(`${FOLDER}tfjs-backend-wasm/dist/`);
    tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  }
  await tf.setBackend(backend);
  const model = await tf.loadGraphModel(`/models/${work}/${work}.json`);
  const [{ shape, dtype }] = model.inputs;
  const sizes = shape.map((/** @type {number} */ n) => (n > 0 ? n : 1));
  const made = await model.executeAsync(tf.tensor(numbers({ shape: sizes, dtype }), sizes, dtype));
  await Promise.all((Array.isArray(made) ? made : [made]).map((tensor) => tensor.data()));
}

/** Return the bytes of files, plain and compressed. @param {string[]} files */
async function sizes(files) {
  let plain = 0;
  let compressed = 0;
  for (const file of files) {
    const body = await (await fetch(file)).blob();
    plain += body.size;
    const packed = body.stream().pipeThrough(new CompressionStream("gzip"));
    compressed += (await new Response(packed).blob()).size;
  }
  return { plain, compressed };
}

/** @param {Start[]} starts of one side */
async function summary(starts) {
  const counted = starts
    .slice(1)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  const { files } = starts[0];
  const isModel = (/** @type {string} */ file) => file.includes("/models/");
  return {
    median: counted[counted.length >> 1],
    least: counted[0],
    first: starts[0].ms,
    program: await sizes(files.filter((file) => !isModel(file))),
    model: await sizes(files.filter(isModel)),
  };
}

/** @param {object} line */
async function report(line) {
  const log = /** @type {HTMLElement} */ (document.querySelector("#log"));
  log.textContent += `${JSON.stringify(line)}\n`;
  if (query.has("post")) await fetch("/result", { method: "POST", body: JSON.stringify(line) });
}

async function main() {
  /** @type {Start[]} */
  const starts = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  await (starts.length % 2 ? theirs : ours)();
  const ms = performance.now();
  const entries = performance.getEntriesByType("resource").map(({ name }) => name);
  const files = entries.filter((name) => !name.includes("/bench/") && !name.startsWith("data:"));
  starts.push({ ms, files: [...new Set(files)] });
  sessionStorage.setItem(KEY, JSON.stringify(starts));
  if (starts.length < 2 * (pairs + 1)) {
    location.reload();
    return;
  }
  sessionStorage.removeItem(KEY);
  /** @type {Record<string, object>} */
  const found = {};
  for (const [i, side] of SIDES.entries()) {
    found[side] = await summary(starts.filter((_, j) => j % 2 === i));
  }
  await report({ work, backend, ...found });
  await report({ done: true });
}

main().catch(async (error) => {
  sessionStorage.removeItem(KEY);
  await report({ work, backend, error: String(error?.stack ?? error) });
  await report({ done: true });
});
