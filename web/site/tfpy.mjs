// The page loader: starts Pyodide with NumPy and tfpy, in a page or in a module worker.
//
//   <script type="module" src="tfpy.mjs"></script>
//   <script type="text/tfpy">import tfpy as tf; print(tf.constant([1, 2]) + 1)</script>
//
// or, from JavaScript:  import { loadTfpy } from "./tfpy.mjs";

import { resolved, resolvedFolder } from "./addresses.mjs";
import { mendContexts } from "./contexts.mjs";
import { packageName } from "./distribution.mjs";
import { interrupter } from "./interrupts.mjs";
import { checkOptions } from "./options.mjs";
import { filenameOf, importModule, loadPython, messageOf } from "./python.mjs";

/**
 * @typedef {"webgpu" | "webgl" | "wasm" | "cpu"} BackendName
 *
 * @typedef {object} Progress
 * @property {"pyodide" | "packages" | "backend" | "ready"} stage
 * @property {number} fraction completed fraction of the start
 * @property {string} message
 * @property {import("./downloads.mjs").Bytes} [bytes] during downloads, if the site has the sizes of the files
 *
 * @typedef {object} LoadOptions relative URLs refer to the page
 * @property {string} [indexURL] folder of Pyodide's core; default: "pyodide/" next to this file
 * @property {string} [lockFileURL] pyodide-lock.json with NumPy and tfpy; default: the one in indexURL
 * @property {string} [wheel] URL of a tfpy wheel to install instead of the lock file's
 * @property {string[]} [packages] more packages of the site or of Pyodide's distribution, such as "keras" and "pandas";
 *   "keras" and "keras-hub" imply asTensorflow
 * @property {string} [distribution] folder with the wheels of Pyodide's distribution; default: the folder of this
 *   version on Pyodide's CDN
 * @property {boolean} [asTensorflow] whether `import tensorflow` imports tfpy
 * @property {BackendName} [backend] default: the best one that works here
 * @property {Record<string, boolean | number | string>} [flags] flags of tf.env(), set before the backend starts
 * @property {(progress: Progress) => void} [onProgress]
 * @property {(line: string) => void} [stdout] called with each printed line; default: the console
 * @property {Int32Array} [signals] if its first element becomes 2 (SIGINT), Python raises KeyboardInterrupt; must be
 *   in a SharedArrayBuffer if another thread writes it; not for startWorker, which returns `interrupt`
 *
 * @typedef {object} Tfpy
 * @property {import("pyodide").PyodideInterface} pyodide
 * @property {any} tf the tfpy module, as a PyProxy
 * @property {(code: string, globals?: Record<string, any>) => Promise<any>} run
 *   run Python, top-level await allowed; resolves to the value of the last expression
 * @property {() => string} backend name of the active backend
 * @property {(values: number | import("./functions.mjs").TypedArray, shape?: number[]) => any} tensor create a tf.Tensor, as a PyProxy
 * @property {<F extends Signature = Undeclared>(source: any) => import("./functions.mjs").Callable<F>} callable
 *   wrap a Python function, or the source of an expression that returns one, for calls with typed arrays
 * @property {<F extends {[Name in keyof F]: Signature} = Record<string, Undeclared>>(what: string) =>
 *   Promise<import("./functions.mjs").Functions<F>>} import
 *   wrap the functions of a module by its name, of a .py file by its URL, or of Python source
 * @property {() => void} [interrupt] raise KeyboardInterrupt in Python calls that are waiting; exists if the
 *   option `signals` is passed
 *
 * @typedef {import("./functions.mjs").Signature} Signature
 * @typedef {import("./functions.mjs").Undeclared} Undeclared
 */

/**
 * @template {keyof import("./functions.mjs").Arrays} [D=keyof import("./functions.mjs").Arrays]
 * @typedef {import("./functions.mjs").Tensor<D>} Tensor
 */

import { functionsOf } from "./functions.mjs";

const PYTHON_SCRIPTS = 'script[type="text/tfpy"]';
/** Packages that import tensorflow. */
const KERAS = new Set(["keras", "keras-hub"]);

/** Beginning of a frame in a traceback, and of the lines below it that show its source. */
export const FRAME = '  File "';
export const SOURCE = "    ";

/** Completed fraction of the start when each stage begins. */
const BEGINS = { pyodide: 0, packages: 0.8, backend: 0.9, ready: 1 };

