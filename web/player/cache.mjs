/**
 * The results of Programs that depend only on variables and constants, kept until a variable is written.
 *
 * @typedef {import("./values.mjs").Value} Value
 * @typedef {{key: string, given: Value[], made: Value[]}} Entry holds its values
 */

export class Cache {
  /** @param {import("./values.mjs").Device} device */
  constructor(device) {
    this.device = device;
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    /** @type {Map<Value, Set<Entry>>} by what they are made of */
    this.readers = new Map();
  }

  /**
   * Return a Program's outputs for some values; run it only if the outputs are not cached.
   * @param {number} program
   * @param {Value[]} given
   * @param {() => Value[]} make
   */
  get(program, given, make) {
    const key = [program, ...given.map(({ id }) => id)].join();
    const known = this.entries.get(key);
    if (known !== undefined) return known.made;
    const made = make();
    const entry = { key, given: given.map((value) => value.held()), made };
    this.entries.set(key, entry);
    for (const value of given) {
      const readers = this.readers.get(value) ?? new Set();
      this.readers.set(value, readers.add(entry));
    }
    return made;
  }

  /**
   * Release the results that depend on a variable's old value.
   * @param {Value} old
   */
  forget(old) {
    for (const entry of this.readers.get(old) ?? []) {
      this.entries.delete(entry.key);
      for (const value of entry.given) this.readers.get(value)?.delete(entry);
      for (const value of [...entry.given, ...entry.made]) this.device.release(value);
    }
    this.readers.delete(old);
  }
}
