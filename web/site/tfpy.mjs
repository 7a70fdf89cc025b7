// The page loader: brings up Pyodide, NumPy and tfpy, in a page or in a module worker.
//
//   <script type="module" src="tfpy.mjs"></script>
//   <script type="text/tfpy">import tfpy as tf; print(tf.constant([1, 2]) + 1)</script>
//
// or, from JavaScript:  import { loadTfpy } from "./tfpy.mjs";

/**
 * @typedef {{stage: "pyodide" | "packages" | "backend" | "ready", fraction: number, message: string}} Progress
 *
 * @typedef {object} LoadOptions
 * @property {string} [indexURL] folder of Pyodide's core; default: "pyodide/" beside this file
 * @property {string} [lockFileURL] pyodide-lock.json that knows NumPy and tfpy; default: the one in indexURL
 * @property {string} [wheel] URL of a tfpy wheel to install instead of the lock file's
 * @property {string[]} [packages] more packages of the lock file
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
 */

const PYTHON_SCRIPTS = 'script[type="text/tfpy"]';

const START = `
import tfpy as tf

async def start(flags, backend):
    for name, value in flags.items():
        tf.env().set(name, value)
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

/**
 * Loads tfpy.
 * @param {LoadOptions} [options]
 * @returns {Promise<Tfpy>}
 */
export async function loadTfpy(options = {}) {
  const indexURL = new URL(
    options.indexURL ?? new URL("./pyodide/", import.meta.url),
    import.meta.url,
  ).href;
  /** @type {(stage: Progress["stage"], fraction: number, message: string) => void} */
  const progress = (stage, fraction, message) => options.onProgress?.({ stage, fraction, message });

  progress("pyodide", 0, "loading Python");
  const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
  /** @type {import("pyodide").PyodideInterface} */
  const pyodide = await loadPyodide({
    indexURL,
    lockFileURL: options.lockFileURL ?? `${indexURL}pyodide-lock.json`,
    ...(options.stdout ? { stdout: options.stdout, stderr: options.stdout } : {}),
  });

  progress("packages", 0.5, "loading NumPy and tfpy");
  const tfpy = options.wheel ?? "tfpy";
  await pyodide.loadPackage(["numpy", tfpy, ...(options.packages ?? [])], {
    messageCallback: () => {},
  });
  await registerRuntime(pyodide);

  progress("backend", 0.8, "starting a backend");
  const start = await pyodide.runPythonAsync(START, { globals: pyodide.toPy({}) });
  const flags = pyodide.toPy(options.flags ?? {});
  try {
    await start(flags, options.backend ?? "");
  } finally {
    flags.destroy();
    start.destroy();
  }
  const tf = pyodide.pyimport("tfpy");
  progress("ready", 1, `ready on ${tf.get_backend()}`);
  return { pyodide, tf, run: runner(pyodide), backend: () => tf.get_backend() };
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

/**
 * @param {HTMLElement} script
 * @param {string} className
 * @param {string} text
 */
function showAfter(script, className, text) {
  let pre = script.nextElementSibling;
  if (!pre?.classList.contains(className)) {
    pre = document.createElement("pre");
    pre.className = className;
    script.after(pre);
  }
  pre.textContent += `${text}\n`;
}

/** @param {HTMLScriptElement} script */
async function sourceOf(script) {
  if (!script.src) {
    return script.textContent ?? "";
  }
  const response = await fetch(script.src);
  if (!response.ok) {
    throw new Error(`${script.src}: ${response.status} ${response.statusText}`);
  }
  return response.text();
}

/**
 * Runs the page's Python scripts one after the other in one namespace. What a script prints stands
 * in a <pre class="tfpy-output"> after it; an error, in a <pre class="tfpy-error">, ends the run.
 * Each script gets a "tfpy-result" event with `detail.result`, or "tfpy-error" with `detail.error`.
 * @param {HTMLScriptElement[]} scripts
 */
async function runScripts(scripts) {
  let current = scripts[0];
  try {
    const tfpy = await loadTfpy({
      stdout: (line) => {
        console.log(line);
        showAfter(current, "tfpy-output", line);
      },
    });
    for (current of scripts) {
      const result = await tfpy.run(await sourceOf(current));
      current.dispatchEvent(new CustomEvent("tfpy-result", { bubbles: true, detail: { result } }));
    }
  } catch (error) {
    console.error(error);
    showAfter(current, "tfpy-error", error instanceof Error ? error.message : String(error));
    current.dispatchEvent(new CustomEvent("tfpy-error", { bubbles: true, detail: { error } }));
  }
}

if (typeof document !== "undefined") {
  const scripts = /** @type {NodeListOf<HTMLScriptElement>} */ (
    document.querySelectorAll(PYTHON_SCRIPTS)
  );
  if (scripts.length > 0) {
    runScripts([...scripts]);
  }
}
