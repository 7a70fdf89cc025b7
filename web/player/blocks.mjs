/**
 * Checks the blocks of a file: each value has a known type and is written once, before it is read, by a
 * step that fits it (steps.mjs).
 *
 * @typedef {import("./document.mjs").Block} Block
 * @typedef {import("./document.mjs").Step} Step
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./container.mjs").Entry} Entry
 * @typedef {import("./types.mjs").Type} Type
 *
 * @typedef {{state: number} | {constant: string}} Lasting a value that is the same in each run, unless
 *   the variable is written
 *
 * @typedef {object} Cached a step that depends only on such values
 * @property {number} program
 * @property {Lasting[]} given
 * @property {Type[]} types types of its outputs
 *
 * @typedef {object} Frame the inputs and outputs of a block
 * @property {readonly Type[]} inputs
 * @property {readonly Type[]} outputs
 * @property {readonly (Lasting | undefined)[]} lasting the variable or constant that each input is, if
 *   any
 * @property {readonly boolean[]} replaced whether each input is not needed after a run
 *
 * @typedef {object} Scope the values of a block while its steps are checked
 * @property {(all: number[]) => Type[]} read
 * @property {(all: number[]) => Type[]} write
 * @property {Map<number, Lasting>} lasting
 * @property {Set<number>} replaced
 */

import { demand, indices, list, object, text } from "./check.mjs";
import { checkStep } from "./steps.mjs";
import { demandTypes, typeOfPair } from "./types.mjs";

/** Maximum depth of nested blocks. */
const DEEPEST = 64;

export class BlockCheck {
  /**
   * @param {ProgramText[]} programs
   * @param {(name: any) => Type} constantType returns the type of a constant by its tensor's name
   */
  constructor(programs, constantType) {
    this.programs = programs;
    this.constantType = constantType;
    /** @type {Cached[]} */
    this.cached = [];
  }

  /**
   * @param {any} given
   * @param {Frame} frame
   * @param {number} depth
   * @returns {Block}
   */
  block(given, frame, depth) {
    demand(depth < DEEPEST, "blocks are nested too deeply");
    const block = object(given, "a block");
    const values = list(block.values, "values").map((pair) => typeOfPair(pair, "a value"));
    const end = values.length;
    const scope = scopeOf(values);
    const inputs = indices(block.inputs, end, "a block's inputs");
    demandTypes(scope.write(inputs), frame.inputs, "a block's inputs");
    inputs.forEach((at, i) => {
      const lasting = frame.lasting[i];
      if (lasting !== undefined) scope.lasting.set(at, lasting);
      if (frame.replaced[i]) scope.replaced.add(at);
    });
    const constants = list(block.constants, "constants").map((pair) => {
      const [at, name] = list(pair, "a constant");
      const types = scope.write(indices([at], end, "constants"));
      demandTypes(types, [this.constantType(name)], `constant ${name}`);
      scope.lasting.set(at, { constant: name });
      return /** @type {[number, string]} */ ([at, name]);
    });
    const rows = list(block.steps, "steps");
    const steps = rows.map((row, i) => this.step(row, scope, end, depth, i === rows.length - 1));
    const outputs = indices(block.outputs, end, "a block's outputs");
    demandTypes(scope.read(outputs), frame.outputs, "a block's outputs");
    noteDead(steps, outputs);
    return { values, inputs, outputs, constants, steps };
  }

  /**
   * @param {any} row
   * @param {Scope} scope
   * @param {number} end
   * @param {number} depth
   * @param {boolean} isLast
   * @returns {Step}
   */
  step(row, scope, end, depth, isLast) {
    const given = object(row, "a step");
    const op = text(given.op, "a step's op");
    demand(
      isLast || given.donated === undefined,
      "a step that is not the last one takes donations",
    );
    const inputs = indices(given.inputs, end, `${op}'s inputs`);
    const outputs = indices(given.outputs, end, `${op}'s outputs`);
    const [takes, gives] = [scope.read(inputs), scope.write(outputs)];
    const facts = checkStep(this, op, { given, inputs, takes, gives, scope, depth });
    return { op, inputs, outputs, dead: [], facts };
  }
}

/**
 * @param {Type[]} values
 * @returns {Scope}
 */
function scopeOf(values) {
  /** @type {Set<number>} */
  const written = new Set();
  return {
    read: (all) =>
      all.map((at) => {
        demand(written.has(at), `value ${at} is read before it is written`);
        return values[at];
      }),
    write: (all) =>
      all.map((at) => {
        demand(!written.has(at), `value ${at} is written twice`);
        written.add(at);
        return values[at];
      }),
    lasting: new Map(),
    replaced: new Set(),
  };
}

/**
 * Record for each step the values that are not needed after it, and keep only donations of these.
 * @param {Step[]} steps
 * @param {number[]} outputs
 */
function noteDead(steps, outputs) {
  const seen = new Set(outputs);
  for (const step of [...steps].reverse()) {
    const { facts, inputs } = step;
    const known = step.op === "known" ? [facts.of] : [];
    for (const at of [...inputs, ...step.outputs, ...known]) {
      if (!seen.has(at)) step.dead.push(at);
      seen.add(at);
    }
    if (step.op !== "program") continue;
    const dead = new Set(step.dead);
    facts.donated = facts.donated.filter((/** @type {number} */ i) => dead.has(inputs[i]));
  }
}
