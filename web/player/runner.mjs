/**
 * Runs blocks: Programs on the device, and the control flow between them.
 *
 * @typedef {import("./document.mjs").Block} Block
 * @typedef {import("./document.mjs").Step} Step
 * @typedef {import("./document.mjs").Type} Type
 */

import { Cache } from "./cache.mjs";
import { Lists } from "./lists.mjs";
import { evaluate } from "./scalars.mjs";
import { slotsOf, Value } from "./values.mjs";

/** Milliseconds after which a loop yields to the page. */
const TURN = 50;

export class Runner {
  /**
   * @param {import("./values.mjs").Device} device
   * @param {number[]} programs their ids on the device
   * @param {Record<string, number>} adders see document.mjs
   * @param {Map<string, Value>} constants by the names of their tensors
   */
  constructor(device, programs, adders, constants) {
    this.device = device;
    this.programs = programs;
    this.constants = constants;
    this.cache = new Cache(device);
    /** @type {import("./lists.mjs").Launch} */
    const launch = (program, inputs, types) => this.launch(program, inputs, types);
    this.lists = new Lists(device, launch, () => this.pause(), adders);
    this.closed = false;
    this.lastTurn = 0;
  }

  /**
   * Run a block and return its outputs, held for the caller.
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
        values[at] = this.constant(name).held();
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

  /** @param {string} name of a tensor */
  constant(name) {
    return /** @type {Value} */ (this.constants.get(name));
  }

  /**
   * @param {Step} step
   * @param {Value[]} inputs
   * @param {Type[]} types of the outputs
   */
  program({ facts }, inputs, types) {
    const { program, cached, donated } = facts;
    if (cached) return this.cached(program, inputs, types).map((value) => value.held());
    // A donated value has two holders: this block, and the variable or loop that provided it.
    /** @type {Set<Value>} */
    const gone = new Set(
      donated
        .map((/** @type {number} */ i) => inputs[i])
        .filter((/** @type {Value} */ value) => value.holders === 2),
    );
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
    return this.cache.get(program, inputs, () => this.launch(program, inputs, types));
  }

  /**
   * @param {number} program
   * @param {Value[]} inputs
   * @param {readonly Type[]} types of the outputs
   * @param {Set<Value>} [donated]
   */
  launch(program, inputs, types, donated) {
    const slots = inputs.flatMap((value) =>
      donated?.has(value) ? value.slots.map((slot) => -slot) : value.slots,
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
    if (step.op === "while") return this.loop(step, inputs);
    if (step.op !== "cond") return this.lists.run(step, inputs, types);
    const at = await this.device.number(inputs[0]);
    const { branches } = step.facts;
    const branch = branches[at >= 0 && at < branches.length ? Math.trunc(at) : branches.length - 1];
    return this.run(branch, inputs.slice(1));
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
      /** @type {number[]} by position of the input; only numbers that the page counts */
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

  /** Yield to the page if it has not had a turn of the event loop for a while. */
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

  /** Stop the runs in progress. */
  close() {
    this.closed = true;
  }
}

/**
 * Set a number that follows from numbers that the page knows, if it knows all of them.
 * @param {Value} value
 * @param {Step} step
 * @param {Value[]} inputs
 */
function know(value, step, inputs) {
  const numbers = inputs.map((input) => input.number);
  if (numbers.some((number) => number === undefined)) return;
  value.number ??= evaluate(step.facts.value, /** @type {number[]} */ (numbers));
}
