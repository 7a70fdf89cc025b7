// What kernels reach on a backend (?backend=webgpu), without reads: ../throughput.py.
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
  pyodide.FS.mkdirTree("bench");
  const source = await (await fetch("../throughput.py")).text();
  pyodide.FS.writeFile("bench/throughput.py", source);
  const { measure } = pyodide.pyimport("bench.throughput");
  await measure(report);
} catch (error) {
  await report(JSON.stringify({ failure: String(/** @type {any} */ (error)?.stack ?? error) }));
}
await report(JSON.stringify({ done: true }));
