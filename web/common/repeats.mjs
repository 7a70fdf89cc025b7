// Repeated runs of a Program in one call from Python: each run takes outputs of the previous one. Used
// for training steps without reads in between.

/**
 * The connection between consecutive runs.
 * @typedef {object} Links
 * @property {number} outputs number of the Program's outputs
 * @property {[number, number, boolean][]} carried position of an input, position of the output that is
 *   its next value, and whether the input is donated
 * @property {number[]} given positions of the inputs that each run receives
 */

export class Repeats {
  /** @param {Pick<import("./backend.mjs").Backend, "run" | "free">} backend */
  constructor(backend) {
    this.backend = backend;
    /** @type {Map<number, Links & { left: number[] }>} */
    this.links = new Map();
  }

  /**
   * Set the connection between consecutive runs of a Program.
   * @param {number} program
   * @param {string} json its Links as JSON
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
   * Run a Program `count` times and keep only the outputs of the last run. If a later run fails, the
   * error's `first` is the first output's slot of the last successful run.
   * @param {number} program
   * @param {number} count
   * @param {number[]} slots inputs of the first run, then the `given` inputs of each later run
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
