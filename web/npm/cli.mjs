#!/usr/bin/env node
// `npx tfpy FOLDER` copies the site there, for servers of files and bundlers other than Vite.

import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = "usage: tfpy FOLDER   copies tfpy's loader, Pyodide and packages into the folder";

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
  console.log(`<script type="module" src="${folder}/tfpy.mjs"></script>`);
}
