/**
 * Runs blocks: Programs on the device, and the control flow between them.
 *
 * @typedef {import("./document.mjs").Block} Block
 * @typedef {import("./document.mjs").Step} Step
 * @typedef {import("./document.mjs").Type} Type
 */

import { evaluate } from "./scalars.mjs";
import { slotsOf, Value } from "./values.mjs";

/** Milliseconds after which a loop gives the page a turn. */
const TURN = 50;

export class Runner {
  /**
   * @param {import("./values.mjs").Device} device
   * @param {number[]} programs their ids there
   * @param {Record<string, number>} adders see document.mjs
   * @param {Map<string, Value>} constants by the names of their tensors
   */
  constructor(device, programs, adders, constants) {
    this.device = device;
    this.programs = programs;
    this.adders = adders;
    this.constants = constants;
    /**
     * What depends on variables alone, by Program, with what it was made of; it is held.
     * @type {{program: number, given: Value[], made: Value[]}[]}
     */
    this.cache = [];
    this.closed = false;
    this.lastTurn = 0;
  }

  /**
   * The outputs of a block, of which the caller is a holder.
   * @param {Block} block
   * @param {Value[]} given
   * @returns {Promise<Value[]>}
   */
  async run(block, given) {
    /** @type {(Value | undefined)[]} */
    const values = Array(block.values.length);
    try {
      block.inputs.forEach((at, i) => {
        values[at] = given[i].held();
      });
      for (const [at, name] of block.constants) {
        values[at] = /** @type {Value} */ (this.constants.get(name)).held();
      }
      for (const step of block.steps) {
        const inputs = step.inputs.map((at) => /** @type {Value} */ (values[at]));
        if (step.op === "known") {
          know(/** @type {Value} */ (values[step.facts.of]), step, inputs);
        } else {
          const types = step.outputs.map((at) => block.values[at]);
          const made =
            step.op === "program"
              ? this.program(step, inputs, types)
              : await this.control(step, inputs, types);
          step.outputs.forEach((at, i) => {
            values[at] = made[i];
          });
        }
        for (const at of step.dead) {
          this.device.release(values[at]);
          values[at] = undefined;
        }
      }
      return block.outputs.map((at) => /** @type {Value} */ (values[at]).held());
    } finally {
      for (const value of values) this.device.release(value);
    }
  }

  /**
   * @param {Step} step
   * @param {Value[]} inputs
   * @param {Type[]} types of the outputs
   */
  program({ facts, dead, inputs: places }, inputs, types) {
    const { program, cached, donated } = facts;
    if (cached) return this.cached(program, inputs, types).map((value) => value.held());
    // Beside the block itself, whoever gave it is a holder: a variable or a loop, which replaces it.
    const gone = donated
      .filter((/** @type {number} */ i) => dead.includes(places[i]))
      .map((/** @type {number} */ i) => inputs[i])
      .filter((/** @type {Value} */ value) => value.holders === 2);
    const made = this.launch(program, inputs, types, gone);
    for (const value of gone) value.slots = [];
    return made;
  }

  /**
   * @param {number} program
   * @param {Value[]} inputs
   * @param {Type[]} types
   */
  cached(program, inputs, types) {
    const known = this.cache.find(
      (one) => one.program === program && one.given.every((value, i) => value === inputs[i]),
    );
    if (known !== undefined) return known.made;
    const made = this.launch(program, inputs, types);
    this.cache.push({ program, given: inputs.map((value) => value.held()), made });
    return made;
  }

  /**
   * Lets go of what was made of a variable's old value.
   * @param {Value} old
   */
  forget(old) {
    this.cache = this.cache.filter(({ given, made }) => {
      if (!given.includes(old)) return true;
      for (const value of [...given, ...made]) this.device.release(value);
      return false;
    });
  }

  /**
   * @param {number} program
   * @param {Value[]} inputs
   * @param {readonly Type[]} types of the outputs
   * @param {Value[]} donated
   */
  launch(program, inputs, types, donated = []) {
    const slots = inputs.flatMap((value) =>
      donated.includes(value) ? value.slots.map((slot) => -slot) : value.slots,
    );
    let next = this.device.backend.run(this.programs[program], ...slots);
    return types.map((type) => {
      const found = slotsOf(type).map(() => next++);
      return new Value(type.dtype, type.count, found);
    });
  }

