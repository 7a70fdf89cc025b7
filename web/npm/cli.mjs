#!/usr/bin/env node
// `npx tfpy-web FOLDER` copies the site to a folder, for static file servers and for bundlers other than Vite.

import { cp } from "node:fs/promises";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Folders that bundlers and frameworks conventionally serve at the server's root. */
const SERVED = ["public", "static"];

const USAGE = "usage: tfpy-web FOLDER   copies tfpy's loader, Pyodide and packages into the folder";

/** Return the loader's path: from the server's root if known, otherwise from the working directory. @param {string} folder */
function address(folder) {
  const parts = relative(".", folder).split(sep).filter(Boolean);
  const root = parts.findIndex((part) => SERVED.includes(part));
  return [...(root < 0 ? parts : ["", ...parts.slice(root + 1)]), "tfpy.mjs"].join("/");
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h" } },
});
if (values.help) {
  console.log(USAGE);
} else if (positionals.length !== 1) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const [folder] = positionals;
  await cp(fileURLToPath(new URL("./site/", import.meta.url)), folder, { recursive: true });
  console.log(`<script type="module" src="${address(folder)}"></script>`);
}
