// Python in a worker, for JavaScript: the page stays responsive while Python runs.
//
//   import { startWorker } from "./worker.mjs";
//   const tfpy = await startWorker();
//   await tfpy.run("import tfpy as tf; tf.constant([1, 2]) + 1");

import { base } from "./addresses.mjs";
import { checkOptions } from "./options.mjs";
import { PageWorker } from "./page_worker.mjs";
import { messageOf } from "./python.mjs";
import { transferable } from "./transfer.mjs";

/**
 * @typedef {import("./tfpy.mjs").LoadOptions} LoadOptions
 *
 * @typedef {import("./functions.mjs").Signature} Signature
 * @typedef {import("./functions.mjs").Undeclared} Undeclared
 *
 * @typedef {object} TfpyWorker the counterpart of loadTfpy's result; all values are copies
 * @property {Worker} worker receives Python's messages (`js.postMessage`) and sends messages to Python; its listeners
 *   remain if `interrupt` starts Python again
 * @property {(code: string, globals?: Record<string, any>) => Promise<any>} run
 *   run Python, top-level await allowed; resolves to the value of the last expression: numbers, strings,
 *   lists and dicts, tensors and arrays as typed arrays, and other values as their text
 * @property {() => Promise<string>} backend name of the active backend
 * @property {<F extends Signature = Undeclared>(source: string) => Promise<WorkerCallable<F>>} callable wrap a
 *   Python function, given as the source of an expression
 * @property {<F extends {[Name in keyof F]: Signature} = Record<string, Undeclared>>(what: string) =>
 *   Promise<{[Name in keyof F]: WorkerCallable<F[Name]>}>} import wrap the functions of a
 *   module by its name, of a .py file by its URL, or of Python source
 * @property {() => Promise<boolean>} interrupt raise KeyboardInterrupt in running calls, and resolve to true. If the
 *   page is not cross-origin isolated and Python does not wait for anything, replace the worker by a new one:
 *   running calls reject, all variables and functions are lost, and the result is false
 * @property {() => void} end terminate the worker and free its memory; running calls reject
 *
 * @typedef {object} Opened
 * @property {Worker} worker
 * @property {(call: string, ...values: any[]) => Promise<any>} ask
 * @property {(moved: Transferable[], call: string, ...values: any[]) => Promise<any>} askMoving
 * @property {() => Promise<boolean>} interrupt resolves to false if it had to end the worker
 * @property {() => void} end
 * @property {() => boolean} isOver returns true if the worker has ended
 */

/**
 * @template {Signature} [F=Undeclared]
 * @typedef {import("./functions.mjs").Callable<F> & {transfer: (...values: Parameters<F>) =>
 *   Promise<Awaited<ReturnType<F>>>}} WorkerCallable
 *   `transfer` also calls it, but moves the memory of arrays and images to the worker instead of copying it
 */

/** Value of `origin` for opaque origins, e.g. in sandboxed iframes. */
const OPAQUE = "null";

const SIGINT = 2;

/** Milliseconds in which a worker must answer if the page cannot interrupt it otherwise. */
const PATIENCE_MS = 3000;

const LOST =
  "tfpy: to stop Python, its worker was ended, and all variables are lost. Python can only be " +
  "interrupted without this loss if the page is cross-origin isolated, or if the program awaits.";

/**
 * Start tfpy in a worker.
 *
 * Rejects as loadTfpy does. Calls reject with Errors: `run` with Python's traceback, and functions with
 * Python's message and the traceback as the cause.
 * @param {LoadOptions} [options]
 * @returns {Promise<TfpyWorker>}
 */
