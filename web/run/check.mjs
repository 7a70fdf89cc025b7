// What is asked of a file that may come from anywhere, before anything relies on it.

/** Sizes and counts are int32 on devices. */
export const SIZE_LIMIT = 2 ** 31;

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
  return Number.isInteger(value) && value >= 0 && value < end;
}

/**
 * @param {any} value
 * @param {string} what
 * @returns {Record<string, any>}
 */
export function object(value, what) {
  const found = typeof value === "object" && value !== null && !Array.isArray(value);
  demand(found, `${what} is no object`);
  return value;
}

/**
 * @param {any} value
 * @param {string} what
 * @returns {any[]}
 */
export function list(value, what) {
  demand(Array.isArray(value), `${what} is no list`);
  return value;
}

/**
 * A list of numbers from 0 to below `end`.
 * @param {any} value
 * @param {number} end
 * @param {string} what
 * @returns {number[]}
 */
export function indices(value, end, what) {
  for (const one of list(value, what)) demand(isIndex(one, end), `${what} holds ${one} of ${end}`);
  return value;
}

/**
 * @param {any} value
 * @param {string} what
 * @returns {string}
 */
export function text(value, what) {
  demand(typeof value === "string", `${what} is no text`);
  return value;
}

/**
 * @param {any} shape
 * @param {string} what
 * @returns {number} how many elements it has
 */
export function countOf(shape, what) {
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
    throw new Error(`broken file: ${what} is no JSON object (${error})`);
  }
}
