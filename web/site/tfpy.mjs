// The page loader: brings up Pyodide, NumPy and tfpy, in a page or in a module worker.
//
//   <script type="module" src="tfpy.mjs"></script>
//   <script type="text/tfpy">import tfpy as tf; print(tf.constant([1, 2]) + 1)</script>
//
// or, from JavaScript:  import { loadTfpy } from "./tfpy.mjs";

import { mendContexts } from "./contexts.mjs";
import { filenameOf, importModule, loadPython, messageOf } from "./python.mjs";

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
 * The JavaScript runtime as a module, which Python imports as `tfpy_runtime`, so that pages whose
 * Content-Security-Policy forbids running text as code work too. Elsewhere the wheel has it.
 */
async function importRuntime() {
  const url = new URL("./tfpy-runtime.mjs", import.meta.url).href;
  try {
    return { ...(await importModule(url)) };
  } catch {
    console.info(`tfpy: no ${url}; taking the runtime from the wheel`);
    return null;
  }
}

/**
 * Loads tfpy.
 *
 * It rejects with an Error that names the files with which something is wrong, and what that is, or
 * what the page's content security policy lacks; with Python's error for flags and backends that
 * there are not. It may be called again afterwards.
 * @param {LoadOptions} [options]
 * @returns {Promise<Tfpy>}
 */
export async function loadTfpy(options = {}) {
  mendContexts();
  const indexURL = new URL(options.indexURL ?? "./pyodide/", import.meta.url).href;
  const lockFileURL = options.lockFileURL
    ? new URL(options.lockFileURL, globalThis.location?.href ?? import.meta.url).href
    : `${indexURL}pyodide-lock.json`;
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
  const wanted = ["numpy", options.wheel ?? "tfpy", ...packages];
  const pyodide = await loadPython({
    ...{ indexURL, lockFileURL, wanted, onBytes, stdout: options.stdout },
    onStart: () => progress("packages", "loading NumPy and tfpy"),
  });
  const runtime = await runtimeModule;
  if (runtime) pyodide.registerJsModule("tfpy_runtime", runtime);

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
    // What is shown after a script of the head would not be seen.
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
