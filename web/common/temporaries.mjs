/**
 * Assigns textures or device buffers of a pool to a Program's temporaries: buffers that steps write and
 * that are not outputs.
 *
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 *
 * @typedef {object} Span from the step that writes a temporary to its last reader
 * @property {number[]} buffers the temporary, and those that are written over it
 * @property {number} first
 * @property {number} last
 */

import { overwrittenBy } from "./document.mjs";

/**
 * @template Bucket
 * @typedef {object} Temporary
 * @property {number} buffer
 * @property {Bucket} bucket
 * @property {number} index number among the temporaries of the bucket
 */

/**
 * @template Bucket
 * @typedef {object} Place storage of temporaries that are not live at the same time
 * @property {Bucket} bucket
 * @property {number} index
 * @property {Span[]} spans in the order of the steps
 */

/**
 * Assign a place to each temporary, the largest first.
 *
 * @template {{bytes: number}} Bucket
 * @param {ProgramText} text
 * @param {{layout: {bucket: Bucket}}[]} buffers
 * @param {(place: Bucket, wanted: Bucket) => boolean} fits true if storage of a bucket may hold a buffer of
 *   another one
 * @returns {{temporaries: Temporary<Bucket>[], temporaryBytes: number}}
 */
export function assignTemporaries(text, buffers, fits) {
  /** @param {Span} span */
  const bucketOf = ({ buffers: [buffer] }) => buffers[buffer].layout.bucket;
  const spans = spansOf(text).sort(
    (a, b) => bucketOf(b).bytes - bucketOf(a).bytes || a.first - b.first,
  );
  /** @type {Place<Bucket>[]} */
  const places = [];
  /** @type {Map<Bucket, number>} */
  const counts = new Map();
  /** @type {Temporary<Bucket>[]} */
  const temporaries = [];
  for (const span of spans) {
    const wanted = bucketOf(span);
    let place = places.findLast(({ bucket, spans }) => fits(bucket, wanted) && isFree(spans, span));
    if (place === undefined) {
      const index = counts.get(wanted) ?? 0;
      counts.set(wanted, index + 1);
      place = { bucket: wanted, index, spans: [] };
      places.push(place);
    }
    place.spans.splice(countBefore(place.spans, span), 0, span);
    const { bucket, index } = place;
    temporaries.push(...span.buffers.map((buffer) => ({ buffer, bucket, index })));
  }
  const temporaryBytes = places.reduce((sum, { bucket }) => sum + bucket.bytes, 0);
  return { temporaries, temporaryBytes };
}

/**
 * Return true if no span of a place overlaps another span.
 *
 * @param {Span[]} spans
 * @param {Span} span
 */
function isFree(spans, span) {
  const count = countBefore(spans, span);
  return count === 0 || spans[count - 1].last < span.first;
}

/**
 * Return the number of spans that begin before the end of another one.
 *
 * @param {Span[]} spans
 * @param {Span} span
 */
function countBefore(spans, { last }) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].first <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return the spans of temporaries. A buffer that is written over another one has the same span.
 *
 * @param {ProgramText} text
 * @returns {Span[]}
 */
function spansOf(text) {
  const kept = new Set([...text.inputs, ...text.outputs, ...text.constants.map((c) => c.buffer)]);
  /** @type {Map<number, Span>} */
  const spans = new Map();
  text.steps.forEach(({ inputs, outputs }, number) => {
    for (const buffer of [...inputs, ...outputs]) {
      if (kept.has(buffer)) continue;
      const span = spans.get(buffer) ?? { buffers: [buffer], first: number, last: number };
      span.last = number;
      spans.set(buffer, span);
    }
  });
  text.steps.forEach((step, number) => {
    const [output] = step.outputs;
    const overwritten = overwrittenBy(text, step);
    const [old, span] = [spans.get(overwritten), spans.get(output)];
    if (old === undefined || span === undefined || old.last !== number) return;
    old.buffers.push(...span.buffers);
    old.last = span.last;
    spans.set(output, old);
  });
  return [...new Set(spans.values())];
}
