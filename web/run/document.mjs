/**
 * What a file says is to be run (docs/export.md). It may come from anywhere: it is checked before
 * anything relies on it. Programs are checked by their runtimes, too.
 *
 * @typedef {import("./values.mjs").Kind} Kind
 * @typedef {import("./scalars.mjs").Expression} Expression
 * @typedef {import("./container.mjs").Entry} Entry
 * @typedef {import("./tfpy-run.js").Spec} Spec
 * @typedef {{dtype: Kind, count: number}} Type
 *
 * @typedef {object} Step
 * @property {string} op
 * @property {number[]} inputs numbers of values
 * @property {number[]} outputs
 * @property {number[]} dead values that nothing needs after it
 * @property {Record<string, any>} facts what only this kind of step has
 *
 * @typedef {object} Block
 * @property {Type[]} values
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {[number, string][]} constants values, and the tensors of the file that they are
 * @property {Step[]} steps
 *
 * @typedef {{state: number} | {random: number[] | null, blocks?: number}} Source of an input that is no
 *   argument: a variable, or the state of a stream of random numbers
 *
 * @typedef {object} SignatureText
 * @property {Spec[]} inputs
 * @property {Spec[]} outputs
 * @property {Source[]} reads
 * @property {number[]} assigns
 *
 * @typedef {object} Target
 * @property {string} backend
 * @property {Record<string, number>} needs limits that the device must reach
 * @property {Block[][]} blocks by function and signature
 * @property {Record<string, number>} adders Programs that add items of lists, by dtype/count
 *
 * @typedef {object} ProgramText
 * @property {Record<string, any>} document
 * @property {string} [constants] a tensor of the file
 * @property {Type[]} inputs
 * @property {Type[]} outputs
 *
 * @typedef {object} Document
 * @property {{name: string, signatures: SignatureText[]}[]} functions
 * @property {{tensor: string, type: Type, shape: number[], trainable: boolean, constant: boolean}[]} state
 * @property {Target[]} targets
 * @property {ProgramText[]} programs
 * @property {Record<string, string>} lacks why there are no targets of a backend
 */

import { BlockCheck } from "./blocks.mjs";
import { countOf, demand, indices, isIndex, list, object, parsed, text } from "./check.mjs";

const VERSION = 1;

/** @type {Record<string, Kind>} */
const DTYPES = { F32: "float32", I32: "int32", BOOL: "bool", C64: "complex64" };

/** How many int32 a stream's state is. */
const RANDOM_WORDS = 6;

/**
 * @param {Entry | undefined} entry
 * @param {string} what
 * @returns {Type}
 */
export function typeOf(entry, what) {
  demand(entry !== undefined, `there is no tensor ${what}`);
  demand(Object.hasOwn(DTYPES, entry.dtype), `tensor ${what} holds ${entry.dtype}`);
  return { dtype: DTYPES[entry.dtype], count: entry.count };
}

/**
 * @param {string} json
 * @param {Map<string, Entry>} entries
 * @returns {Document}
 */
export function parseDocument(json, entries) {
  const given = parsed(json, "the program");
  demand(given.version === VERSION, `version ${given.version}; this runtime reads ${VERSION}`);
  const state = list(given.state, "state").map((one) => {
    const { tensor, trainable = false, constant = false } = object(one, "a variable");
    const type = typeOf(entries.get(tensor), text(tensor, "a variable's tensor"));
    const { shape } = /** @type {Entry} */ (entries.get(tensor));
    return { tensor, type, shape, trainable: trainable === true, constant: constant === true };
  });
  const programs = list(given.programs, "programs").map((one) => programOf(one, entries));
  const functions = list(given.functions, "functions").map((one) => {
    const name = text(object(one, "a function").name, "a function's name");
    const signatures = list(one.signatures, name).map((each) => signatureOf(each, state, name));
    demand(signatures.length > 0, `${name} has no signature`);
    return { name, signatures };
  });
  demand(functions.length > 0, "there is no function");
  const targets = list(given.targets, "targets").map((one) =>
    targetOf(one, functions, state, programs, entries),
  );
  const lacks = object(given.lacks, "lacks");
  for (const [name, why] of Object.entries(lacks)) text(why, `what ${name} lacks`);
  return { functions, state, targets, programs, lacks };
}

