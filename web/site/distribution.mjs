// Finds packages of Pyodide's distribution that the site does not have, such as pandas. The site has a list of them
// with digests; the wheels are on Pyodide's CDN or in a copy of the distribution.

import { resolved } from "./addresses.mjs";
import { closest } from "./names.mjs";

/**
 * @typedef {import("pyodide").Lockfile} Lockfile
 * @typedef {{version: string, packages: Lockfile["packages"]}} List
 *
 * @typedef {object} Request
 * @property {string} indexURL folder of Pyodide's core
 * @property {string} lockFileURL
 * @property {Map<string, string>} wanted names of packages, or URLs of wheels; each with the text that the caller wrote
 * @property {string} [distribution] URL of the folder with the distribution's wheels; default: Pyodide's CDN
 *
 * @typedef {object} Index
 * @property {Lockfile} lock the site's lock file with the packages that were added
 * @property {string[]} added names of the added packages
 * @property {string} base URL of the folder with their wheels; empty if there are none
 * @property {string} version Pyodide's version; empty if there are none
 * @property {(name: string) => string} shown returns the name that the caller wrote for a package
 */

/** File in indexURL with the list, which build.py makes. */
const LIST = "distribution.json";
const RELEASES = "https://github.com/pyodide/pyodide/releases";

/** An error whose message is complete, because it contains what to do. */
export class PackageError extends Error {}

/** @param {string} version */
const cdn = (version) => `https://cdn.jsdelivr.net/pyodide/v${version}/full/`;

/** @param {string} name */
const isWheel = (name) => name.endsWith(".whl");

/** Return the normalized name of a package, also from the URL of a wheel. @param {string} name */
export function packageName(name) {
  const file = isWheel(name) ? name.slice(name.lastIndexOf("/") + 1).split("-")[0] : name;
  return file.toLowerCase().replace(/[-_.]+/g, "-");
}

/** A name, and what may follow it in a requirement, such as an extra or a version. */
const REQUIREMENT = /^([A-Z\d](?:[-_.A-Z\d]*[A-Z\d])?)?(.*)$/is;

/**
 * Return normalized names of packages and absolute URLs of wheels, each with the text that the caller wrote.
 * @param {string[]} written
 */
export function wantedOf(written) {
  /** @type {(name: string) => [string, string]} */
  const entry = (name) => {
    if (isWheel(name)) return [resolved(name), name];
    const [, own, rest] = /** @type {RegExpExecArray} */ (REQUIREMENT.exec(name));
    if (!own || rest) throw new PackageError(notAName(name, own || "pandas"));
    return [packageName(own), own];
  };
  return new Map(written.map(entry));
}

/** @param {string} written @param {string} name */
const notAName = (written, name) =>
  `tfpy: "${written}" is not the name of a package. Write only a name, such as "${name}". Versions and extras cannot ` +
  "be selected, because the site and Pyodide's distribution contain one version of each package. To install another " +
  'version of a pure Python package, request the package "micropip", and call await micropip.install("name==version") ' +
  "in the program.";

/**
 * Return the site's lock file, with those wanted packages of the distribution that it does not have. Packages of the
 * site take precedence.
 * @param {Request} request
 * @param {(url: string) => Promise<any>} read returns the content of a JSON file
 * @returns {Promise<Index>}
 */
export async function indexOf(request, read) {
  const { indexURL, lockFileURL, wanted, distribution } = request;
  /** @type {Lockfile} */
  const lock = await read(lockFileURL);
  const packages = { ...lock.packages };
  const names = new Set([...wanted.keys()].filter((name) => !isWheel(name)));
  const shown = (/** @type {string} */ name) => wanted.get(name) ?? name;
  /** @type {string[]} */
  const added = [];
  /** @type {List | undefined} */
  let list;
  let base = "";
  for (const name of names) {
    if (!Object.hasOwn(packages, name)) {
      list ??= await listFor(shown(name), request, read);
      base = distribution || cdn(list.version);
      const found = Object.hasOwn(list.packages, name) && list.packages[name];
      if (!found) throw new PackageError(unknown(shown(name), lock, list, lockFileURL, indexURL));
      packages[name] = { ...found, file_name: new URL(found.file_name, base).href };
      added.push(name);
    }
    for (const needed of packages[name].depends) names.add(packageName(needed));
  }
  return { lock: { ...lock, packages }, added, base, version: list?.version ?? "", shown };
}

/**
 * @param {string} name name of a package that the site does not have
 * @param {Request} request
 * @param {(url: string) => Promise<any>} read
 * @returns {Promise<List>}
 */
async function listFor(name, { indexURL, lockFileURL }, read) {
  const url = indexURL + LIST;
  try {
    return await read(url);
  } catch (cause) {
    throw new PackageError(
      `tfpy: the package "${name}" is not in ${lockFileURL}, and the list of the packages in Pyodide's distribution ` +
        `cannot be read: ${/** @type {Error} */ (cause).message}. The list is a file of tfpy's site: upload ${url}.`,
      { cause },
    );
  }
}

/**
 * Return the message for a package that does not exist.
 * @param {string} name
 * @param {Lockfile} lock
 * @param {List} list
 * @param {string} lockFileURL
 * @param {string} indexURL
 */
function unknown(name, lock, list, lockFileURL, indexURL) {
  return (
    `tfpy: there is no package "${name}". tfpy looked for it in the site (${lockFileURL}) and in the distribution of ` +
    `Pyodide ${list.version} (${indexURL}${LIST}). ${suggestion(name, { ...list.packages, ...lock.packages })}` +
    'If it is a pure Python package of PyPI, request the package "micropip" instead, and call ' +
    `await micropip.install("${name}") in the program.`
  );
}

/**
 * @param {string} name
 * @param {Lockfile["packages"]} packages
 */
function suggestion(name, packages) {
  const providing = Object.entries(packages).find(([, { imports }]) =>
    imports.some((module) => packageName(module) === packageName(name)),
  );
  if (providing) return `Did you mean "${providing[0]}", which contains the module ${name}? `;
  const close = closest(name, Object.keys(packages));
  return close ? `Did you mean "${close}"? ` : "";
}

/**
 * Return a paragraph that explains where packages come from that did not load, and how to serve a copy of them;
 * empty if the site has all of them.
 * @param {Index} index
 * @param {string[]} failed names of the packages that did not load
 */
export function explanation({ lock, added, base, version, shown }, failed) {
  const names = added.filter((name) => failed.includes(name));
  if (names.length === 0) return "";
  const fileOf = (/** @type {string} */ name) =>
    lock.packages[name].file_name.slice(lock.packages[name].file_name.lastIndexOf("/") + 1);
  return (
    `The site does not contain ${names.map(shown).join(", ")}. tfpy loads such packages from Pyodide's distribution at ${base}. ` +
    `To load them from your own server, put the files of Pyodide ${version} into a folder there ` +
    `(${added.map(fileOf).join(", ")}). Then name the folder in the attribute distribution="folder/" of the script, or ` +
    `in the option distribution of loadTfpy. The full archive at ${RELEASES} contains the files.`
  );
}
