// Runs tests inside Pyodide for the page of a test session. It loads tfpy, passes requests to
// remote.py, and counts the PyProxies that are still alive after a test.

import { loadTfpy } from "/tfpy.mjs";

/** Folder with the modules of the tested project. */
const SOURCES = "/tmp/tfpy-sources";

/** @type {any} */
let pyodide;
/** @type {any} */
let remote;
/** @type {any} */
let compilePytest;

/** @param {string} name File of the test harness. */
async function harnessFile(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) {
    throw new Error(`${response.url}: ${response.status}`);
  }
  return response;
}

/**
 * @param {{flags: Record<string, any>, packages: string[], backend: import("/tfpy.mjs").BackendName | "", wheel: string | null,
 *   sources: string | null}} request
 */
async function load({ flags, packages, backend, wheel, sources }) {
  const chosen = { ...(backend && { backend }), ...(wheel && { wheel }) };
  const tfpy = await loadTfpy({ flags, packages, ...chosen });
  pyodide = tfpy.pyodide;
  if (sources) {
    const archive = await (await harnessFile(sources)).arrayBuffer();
    pyodide.unpackArchive(archive, "zip", { extractDir: SOURCES });
    pyodide.runPython(`import sys; sys.path.insert(0, "${SOURCES}")`);
  }
  const pytest = await (await harnessFile("pytest.zip")).arrayBuffer();
  pyodide.FS.writeFile("/tmp/pytest.zip", new Uint8Array(pytest));
  const source = await (await harnessFile("remote.py")).text();
  const names = pyodide.toPy({});
  pyodide.runPython(source, { globals: names, filename: "remote.py" });
  remote = names.get("run");
  compilePytest = names.get("compiled_pytest");
  pyodide._module.enable_pyproxy_allocation_tracing?.();
  return { backend: tfpy.backend() };
}

/** Return the addresses of the live PyProxies. Pyodide's own tests count them in the same way. */
function proxies() {
  return new Set(pyodide._module.pyproxy_alloc_map?.keys());
}

/** @type {Record<string, (request: any) => Promise<object>>} */
const kinds = { load, run, compile: async () => ({ archive: compilePytest() }) };

/** @param {object} request */
async function run(request) {
  const before = proxies();
  const answer = JSON.parse(await remote(JSON.stringify(request)));
  const leaked = [...proxies()].filter((proxy) => !before.has(proxy));
  if (leaked.length > 0) {
    answer.leaks.push(`${leaked.length} more PyProxies than before the test`);
  }
  return answer;
}

/**
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function handle(text) {
  const request = JSON.parse(text);
  try {
    const answer = await kinds[request.kind](request);
    return JSON.stringify({ ok: true, ...answer });
  } catch (error) {
    return JSON.stringify({
      ok: false,
      error: error instanceof Error ? String(error.stack) : String(error),
    });
  }
}

if (typeof document === "undefined") {
  addEventListener("message", async ({ data }) => postMessage(await handle(data)));
}
