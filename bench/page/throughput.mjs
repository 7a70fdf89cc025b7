// What kernels reach on a backend (?backend=webgpu), without reads: ../throughput.py, or with
// &works=quantized those of ../quantized.py, with &works=attention those of ../attention.py.
// &post=1 posts each line to /result, and {"done": true} at the end.

import { loadTfpy } from "/tfpy.mjs";

const query = new URLSearchParams(location.search);

/** @param {string} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent += `${line}\n`;
  if (query.has("post")) await fetch("/result", { method: "POST", body: line });
}

try {
  const { pyodide } = await loadTfpy({ backend: query.get("backend") ?? "webgpu" });
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
