/**
 * Types of values: a dtype and a number of elements.
 *
 * @typedef {import("./values.mjs").Kind} Kind
 * @typedef {{dtype: Kind, count: number}} Type
 */

import { demand, isIndex, keyOf, list } from "./check.mjs";

/** Number of types that an error shows. */
const MOST_SHOWN = 8;

/** Dtypes, and the types in scalars.mjs of those that single numbers may have. */
const KINDS = /** @type {const} */ ({
  float32: "f",
  int32: "i",
  bool: "b",
  complex64: undefined,
  int8: undefined,
  list: undefined,
});

/** @type {Type} */
export const LIST = { dtype: "list", count: 1 };
/** @type {Type} */
export const BOOL = { dtype: "bool", count: 1 };
/** @type {Type} */
export const INDEX = { dtype: "int32", count: 1 };

/**
 * Check a type of a file, `[dtype, number of elements]`.
 * @param {any} pair
 * @param {string} what
 * @returns {Type}
 */
export function typeOfPair(pair, what) {
  const [dtype, count] = list(pair, what);
  const kind = keyOf(dtype, KINDS, `the dtype of ${what}`);
  demand(isIndex(count) && (kind !== "list" || count === 1), `${what} has a wrong element count`);
  return { dtype: kind, count };
}

/** @param {Type} type */
export function shownType({ dtype, count }) {
  return `${dtype}/${count}`;
}

/** @param {readonly Type[]} types */
function shownTypes(types) {
  const more = types.length > MOST_SHOWN ? `, … (${types.length} types)` : "";
  return `[${types.slice(0, MOST_SHOWN).map(shownType).join()}${more}]`;
}

/**
 * @param {Type} a
 * @param {Type} b
 */
export function isSameType(a, b) {
  return a.dtype === b.dtype && a.count === b.count;
}

/**
 * @param {readonly Type[]} found
 * @param {readonly Type[]} wanted
 * @param {string} what
 */
export function demandTypes(found, wanted, what) {
  const same =
    found.length === wanted.length && found.every((one, i) => isSameType(one, wanted[i]));
  if (!same) demand(false, `${what} are ${shownTypes(found)}, not ${shownTypes(wanted)}`);
}

/**
 * Return the type of a value in scalars.mjs: "f", "i" or "b"; undefined if the value is not a number.
 * @param {Type | undefined} type
 * @returns {"f" | "i" | "b" | undefined}
 */
export function scalarType(type) {
  return type?.count === 1 ? KINDS[type.dtype] : undefined;
}

/**
 * Return the type that all given types share; undefined if they differ or if there are none.
 * @param {readonly Type[]} types
 * @returns {Type | undefined}
 */
export function commonType(types) {
  return types.every((one) => isSameType(one, types[0])) ? types[0] : undefined;
}
