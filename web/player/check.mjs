// Checks of files, which may be untrusted.

import {
  isIndex as isBelow,
  MOST_DIMENSIONS,
  SIZE_LIMIT,
  shownValue,
} from "../common/document.mjs";

/**
 * @param {unknown} condition
 * @param {string} message
 * @returns {asserts condition}
 */
export function demand(condition, message) {
  if (!condition) throw new Error(`broken file: ${message}`);
}

/**
 * @param {any} value
 * @param {number} [end]
 */
export function isIndex(value, end = SIZE_LIMIT) {
  return isBelow(value, end);
}

/**
 * @param {any} value
 * @param {string} what
 * @returns {Record<string, any>}
 */
export function object(value, what) {
  const found = typeof value === "object" && value !== null && !Array.isArray(value);
  demand(found, `${what} is not an object`);
  return value;
}

/**
 * @param {any} value
 * @param {string} what
 * @returns {any[]}
 */
export function list(value, what) {
  demand(Array.isArray(value), `${what} is not a list`);
  return value;
}

/**
 * Check a list of integers from 0 to below `end`.
 * @param {any} value
 * @param {number} end
 * @param {string} what
 * @returns {number[]}
 */
export function indices(value, end, what) {
  const wrong = list(value, what).findIndex((one) => !isIndex(one, end));
  demand(
    wrong < 0,
    `${what} contains ${shownValue(value[wrong])}, which is not an index below ${end}`,
  );
  return value;
}

/**
 * Check that all values of a list differ.
 * @param {readonly unknown[]} values
 * @param {string} what
 */
export function demandDistinct(values, what) {
  demand(new Set(values).size === values.length, `${what} appears twice`);
}

/**
 * @param {any} value
 * @param {string} what
 * @returns {string}
 */
export function text(value, what) {
  demand(typeof value === "string", `${what} is not a string`);
  return value;
}

/**
 * Check that a value is one of a table's keys.
 * @template {string} K
 * @param {any} value
 * @param {Readonly<Record<K, unknown>>} table
 * @param {string} what
 * @returns {K}
 */
export function keyOf(value, table, what) {
  if (typeof value !== "string" || !Object.hasOwn(table, value)) {
    const known = Object.keys(table).join(", ");
    throw new Error(`broken file: ${what} is ${shownValue(value)}, not one of ${known}`);
  }
  return /** @type {K} */ (value);
}

/**
 * @param {any} value boolean, or undefined for false
 * @param {string} what
 * @returns {boolean}
 */
export function flag(value, what) {
  demand(value === undefined || typeof value === "boolean", `${what} is not a boolean`);
  return value === true;
}

/**
 * @param {any} shape
 * @param {string} what
 * @returns {number} number of elements
 */
export function countOf(shape, what) {
  const rank = list(shape, `the shape of ${what}`).length;
  demand(rank <= MOST_DIMENSIONS, `${what} has ${rank} dimensions`);
  const count = indices(shape, SIZE_LIMIT, `the shape of ${what}`).reduce((a, b) => a * b, 1);
  demand(count < SIZE_LIMIT, `${what} has ${count} elements`);
  return count;
}

/**
 * @param {string} json
 * @param {string} what
 * @returns {Record<string, any>}
 */
export function parsed(json, what) {
  try {
    return object(JSON.parse(json), what);
  } catch (error) {
    throw new Error(`broken file: ${what} is not a JSON object (${error})`);
  }
}
