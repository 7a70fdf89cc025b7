// The page loader: brings up Pyodide, NumPy and tfpy, in a page or in a module worker.
//
//   <script type="module" src="tfpy.mjs"></script>
//   <script type="text/tfpy">import tfpy as tf; print(tf.constant([1, 2]) + 1)</script>
//
// or, from JavaScript:  import { loadTfpy } from "./tfpy.mjs";

import { countFetched, fetchSizes, wheelsOf } from "./downloads.mjs";

/**
 * @typedef {object} Progress
 * @property {"pyodide" | "packages" | "backend" | "ready"} stage
 * @property {number} fraction of the whole
 * @property {string} message
 * @property {import("./downloads.mjs").Bytes} [bytes] while files come whose sizes the site says
 *
 * @typedef {object} LoadOptions
 * @property {string} [indexURL] folder of Pyodide's core; default: "pyodide/" beside this file
 * @property {string} [lockFileURL] pyodide-lock.json that knows NumPy and tfpy; default: the one in indexURL
 * @property {string} [wheel] URL of a tfpy wheel to install instead of the lock file's
 * @property {string[]} [packages] more packages of the lock file; with "keras", tfpy is TensorFlow, too
 * @property {boolean} [asTensorflow] whether `import tensorflow` gives tfpy
 * @property {string} [backend] "webgl", "wasm" or "cpu"; default: the best that works here
 * @property {Record<string, boolean | number | string>} [flags] flags of tf.env(), set before the backend starts
 * @property {(progress: Progress) => void} [onProgress]
 * @property {(line: string) => void} [stdout] takes each line printed; default: the console
 *
 * @typedef {object} Tfpy
 * @property {import("pyodide").PyodideInterface} pyodide
 * @property {any} tf the tfpy module, as a PyProxy
 * @property {(code: string, globals?: Record<string, any>) => Promise<any>} run
 *   runs Python, top-level await allowed; gives the value of the last expression
 * @property {() => string} backend name of the active backend
 * @property {(values: number | import("./functions.mjs").TypedArray, shape?: number[]) => any} tensor a tf.Tensor, as a PyProxy
 * @property {(source: any) => import("./functions.mjs").Callable} callable a function of Python, or
 *   the text of an expression that gives one, from typed arrays to typed arrays
 * @property {(what: string) => Promise<Record<string, import("./functions.mjs").Callable>>} import
 *   the functions of a module by its name, of a .py file by its address, or of Python by its text
 */

import { functionsOf } from "./functions.mjs";

const PYTHON_SCRIPTS = 'script[type="text/tfpy"]';

/** Pyodide's own files, in indexURL. */
const MODULES = ["pyodide.mjs", "pyodide.asm.mjs"];
const FETCHED = ["pyodide.asm.wasm", "python_stdlib.zip"];
const CORE = [...MODULES, ...FETCHED];

/** How a frame of a traceback begins, and the lines below that show its source. */
export const FRAME = '  File "';
export const SOURCE = "    ";

/** Of the whole of loading, done when the stage begins. */
const BEGINS = { pyodide: 0, packages: 0.8, backend: 0.9, ready: 1 };

const START = `
import gc

gc.disable()  # what is imported stays: nobody need look for garbage there, now or later
try:
    import tfpy as tf
finally:
    gc.freeze()
    gc.enable()

async def start(flags, backend, as_tensorflow):
    if as_tensorflow:
        tf.as_tensorflow()
    tf.env().set_flags(flags)
    if backend:
        await tf.set_backend_async(backend)
    else:
        await tf.ready()

start
`;

/**
 * Makes the runtime importable from Python as `tfpy_runtime`, so that pages whose
 * Content-Security-Policy forbids running text as code work too. Elsewhere the wheel has it.
 * @param {import("pyodide").PyodideInterface} pyodide
 */
async function registerRuntime(pyodide) {
  const url = new URL("./tfpy-runtime.mjs", import.meta.url).href;
  try {
    pyodide.registerJsModule("tfpy_runtime", { ...(await import(url)) });
  } catch {
    console.info(`tfpy: no ${url}; taking the runtime from the wheel`);
  }
}

/** @param {Response} response @param {string} [asked] the address that gave it */
function described({ url, status, statusText, headers }, asked = url) {
  return `${asked}: ${status} ${statusText}, ${headers.get("Content-Type") ?? "of no type"}`;
}

