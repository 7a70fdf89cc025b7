// Starts Pyodide and loads packages, for tfpy.mjs. A failure becomes one error that names the files that failed and
// the reasons.

import { resolved } from "./addresses.mjs";
import { explanation, indexOf, PackageError, packageName, wantedOf } from "./distribution.mjs";
import { countFetched, fetchSizes, wheelsOf, withNeeds } from "./downloads.mjs";
import { shownResponse } from "./responses.mjs";

/** Pyodide's own files, in indexURL. */
const MODULES = ["pyodide.mjs", "pyodide.asm.mjs"];
const LIBRARY = "python_stdlib.zip";
const FETCHED = ["pyodide.asm.wasm", LIBRARY];
const CORE = [...MODULES, ...FETCHED];

/** File in indexURL with the SHA-256 digests of these files, if the site was built with tfpy. */
const DIGESTS = "core-digests.json";

/** Module that is loaded after a failure. */
const FAULTS = new URL("./faults.mjs", import.meta.url).href;
/** Module that is loaded in Node.js and similar runtimes. */
const FILES = new URL("./files.mjs", import.meta.url).href;

/** Number of failed imports by URL. @type {Map<string, number>} */
const failedImports = new Map();

/**
 * Import a module. Some browsers remember a failed import, so the next attempt needs another URL.
 * @param {string} url
 */
export async function importModule(url) {
  const failures = failedImports.get(url) ?? 0;
  try {
    return await import(failures > 0 ? `${url}?again=${failures}` : url);
  } catch (error) {
    failedImports.set(url, failures + 1);
    throw error;
  }
}

/** File names of Python sources that define functions. @type {Map<string, string>} */
const filenames = new Map();
const DEFINES = /\b(?:class|def|lambda)\b/;

/**
 * Return the file name for Python source: tracebacks show its lines, and AutoGraph reads its functions.
 * @param {string} code
 * @param {string} taker
 */
export function filenameOf(code, taker) {
  if (!DEFINES.test(code)) return `${taker} of the page`;
  const name = filenames.get(code) ?? `${taker} ${filenames.size + 1} of the page`;
  filenames.set(code, name);
  return name;
}

/** @param {any} error Pyodide also throws objects that are not Errors */
export function messageOf(error) {
  return String(error?.message ?? error).trim();
}

/**
 * Collect the violations of the page's content security policy.
 * @returns {{violations: import("./faults.mjs").Violation[], end: () => void}}
 */
function watchPolicy() {
  /** @type {SecurityPolicyViolationEvent[]} */
  const violations = [];
  const hear = (/** @type {any} */ event) => violations.push(event);
  addEventListener("securitypolicyviolation", hear);
  return { violations, end: () => removeEventListener("securitypolicyviolation", hear) };
}

/** @param {Response} response */
function described(response) {
  return `${response.url}: ${shownResponse(response)}`;
}

/**
 * Return an error with the problems of the files, if they can be found.
 * @param {string} what
 * @param {unknown} cause an error, or Pyodide's report about the files, which is less precise than their problems
 * @param {import("./faults.mjs").Wanted[]} files
 * @param {import("./faults.mjs").Violation[]} violations
 */
async function loadingError(what, cause, files, violations) {
  /** @type {string[]} */
  let faults = [];
  try {
    const { faultsOf } = await importModule(FAULTS);
    faults = await faultsOf(files, violations);
  } catch {
    // The network is down, so only the cause is reported.
  }
  const isKnown = typeof cause === "string" && faults.length > 0;
  const reasons = isKnown ? faults : [messageOf(cause), ...faults];
  return new Error(`tfpy: ${what}: ${reasons.join("\n")}`, { cause });
}

/** Return the content of a lock file or of a similar file. @param {string} url */
async function fetchLock(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`there is no file at ${described(response)}`);
  try {
    return await response.json();
  } catch (error) {
    throw new Error(`the file is not JSON: ${described(response)}`, { cause: error });
  }
}

/** Size and signature of the end of a zip archive without a comment. */
const ZIP_END = 22;
const ZIP_END_SIGNATURE = 0x06054b50;

/** @param {ArrayBuffer} bytes */
function isWholeZip(bytes) {
  const at = bytes.byteLength - ZIP_END;
  return at >= 0 && new DataView(bytes).getUint32(at, true) === ZIP_END_SIGNATURE;
}

