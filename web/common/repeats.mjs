// Runs of a Program one after the other, each on what the one before gave, in one crossing: the
// steps of training between which nobody looks.

/**
 * How a run follows another one.
 * @typedef {object} Links
 * @property {number} outputs how many the Program has
 * @property {[number, number, boolean][]} carried an input, the output that is its next value, and
 *   whether that is donated
 * @property {number[]} given the inputs that each run gets anew
 */

export class Repeats {
  /** @param {Pick<import("./backend.mjs").Backend, "run" | "free">} backend */
  constructor(backend) {
    this.backend = backend;
    /** @type {Map<number, Links & { left: number[] }>} */
    this.links = new Map();
  }

  /**
   * Says how runs of a Program follow one another.
   * @param {number} program
   * @param {string} json its Links
   */
  link(program, json) {
    /** @type {Links} */
    const links = JSON.parse(json);
    const donated = new Set(links.carried.filter((c) => c[2]).map((c) => c[1]));
    const left = [...Array(links.outputs).keys()].filter((output) => !donated.has(output));
    this.links.set(program, { ...links, left });
  }

  /** @param {number} program */
  forget(program) {
    this.links.delete(program);
  }

  /**
   * Runs a Program `count` times; only what the last run gave is left. If a later run fails, the
   * error's `first` is the slot of the first output of the last one that did not.
   * @param {number} program
   * @param {number} count
   * @param {number[]} slots the inputs of the first run, then of each other one those given anew
   * @returns {number} the slot of the first output
   */
  run(program, count, slots) {
    const links = this.links.get(program);
    if (!links) throw new Error(`program ${program} has no links`);
    const { carried, given, left } = links;
    const inputs = slots.slice(0, slots.length - (count - 1) * given.length);
    let next = inputs.length;
    let first = this.backend.run(program, ...inputs);
    for (let done = 1; done < count; done++) {
      for (const [input, output, isDonated] of carried) {
        inputs[input] = isDonated ? -(first + output) : first + output;
      }
      for (const input of given) inputs[input] = slots[next++];
      const before = first;
      try {
        first = this.backend.run(program, ...inputs);
      } catch (error) {
        throw Object.assign(/** @type {Error} */ (error), { first });
      }
      this.backend.free(...left.map((output) => before + output));
    }
    return first;
  }
}
