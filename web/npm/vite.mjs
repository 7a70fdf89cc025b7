// Vite plugin: it adds tfpy's site as the folder tfpy/ to a project's builds and servers, and resolves
// `import { loadTfpy } from "tfpy-web"` to the loader there. Python files, wheels and WebAssembly are not
// bundled. A build that imports only tfpy-web/run gets only the files of programs without Python.

import { open, readdir, readFile } from "node:fs/promises";
import { extname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";

const SITE = fileURLToPath(new URL("./site/", import.meta.url));
const FOLDER = "tfpy";
const RUN = "run/";

/** Modules that a page can import, and the site's modules that implement them. */
const MODULES = {
  "tfpy-web": { file: "tfpy.mjs", names: ["loadTfpy"] },
  "tfpy-web/worker": { file: "worker.mjs", names: ["startWorker"] },
  "tfpy-web/run": { file: "run/tfpy-run.mjs", names: ["loadProgram"] },
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
 * @param {{isolated?: boolean}} [options] isolated: whether Vite's servers send the headers that allow
 *   threads of WebAssembly; files of other sites then need CORS
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
      return Object.hasOwn(MODULES, id) ? `\0${id}` : null;
    },
    load(id) {
      const found = Object.entries(MODULES).find(([name]) => id === `\0${name}`);
      return found ? forwarding(`${base}${FOLDER}/${found[1].file}`, found[1].names) : null;
    },
    configureServer(server) {
      server.middlewares.use(`${base}${FOLDER}`, serving(headers));
    },
    async generateBundle() {
      const imported = Object.keys(MODULES).filter((id) => this.getModuleInfo(`\0${id}`) !== null);
      // Without imports, the page may load tfpy.mjs by its address.
      const isRun = imported.length > 0 && imported.every((id) => MODULES[id].file.startsWith(RUN));
      const names = await filesOfSite();
      for (const name of isRun ? names.filter((name) => name.startsWith(RUN)) : names) {
        const source = await readFile(join(SITE, name));
        this.emitFile({ type: "asset", fileName: posix.join(FOLDER, name), source });
      }
    },
  };
}

/**
 * Return a module whose functions load another module when they are first called.
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

/** Return the names of the site's files, with "/". */
export async function filesOfSite() {
  const entries = await readdir(SITE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(SITE.length).replaceAll("\\", "/"));
}

/**
 * Return a middleware that serves the site's files. No request stops the server: an error is passed to
 * `next`, or closes the request's connection.
 * @param {Record<string, string>} headers further headers; workers' scripts need them as pages do
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
 * Return the name of the site's file that a request asks for; null if it asks for none.
 * @param {import("vite").Connect.IncomingMessage} request
 */
function nameOf({ method, url = "/" }) {
  if (method !== "GET" && method !== "HEAD") return null;
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0]).slice(1);
  } catch {
    return null; // an address that browsers do not produce
  }
}
