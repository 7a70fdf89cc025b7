// Runs the Python code of a page's scripts, on the page's thread or in worker_host.mjs.

import { resolved } from "./addresses.mjs";
import { textAt } from "./functions.mjs";
import { loadTfpy } from "./tfpy.mjs";
import { watchUncaught } from "./uncaught.mjs";

/**
 * @typedef {import("./tfpy.mjs").LoadOptions & {modules?: string[], isForScripts?: boolean}} Options loadTfpy's options,
 *   URLs of .py files to import, and whether errors explain the attributes of scripts instead of loadTfpy's options
 */

/** @typedef {(source: string, filename: string) => Promise<any>} Run resolves to the last expression's value; `sys.exit` ends a run without an error */

const FOR_SCRIPTS = `
from tfpy._src.base import missing_packages

missing_packages.place = missing_packages.PythonPlace.SCRIPT
`;

const REPORT_EXIT = `
import sys
from tfpy._src.display import cells

cells.report_exit(sys.last_exc)
`;

/**
 * Return a stream for Pyodide that decodes and prints text.
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
 * Write files to the folder from which Python imports.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {string[]} modules
 */
async function addModules(pyodide, modules) {
  const addresses = modules.map(resolved);
  const sources = await Promise.all(addresses.map(textAt));
  for (const [i, source] of sources.entries()) {
    const { pathname } = new URL(addresses[i]);
    pyodide.FS.writeFile(pathname.slice(pathname.lastIndexOf("/") + 1), source);
  }
}

/**
 * Load tfpy for scripts, which share a namespace.
 * @param {Options} options
 * @param {(text: string) => void} print called with printed text, also with parts of lines
 * @param {(error: Error) => void} report called with errors that no caller catches
 * @returns {Promise<{run: Run, tfpy: import("./tfpy.mjs").Tfpy}>}
 */
export async function openEngine(options, print, report) {
  const { modules = [], isForScripts = false, ...rest } = options;
  const tfpy = await loadTfpy({ ...rest, stdout: (line) => print(`${line}\n`) });
  const { pyodide } = tfpy;
  pyodide.setStdout(streamTo(print));
  pyodide.setStderr(streamTo(print));
  watchUncaught(pyodide, report);
  if (isForScripts) pyodide.runPython(FOR_SCRIPTS, { globals: pyodide.toPy({}) });
  await addModules(pyodide, modules);
  /** @type {Run} */
  const run = async (source, filename) => {
    try {
      return await pyodide.runPythonAsync(source, { filename });
    } catch (/** @type {any} */ error) {
      if (error?.type !== "SystemExit") throw error;
      pyodide.runPython(REPORT_EXIT, { globals: pyodide.toPy({}) });
    }
  };
  return { run, tfpy };
}
