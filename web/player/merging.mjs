/**
 * Byte-pair encoding: neighboring symbols are merged, the pair with the lowest rank first.
 *
 * @typedef {{rank: number, result: number}} Merge the order of a merge, and its result
 * @typedef {Merge & {at: number}} Candidate a pair of symbols that can be merged
 */

/**
 * Merge pairs of symbols, those with the lowest rank first, and of these the leftmost. A heap contains the pairs, so
 * that long words take little more than linear time.
 * @param {number[]} symbols replaced by the results
 * @param {(left: number, right: number) => Merge | undefined} mergeOf returns the merge of a pair, if there is one
 */
export function merged(symbols, mergeOf) {
  const heap = new Heap();
  const after = symbols.map((_, i) => i + 1);
  const before = symbols.map((_, i) => i - 1);
  const pushed = (/** @type {number} */ at) => {
    const right = after[at];
    if (at < 0 || right >= symbols.length) return;
    const merge = mergeOf(symbols[at], symbols[right]);
    if (merge !== undefined) heap.push({ at, ...merge });
  };
  for (let i = 0; i + 1 < symbols.length; i++) pushed(i);
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    const { at, rank, result } = top;
    const right = after[at];
    if (symbols[at] < 0 || right >= symbols.length) continue;
    const merge = mergeOf(symbols[at], symbols[right]);
    if (merge?.rank !== rank || merge.result !== result) continue;
    symbols[at] = result;
    symbols[right] = -1;
    after[at] = after[right];
    if (after[at] < symbols.length) before[after[at]] = at;
    pushed(before[at]);
    pushed(at);
  }
  return symbols.filter((symbol) => symbol >= 0);
}

/** A binary heap of pairs, the first one to merge on top. */
class Heap {
  constructor() {
    /** @type {Candidate[]} */
    this.items = [];
  }

  /** @param {Candidate} item */
  push(item) {
    const { items } = this;
    let at = items.length;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(item, items[up]); up = (at - 1) >> 1) {
      items[at] = items[up];
      at = up;
    }
    items[at] = item;
  }

  /** @returns {Candidate | undefined} */
  pop() {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return last;
    let at = 0;
    for (let down = 1; down < items.length; down = 2 * at + 1) {
      if (down + 1 < items.length && isBefore(items[down + 1], items[down])) down++;
      if (!isBefore(items[down], last)) break;
      items[at] = items[down];
      at = down;
    }
    items[at] = last;
    return top;
  }
}

/**
 * @param {Candidate} a
 * @param {Candidate} b
 */
function isBefore(a, b) {
  return a.rank < b.rank || (a.rank === b.rank && a.at < b.at);
}