/**
 * @param {Response} response response with a zip archive
 * @returns {Promise<Response>} the same response after it has arrived completely
 */
async function wholeZip(response) {
  if (!response.ok) throw new Error(described(response));
  const bytes = await response.arrayBuffer().catch((cause) => {
    throw new Error(`${response.url}: the connection broke: ${cause}`, { cause });
  });
  if (!isWholeZip(bytes))
    throw new Error(`${described(response)}; it is not a complete zip archive`);
  return new Response(bytes, response);
}

/**
 * Watch Pyodide's start for errors. Without its WebAssembly, Pyodide waits forever. Without its library, it leaves
 * an unhandled rejection and fails because of a missing module. So these errors are hidden from Pyodide, which
 * keeps waiting while `failed` rejects.
 * @param {string} library URL of its library
 * @returns {{failed: Promise<never>, end: () => void}}
 */
function watchStart(library) {
  const { fetch, WebAssembly } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  /** @type {(error: Error) => void} */
  let fail;
  const failed = /** @type {Promise<never>} */ (
    new Promise((_, reject) => {
      fail = reject;
    })
  );
  failed.catch(() => {}); // Python may have failed before
  /** @param {Error} error @returns {Promise<never>} */
  const waitForEver = (error) => {
    fail(error);
    return new Promise(() => {});
  };
  /** @type {typeof globalThis.fetch} */
  const watchedFetch = async (resource, options) => {
    if (String(resource) !== library) return fetch(resource, options);
    try {
      return await wholeZip(await fetch(resource, options));
    } catch (error) {
      return waitForEver(/** @type {Error} */ (error));
    }
  };
  /** @type {typeof WebAssembly.instantiateStreaming} */
  const watched = async (source, imports) => {
    let where = "";
    try {
      const response = await source;
      where = ` (${described(response)})`;
      return await instantiateStreaming.call(WebAssembly, response, imports);
    } catch (cause) {
      return waitForEver(new Error(`WebAssembly cannot start: ${cause}${where}`, { cause }));
    }
  };
  globalThis.fetch = watchedFetch;
  WebAssembly.instantiateStreaming = watched;
  const end = () => {
    if (globalThis.fetch === watchedFetch) globalThis.fetch = fetch;
    if (WebAssembly.instantiateStreaming === watched) {
      WebAssembly.instantiateStreaming = instantiateStreaming;
    }
  };
  return { failed, end };
}

/**
 * Return Pyodide's own files, with their expected digests if indexURL has a list of these.
 * @param {string} indexURL
 * @returns {Promise<import("./faults.mjs").Wanted[]>}
 */
async function coreFiles(indexURL) {
  /** @type {Record<string, string>} */
  let listed = {};
  try {
    listed = await (await fetch(indexURL + DIGESTS)).json();
  } catch {
    // There is no list.
  }
  return CORE.map((name) => ({ url: indexURL + name, sha256: listed[name] }));
}

/**
 * @typedef {import("./distribution.mjs").Index} Index
 *
 * @typedef {object} Calls
 * @property {(line: string) => void} [stdout] called with each printed line; default: the console
 * @property {(bytes: import("./downloads.mjs").Bytes) => void} onBytes called with the progress of downloads
 * @property {() => void} onStart called when Python has started
 *
 * @typedef {import("./distribution.mjs").Request & Calls} Start
 */

/** True if files are fetched; in Node.js and similar runtimes they are read. */
const FETCHES = "document" in globalThis || "importScripts" in globalThis;

/**
 * Load Pyodide with packages.
 * @param {Omit<Start, "wanted"> & {wanted: string[]}} given the names of packages are as the caller wrote them
 * @returns {Promise<import("pyodide").PyodideInterface>}
 */
export async function loadPython(given) {
  const start = { ...given, wanted: wantedOf(given.wanted) };
  if (!FETCHES) return readPython(start);
  const { violations, end } = watchPolicy();
  try {
    const index = indexOf(start, fetchLock);
    index.catch(() => {}); // startPyodide awaits it
    const pyodide = await startPyodide(start, index).catch(async (error) => {
      if (error instanceof PackageError) throw error;
      const files = [...(await coreFiles(start.indexURL)), { url: start.lockFileURL }];
      throw await loadingError("Python did not start", error, files, violations);
    });
    start.onStart();
    await loadPackages(pyodide, start, await index, violations);
    return pyodide;
  } finally {
    end();
  }
}

