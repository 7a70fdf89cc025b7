// Compile Python sources with Pyodide's Python: compile_bytecode.mjs CORE SOURCES FOLDER [PLACE].
//
// CORE is Pyodide's npm package. The script creates a __pycache__ in FOLDER for each folder of SOURCES.
// PLACE is the prefix of file names in tracebacks, for importers that do not replace them. Imports do not
// compare the bytecode with the sources, because an installation changes their times. The bytecode has
// line numbers but no columns, which would be a quarter of its size. Docstrings of the modules and of the private
// functions of tfpy's engine are left out, because users do not see them.

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const COMPILE = `
import ast, importlib.util, marshal, pathlib

ENGINE = "_src/"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

def is_hidden(node):
    is_private = isinstance(node, FUNCTIONS) and node.name.startswith("_") and not node.name.endswith("__")
    return is_private or isinstance(node, ast.Module)

def remove_docstrings(tree):
    """Remove the docstrings of a module and of its private functions and methods."""
    for node in ast.walk(tree):
        if is_hidden(node) and ast.get_docstring(node, clean=False) is not None:
            node.body[0:1] = [] if node.body[1:] else [ast.copy_location(ast.Pass(), node.body[0])]

for source in pathlib.Path("/sources").rglob("*.py"):
    name = source.relative_to("/sources")
    data = source.read_bytes()
    tree = ast.parse(data)
    if str(name).startswith(ENGINE):
        remove_docstrings(tree)
    code = compile(tree, place + str(name), "exec", dont_inherit=True)
    digest = importlib.util.source_hash(data)
    made = "/made" / pathlib.Path(importlib.util.cache_from_source(name))
    made.parent.mkdir(parents=True, exist_ok=True)
    unchecked = (1).to_bytes(4, "little")
    made.write_bytes(importlib.util.MAGIC_NUMBER + unchecked + digest + marshal.dumps(code))
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