/**
 * @param {any} given
 * @param {Map<string, Entry>} entries
 * @returns {ProgramText}
 */
function programOf(given, entries) {
  const { document, constants } = object(given, "a program");
  const { buffers, inputs, outputs } = object(document, "a program's document");
  const types = list(buffers, "a program's buffers").map((buffer) => {
    const { dtype, shape } = object(buffer, "a buffer");
    return { dtype, count: countOf(shape, "a buffer") };
  });
  if (constants !== undefined) {
    demand(entries.get(constants)?.dtype === "U8", `there are no constants ${constants}`);
  }
  /** @type {(all: any, what: string) => Type[]} */
  const typed = (all, what) => indices(all, types.length, what).map((at) => types[at]);
  return {
    document,
    constants,
    inputs: typed(inputs, "a program's inputs"),
    outputs: typed(outputs, "a program's outputs"),
  };
}

/**
 * @param {any} given
 * @param {Document["state"]} state
 * @param {string} name of the function
 * @returns {SignatureText}
 */
function signatureOf(given, state, name) {
  const { inputs, outputs, reads, assigns } = object(given, `a signature of ${name}`);
  const sources = list(reads, "reads").map((read) => {
    const { state: at, random, blocks } = object(read, "what a function reads");
    if (at !== undefined) {
      demand(isIndex(at, state.length), `${name} reads variable ${at}`);
      return { state: at };
    }
    if (random === null) return { random };
    const words = indices(random, 2 ** 32, "a random state");
    demand(words.length === RANDOM_WORDS && isIndex(blocks), `${name} reads no random state`);
    return { random: words, blocks };
  });
  const found = indices(assigns, state.length, "assigns");
  demand(new Set(found).size === found.length, `${name} assigns a variable twice`);
  return { inputs: specsOf(inputs), outputs: specsOf(outputs), reads: sources, assigns: found };
}

/**
 * @param {any} given
 * @returns {Spec[]}
 */
function specsOf(given) {
  const names = new Set();
  return list(given, "inputs or outputs").map((one) => {
    const { name, dtype, shape } = object(one, "an input or output");
    demand(typeof name === "string" && !names.has(name), `input or output ${name} twice`);
    demand(Object.values(DTYPES).includes(dtype), `${name} is of dtype ${dtype}`);
    countOf(shape, name);
    names.add(name);
    return { name, dtype, shape };
  });
}

/**
 * @param {any} given
 * @param {Document["functions"]} functions
 * @param {Document["state"]} state
 * @param {ProgramText[]} programs
 * @param {Map<string, Entry>} entries
 * @returns {Target}
 */
function targetOf(given, functions, state, programs, entries) {
  const { backend, needs, blocks, adders } = object(given, "a target");
  for (const [limit, least] of Object.entries(object(needs, "needs"))) {
    demand(Number.isFinite(least), `a target needs ${least} of ${limit}`);
  }
  for (const [key, number] of Object.entries(object(adders, "adders"))) {
    demand(isIndex(number, programs.length), `adder ${key} is program ${number}`);
  }
  const check = new BlockCheck(programs, entries);
  const rows = list(blocks, "blocks");
  demand(rows.length === functions.length, `blocks of ${rows.length} functions`);
  const made = functions.map(({ name, signatures }, i) => {
    const row = list(rows[i], `the blocks of ${name}`);
    demand(row.length === signatures.length, `${name} has ${row.length} blocks`);
    return signatures.map((signature, j) => {
      const { inputs, outputs } = typesOf(signature, state);
      return check.block(row[j], inputs, outputs, 0);
    });
  });
  return { backend: text(backend, "backend"), needs, blocks: made, adders };
}

/**
 * The types of what a signature's block takes and gives.
 * @param {SignatureText} signature
 * @param {Document["state"]} state
 */
function typesOf({ inputs, outputs, reads, assigns }, state) {
  /** @type {(spec: Spec) => Type} */
  const ofSpec = ({ dtype, shape, name }) => ({ dtype, count: countOf(shape, name) });
  /** @type {(source: Source) => Type} */
  const ofSource = (source) =>
    "state" in source ? state[source.state].type : { dtype: "int32", count: RANDOM_WORDS };
  return {
    inputs: [...inputs.map(ofSpec), ...reads.map(ofSource)],
    outputs: [...outputs.map(ofSpec), ...assigns.map((at) => state[at].type)],
  };
}
