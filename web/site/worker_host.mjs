// Python in a worker: what worker.mjs starts. What the two say to each other goes through a port of
// its own, since the worker's messages are Python's.
//
// The page sends [number, call, ...values] for each of `calls`; the answer is ["result" or "error",
// value, number]. "progress", "print" and "picture" come in between.

import { addressOf } from "./functions.mjs";
import { messageOf } from "./python.mjs";
import { openEngine } from "./script_engine.mjs";
import { transferable } from "./transfer.mjs";

/** @typedef {{print: (text: string) => void, picture: (shown: Picture) => void, progress: (progress: import("./tfpy.mjs").Progress) => void}} Hears */
/** @typedef {{svg: string, place: string | number}} Picture what Python shows, and where: again at a place that was taken */

/** @type {import("./tfpy.mjs").Tfpy} */
let tfpy;
/** @type {import("./script_engine.mjs").Run} */
let run;
/** Functions that the page has, by number. @type {Map<number, import("./functions.mjs").Callable>} */
const functions = new Map();
let made = 0;

/** @param {import("./functions.mjs").Callable} python */
function numberOf(python) {
  functions.set(++made, python);
  return made;
}

/**
 * What can be sent of a value of Python: JavaScript's own, copies of lists, dicts and arrays, and of
 * all else the text.
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
  /** @param {import("./script_engine.mjs").Options} options @param {Hears} hears */
  async open(options, hears) {
    let pictures = 0;
    /** What Python shows pictures with where there is no document. @type {(svg: string, place?: string | number) => string | number} */
    const showPicture = (svg, place) => {
      const shown = place ?? ++pictures;
      hears.picture({ svg, place: shown });
      return shown;
    };
    Object.assign(globalThis, { tfpyShowPicture: showPicture });
    ({ tfpy, run } = await openEngine({ ...options, onProgress: hears.progress }, hears.print));
  },
  /** @type {(source: string, filename: string) => Promise<any>} */
  script: async (source, filename) => sendable(await run(source, filename)),
  /** @type {(code: string, globals?: Record<string, any>) => Promise<any>} */
  run: async (code, globals) => sendable(await tfpy.run(code, globals)),
  backend: () => tfpy.backend(),
  /** @type {(source: string) => number} */
  callable: (source) => numberOf(tfpy.callable(source)),
  /** @type {(what: string, page: string) => Promise<[string, number][]>} */
  async import(what, page) {
    const found = await tfpy.import(addressOf(what, page));
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

/** @param {MessagePort} page */
function serve(page) {
  const tell = (/** @type {string} */ kind) => (/** @type {any} */ value) =>
    page.postMessage([kind, value]);
  /** @type {Hears} */
  const hears = { print: tell("print"), picture: tell("picture"), progress: tell("progress") };
  page.onmessage = async ({ data: [number, call, ...values] }) => {
    try {
      const given = call === "open" ? [...values, hears] : values;
      const result = await /** @type {any} */ (calls)[call](...given);
      page.postMessage(["result", result, number], transferable(result));
    } catch (/** @type {any} */ error) {
      const cause = error?.cause && messageOf(error.cause);
      page.postMessage(["error", { message: messageOf(error), cause }, number]);
    }
  };
}

/**
 * Take the page's parameters, and the folder of relative addresses, from the address of this module
 * where the worker's own address is that of a script that imports it.
 */
function takeAddress() {
  if (!["blob:", "data:"].includes(location.protocol)) return;
  const { href, search } = new URL(import.meta.url);
  const { fetch, Request } = globalThis;
  /** @type {<T>(address: T) => T | URL} */
  const whole = (address) => (typeof address === "string" ? new URL(address, href) : address);
  Object.assign(globalThis, {
    tfpyParameters: search,
    fetch: (/** @type {RequestInfo} */ resource, /** @type {RequestInit} */ options) =>
      fetch(whole(resource), options),
    Request: class extends Request {
      /** @param {RequestInfo} resource @param {RequestInit} options */
      constructor(resource, options) {
        super(whole(resource), options);
      }
    },
  });
}

takeAddress();
addEventListener("message", ({ ports }) => serve(ports[0]), { once: true });
