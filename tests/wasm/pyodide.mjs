// Runs the cases of a Python file with tfpy from the built site, in Pyodide under node.
// Arguments: the folder of Pyodide's core and wheels, the file. A case is an async function. Prints
// one line of JSON: the error of each case, or null.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const RUN = `
import json, tfpy, traceback

await tfpy.ready()

async def outcome(case):
    try:
        await case()
    except Exception:
        return traceback.format_exc()

json.dumps({name: await outcome(f) for name, f in [*globals().items()] if name.startswith("case_")})
`;

const [folder, file] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ indexURL: folder });
await pyodide.loadPackage(["numpy", "tfpy-web"], { messageCallback: () => {} });
await pyodide.runPythonAsync(readFileSync(file, "utf8"));
console.log(await pyodide.runPythonAsync(RUN));
process.exit(0);