export async function startWorker(options = {}) {
  checkOptions("startWorker", options);
  const { onProgress, stdout, ...sent } = options;
  const open = () =>
    openWorker(sent, {
      progress: (progress) => onProgress?.(progress),
      print: linesTo(stdout ?? console.log),
      picture: () => {}, // only scripts of a page show them
      uncaught: (message) => console.error(message),
    });
  let current = await open();
  const worker = new PageWorker(current.worker);
  let isEnded = false;
  /** The worker that replaces an interrupted one, while it starts. @type {Promise<Opened> | undefined} */
  let replacing;
  const replace = async () => {
    try {
      current = await open();
      worker.follow(current.worker);
    } finally {
      replacing = undefined;
    }
    if (isEnded) current.end();
    return current;
  };
  /** @template T @param {(opened: Opened) => Promise<T>} call */
  const withWorker = (call) => (replacing ? replacing.then(call) : call(current));
  return {
    worker,
    end() {
      isEnded = true;
      current.end();
    },
    async interrupt() {
      if (!replacing && (await current.interrupt())) return true;
      replacing ??= replace();
      await replacing;
      return false;
    },
    run: (code, globals) => withWorker(({ ask }) => ask("run", code, globals)),
    backend: () => withWorker(({ ask }) => ask("backend")),
    callable: (source) =>
      withWorker(async (owner) => callableOf(owner, await owner.ask("callable", source))),
    import: (what) => withWorker((owner) => functionsOf(owner, what)),
  };
}

/**
 * Return functions that call the functions of a module in a worker.
 * @param {Opened} owner
 * @param {string} what
 * @returns {Promise<any>}
 */
async function functionsOf(owner, what) {
  /** @type {[string, number][]} */
  const found = await owner.ask("import", what);
  return Object.fromEntries(found.map(([name, number]) => [name, callableOf(owner, number)]));
}

/** Functions that the page has released without `destroy`. @type {FinalizationRegistry<{ask: Opened["ask"], number: number}>} */
const forgotten = new FinalizationRegistry(({ ask, number }) => {
  ask("destroy", number).catch(() => {});
});

/**
 * Return a function that calls a Python function of a worker.
 * @param {Opened} opened
 * @param {number} number the worker's number of the function
 * @returns {WorkerCallable<any>}
 */
function callableOf({ ask, askMoving }, number) {
  const call = (/** @type {any[]} */ ...values) => ask("call", number, values);
  forgotten.register(call, { ask, number }, call);
  return Object.assign(call, {
    transfer: (/** @type {any[]} */ ...values) =>
      askMoving(transferable(values), "call", number, values),
    destroy: () => {
      if (forgotten.unregister(call)) ask("destroy", number).catch(() => {});
    },
  });
}

/**
 * Start a worker with tfpy, and a function that sends requests to it.
 * @param {import("./script_engine.mjs").Options} options without functions
 * @param {Omit<import("./worker_host.mjs").Hears, "download">} shows functions that show what Python reports
 * @returns {Promise<Opened>}
 */
export async function openWorker(options, shows) {
  const hears = {
    ...shows,
    download: (/** @type {import("./worker_host.mjs").File} */ file) =>
      download(file).catch(console.error),
  };
  const signals = globalThis.crossOriginIsolated
    ? new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    : undefined;
  const url = new URL("./worker_host.mjs", import.meta.url);
  url.search = location.search; // passes the flags, which Python reads from there
  const { worker, begun } = workerOf(url);
  const { port1: port, port2 } = new MessageChannel();
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const asked = new Map();
  let count = 0;
  /** Reason why the worker no longer answers. @type {Error | undefined} */
  let over;

  const stop = (/** @type {Error} */ error) => {
    over ??= error;
    begun();
    worker.terminate();
    port.close();
    for (const { reject } of asked.values()) reject(over);
    asked.clear();
  };
  worker.onerror = ({ message }) => stop(new Error(whyNot(url, message)));
  port.onmessage = ({ data: [kind, value, number] }) => {
    if (kind in hears) return /** @type {any} */ (hears)[kind](value);
    const waiting = asked.get(number);
    asked.delete(number);
    if (kind === "result") return waiting?.resolve(value);
    const cause = value.cause && new Error(value.cause);
    waiting?.reject(new Error(value.message, cause && { cause }));
  };
  worker.postMessage(null, [port2]);

  /** @type {Opened["askMoving"]} */
  const askMoving = (moved, ...call) =>
    new Promise((resolve, reject) => {
      if (over) throw over;
      try {
        port.postMessage([++count, ...call], moved);
      } catch (error) {
        throw explained(error);
      }
      asked.set(count, { resolve, reject });
    });
  /** @type {Opened["ask"]} */
  const ask = (...call) => askMoving([], ...call);
  const interrupt = async () => {
    if (asked.size === 0) return true;
    if (signals) {
      Atomics.add(signals, 1, 1);
      Atomics.store(signals, 0, SIGINT);
    }
    const answered = ask("interrupt", signals !== undefined).then(
      () => true,
      () => true, // the worker has ended in the meantime
    );
    if (signals) return true;
    const isLate = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, false));
    if (await Promise.race([answered, isLate])) return true;
    stop(new Error(LOST));
    return false;
  };
  const end = () => stop(new Error("tfpy: the worker was ended"));
  try {
    await ask("open", { ...options, page: base(), signals });
    begun();
  } catch (error) {
    end();
    throw error;
  }
  return { worker, ask, askMoving, interrupt, end, isOver: () => over !== undefined };
}

