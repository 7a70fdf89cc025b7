// Python in a worker, started by worker.mjs. The two communicate through a separate port, because the worker's
// own messages belong to Python.
//
// The page sends [number, call, ...values] for each of `calls`; the answer is ["result" or "error",
// value, number]. "progress", "print", "picture", "download" and "uncaught" messages may come in between.

import { takePage } from "./addresses.mjs";
import { messageOf } from "./python.mjs";
import { openEngine } from "./script_engine.mjs";
import { transferable } from "./transfer.mjs";

/** @typedef {{print: (text: string) => void, picture: (shown: Picture) => void, download: (file: File) => void, progress: (progress: import("./tfpy.mjs").Progress) => void, uncaught: (message: string) => void}} Hears */
/** @typedef {{svg: string, place: string | number}} Picture an image and its place; a place in use is replaced */
/** @typedef {{name: string, data: Uint8Array<ArrayBuffer>}} File a file that the page offers as a download */
/** @typedef {import("./script_engine.mjs").Options & {page: string, signals?: Int32Array}} Options the page's URL, and memory that the page shares to interrupt Python */

/** @type {import("./tfpy.mjs").Tfpy} */
let tfpy;
/** @type {import("./script_engine.mjs").Run} */
let run;
/** The Python module that runs cells, once it is needed. @type {any} */
let cells;
/** Functions that the page holds, by number. @type {Map<number, import("./functions.mjs").Callable>} */
const functions = new Map();
let made = 0;
/** Its first element interrupts Python. @type {Int32Array} */
let signals = new Int32Array(2);
/** Number of the page's signals whose messages have arrived. The page counts its signals in `signals[1]`. */
let handled = 0;
/** Number of calls that have not ended. */
let running = 0;

