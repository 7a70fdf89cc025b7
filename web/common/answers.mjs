// Bytes of addresses, for Python: one call of Python's when they are there, in the turn that brings them.

import { prepareModels } from "./model_json.mjs";

/** @typedef {import("./bridge.mjs").HeapOwner} HeapOwner */

/**
 * Hands on the bodies of answers, or nothing if they do not say that they have no more than `most` bytes together:
 * none of them is read then.
 * @param {Promise<Response>[]} answers
 * @param {number} most
 * @param {number} number what Python calls it
 * @param {import("./bridge.mjs").Settle} settle
 * @param {HeapOwner} owner
 */
export function receive(answers, most, number, settle, owner) {
  prepareModels(); // most of what is asked for here are models
  const told = settling(settle, owner);
  bodies(answers, most).then(
    (found) => told(number, undefined, found),
    (error) => told(number, error),
  );
}

/**
 * @param {Promise<Response>[]} answers
 * @param {number} most
 * @returns {Promise<ArrayBuffer[] | undefined>}
 */
async function bodies(answers, most) {
  const settled = await Promise.allSettled(answers);
  const found = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const sizes = found.map(sizeOf);
  if (found.length < answers.length || !(sizes.reduce((a, b) => a + b, 0) <= most))
    return undefined;
  return Promise.all(found.map((response) => response.arrayBuffer()));
}

/**
 * How many bytes an answer says that it has; NaN when it does not say, or refuses.
 * @param {Response} response
 */
function sizeOf({ ok, headers }) {
  const length = headers.get("Content-Length") ?? "";
  const isPlain = ok && !headers.has("Content-Encoding") && /^\d+$/.test(length);
  return isPlain ? Number(length) : Number.NaN;
}

/**
 * What calls Python so that it may wait for the browser, where it can at all.
 * @param {import("./bridge.mjs").Settle} settle
 * @param {HeapOwner} owner
 * @returns {import("./bridge.mjs").Settled}
 */
export function settling(settle, owner) {
  return (...given) => {
    if (owner.jspiSupported) settle.callPromising(...given);
    else settle(...given);
  };
}
