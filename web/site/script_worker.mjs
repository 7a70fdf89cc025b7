// Runs a page's <script type="text/tfpy" worker>. What it says to the page goes through a port of its
// own: the worker's messages are the scripts'.
//
// The page sends {source, filename} for each script; each answer is [kind, value], a key of what
// scripts.mjs does with it.

import { messageOf } from "./python.mjs";
import { openEngine } from "./script_engine.mjs";

/**
 * What can be sent of a script's value: JavaScript's own, copies of lists, dicts and arrays, and of
 * all else the text.
 * @param {any} value
 * @param {import("pyodide").PyodideInterface} pyodide
 */
function sendable(value, pyodide) {
  if (!(value instanceof pyodide.ffi.PyProxy)) return value;
  try {
    return value.toJs({ create_pyproxies: false, dict_converter: Object.fromEntries });
  } catch {
    return String(value);
  } finally {
    value.destroy();
  }
}

/**
 * @param {MessagePort} page
 * @param {import("./script_engine.mjs").Options} options
 */
async function start(page, options) {
  const tell = (/** @type {string} */ kind, /** @type {any} */ value) =>
    page.postMessage([kind, value]);
  let pictures = 0;
  /** What Python shows pictures with where there is no document. @type {(svg: string, place?: string | number) => string | number} */
  const showPicture = (svg, place) => {
    const shown = place ?? ++pictures;
    tell("picture", { svg, place: shown });
    return shown;
  };
  Object.assign(globalThis, { tfpyShowPicture: showPicture });
  try {
    const { run, pyodide } = await openEngine(
      { ...options, onProgress: (progress) => tell("progress", progress) },
      (text) => tell("print", text),
    );
    page.onmessage = async ({ data: { source, filename } }) => {
      try {
        tell("result", sendable(await run(source, filename), pyodide));
      } catch (error) {
        tell("error", messageOf(error));
      }
    };
    tell("ready", null);
  } catch (error) {
    tell("error", messageOf(error));
  }
}

addEventListener("message", ({ data, ports }) => start(ports[0], data), { once: true });
