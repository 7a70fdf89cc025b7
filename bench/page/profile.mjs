// Measure the share of a call's time that tf.profile accounts for, and the cost of profiling: ../profiles.py.
//
//   ?backend=webgpu,wasm  backends, one after the other; default: all
//   &work=mobilenet_v2    works, by name; default: all
//   &trace=1              add traces for Perfetto to the records
//   &post=1               post each record to /result, and {"done": true} at the end

import { loadTfpy } from "/tfpy.mjs";

const FILES = ["profiles", "networks/mobilenet_v1", "networks/mobilenet_v2", "networks/digits"];
const query = new URLSearchParams(location.search);

/** @param {string} line */
async function report(line) {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent += `${line}\n`;
  if (query.has("post")) await fetch("/result", { method: "POST", body: line });
}

try {
  const backends = (query.get("backend") ?? "webgpu,webgl,wasm,cpu").split(",");
  const { pyodide } = await loadTfpy({
    backend: /** @type {import("/tfpy.mjs").BackendName} */ (backends[0]),
    flags: { SOFTWARE_WEBGL_ENABLED: true, WEBGPU_SOFTWARE_ENABLED: true },
  });
  pyodide.FS.mkdirTree("bench/networks");
  for (const file of FILES) {
    const source = await (await fetch(`../${file}.py`)).text();
    pyodide.FS.writeFile(`bench/${file}.py`, source);
  }
  const { measured, WORKS } = pyodide.pyimport("bench.profiles");
  for (const backend of backends) {
    await pyodide.pyimport("tfpy").set_backend_async(backend);
    for (const work of query.get("work")?.split(",") ?? [...WORKS]) {
      await report(await measured.callKwargs(work, { trace: query.has("trace") }));
    }
  }
} catch (error) {
  await report(JSON.stringify({ failure: String(/** @type {any} */ (error)?.stack ?? error) }));
}
await report(JSON.stringify({ done: true }));
