// Fetches response bodies for Python, and calls Python once, in the task in which the last body arrives.

import { prepareModels } from "./model_json.mjs";

/** @typedef {import("./bridge.mjs").HeapOwner} HeapOwner */

/**
 * Pass the bodies of responses to Python. Pass nothing, and read no body, if the Content-Length headers are missing or
 * add up to more than `most` bytes.
 * @param {Promise<Response>[]} answers
 * @param {number} most
 * @param {number} number Python's number for this request
 * @param {import("./bridge.mjs").Settle} settle
 * @param {HeapOwner} owner
 */
export function receive(answers, most, number, settle, owner) {
  prepareModels(); // most of these requests are for models
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
 * Return the number of bytes that a response declares; NaN if it declares none or has failed.
 * @param {Response} response
 */
function sizeOf({ ok, headers }) {
  const length = headers.get("Content-Length") ?? "";
  const isPlain = ok && !headers.has("Content-Encoding") && /^\d+$/.test(length);
  return isPlain ? Number(length) : Number.NaN;
}

/**
 * Return a function that calls Python so that Python may wait for the browser, where JSPI is supported.
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
