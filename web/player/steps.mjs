/**
 * Checks the steps of a block: inputs and outputs have the types that the Programs, blocks and
 * expressions of a step require. A step keeps only the facts that were checked.
 *
 * @typedef {import("./blocks.mjs").BlockCheck} BlockCheck
 * @typedef {import("./blocks.mjs").Scope} Scope
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./types.mjs").Type} Type
 *
 * @typedef {object} Given a step of a file
 * @property {Record<string, any>} given
 * @property {number[]} inputs numbers of values
 * @property {Type[]} takes
 * @property {Type[]} gives
 * @property {Scope} scope
 * @property {number} depth depth of its block
 */

import { demand, demandDistinct, flag, indices, isIndex, list, object } from "./check.mjs";
import { checkExpression } from "./scalars.mjs";
import {
  BOOL,
  demandTypes,
  INDEX,
  isSameType,
  LIST,
  scalarType,
  shownType,
  typeOfPair,
} from "./types.mjs";
import { MOST_ITEMS, slotsOf } from "./values.mjs";

/**
 * @param {BlockCheck} check
 * @param {string} op
 * @param {Given} step
 * @returns {Record<string, any>} its facts
 */
export function checkStep(check, op, step) {
  demand(Object.hasOwn(STEPS, op), `there is no step ${op.slice(0, 60)}`);
  return STEPS[op](step, check);
}

/** @type {Record<string, (step: Given, check: BlockCheck) => Record<string, any>>} */
const STEPS = {
  program: checkProgram,
  known: checkKnown,
  cond: checkCond,
  while: checkWhile,
  list_make({ given: { length, places }, takes, gives }) {
    demand(isIndex(length, MOST_ITEMS + 1), "a list's length is out of range");
    demand(indices(places, length, "a list's places").length === takes.length, "places lack");
    demandDistinct(places, "a list's place");
    demandTypes(gives, [LIST], "the outputs of list_make");
    return { length, places };
  },
  list_set({ given: { limit }, takes, gives }) {
    demand(limit === null || isIndex(limit, MOST_ITEMS + 1), "a list's limit is out of range");
    demandTypes(takes, [LIST, INDEX, takes[2] ?? LIST], "the inputs of list_set");
    demandTypes(gives, [LIST], "the outputs of list_set");
    return { limit };
  },
  list_clear({ takes, gives }) {
    demandTypes(takes, [LIST, INDEX], "the inputs of list_clear");
    demandTypes(gives, [LIST], "the outputs of list_clear");
    return {};
  },
  list_get({ takes, gives }) {
    demandTypes(takes, [LIST, INDEX], "the inputs of list_get");
    demand(gives.length === 1, `list_get has ${gives.length} outputs`);
    return {};
  },
  list_add({ takes, gives }) {
    demandTypes(takes, [LIST, LIST], "the inputs of list_add");
    demandTypes(gives, [LIST], "the outputs of list_add");
    return {};
  },
  list_stack({ given, takes, gives }, { programs }) {
    const { count, item } = itemsOf(given);
    demandTypes(takes, [LIST], "the inputs of list_stack");
    const program = programOf(programs, given.program);
    demandItems(program.inputs, program.commonInput, count, item, "the program's inputs");
    demandSlots(gives, program.outputs, "the program's outputs");
    return { count, item, program: given.program };
  },
  list_unstack({ given, takes, gives }, { programs }) {
    const { count, item } = itemsOf(given);
    demand(takes.length === 1, `list_unstack has ${takes.length} inputs`);
    demandTypes(gives, [LIST], "the outputs of list_unstack");
    if (count === 0) return { count, item };
    const program = programOf(programs, given.program);
    demandSlots(takes, program.inputs, "the program's inputs");
    demandItems(program.outputs, program.commonOutput, count, item, "the program's outputs");
    return { count, item, program: given.program };
  },
};

/**
 * @param {Given} step
 * @param {BlockCheck} check
 */
function checkProgram({ given, inputs, takes, gives, scope }, check) {
  checkFits(check.programs, given.program, takes, gives);
  const cached = flag(given.cached, "the flag cached of a step");
  if (cached) {
    const lasting = inputs.map((at) => {
      const found = scope.lasting.get(at);
      demand(found !== undefined, `a cached step takes value ${at}, which changes`);
      return found;
    });
    check.cached.push({ program: given.program, given: lasting, types: gives });
  }
  const donated = indices(given.donated ?? [], inputs.length, "donations");
  demand(donated.length === 0 || !cached, "a cached step takes donations");
  demandDistinct(donated, "a donation");
  const counts = new Map();
  for (const at of inputs) counts.set(at, (counts.get(at) ?? 0) + 1);
  for (const at of donated.map((i) => inputs[i])) {
    const spare = scope.replaced.has(at) && counts.get(at) === 1;
    demand(spare, `a step is donated value ${at}, which is still needed`);
  }
  return { program: given.program, cached, donated };
}

