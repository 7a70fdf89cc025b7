// What runs the Python of a page's scripts: on the page's thread, or in script_worker.mjs.

import { loadTfpy } from "./tfpy.mjs";

/** @typedef {(source: string, filename: string) => Promise<any>} Run gives the last expression's value */

/**
 * What Pyodide writes a stream to.
 * @param {(text: string) => void} print
 */
function streamTo(print) {
  const decoder = new TextDecoder();
  /** @param {Uint8Array} bytes */
  const write = (bytes) => {
    print(decoder.decode(bytes, { stream: true }));
    return bytes.length;
  };
  return { write };
}

/**
 * Loads tfpy for scripts, which share a namespace.
 * @param {import("./tfpy.mjs").LoadOptions} options
 * @param {(text: string) => void} print takes what is printed, also parts of lines
 * @returns {Promise<{run: Run, pyodide: import("pyodide").PyodideInterface}>}
 */
export async function openEngine(options, print) {
  const { pyodide } = await loadTfpy({ ...options, stdout: (line) => print(`${line}\n`) });
  pyodide.setStdout(streamTo(print));
  pyodide.setStderr(streamTo(print));
  const run = (/** @type {string} */ source, /** @type {string} */ filename) =>
    pyodide.runPythonAsync(source, { filename });
  return { run, pyodide };
}
