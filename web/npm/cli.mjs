#!/usr/bin/env node
// `npx tfpy FOLDER` copies the site there, for servers of files and bundlers other than Vite.

import { cp } from "node:fs/promises";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Folders whose files servers have at their root, by the habits of bundlers and frameworks. */
const SERVED = ["public", "static"];

const USAGE = "usage: tfpy FOLDER   copies tfpy's loader, Pyodide and packages into the folder";

/** Where pages find the loader: from the server's root, else from where this runs. @param {string} folder */
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
