// Reads packages from files, in Node.js and similar runtimes. There, Pyodide neither fetches packages of a lock file nor
// checks their digests.

import { explanation, indexOf, PackageError } from "./distribution.mjs";
import { digest } from "./faults.mjs";

/** @typedef {import("./distribution.mjs").Index} Index */

/** @param {string} name @returns {any} a module of Node.js */
const builtin = (name) => /** @type {any} */ (globalThis).process.getBuiltinModule(`node:${name}`);

/**
 * Return the index of the packages that are wanted, in which every added package is a file on disk, and the folder of
 * the site's packages.
 * @param {import("./distribution.mjs").Request} request
 * @returns {Promise<{index: Index, packageBaseUrl: string, end: () => Promise<void>}>} `end` removes downloaded files
 */
export async function openFiles(request) {
  const { mkdtemp, readFile, rm } = builtin("fs/promises");
  const index = await indexOf(request, async (url) => JSON.parse(await readFile(new URL(url))));
  const packageBaseUrl = builtin("url").fileURLToPath(new URL(".", request.lockFileURL));
  if (index.added.length === 0) return { index, packageBaseUrl, end: async () => {} };
  const folder = await mkdtemp(`${builtin("os").tmpdir()}/tfpy-`);
  const end = () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  const packages = { ...index.lock.packages };
  const add = async (/** @type {string} */ name) => {
    const file_name = await download(index, name, folder);
    packages[name] = { ...packages[name], file_name };
  };
  const ends = await Promise.allSettled(index.added.map(add)); // `end` must not run while others still write
  const failed = ends.find((one) => one.status === "rejected");
  if (failed) {
    await end();
    throw failed.reason;
  }
  return { index: { ...index, lock: { ...index.lock, packages } }, packageBaseUrl, end };
}

/**
 * Write the wheel of a package to a folder.
 * @param {Index} index
 * @param {string} name
 * @param {string} folder
 * @returns {Promise<string>} path of the file
 */
async function download(index, name, folder) {
  const { file_name: url, sha256 } = index.lock.packages[name];
  try {
    const bytes = await bytesAt(url);
    const found = await digest(bytes);
    if (found !== sha256) {
      throw new Error(`${url} is a different file: its SHA-256 is ${found}, not ${sha256}`);
    }
    const path = `${folder}/${url.slice(url.lastIndexOf("/") + 1)}`;
    await builtin("fs/promises").writeFile(path, new Uint8Array(bytes));
    return path;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    const text = `tfpy: the package "${index.shown(name)}" cannot be loaded from ${url}: ${reason}`;
    throw new PackageError(`${text}\n${explanation(index, [name])}`, { cause });
  }
}

/** @param {string} url @returns {Promise<ArrayBuffer>} */
async function bytesAt(url) {
  if (url.startsWith("file:")) {
    return new Uint8Array(await builtin("fs/promises").readFile(new URL(url))).buffer;
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
