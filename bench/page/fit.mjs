// Measures what a training step takes through Keras's fit and fit_async, against the compiled step
// in a bare loop.
//
//   ?backend=webgl,wasm  backends, one after the other; default: webgl, webgpu and wasm (one thread)
//   &work=mlp,head       networks, by name; default: all of ../fit_steps.py
//   &metrics=accuracy   what fit computes besides the loss; default: nothing
//   &rounds=7            of which each takes the three in turns; a round before them is untimed
//   &post=1              posts each record to /result
//
// A record has the medians in microseconds, and how many times the bare step's the others are.

import { loadTfpy } from "/tfpy.mjs";

const NAMES = ["mlp", "cnn", "head", "lstm", "transformer"];
const WAYS = ["bare", "fit", "fit_async"];
const FILES = ["fit_steps.py", "networks/keras_steps.py"];
const WARM_MS = 4000; // in which a card's clocks rise, and the browser compiles Python's inner loops
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
 * The medians of the ways to train a network.
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
    backend: backends[0],
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
      const steps = await Steps.callPromising(work, ...metrics); // weights may be read while they are made
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