/** @param {Given} step */
function checkKnown({ given: { of, value }, takes, gives, scope }) {
  demandTypes(gives, [], "the outputs of known");
  demand(isIndex(of), "a known number has no value");
  const wanted = scalarType(scope.read([of])[0]);
  demand(wanted !== undefined, "a known value is not a number");
  const found = checkExpression(value, takes.map(scalarType));
  demand(found === wanted, `value ${of} has an expression of type ${found}`);
  return { of, value };
}

/**
 * @param {Given} step
 * @param {BlockCheck} check
 */
function checkCond({ given, inputs, takes, gives, scope, depth }, check) {
  demand(scalarType(takes[0]) !== undefined, "the index of a branch is not a number");
  const lasting = inputs.slice(1).map((at) => scope.lasting.get(at));
  const frame = { inputs: takes.slice(1), outputs: gives, lasting, replaced: [] };
  const branches = list(given.branches, "branches").map((branch) =>
    check.block(branch, frame, depth + 1),
  );
  demand(branches.length > 0, "a conditional has no branch");
  return { branches };
}

/**
 * @param {Given} step
 * @param {BlockCheck} check
 */
function checkWhile({ given, inputs, takes, gives, scope, depth }, check) {
  const { state, counted } = given;
  demand(isIndex(state, takes.length + 1), "a loop has more variables than inputs");
  demandTypes(gives, takes.slice(0, state), "a loop's variables");
  const { inputs: before, outputs: after } = object(given.body, "a loop's body");
  list(before, "a block's inputs");
  list(after, "a block's outputs");
  const lasting = inputs.map((at, i) =>
    i >= state || after[i] === before[i] ? scope.lasting.get(at) : undefined,
  );
  const replaced = inputs.map((_, i) => i < state);
  const body = check.block(
    given.body,
    { inputs: takes, outputs: gives, lasting, replaced },
    depth + 1,
  );
  if (counted !== undefined) return { state, body, counted: checkCount(counted, state, takes) };
  const frame = { inputs: takes, outputs: [BOOL], lasting, replaced: [] };
  return { state, body, test: check.block(given.test, frame, depth + 1) };
}

/**
 * @param {any} given
 * @param {number} state
 * @param {Type[]} takes
 */
function checkCount(given, state, takes) {
  const { starts, state: changing, next, test } = object(given, "a loop's count");
  indices(starts, takes.length, "a loop's start");
  indices(changing, state, "a loop's numbers");
  demandDistinct(changing, "a loop's number");
  for (const at of [...starts, ...changing]) {
    demand(scalarType(takes[at]) !== undefined, "a loop counts a value that is not a number");
  }
  const known = new Set(starts);
  const types = takes.map((type, i) => (known.has(i) ? scalarType(type) : undefined));
  demand(checkExpression(test, types) === "b", "a loop's test is not a bool");
  demand(
    list(next, "a loop's next numbers").length === changing.length,
    "a next number is missing",
  );
  next.forEach((/** @type {any} */ one, /** @type {number} */ i) => {
    const found = checkExpression(one, types);
    demand(found === scalarType(takes[changing[i]]), `a loop's next number is of type ${found}`);
  });
  return { starts, state: changing, next, test };
}

/**
 * Return the number of a list's items, and the type that they share.
 * @param {Record<string, any>} given
 */
function itemsOf({ count, item }) {
  demand(isIndex(count, MOST_ITEMS + 1), "a list's count is out of range");
  return { count, item: typeOfPair(item, "an item") };
}

/**
 * @param {ProgramText[]} programs
 * @param {any} number
 */
function programOf(programs, number) {
  demand(isIndex(number, programs.length), "a step names a program that does not exist");
  return programs[number];
}

/**
 * Check that a Program takes inputs and produces outputs of some types.
 * @param {ProgramText[]} programs
 * @param {any} number
 * @param {Type[]} takes
 * @param {Type[]} gives
 */
export function checkFits(programs, number, takes, gives) {
  const { inputs, outputs } = programOf(programs, number);
  demandSlots(takes, inputs, `the inputs of program ${number}`);
  demandSlots(gives, outputs, `the outputs of program ${number}`);
}

/**
 * @param {Type[]} types
 * @param {Type[]} slots
 * @param {string} what
 */
function demandSlots(types, slots, what) {
  demand(!types.some(({ dtype }) => dtype === "list"), "a program takes or returns a list");
  demandTypes(types.flatMap(slotsOf), slots, what);
}

/**
 * Check that slots belong to equal items, in time that does not depend on the number of items.
 * @param {Type[]} slots
 * @param {Type | undefined} common type of all slots
 * @param {number} count
 * @param {Type} item
 * @param {string} what
 */
function demandItems(slots, common, count, item, what) {
  demand(item.dtype !== "list", "a program takes or returns a list");
  const own = slotsOf(item);
  const same = count === 0 || (common !== undefined && isSameType(common, own[0]));
  const fits = slots.length === count * own.length && same;
  demand(fits, `${what} are not ${count} items ${shownType(item)}`);
}
