// Vite's plugin: the pages of a project find tfpy's site in the folder tfpy/ of what Vite builds or
// serves, and `import { loadTfpy } from "tfpy"` takes the loader from there. Python, wheels and
// WebAssembly are files that a bundler has nothing to do with.

import { open, readdir, readFile } from "node:fs/promises";
import { extname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";

const SITE = fileURLToPath(new URL("./site/", import.meta.url));
const FOLDER = "tfpy";

/** What a page imports, and from which module of the site. */
const MODULES = {
  tfpy: { file: "tfpy.mjs", names: ["loadTfpy"] },
  "tfpy/worker": { file: "worker.mjs", names: ["startWorker"] },
  "tfpy/run": { file: "run/tfpy-run.mjs", names: ["loadProgram"] },
};

const TYPES = {
  ".css": "text/css",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/**
 * @param {{isolated?: boolean}} [options] isolated: whether Vite's servers send the headers with
 *   which browsers allow threads of WebAssembly; files of other sites need CORS then
 * @returns {import("vite").Plugin}
 */
export default function tfpy({ isolated = false } = {}) {
  const headers = isolated ? ISOLATION : {};
  let base = "/";
  return {
    name: "tfpy",
    enforce: "pre",
    config: () => ({
      optimizeDeps: { exclude: Object.keys(MODULES) },
      server: { headers },
      preview: { headers },
    }),
    configResolved(config) {
      base = config.base;
    },
    resolveId(id) {
      return id in MODULES ? `\0${id}` : null;
    },
    load(id) {
      const found = Object.entries(MODULES).find(([name]) => id === `\0${name}`);
      return found ? forwarding(`${base}${FOLDER}/${found[1].file}`, found[1].names) : null;
    },
    configureServer(server) {
      server.middlewares.use(`${base}${FOLDER}`, serving(headers));
    },
    async generateBundle() {
      for (const name of await filesOfSite()) {
        const source = await readFile(join(SITE, name));
        this.emitFile({ type: "asset", fileName: posix.join(FOLDER, name), source });
      }
    },
  };
}

/**
 * A module whose functions are those of another one, which the browser loads when one is called.
 * @param {string} address
 * @param {string[]} names
 */
function forwarding(address, names) {
  const url = `new URL(${JSON.stringify(address)}, location.href).href`;
  return names
    .map(
      (name) =>
        `export const ${name} = async (...values) =>\n` +
        `  (await import(/* @vite-ignore */ ${url})).${name}(...values);\n`,
    )
    .join("");
}

/** The names of the site's files, with "/". */
export async function filesOfSite() {
  const entries = await readdir(SITE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(SITE.length).replaceAll("\\", "/"));
}

/**
 * What answers with the site's files. No request ends the server: what fails goes to `next`, or ends
 * its own connection.
 * @param {Record<string, string>} headers which scripts of workers need as pages do
 * @returns {import("vite").Connect.NextHandleFunction}
 */
function serving(headers) {
  return async (request, response, next) => {
    try {
      const name = nameOf(request);
      if (name === null || !(await filesOfSite()).includes(name)) return next();
      const file = await open(join(SITE, name));
      response.setHeaders(new Headers(headers));
      response.setHeader("Content-Type", TYPES[extname(name)] ?? "application/octet-stream");
      response.setHeader("Content-Length", (await file.stat()).size);
      await pipeline(file.createReadStream(), response);
    } catch (error) {
      if (!response.headersSent) next(error);
      else response.destroy();
    }
  };
}

/**
 * The name of the file of the site that a request is for; null where it is for none.
 * @param {import("vite").Connect.IncomingMessage} request
 */
function nameOf({ method, url = "/" }) {
  if (method !== "GET" && method !== "HEAD") return null;
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0]).slice(1);
  } catch {
    return null; // no address that a browser makes
  }
}
