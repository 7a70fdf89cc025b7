// Vite plugin: it adds tfpy's site as the folder tfpy/ to a project's builds and servers, and resolves
// `import { loadTfpy } from "tfpy-web"` to the loader there, in pages and in workers. Python files, wheels and WebAssembly are not
// bundled. A build that imports only tfpy-web/run gets only the files of programs without Python.

import { open, readdir, readFile } from "node:fs/promises";
import { extname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";

const SITE = fileURLToPath(new URL("./site/", import.meta.url));
const FOLDER = "tfpy";
const RUN = "run/";

/** Declarations of types, which browsers do not load. */
const DECLARATIONS = /\.d\.m?ts$/;

/** Code of the error of a download that the browser has canceled, for example by reloading the page. */
const CANCELED = "ERR_STREAM_PREMATURE_CLOSE";

/** Statements that run the page's Python scripts, as loading tfpy.mjs by its address does. */
const RUN_SCRIPTS = `
if (globalThis.document?.querySelector('script[type="text/tfpy"]')) load();
`;

/**
 * Modules that a page or worker can import, and the site's modules that implement them.
 * @type {Record<string, {file: string, name: string, start?: string}>}
 */
const MODULES = {
  "tfpy-web": { file: "tfpy.mjs", name: "loadTfpy", start: RUN_SCRIPTS },
  "tfpy-web/worker": { file: "worker.mjs", name: "startWorker" },
  "tfpy-web/run": { file: "run/tfpy-run.mjs", name: "loadProgram" },
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
  /** Modules of MODULES that pages and workers import. @type {Set<string>} */
  const imported = new Set();
  /** Folder of the site as seen from pages, and as seen from the scripts of workers. */
  const folders = { page: "", worker: "" };
  return {
    ...resolving(imported, () => folders.page),
    enforce: "pre",
    config: () => ({
      optimizeDeps: { exclude: Object.keys(MODULES) },
      server: { headers },
      preview: { headers },
      // Vite bundles workers with these plugins only.
      worker: { plugins: () => [resolving(imported, () => folders.worker)] },
    }),
    configResolved({ base, build }) {
      folders.page = `${base}${FOLDER}`;
      // A relative base address is relative to the page, but the scripts of workers are in assetsDir.
      const isRelative = base === "" || base.startsWith(".");
      folders.worker = isRelative ? posix.relative(build.assetsDir, FOLDER) : folders.page;
    },
    configureServer(server) {
      server.middlewares.use(folders.page, serving(headers));
    },
    async generateBundle() {
      // Without imports, the page may load tfpy.mjs by its address.
      const isRun =
        imported.size > 0 && [...imported].every((id) => MODULES[id].file.startsWith(RUN));
      const names = await filesOfSite();
      for (const name of isRun ? names.filter((name) => name.startsWith(RUN)) : names) {
        const source = await readFile(join(SITE, name));
        this.emitFile({ type: "asset", fileName: posix.join(FOLDER, name), source });
      }
    },
  };
}

/**
 * Return a plugin that resolves imports of MODULES.
 * @param {Set<string>} imported set to which it adds the imported ones
 * @param {() => string} folderOf returns the site's folder, absolute or relative to the page or worker
 * @returns {import("vite").Plugin}
 */
function resolving(imported, folderOf) {
  return {
    name: "tfpy",
    enforce: "pre",
    resolveId(id) {
      return Object.hasOwn(MODULES, id) ? `\0${id}` : null;
    },
    load(id) {
      const found = Object.keys(MODULES).find((name) => id === `\0${name}`);
      if (!found) return null;
      imported.add(found);
      const { file, name, start = "" } = MODULES[found];
      return forwarding(`${folderOf()}/${file}`, name) + start;
    },
  };
}

/**
 * Return a module whose function loads another module when it is first called.
 * @param {string} address
 * @param {string} name
 */
function forwarding(address, name) {
  return `
const load = () => import(/* @vite-ignore */ new URL(${JSON.stringify(address)}, location.href).href);
export const ${name} = async (...values) => (await load()).${name}(...values);
`;
}

/** Return the names of the site's files for browsers, with "/". */
async function filesOfSite() {
  const entries = await readdir(SITE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !DECLARATIONS.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(SITE.length).replaceAll("\\", "/"));
}

/**
 * Return a middleware that serves the site's files. No request stops the server: an error is passed to
 * `next`, or closes the request's connection. A download that the browser cancels is not an error.
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
      if (/** @type {NodeJS.ErrnoException} */ (error).code === CANCELED) return;
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