/** Python's errors for names of a page that its workers do not have, also in a traceback of an exception group. */
const OF_PAGE =
  /^[ |]*(?:AttributeError: |ImportError: cannot import name ')(document|window|localStorage)\b/m;

/** JavaScript's error for a Python value in a message. */
const NOT_COPIED = /^[ |]*(?:[\w.]+\.)?JsException: DataCloneError: /m;
const CONVERT = `
js.postMessage cannot copy Python's lists, dicts and arrays. Convert them first: from pyodide.ffi import to_js, and post
to_js(value, dict_converter=js.Object.fromEntries).`;

/**
 * Return the message of an error. If Python has used a part of the page, or has posted a value that cannot be copied,
 * the message names alternatives.
 * @param {any} error its cause has the traceback, with the errors that led to it, if the message has none
 */
function explained(error) {
  const message = messageOf(error);
  const whole = `${message}\n${messageOf(error?.cause ?? "")}`;
  if (NOT_COPIED.test(whole)) return message + CONVERT;
  const name = OF_PAGE.exec(whole)?.[1];
  if (!name) return message;
  return `${message}
A worker has no ${name}. Send values to the page with js.postMessage(value) and use them there, or run this code in the
page, without a worker.`;
}

/** @param {import("./functions.mjs").Callable} python */
function numberOf(python) {
  functions.set(++made, python);
  return made;
}

/**
 * Convert a Python value for postMessage: lists, dicts and arrays are copied, JavaScript values are unchanged,
 * and other values become text.
 * @param {any} value
 */
function sendable(value) {
  if (!(value instanceof tfpy.pyodide.ffi.PyProxy)) return value;
  try {
    return value.toJs({ create_pyproxies: false, dict_converter: Object.fromEntries });
  } catch {
    return String(value);
  } finally {
    value.destroy();
  }
}

const calls = {
  /** @param {Options} options @param {Hears} hears */
  async open({ page, ...options }, hears) {
    takePage(page);
    signals = options.signals ?? signals;
    let pictures = 0;
    /** Function with which Python shows images without a document. @type {(svg: string, place?: string | number) => string | number} */
    const showPicture = (svg, place) => {
      const shown = place ?? ++pictures;
      hears.picture({ svg, place: shown });
      return shown;
    };
    /** Function with which Python offers downloads. @type {(name: string, data: File["data"]) => void} */
    const offerDownload = (name, data) => hears.download({ name, data });
    Object.assign(globalThis, { tfpyShowPicture: showPicture, tfpyDownload: offerDownload });
    const engine = { ...options, signals, onProgress: hears.progress };
    const report = (/** @type {Error} */ error) => hears.uncaught(explained(error));
    ({ tfpy, run } = await openEngine(engine, hears.print, report));
  },
  /** @type {(source: string, filename: string) => Promise<any>} */
  script: async (source, filename) => sendable(await run(source, filename)),
  /**
   * Run Python like a cell of a notebook, or like an example with prompts if `echoes` is set.
   * @type {(source: string, filename: string, echoes: boolean) => Promise<string>}
   */
  cell(source, filename, echoes) {
    cells ??= tfpy.pyodide.pyimport("tfpy._src.display.cells");
    return cells.run_cell(source, filename, tfpy.pyodide.globals, echoes);
  },
  /** @type {(code: string, globals?: Record<string, any>) => Promise<any>} */
  run: async (code, globals) => sendable(await tfpy.run(code, globals)),
  /** @param {boolean} isSent true if the page has written the signal, which Python may have received */
  interrupt(isSent) {
    handled += Number(isSent);
    const isReceived = !clearSignal() && isSent;
    if (running > 0 && !isReceived) tfpy.interrupt?.();
  },
  backend: () => tfpy.backend(),
  /** @type {(source: string) => number} */
  callable: (source) => numberOf(tfpy.callable(source)),
  /** @type {(what: string) => Promise<[string, number][]>} */
  async import(what) {
    const found = await tfpy.import(what);
    return Object.entries(found).map(([name, python]) => [name, numberOf(python)]);
  },
  /** @type {(number: number, values: any[]) => Promise<any>} */
  async call(number, values) {
    const python = functions.get(number);
    if (!python) throw new Error("tfpy: this function was destroyed");
    return python(...values);
  },
  /** @param {number} number */
  destroy(number) {
    functions.get(number)?.destroy();
    functions.delete(number);
  },
};

/**
 * Clear a signal that Python has not received, and return true if there was one. A signal is for a later call, and
 * stays, if its message has not arrived.
 */
function clearSignal() {
  const signal = Atomics.exchange(signals, 0, 0);
  if (Atomics.load(signals, 1) === handled) return signal !== 0;
  if (signal !== 0) Atomics.store(signals, 0, signal); // the page counts a signal before it writes it
  return false;
}

/** @param {MessagePort} page */
function serve(page) {
  const tell = (/** @type {string} */ kind) => (/** @type {any} */ value) =>
    page.postMessage([kind, value]);
  /** @type {Hears} */
  const hears = {
    ...{ print: tell("print"), picture: tell("picture") },
    ...{ download: tell("download"), progress: tell("progress"), uncaught: tell("uncaught") },
  };
  page.onmessage = async ({ data: [number, call, ...values] }) => {
    const isRun = call !== "interrupt";
    running += Number(isRun);
    try {
      const given = call === "open" ? [...values, hears] : values;
      const result = await /** @type {any} */ (calls)[call](...given);
      page.postMessage(["result", result, number], transferable(result));
    } catch (/** @type {any} */ error) {
      const cause = error?.cause && messageOf(error.cause);
      page.postMessage(["error", { message: explained(error), cause }, number]);
    } finally {
      running -= Number(isRun);
      if (running === 0) clearSignal(); // Python may have postponed it
    }
  };
}

/** Take the page's parameters from the URL of this module if the worker's own URL belongs to a script that imports it. */
function takeParameters() {
  if (!["blob:", "data:"].includes(location.protocol)) return;
  Object.assign(globalThis, { tfpyParameters: new URL(import.meta.url).search });
}

takeParameters();
addEventListener("message", ({ ports }) => serve(ports[0]), { once: true });
