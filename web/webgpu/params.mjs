/**
 * Packs the parameters of a Program's steps into one uniform buffer, in the layout of the kernels'
 * structs: parameters are in the order of the document, and lists start at multiples of 16 bytes with 16
 * bytes per number. Floats are stored as their bits.
 *
 * @typedef {import("./document.mjs").StepText} StepText
 */

import { require_, shownValue } from "../common/document.mjs";

/** Bytes of a number in a list, and alignment of the struct. */
const UNIT = 16;

/**
 * @param {StepText[]} steps
 * @param {number} alignment alignment of each step's parameters
 * @returns {{data: Int32Array<ArrayBuffer>, places: {offset: number, size: number}[]}}
 */
export function packParams(steps, alignment) {
  /** @type {number[]} */
  const words = [];
  const places = steps.map(({ params }, number) => {
    pad(words, alignment);
    const offset = words.length * 4;
    for (const [name, value] of Object.entries(params)) {
      const list = Array.isArray(value) ? value : [value];
      const shown = shownValue(value);
      require_(list.every(Number.isInteger), `step ${number}: parameter ${name} is ${shown}`);
      if (Array.isArray(value)) {
        pad(words, UNIT);
        for (const item of value) words.push(item, 0, 0, 0);
      } else {
        words.push(value);
      }
    }
    if (words.length * 4 === offset) words.push(0);
    pad(words, UNIT);
    return { offset, size: words.length * 4 - offset };
  });
  return { data: Int32Array.from(words), places };
}

/**
 * @param {number[]} words
 * @param {number} bytes
 */
function pad(words, bytes) {
  while ((words.length * 4) % bytes !== 0) words.push(0);
}
