// Suggestions for misspelled names.

/** Number of letters of a name for each letter that may be wrong. */
const LETTERS_PER_EDIT = 3;

/** @param {string} name */
const plain = (name) => name.toLowerCase().replace(/[-_. ]+/g, "");

/**
 * Return the number of edits between two strings: letters that are inserted, deleted or replaced, and neighboring
 * letters that are swapped.
 * @param {string} a
 * @param {string} b
 */
function edits(a, b) {
  /** @type {number[]} */
  let above = [];
  let last = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + Number(a[i - 1] !== b[j - 1]);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, replaced);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) row[j] = Math.min(row[j], above[j - 2] + 1);
    }
    [above, last] = [last, row];
  }
  return last[b.length];
}

/**
 * Return the name that is most similar to a misspelled one.
 * @param {string} wrong
 * @param {string[]} names
 * @returns {string | undefined} undefined if no name is similar
 */
export function closest(wrong, names) {
  const most = Math.max(1, Math.floor(wrong.length / LETTERS_PER_EDIT));
  const found = names
    .map((name) => ({ name, count: edits(plain(wrong), plain(name)) }))
    .filter(({ count }) => count <= most);
  return found.sort((one, other) => one.count - other.count)[0]?.name;
}
