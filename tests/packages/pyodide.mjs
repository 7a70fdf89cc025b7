// Runs Python in Pyodide under node, Deno or Bun with packages of the built site.
// Arguments: the folder of Pyodide's core and wheels, a folder of Python modules, a folder to share
// with the caller, packages separated by commas, the code.

import { pathToFileURL } from "node:url";

const [core, modules, shared, packages, code] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${core}/pyodide.mjs`).href);
const env = { PYTHONDONTWRITEBYTECODE: "1", TFPY_FLAGS: process.env.TFPY_FLAGS ?? "" };
const pyodide = await loadPyodide({ indexURL: core, env });
await pyodide.loadPackage(packages.split(","), { messageCallback: () => {} });
pyodide.mountNodeFS("/modules", modules);
pyodide.mountNodeFS("/shared", shared);
await pyodide.runPythonAsync(`import sys; sys.path.append("/modules")\n${code}`);
process.exit(0);
