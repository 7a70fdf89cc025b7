// Compress each file of a folder with Pyodide's zstd, as FILE.zst: compress.mjs CORE FOLDER.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const COMPRESS = `
import pathlib
from compression import zstd

for file in pathlib.Path("/files").iterdir():
    file.with_name(f"{file.name}.zst").write_bytes(zstd.compress(file.read_bytes(), 22))
`;

const [core, folder] = process.argv.slice(2, 4).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${core}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ indexURL: core });
pyodide.mountNodeFS("/files", folder);
pyodide.runPython(COMPRESS);