/**
 * Load Pyodide with packages from files on disk.
 * @param {Start} start
 * @returns {Promise<import("pyodide").PyodideInterface>}
 */
async function readPython(start) {
  const { indexURL, wanted, stdout, onStart } = start;
  const { openFiles } = await importModule(FILES);
  const { index, packageBaseUrl, end } = await openFiles(start);
  try {
    const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
    const pyodide = await loadPyodide({
      ...{ lockFileContents: index.lock, packageBaseUrl, packages: [...wanted.keys()] },
      ...(stdout ? { stdout, stderr: stdout } : {}),
    });
    onStart();
    await loadPackages(pyodide, start, index, []);
    return pyodide;
  } finally {
    await end();
  }
}

/**
 * Fetch files now; later calls of fetch receive the responses.
 * @param {string[]} urls
 * @returns {() => void} restores fetch
 */
function fetchEarly(urls) {
  const { fetch } = globalThis;
  const answers = new Map(urls.map((url) => [url, fetch(url)]));
  for (const answer of answers.values()) answer.catch(() => {}); // the later caller receives the error
  /** @type {typeof globalThis.fetch} */
  const early = (resource, options) => {
    const answer = answers.get(String(resource));
    answers.delete(String(resource));
    return answer ?? fetch(resource, options);
  };
  globalThis.fetch = early;
  return () => {
    if (globalThis.fetch === early) globalThis.fetch = fetch;
  };
}

/**
 * Start Python, and fetch packages meanwhile; loadPackages loads wheels at URLs.
 * @param {Start} start
 * @param {Promise<Index>} index
 * @returns {Promise<import("pyodide").PyodideInterface>}
 */
async function startPyodide({ indexURL, lockFileURL, wanted, stdout, onBytes }, index) {
  const core = FETCHED.map((name) => indexURL + name);
  let isStarted = false;
  // Until then, Pyodide prints which packages failed. loadPackages reports them.
  const stderr = (/** @type {string} */ line) => isStarted && stdout?.(line);
  const ends = [fetchEarly(core)];
  try {
    const sizes = fetchSizes();
    const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(
      MODULES.map((name) => importModule(indexURL + name)),
    );
    const { lock } = await index;
    const packages = [...wanted.keys()].filter((name) => name in lock.packages);
    const files = [...core, ...wheelsOf(lock, lockFileURL, packages)];
    ends.push(countFetched(files, await sizes, onBytes));
    const watch = watchStart(indexURL + LIBRARY);
    ends.push(watch.end);
    const loading = loadPyodide({
      ...{ indexURL, createPyodideModule, packages, lockFileContents: lock },
      packageBaseUrl: new URL(".", lockFileURL).href,
      ...(stdout ? { stdout, stderr } : {}),
    });
    return await Promise.race([loading, watch.failed]);
  } finally {
    isStarted = true;
    for (const end of ends.reverse()) end();
  }
}

/**
 * Load the packages that Pyodide has not loaded at its start. Pyodide only logs failures.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {Start} start
 * @param {Index} index
 * @param {import("./faults.mjs").Violation[]} violations
 */
async function loadPackages(pyodide, { wanted, lockFileURL }, index, violations) {
  /** @type {string[]} */
  const said = [];
  const needed = withNeeds(pyodide.lockfile, [...wanted.keys()]);
  const errorOf = async (/** @type {string[]} */ names, /** @type {unknown} */ cause) => {
    const files = names.map((name) => {
      const { file_name: file, sha256 } = pyodide.lockfile.packages[name] ?? {};
      return { url: file ? new URL(file, lockFileURL).href : resolved(name), sha256 };
    });
    const what = `${names.map(index.shown).join(", ")} cannot be loaded`;
    const error = await loadingError(what, cause, FETCHES ? files : [], violations);
    return new Error([error.message, explanation(index, names)].join("\n").trim(), { cause });
  };
  try {
    await pyodide.loadPackage(needed, {
      messageCallback: () => {},
      errorCallback: (text) => said.push(text),
    });
  } catch (error) {
    throw await errorOf([...wanted.keys()], error);
  }
  const loaded = new Set(Object.keys(pyodide.loadedPackages).map(packageName));
  const missing = needed.filter((name) => !loaded.has(packageName(name)));
  if (missing.length > 0) {
    throw await errorOf(missing, said.join("\n") || "Pyodide did not report the reason");
  }
}