/**
 * Those of some addresses that give no file, with what they give.
 * @param {string[]} urls
 */
async function faultsOf(urls) {
  const found = await Promise.all(
    urls.map(async (url) => {
      try {
        const response = await fetch(url, { method: "HEAD" });
        const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
        return response.ok && !isPage ? "" : described(response, url);
      } catch (error) {
        return `${url}: ${error}`;
      }
    }),
  );
  return found.filter(Boolean);
}

/**
 * An error that says which files are missing, if any are.
 * @param {string} what
 * @param {unknown} cause
 * @param {string[]} urls
 */
async function loadingError(what, cause, urls) {
  const faults = await faultsOf(urls);
  return new Error([`tfpy: ${what}: ${messageOf(cause)}`, ...faults].join("\n"), { cause });
}

/**
 * @param {string} url
 * @returns {Promise<import("pyodide").Lockfile>}
 */
async function fetchLock(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`no lock file at ${described(response)}`);
  try {
    return await response.json();
  } catch (error) {
    throw new Error(`the lock file is no JSON: ${described(response)}`, { cause: error });
  }
}

/**
 * Watches how Pyodide's WebAssembly starts: Pyodide waits for ever where it cannot.
 * @returns {{failed: Promise<never>, end: () => void}}
 */
function watchWebAssembly() {
  const { instantiateStreaming } = WebAssembly;
  /** @type {(error: Error) => void} */
  let fail;
  const failed = /** @type {Promise<never>} */ (
    new Promise((_, reject) => {
      fail = reject;
    })
  );
  /** @type {typeof WebAssembly.instantiateStreaming} */
  const watched = async (source, imports) => {
    let where = "";
    try {
      const response = await source;
      where = ` (${described(response)})`;
      return await instantiateStreaming.call(WebAssembly, response, imports);
    } catch (error) {
      fail(new Error(`WebAssembly cannot start: ${error}${where}`, { cause: error }));
      throw error;
    }
  };
  WebAssembly.instantiateStreaming = watched;
  const end = () => {
    if (WebAssembly.instantiateStreaming === watched) {
      WebAssembly.instantiateStreaming = instantiateStreaming;
    }
  };
  return { failed, end };
}

/**
 * Starts Python, and meanwhile fetches packages.
 * @param {string} indexURL
 * @param {string} lockFileURL
 * @param {string[]} wanted those that are not in the lock file are left to loadPackages
 * @param {LoadOptions} options
 * @param {(bytes: import("./downloads.mjs").Bytes) => void} onBytes
 * @returns {Promise<import("pyodide").PyodideInterface>}
 */
async function startPyodide(indexURL, lockFileURL, wanted, { stdout }, onBytes) {
  const lock = fetchLock(lockFileURL);
  lock.catch(() => {}); // it is waited for below
  const sizes = fetchSizes();
  /** @type {(() => void)[]} */
  const ends = [];
  try {
    const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
    const config = { indexURL, packageBaseUrl: new URL(".", lockFileURL).href };
    const lockFileContents = await lock;
    const packages = wanted.filter((name) => name in lockFileContents.packages);
    const watch = watchWebAssembly();
    ends.push(watch.end);
    const core = FETCHED.map((name) => indexURL + name);
    const files = [...core, ...wheelsOf(lockFileContents, lockFileURL, packages)];
    ends.push(countFetched(files, await sizes, onBytes));
    const streams = stdout ? { stdout, stderr: stdout } : {};
    const loading = loadPyodide({ ...config, lockFileContents, packages, ...streams });
    return await Promise.race([loading, watch.failed]);
  } catch (error) {
    const files = [...CORE.map((name) => indexURL + name), lockFileURL];
    throw await loadingError("Python did not start", error, files);
  } finally {
    for (const end of ends) end();
  }
}

/**
 * Loads the packages that Pyodide has not loaded at its start. Pyodide only logs what fails.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {string[]} wanted names or URLs of wheels
 * @param {string} lockFileURL
 */
async function loadPackages(pyodide, wanted, lockFileURL) {
  /** @type {string[]} */
  const said = [];
  const urls = wanted.map((name) => {
    const file = pyodide.lockfile.packages[name]?.file_name;
    return file ? new URL(file, lockFileURL).href : new URL(name, location.href).href;
  });
  try {
    await pyodide.loadPackage(wanted, {
      messageCallback: () => {},
      errorCallback: (text) => said.push(text),
    });
  } catch (error) {
    throw await loadingError(`${wanted.join(", ")} cannot be loaded`, error, urls);
  }
  const missing = wanted.filter((name) => !(packageName(name) in pyodide.loadedPackages));
  if (missing.length > 0) {
    const reason = said.join("\n") || "Pyodide has not said why";
    throw await loadingError(`${missing.join(", ")} cannot be loaded`, reason, urls);
  }
}

