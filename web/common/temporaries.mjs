/**
 * Assigns textures or device buffers of a pool to a Program's temporaries: buffers that steps write and
 * that are not outputs.
 *
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 *
 * @typedef {object} Temporary
 * @property {number} buffer
 * @property {number} index number among the temporaries of its bucket
 */

import { overwrittenBy } from "./document.mjs";

/**
 * Number the temporaries of each bucket; temporaries that are live at the same time get different numbers.
 *
 * @template {{bytes: number}} Bucket
 * @param {ProgramText} text
 * @param {{layout: {bucket: Bucket}}[]} buffers
 * @returns {{temporaries: Temporary[], temporaryBytes: number}}
 */
export function assignTemporaries(text, buffers) {
  const last = lastUses(text);
  /** @type {Map<Bucket, {count: number, free: number[]}>} */
  const buckets = new Map();
  /** @type {Map<number, number>} */
  const indices = new Map();
  const passing = new Set(last.flat());
  text.steps.forEach((step, number) => {
    const [output] = step.outputs;
    const place = last[number].indexOf(overwrittenBy(text, step));
    if (passing.has(output) && place >= 0) {
      const [overwritten] = last[number].splice(place, 1);
      indices.set(output, /** @type {number} */ (indices.get(overwritten)));
    } else if (passing.has(output)) {
      const { bucket } = buffers[output].layout;
      const used = buckets.get(bucket) ?? { count: 0, free: [] };
      buckets.set(bucket, used);
      indices.set(output, used.free.pop() ?? used.count++);
    }
    for (const buffer of last[number]) {
      const index = /** @type {number} */ (indices.get(buffer));
      buckets.get(buffers[buffer].layout.bucket)?.free.push(index);
    }
  });
  let temporaryBytes = 0;
  for (const [{ bytes }, { count }] of buckets) temporaryBytes += bytes * count;
  const temporaries = [...indices].map(([buffer, index]) => ({ buffer, index }));
  return { temporaries, temporaryBytes };
}

/**
 * Return for each step the temporaries that it uses last.
 *
 * @param {ProgramText} text
 * @returns {number[][]}
 */
function lastUses(text) {
  const kept = new Set([...text.inputs, ...text.outputs, ...text.constants.map((c) => c.buffer)]);
  const result = text.steps.map(() => /** @type {number[]} */ ([]));
  for (let number = text.steps.length - 1; number >= 0; number--) {
    const { inputs, outputs } = text.steps[number];
    for (const buffer of [...inputs, ...outputs]) {
      if (kept.has(buffer)) continue;
      kept.add(buffer);
      result[number].push(buffer);
    }
  }
  return result;
}
