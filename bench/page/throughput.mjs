// Measure the speed of kernels on a backend (?backend=webgpu) without reads. The works are in
// ../throughput.py; with &works=quantized in ../quantized.py, with &works=attention in ../attention.py.
// With &post=1, post each line to /result, and {"done": true} at the end.

import { loadTfpy } from "/tfpy.mjs";

const query = new URLSearchParams(location.search);

/** @param {string} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent += `${line}\n`;
  if (query.has("post")) await fetch("/result", { method: "POST", body: line });
}

try {
  const { pyodide } = await loadTfpy({
    backend: /** @type {import("/tfpy.mjs").BackendName} */ (query.get("backend") ?? "webgpu"),
  });
  pyodide.FS.mkdirTree("bench/networks");
  for (const file of ["throughput", "attention", "quantized", "networks/mobilenet_v1"]) {
    const source = await (await fetch(`../${file}.py`)).text();
    pyodide.FS.writeFile(`bench/${file}.py`, source);
  }
  const { measure } = pyodide.pyimport("bench.throughput");
  const { kernels } = pyodide.pyimport(`bench.${query.get("works") ?? "throughput"}`);
  await measure(report, kernels());
} catch (error) {
  await report(JSON.stringify({ failure: String(/** @type {any} */ (error)?.stack ?? error) }));
}
await report(JSON.stringify({ done: true }));
