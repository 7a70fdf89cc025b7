/**
 * Checks the blocks of a file: values of known types, written once and before they are read, by
 * steps that fit their Programs.
 *
 * @typedef {import("./document.mjs").Block} Block
 * @typedef {import("./document.mjs").Step} Step
 * @typedef {import("./document.mjs").Type} Type
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./container.mjs").Entry} Entry
 */

import { demand, indices, isIndex, list, object, text } from "./check.mjs";
import { typeOf } from "./document.mjs";
import { checkExpression } from "./scalars.mjs";
import { MOST_ITEMS, slotsOf } from "./values.mjs";

/** How deeply blocks lie in one another. */
const DEEPEST = 64;
const KINDS = new Set(["float32", "int32", "bool", "complex64", "list"]);

/** @type {Type} */
const LIST = { dtype: "list", count: 1 };
/** @type {Type} */
const BOOL = { dtype: "bool", count: 1 };
/** @type {Type} */
const INDEX = { dtype: "int32", count: 1 };

/** @param {Type} type */
function shown({ dtype, count }) {
  return `${dtype}/${count}`;
}

/**
 * Whether the page can read a value as a number.
 * @param {Type | undefined} type
 */
function isNumber(type) {
  return type?.count === 1 && ["float32", "int32", "bool"].includes(type.dtype);
}

/**
 * @param {readonly Type[]} found
 * @param {readonly Type[]} wanted
 * @param {string} what
 */
function demandTypes(found, wanted, what) {
  const [a, b] = [found.map(shown).join(), wanted.map(shown).join()];
  demand(a === b, `${what} are [${a}], not [${b}]`);
}

export class BlockCheck {
  /**
   * @param {ProgramText[]} programs
   * @param {Map<string, Entry>} entries
   */
  constructor(programs, entries) {
    this.programs = programs;
    this.entries = entries;
  }

  /**
   * @param {any} given
   * @param {readonly Type[]} inputs the types that it takes
   * @param {readonly Type[]} outputs and gives
   * @param {number} depth
   * @returns {Block}
   */
  block(given, inputs, outputs, depth) {
    demand(depth < DEEPEST, "blocks are nested too deeply");
    const block = object(given, "a block");
    const values = list(block.values, "values").map((pair) => {
      const [dtype, count] = list(pair, "a value");
      demand(KINDS.has(dtype) && isIndex(count), `a value of dtype ${dtype}, ${count} elements`);
      return { dtype, count };
    });
    const end = values.length;
    /** @type {Set<number>} */
    const written = new Set();
    /** @type {(all: number[]) => Type[]} */
    const write = (all) =>
      all.map((at) => {
        demand(!written.has(at), `value ${at} is written twice`);
        written.add(at);
        return values[at];
      });
    /** @type {(all: number[]) => Type[]} */
    const read = (all) =>
      all.map((at) => {
        demand(written.has(at), `value ${at} is read before it is written`);
        return values[at];
      });
    const taken = indices(block.inputs, end, "a block's inputs");
    demandTypes(write(taken), inputs, "a block's inputs");
    const constants = list(block.constants, "constants").map((pair) => {
      const [at, name] = list(pair, "a constant");
      const types = write(indices([at], end, "constants"));
      demandTypes(types, [typeOf(this.entries.get(name), name)], `constant ${name}`);
      return /** @type {[number, string]} */ ([at, name]);
    });
    const rows = list(block.steps, "steps");
    const steps = rows.map((row, i) => {
      const step = this.step(row, end, i === rows.length - 1);
      this.checkStep(step, read(step.inputs), write(step.outputs), depth, read);
      return step;
    });
    const results = indices(block.outputs, end, "a block's outputs");
    demandTypes(read(results), outputs, "a block's outputs");
    noteDead(steps, results);
    return { values, inputs: taken, outputs: results, constants, steps };
  }

  /**
   * @param {any} row
   * @param {number} end
   * @param {boolean} last
   * @returns {Step}
   */
  step(row, end, last) {
    const { op, inputs, outputs, ...facts } = object(row, "a step");
    demand(last || facts.donated === undefined, "a step that is not the last one takes donations");
    return {
      op: text(op, "a step's op"),
      inputs: indices(inputs, end, `${op}'s inputs`),
      outputs: indices(outputs, end, `${op}'s outputs`),
      dead: [],
      facts,
    };
  }

