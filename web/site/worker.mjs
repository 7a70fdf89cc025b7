// Python in a worker, for JavaScript: the page goes on whatever Python does.
//
//   import { startWorker } from "./worker.mjs";
//   const tfpy = await startWorker();
//   await tfpy.run("import tfpy as tf; tf.constant([1, 2]) + 1");

import { transferable } from "./transfer.mjs";

/**
 * @typedef {import("./tfpy.mjs").LoadOptions} LoadOptions
 *
 * @typedef {import("./functions.mjs").Callable & {transfer(...values: any[]): Promise<any>}} WorkerCallable
 *   `transfer` calls it, too; what arrays and pictures hold then moves to the worker, and is gone here
 *
 * @typedef {object} TfpyWorker what loadTfpy gives, as far as it can be there; all values are copies
 * @property {Worker} worker hears what Python posts (`js.postMessage`); ends by `end`
 * @property {(code: string, globals?: Record<string, any>) => Promise<any>} run
 *   runs Python, top-level await allowed; gives the value of the last expression: numbers, texts,
 *   lists, dicts, tensors and arrays as typed arrays, of other values the text
 * @property {() => Promise<string>} backend name of the active backend
 * @property {(source: string) => Promise<WorkerCallable>} callable a function of Python, of the
 *   text of an expression that gives one
 * @property {(what: string) => Promise<Record<string, WorkerCallable>>} import the functions of a
 *   module by its name, of a .py file by its address, or of Python by its text
 * @property {() => void} end ends the worker and frees all that it has; what runs there rejects
 *
 * @typedef {object} Opened
 * @property {Worker} worker
 * @property {(call: string, ...values: any[]) => Promise<any>} ask
 * @property {(moved: Transferable[], call: string, ...values: any[]) => Promise<any>} askMoving
 * @property {() => void} end
 */

/**
 * Starts tfpy in a worker.
 *
 * It rejects as loadTfpy does. Calls reject with Errors: of `run` with Python's traceback, of
 * functions with what it says, the traceback as the cause.
 * @param {LoadOptions} [options]
 * @returns {Promise<TfpyWorker>}
 */
export async function startWorker(options = {}) {
  const { onProgress, stdout, ...sent } = options;
  const { worker, ask, askMoving, end } = await openWorker(sent, {
    progress: (progress) => onProgress?.(progress),
    print: linesTo(stdout ?? console.log),
    picture: () => {}, // a page's script shows them
  });
  const forgotten = new FinalizationRegistry((number) => ask("destroy", number).catch(() => {}));

  /** @param {number} number @returns {WorkerCallable} */
  const callableOf = (number) => {
    const call = (/** @type {any[]} */ ...values) => ask("call", number, values);
    forgotten.register(call, number, call);
    return Object.assign(call, {
      transfer: (/** @type {any[]} */ ...values) =>
        askMoving(transferable(values), "call", number, values),
      destroy: () => {
        if (forgotten.unregister(call)) ask("destroy", number).catch(() => {});
      },
    });
  };
  return {
    worker,
    end,
    run: (code, globals) => ask("run", code, globals),
    backend: () => ask("backend"),
    callable: async (source) => callableOf(await ask("callable", source)),
    import: async (what) => {
      /** @type {[string, number][]} */
      const found = await ask("import", what, location.href);
      return Object.fromEntries(found.map(([name, number]) => [name, callableOf(number)]));
    },
  };
}

/**
 * A worker with tfpy, and what asks it.
 * @param {import("./script_engine.mjs").Options} options without functions
 * @param {import("./worker_host.mjs").Hears} hears
 * @returns {Promise<Opened>}
 */
export async function openWorker(options, hears) {
  const url = new URL("./worker_host.mjs", import.meta.url);
  url.search = location.search; // with the flags, which Python reads there
  const worker = new Worker(url, { type: "module" });
  const { port1: port, port2 } = new MessageChannel();
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const asked = new Map();
  let count = 0;
  /** Why nobody answers any more. @type {Error | undefined} */
  let over;

  const stop = (/** @type {Error} */ error) => {
    over ??= error;
    worker.terminate();
    port.close();
    for (const { reject } of asked.values()) reject(over);
    asked.clear();
  };
  worker.onerror = ({ message }) =>
    stop(new Error(`${url.pathname} does not run: ${message || "is it there?"}`));
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
      port.postMessage([++count, ...call], moved);
      asked.set(count, { resolve, reject });
    });
  /** @type {Opened["ask"]} */
  const ask = (...call) => askMoving([], ...call);
  const end = () => stop(new Error("tfpy: the worker was ended"));
  try {
    await ask("open", options);
  } catch (error) {
    end();
    throw error;
  }
  return { worker, ask, askMoving, end };
}

/**
 * Takes text in parts, and gives lines.
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