/**
 * Return an error that explains how to pass a value that browsers do not copy to workers; other errors are unchanged.
 * @param {any} error
 */
function explained(error) {
  if (error?.name !== "DataCloneError") return error;
  const text =
    "A worker receives copies of arguments, and browsers cannot copy functions or elements of the page. To report " +
    "progress, call js.postMessage in Python, and listen to messages of tfpy.worker. To pass functions, use loadTfpy " +
    "in the page or in a module worker of your own.";
  return new TypeError(
    `tfpy: an argument cannot be copied to the worker: ${messageOf(error)}\n${text}`,
    {
      cause: error,
    },
  );
}

/**
 * Start a worker that runs a module. Browsers start workers from the page's origin only: for a module
 * from another origin, the page creates a script that imports it.
 * @param {URL} url
 * @returns {{worker: Worker, begun: () => void}} `begun` releases that script, once it has run
 */
function workerOf(url) {
  const address = url.origin === globalThis.origin ? url.href : importing(url.href);
  const begun = () => URL.revokeObjectURL(address);
  try {
    return { worker: new Worker(address, { type: "module" }), begun };
  } catch (cause) {
    begun();
    throw new Error(whyNot(url, String(cause)), { cause });
  }
}

/**
 * Return the address of a script that imports a module.
 * @param {string} url
 */
function importing(url) {
  const code = `import ${JSON.stringify(url)};`;
  const type = "text/javascript";
  // Chromium does not load blob: as a module where the page's origin is opaque.
  return globalThis.origin === OPAQUE
    ? `data:${type},${encodeURIComponent(code)}`
    : URL.createObjectURL(new Blob([code], { type }));
}

/**
 * Return the reason why a worker does not run, and what to do.
 * @param {URL} url URL of its module
 * @param {string} [message] message of the error, if it has one
 */
function whyNot({ origin, pathname }, message) {
  const page = globalThis.origin;
  if (origin === page) return `${pathname} does not run: ${message || "does the file exist?"}`;
  const [shown, scheme] =
    page === OPAQUE
      ? ["opaque (a sandboxed iframe without allow-same-origin has such an origin)", "data:"]
      : [page, "blob:"];
  return (
    `tfpy: ${origin}${pathname} does not run in a worker of this page, whose origin is ${shown}` +
    `${message ? `: ${message}` : ""}. Serve tfpy's files from the page's origin. Otherwise their ` +
    "server must let other origins read them (Access-Control-Allow-Origin), and the page's " +
    `Content-Security-Policy, if it has one, must allow ${scheme} in worker-src.`
  );
}

/**
 * Offer a file of Python's as a download.
 * @param {import("./worker_host.mjs").File} file
 */
async function download({ name, data }) {
  const { offerDownload } = await import(new URL("./tfpy-runtime.mjs", import.meta.url).href);
  offerDownload(name, data);
}

/**
 * Return a function that splits text into lines.
 * @param {(line: string) => void} tell
 */
function linesTo(tell) {
  let begun = "";
  return (/** @type {string} */ text) => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) tell(line);
  };
}