  /**
   * @param {Step} step whose facts it completes
   * @param {Type[]} given
   * @param {Type[]} made
   * @param {number} depth
   * @param {(all: number[]) => Type[]} read
   */
  checkStep({ op, inputs, facts }, given, made, depth, read) {
    switch (op) {
      case "program": {
        const { program, donated = [] } = facts;
        this.fits(program, given, made);
        facts.donated = indices(donated, inputs.length, "donations");
        return;
      }
      case "known":
        demandTypes(made, [], "what is known");
        checkExpression(facts.value, given.length);
        demand(isIndex(facts.of), "a number is known of nothing");
        demand(isNumber(read([facts.of])[0]), "what is known is no number");
        return;
      case "cond":
        demand(isNumber(given[0]), "a branch is not chosen by a number");
        facts.branches = list(facts.branches, "branches").map((branch) =>
          this.block(branch, given.slice(1), made, depth + 1),
        );
        demand(facts.branches.length > 0, "there is no branch");
        return;
      case "while":
        this.checkLoop(facts, given, made, depth);
        return;
      default:
        this.checkList(op, facts, given, made);
    }
  }

  /**
   * @param {Record<string, any>} facts
   * @param {Type[]} given
   * @param {Type[]} made
   * @param {number} depth
   */
  checkLoop(facts, given, made, depth) {
    const { state, counted } = facts;
    demand(isIndex(state, given.length + 1), `a loop of ${state} variables`);
    demandTypes(made, given.slice(0, state), "a loop's variables");
    facts.body = this.block(facts.body, given, made, depth + 1);
    if (counted === undefined) {
      facts.test = this.block(facts.test, given, [BOOL], depth + 1);
      return;
    }
    object(counted, "a loop's count");
    const starts = indices(counted.starts, given.length, "a loop's start");
    const numbers = indices(counted.state, state, "a loop's numbers");
    for (const at of [...starts, ...numbers]) {
      demand(isNumber(given[at]), "a loop counts no number");
    }
    checkExpression(counted.test, given.length);
    const next = list(counted.next, "a loop's next numbers");
    demand(next.length === numbers.length, "a loop has other next numbers");
    for (const one of next) checkExpression(one, given.length);
  }

  /**
   * @param {string} op
   * @param {Record<string, any>} facts
   * @param {Type[]} given
   * @param {Type[]} made
   */
  checkList(op, facts, given, made) {
    /** @type {(takes: Type[], gives?: Type[]) => void} */
    const fits = (takes, gives = [LIST]) => {
      demandTypes(given, takes, `what ${op} takes`);
      demandTypes(made, gives, `what ${op} gives`);
    };
    if (op === "list_make") {
      const { places, length } = facts;
      demand(isIndex(length, MOST_ITEMS + 1), `a list of ${length}`);
      demand(indices(places, length, "a list's places").length === given.length, "places lack");
      fits(given);
    } else if (op === "list_set") {
      const { limit } = facts;
      demand(limit === null || isIndex(limit, MOST_ITEMS + 1), `a list of ${limit}`);
      fits([LIST, INDEX, given[2] ?? LIST]);
    } else if (op === "list_clear") fits([LIST, INDEX]);
    else if (op === "list_get") fits([LIST, INDEX], [made[0] ?? LIST]);
    else if (op === "list_add") fits([LIST, LIST]);
    else if (op === "list_stack") {
      const items = this.items(facts);
      fits([LIST], [made[0] ?? LIST]);
      this.fits(facts.program, items, made);
    } else {
      demand(op === "list_unstack", `there is no step ${op}`);
      const items = this.items(facts);
      fits([given[0] ?? LIST]);
      if (items.length > 0) this.fits(facts.program, given, items);
    }
  }

  /**
   * The types of a list's items, all the same.
   * @param {Record<string, any>} facts
   * @returns {Type[]}
   */
  items(facts) {
    const [dtype, count] = list(facts.item, "an item");
    demand(KINDS.has(dtype) && isIndex(count), `an item of dtype ${dtype}`);
    demand(isIndex(facts.count, MOST_ITEMS + 1), `a list of ${facts.count}`);
    facts.item = { dtype, count };
    return Array(facts.count).fill(facts.item);
  }

  /**
   * @param {any} number of a Program
   * @param {Type[]} given
   * @param {Type[]} made
   */
  fits(number, given, made) {
    demand(isIndex(number, this.programs.length), `there is no program ${number}`);
    const { inputs, outputs } = this.programs[number];
    demand(![...given, ...made].some(({ dtype }) => dtype === "list"), "a program takes a list");
    demandTypes(given.flatMap(slotsOf), inputs, `what program ${number} takes`);
    demandTypes(made.flatMap(slotsOf), outputs, `what program ${number} gives`);
  }
}

/**
 * Notes for each step the values that nothing needs after it.
 * @param {Step[]} steps
 * @param {number[]} outputs
 */
function noteDead(steps, outputs) {
  const seen = new Set(outputs);
  for (const step of [...steps].reverse()) {
    const known = step.op === "known" ? [step.facts.of] : [];
    for (const at of [...step.inputs, ...step.outputs, ...known]) {
      if (!seen.has(at)) step.dead.push(at);
      seen.add(at);
    }
  }
}
