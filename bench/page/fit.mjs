// Measure a training step in Keras's fit and fit_async, compared with the compiled step in a plain
// loop.
//
//   ?backend=webgl,wasm  backends, one after the other; default: webgl, webgpu and wasm (one thread)
//   &work=mlp,head       networks, by name; default: all of ../fit_steps.py
//   &metrics=accuracy   metrics that fit also computes; default: none
//   &rounds=7            rounds with the three ways in turns, after an untimed round
//   &post=1              post each record to /result
//
// A record has the medians in microseconds, and their ratios to the plain loop.

import { loadTfpy } from "/tfpy.mjs";

const NAMES = ["mlp", "cnn", "head", "lstm", "transformer"];
const WAYS = ["bare", "fit", "fit_async"];
const FILES = ["fit_steps.py", "networks/keras_steps.py"];
const WARM_MS = 4000; // the clocks of the GPU rise, and the browser compiles Python's inner loops
const query = new URLSearchParams(location.search);

/** @param {object} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (query.has("post")) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/**
 * Return the medians of the ways to train a network.
 * @param {any} steps the Python object
 * @param {number} rounds
 */
async function measured(steps, rounds) {
  /** @type {Record<string, number[]>} */
  const found = Object.fromEntries(WAYS.map((way) => [way, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const way of WAYS) {
      const us = await steps[way]();
      if (round > 0) found[way].push(us);
    }
  }
  const medians = Object.fromEntries(WAYS.map((way) => [way, Math.round(median(found[way]))]));
  const ratio = (/** @type {string} */ way) => Number((medians[way] / medians.bare).toFixed(2));
  return { ...medians, fit_ratio: ratio("fit"), fit_async_ratio: ratio("fit_async") };
}

async function measure() {
  const backends = (query.get("backend") ?? "webgl,webgpu,wasm").split(",");
  const metrics = query.get("metrics")?.split(",") ?? [];
  const rounds = Number(query.get("rounds") ?? 7);
  const { pyodide } = await loadTfpy({
    backend: /** @type {import("/tfpy.mjs").BackendName} */ (backends[0]),
    packages: ["keras"],
    flags: { SOFTWARE_WEBGL_ENABLED: true, WASM_HAS_MULTITHREAD_SUPPORT: false },
  });
  pyodide.FS.mkdirTree("bench/networks");
  for (const name of FILES) {
    const source = await fetch(new URL(`../${name}`, import.meta.url));
    pyodide.FS.writeFile(`bench/${name}`, await source.text());
  }
  const Steps = await pyodide.runPythonAsync(
    "import tfpy; tfpy.as_tensorflow(); from bench.fit_steps import Steps; Steps",
  );
  const select = pyodide.pyimport("tfpy").set_backend_async;
  for (const backend of backends) {
    await select(backend);
    const end = performance.now() + WARM_MS;
    for (const work of query.get("work")?.split(",") ?? NAMES) {
      const steps = await Steps.callPromising(work, ...metrics); // creating weights may read them
      while (performance.now() < end) for (const way of WAYS) await steps[way]();
      await report({ work, backend, rounds, ...(await measured(steps, rounds)) });
      steps.destroy();
    }
  }
}

try {
  await measure();
  await report({ done: "" });
} catch (error) {
  await report({ done: String(error) });
}
