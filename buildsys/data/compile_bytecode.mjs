// Compile Python sources with Pyodide's Python: compile_bytecode.mjs CORE SOURCES FOLDER [PLACE].
//
// CORE is Pyodide's npm package. The script creates a __pycache__ in FOLDER for each folder of SOURCES.
// PLACE is the prefix of file names in tracebacks, for importers that do not replace them. Imports do not
// compare the bytecode with the sources, because an installation changes their times. The bytecode has
// line numbers but no columns, which would be a quarter of its size.

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const COMPILE = `
import importlib.util, pathlib, py_compile

for source in pathlib.Path("/sources").rglob("*.py"):
    name = source.relative_to("/sources")
    py_compile.compile(
        str(source),
        cfile=str("/made" / pathlib.Path(importlib.util.cache_from_source(name))),
        dfile=place + str(name),
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
`;

const [core, sources, folder] = process.argv.slice(2, 5).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(join(core, "pyodide.mjs")).href);
const pyodide = await loadPyodide({
  indexURL: core,
  env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" },
});
pyodide.mountNodeFS("/sources", sources);
pyodide.mountNodeFS("/made", folder);
pyodide.runPython(COMPILE, { globals: pyodide.toPy({ place: process.argv[5] ?? "" }) });
