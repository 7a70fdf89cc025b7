// Checks the names of the loader's options and of the attributes of Python scripts.

import { closest } from "./names.mjs";

/** @type {Required<Record<keyof import("./tfpy.mjs").LoadOptions, true>>} */
const OPTIONS = {
  ...{ indexURL: true, lockFileURL: true, wheel: true, packages: true, distribution: true },
  ...{ asTensorflow: true, backend: true, flags: true, onProgress: true, stdout: true },
  signals: true,
};

/** Attributes of Python scripts. */
const ATTRIBUTES = [
  "type",
  "src",
  "worker",
  "packages",
  "distribution",
  "modules",
  "backend",
].concat("as-tensorflow");

/**
 * Raise an error if an option is unknown or if `packages` is not a list.
 * @param {string} taker name of the function that takes the options
 * @param {Record<string, any>} options
 */
export function checkOptions(taker, options) {
  const known = Object.keys(OPTIONS).filter((name) => taker === "loadTfpy" || name !== "signals");
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const close = closest(name, known);
    const advice = close ? `Did you mean "${close}"?` : `The options are ${known.join(", ")}.`;
    throw new TypeError(`tfpy: ${taker} has no option "${name}". ${advice}`);
  }
  const { packages = [] } = options;
  if (!Array.isArray(packages) || packages.some((name) => typeof name !== "string")) {
    throw new TypeError(
      `tfpy: the option packages of ${taker} must be an array of names, such as ["keras"], ` +
        `not ${JSON.stringify(packages)}.`,
    );
  }
}

/**
 * Raise an error if an attribute of a script seems to be a misspelled one. Frameworks may add other attributes.
 * @param {HTMLScriptElement} script
 */
export function checkAttributes(script) {
  for (const name of script.getAttributeNames()) {
    const close = ATTRIBUTES.includes(name) ? undefined : closest(name, ATTRIBUTES);
    if (close && !name.startsWith("data-")) {
      throw new TypeError(
        `tfpy: <script type="text/tfpy"> has no attribute "${name}". Did you mean "${close}"?`,
      );
    }
  }
}