  /**
   * @param {Step} step
   * @param {Value[]} inputs
   * @param {Type[]} types
   * @returns {Promise<Value[]>}
   */
  async control(step, inputs, types) {
    const { device } = this;
    const { op, facts } = step;
    const [first, second] = inputs;
    switch (op) {
      case "cond": {
        const at = await device.number(first);
        const { branches } = facts;
        const branch =
          branches[at >= 0 && at < branches.length ? Math.trunc(at) : branches.length - 1];
        return this.run(branch, inputs.slice(1));
      }
      case "while":
        return this.loop(step, inputs);
      case "list_make": {
        const items = Array(facts.length).fill(null);
        facts.places.forEach((/** @type {number} */ at, /** @type {number} */ i) => {
          items[at] = inputs[i];
        });
        return [device.list(items)];
      }
      case "list_set":
        return [device.listWith(first, await device.number(second), inputs[2], facts.limit)];
      case "list_clear":
        return [device.listWith(first, await device.number(second), null, null)];
      case "list_get":
        return [this.item(first, await device.number(second), types[0])];
      case "list_add":
        return [this.sum(first, second)];
      case "list_stack": {
        const items = this.items(first, facts.count, facts.item);
        try {
          return this.launch(facts.program, items, types);
        } finally {
          for (const item of items) device.release(item);
        }
      }
      default: {
        const made =
          facts.count === 0
            ? []
            : this.launch(facts.program, inputs, Array(facts.count).fill(facts.item));
        const found = device.list(made);
        for (const value of made) device.release(value);
        return [found];
      }
    }
  }

  /**
   * @param {Step} step
   * @param {Value[]} inputs
   */
  async loop({ facts }, inputs) {
    const { device } = this;
    const { state: count, body, test, counted } = facts;
    const fixed = inputs.slice(count);
    let state = inputs.slice(0, count).map((value) => value.held());
    try {
      /** @type {number[]} by the place of the input; only those that the page counts */
      const known = [];
      for (const at of counted?.starts ?? []) known[at] = await device.number(inputs[at]);
      while (
        counted ? evaluate(counted.test, known) : await this.holds(test, [...state, ...fixed])
      ) {
        await this.pause();
        const next = await this.run(body, [...state, ...fixed]);
        for (const value of state) device.release(value);
        state = next;
        if (!counted) continue;
        const numbers = counted.next.map((/** @type {any} */ one) => evaluate(one, known));
        counted.state.forEach((/** @type {number} */ at, /** @type {number} */ i) => {
          known[at] = state[at].number = numbers[i];
        });
      }
      return state;
    } catch (error) {
      for (const value of state) device.release(value);
      throw error;
    }
  }

  /** Lets the page do what waits, when it has not had a turn for long. */
  async pause() {
    if (performance.now() - this.lastTurn < TURN) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.lastTurn = performance.now();
    if (this.closed) throw new Error("the program was disposed");
  }

  /**
   * @param {Block} test
   * @param {Value[]} given
   */
  async holds(test, given) {
    const [found] = await this.run(test, given);
    try {
      return (await this.device.number(found)) !== 0;
    } finally {
      this.device.release(found);
    }
  }

  /**
   * An item of a list, of which the caller is a holder; zeros where there is none.
   * @param {Value} values
   * @param {number} index
   * @param {Type} type
   */
  item(values, index, { dtype, count }) {
    const found = values.items[index] ?? null;
    if (found === null) return this.device.zeros(dtype, count);
    if (found.dtype !== dtype || found.count !== count) {
      throw new Error(`item ${index} is ${found.dtype}/${found.count}, not ${dtype}/${count}`);
    }
    return found.held();
  }

  /**
   * @param {Value} values
   * @param {number} count
   * @param {Type} type
   */
  items(values, count, type) {
    /** @type {Value[]} */
    const found = [];
    try {
      for (let i = 0; i < count; i++) found.push(this.item(values, i, type));
      return found;
    } catch (error) {
      for (const item of found) this.device.release(item);
      throw error;
    }
  }

  /**
   * The sum of two lists, item by item; what is missing is zero.
   * @param {Value} first
   * @param {Value} second
   * @returns {Value}
   */
  sum(first, second) {
    const length = Math.max(first.items.length, second.items.length);
    /** @type {(Value | null)[]} */
    const sums = [];
    try {
      for (let i = 0; i < length; i++) {
        const [a, b] = [first.items[i] ?? null, second.items[i] ?? null];
        sums.push(a !== null && b !== null ? this.added(a, b) : ((a ?? b)?.held() ?? null));
      }
      return this.device.list(sums);
    } finally {
      for (const item of sums) this.device.release(item);
    }
  }

  /**
   * @param {Value} a
   * @param {Value} b
   */
  added(a, b) {
    if (a.dtype === "list" && b.dtype === "list") return this.sum(a, b);
    const [key, other] = [a, b].map(({ dtype, count }) => `${dtype}/${count}`);
    if (key !== other || !Object.hasOwn(this.adders, key)) {
      throw new Error(`items ${key} and ${other} of lists cannot be added`);
    }
    return this.launch(this.adders[key], [a, b], [a])[0];
  }

  /** Ends what runs. */
  close() {
    this.closed = true;
  }
}

/**
 * A number that follows from those that the page knows, if it knows them all.
 * @param {Value} value
 * @param {Step} step
 * @param {Value[]} inputs
 */
function know(value, step, inputs) {
  const numbers = inputs.map((input) => input.number);
  if (numbers.some((number) => number === undefined)) return;
  value.number ??= evaluate(step.facts.value, /** @type {number[]} */ (numbers));
}