/** The name of a package, or that in a wheel's URL. @param {string} name */
function packageName(name) {
  if (!name.endsWith(".whl")) return name;
  const file = name.slice(name.lastIndexOf("/") + 1);
  return file.split("-")[0].toLowerCase().replace(/[_.]+/g, "-");
}

/**
 * Loads tfpy.
 *
 * It rejects with an Error that names the file and what its address gives if one is missing, with
 * Python's error for flags and backends that there are not.
 * @param {LoadOptions} [options]
 * @returns {Promise<Tfpy>}
 */
export async function loadTfpy(options = {}) {
  const indexURL = new URL(
    options.indexURL ?? new URL("./pyodide/", import.meta.url),
    import.meta.url,
  ).href;
  const lockFileURL = options.lockFileURL
    ? new URL(options.lockFileURL, location.href).href
    : `${indexURL}pyodide-lock.json`;
  /** @type {(stage: Progress["stage"], message: string) => void} */
  const progress = (stage, message) => {
    options.onProgress?.({ stage, fraction: BEGINS[stage], message });
  };

  progress("pyodide", "loading Python");
  const onBytes = (/** @type {import("./downloads.mjs").Bytes} */ bytes) => {
    const fraction = (BEGINS.packages * bytes.loaded) / bytes.total;
    const message = bytes.loaded < bytes.total ? "loading Python" : "starting Python";
    options.onProgress?.({ stage: "pyodide", fraction, message, bytes });
  };
  const packages = options.packages ?? [];
  const wanted = ["numpy", options.wheel ?? "tfpy", ...packages];
  const pyodide = await startPyodide(indexURL, lockFileURL, wanted, options, onBytes);

  progress("packages", "loading NumPy and tfpy");
  await loadPackages(pyodide, wanted, lockFileURL);
  await registerRuntime(pyodide);

  progress("backend", "starting a backend");
  const flags = pyodide.toPy(options.flags ?? {});
  let start;
  try {
    start = await pyodide.runPythonAsync(START, { globals: pyodide.toPy({}) });
    const asTensorflow = options.asTensorflow ?? packages.includes("keras");
    await start(flags, options.backend ?? "", asTensorflow);
  } catch (error) {
    throw new Error(`tfpy: ${withoutTraceback(error)}`, { cause: error });
  } finally {
    flags.destroy();
    start?.destroy();
  }
  const tf = pyodide.pyimport("tfpy");
  progress("ready", `ready on ${tf.get_backend()}`);
  return {
    pyodide,
    tf,
    run: runner(pyodide),
    backend: () => tf.get_backend(),
    ...functionsOf(pyodide, tf),
  };
}

/**
 * What an error says, of Python's only what is below the traceback.
 * @param {unknown} error
 */
export function withoutTraceback(error) {
  const lines = messageOf(error).split("\n");
  let begin = lines.findLastIndex((line) => line.startsWith(FRAME)) + 1;
  while (begin > 0 && lines[begin]?.startsWith(SOURCE)) begin++;
  return lines.slice(begin).join("\n");
}

/** @param {any} error Pyodide throws objects that are no Errors, too */
export function messageOf(error) {
  return String(error?.message ?? error).trim();
}

/**
 * @param {import("pyodide").PyodideInterface} pyodide
 * @returns {Tfpy["run"]}
 */
function runner(pyodide) {
  return async (code, globals) => {
    if (!globals) {
      return pyodide.runPythonAsync(code);
    }
    const names = pyodide.toPy(globals, { depth: 1 });
    try {
      return await pyodide.runPythonAsync(code, { globals: names });
    } finally {
      names.destroy();
    }
  };
}

if (typeof document !== "undefined") {
  const scripts = /** @type {NodeListOf<HTMLScriptElement>} */ (
    document.querySelectorAll(PYTHON_SCRIPTS)
  );
  if (scripts.length > 0) {
    import("./scripts.mjs").then(({ runScripts }) => runScripts([...scripts]));
  }
}