const START = `
import gc

gc.disable()  # imported objects are never garbage, so collections would only cost time
try:
    import tfpy as tf
finally:
    gc.freeze()
    gc.enable()

import asyncio
from tfpy._src.backends.javascript import missing_modules

# the call that sys.exit() ended reports it; Pyodide would also raise it in the page
asyncio.get_running_loop()._system_exit_handler = lambda status: None

async def start(flags, backend, as_tensorflow):
    missing_modules.explain()
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
 * Import the JavaScript runtime as a module, which Python imports as `tfpy_runtime`. This also works on pages with
 * a Content-Security-Policy that forbids eval. Without the file, the wheel's copy is used.
 */
async function importRuntime() {
  const url = new URL("./tfpy-runtime.mjs", import.meta.url).href;
  try {
    return { ...(await importModule(url)) };
  } catch {
    console.info(`tfpy: no ${url}; using the runtime in the wheel`);
    return null;
  }
}

/**
 * Load tfpy.
 *
 * Rejects with an Error that names the files that failed with the reasons, or the missing permission in the page's
 * content security policy; with Python's error for unknown flags and backends. It may be called again afterwards.
 * @param {LoadOptions} [options]
 * @returns {Promise<Tfpy>}
 */
export async function loadTfpy(options = {}) {
  checkOptions("loadTfpy", options);
  mendContexts();
  const indexURL = options.indexURL
    ? resolvedFolder(options.indexURL)
    : new URL("./pyodide/", import.meta.url).href;
  const lockFileURL = options.lockFileURL
    ? resolved(options.lockFileURL)
    : `${indexURL}pyodide-lock.json`;
  const distribution = options.distribution && resolvedFolder(options.distribution);
  /** @type {(stage: Progress["stage"], message: string) => void} */
  const progress = (stage, message) => {
    options.onProgress?.({ stage, fraction: BEGINS[stage], message });
  };

  progress("pyodide", "loading Python");
  const onBytes = (/** @type {import("./downloads.mjs").Bytes} */ bytes) => {
    const fraction = BEGINS.packages * (bytes.loaded / bytes.total);
    const message = bytes.loaded < bytes.total ? "loading Python" : "starting Python";
    options.onProgress?.({ stage: "pyodide", fraction, message, bytes });
  };
  const runtimeModule = importRuntime();
  const packages = options.packages ?? [];
  const wheel = options.wheel && resolved(options.wheel);
  const wanted = ["numpy", wheel ?? "tfpy-web", ...packages];
  const pyodide = await loadPython({
    ...{ indexURL, lockFileURL, wanted, distribution, onBytes, stdout: options.stdout },
    onStart: () => progress("packages", "loading NumPy and tfpy"),
  });
  const runtime = await runtimeModule;
  if (runtime) pyodide.registerJsModule("tfpy_runtime", runtime);

  const interrupt = options.signals && interrupter(pyodide, options.signals);

  progress("backend", "starting a backend");
  const flags = pyodide.toPy(options.flags ?? {});
  let start;
  try {
    start = await pyodide.runPythonAsync(START, { globals: pyodide.toPy({}) });
    const usesKeras = packages.some((name) => KERAS.has(packageName(name)));
    const asTensorflow = options.asTensorflow ?? usesKeras;
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
    ...(interrupt && { interrupt }),
  };
}

/**
 * Return the message of an error, without Python's traceback.
 * @param {unknown} error
 */
export function withoutTraceback(error) {
  const lines = messageOf(error).split("\n");
  let begin = lines.findLastIndex((line) => line.startsWith(FRAME)) + 1;
  while (begin > 0 && lines[begin]?.startsWith(SOURCE)) begin++;
  return lines.slice(begin).join("\n");
}

/**
 * @param {import("pyodide").PyodideInterface} pyodide
 * @returns {Tfpy["run"]}
 */
function runner(pyodide) {
  return async (code, globals) => {
    const filename = filenameOf(code, "run");
    if (!globals) {
      return pyodide.runPythonAsync(code, { filename });
    }
    const names = pyodide.toPy(globals, { depth: 1 });
    try {
      return await pyodide.runPythonAsync(code, { globals: names, filename });
    } finally {
      names.destroy();
    }
  };
}

if (typeof document !== "undefined") {
  const scripts = /** @type {HTMLScriptElement[]} */ ([
    ...document.querySelectorAll(PYTHON_SCRIPTS),
  ]);
  if (scripts.length > 0) {
    // Output after a script in the head would not be visible.
    document.body.prepend(...scripts.filter((script) => document.head.contains(script)));
    import("./scripts.mjs").then(
      ({ runScripts }) => runScripts(scripts),
      (error) => {
        console.error(error);
        scripts[0].insertAdjacentHTML("afterend", '<pre class="tfpy-error"></pre>');
        /** @type {Element} */ (scripts[0].nextElementSibling).textContent = messageOf(error);
      },
    );
  }
}
