/**
 * The document of a program file (docs/program_files.md). The file may come from anywhere, so the
 * document is checked before anything relies on it. The runtimes check the programs.
 *
 * @typedef {import("./types.mjs").Type} Type
 * @typedef {import("./scalars.mjs").Expression} Expression
 * @typedef {import("./blocks.mjs").Frame} Frame
 * @typedef {import("./container.mjs").Entry} Entry
 * @typedef {import("./tfpy-run.js").Spec} Spec
 *
 * @typedef {object} Step
 * @property {string} op
 * @property {number[]} inputs numbers of values
 * @property {number[]} outputs
 * @property {number[]} dead values that are not needed after the step
 * @property {Record<string, any>} facts properties of this kind of step
 *
 * @typedef {object} Block
 * @property {Type[]} values
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {[number, string][]} constants values and the names of their tensors in the file
 * @property {Step[]} steps
 *
 * @typedef {{state: number} | {random: number[] | null, blocks?: number}} Source source of an input that
 *   is not an argument: a variable, or the state of a stream of random numbers
 *
 * @typedef {object} SignatureText
 * @property {Spec[]} inputs
 * @property {Spec[]} outputs
 * @property {Source[]} reads
 * @property {number[]} assigns
 *
 * @typedef {object} Target
 * @property {string} backend
 * @property {Record<string, number>} needs minimum limits of the device
 * @property {Block[][]} blocks by function and signature
 * @property {import("./blocks.mjs").Cached[]} cached
 * @property {Record<string, number>} adders Programs that add items of lists, by dtype/count
 *
 * @typedef {object} ProgramText
 * @property {Record<string, any>} document
 * @property {string} [constants] name of a tensor of the file
 * @property {Type[]} inputs
 * @property {Type[]} outputs
 * @property {Type} [commonInput] type of all inputs, if it is the same
 * @property {Type} [commonOutput]
 *
 * @typedef {object} Document
 * @property {{name: string, signatures: SignatureText[]}[]} functions
 * @property {StateEntry[]} state
 * @property {Target[]} targets
 * @property {ProgramText[]} programs
 * @property {Record<string, string>} lacks reasons why the file has no target for a backend
 * @property {import("./language_facts.mjs").LanguageFacts | null} languageModel
 *
 * @typedef {object} StateEntry
 * @property {string} tensor name
 * @property {Type} type
 * @property {number[]} shape
 * @property {boolean} trainable
 * @property {boolean} constant
 * @property {boolean} zeros true if the state is zero in the beginning and is not saved
 */

import { shownValue } from "../common/document.mjs";
import { nbytesOf } from "../common/elements.mjs";
import { BlockCheck } from "./blocks.mjs";
import {
  countOf,
  demand,
  demandDistinct,
  indices,
  isIndex,
  keyOf,
  list,
  object,
  parsed,
  text,
} from "./check.mjs";
import { languageFactsOf } from "./language_facts.mjs";
import { checkFits } from "./steps.mjs";
import { commonType } from "./types.mjs";

/** Versions of the format; files with a language model have the second one. */
const VERSIONS = [1, 2];
/** Number of bytes of all variables that are zero in the beginning. */
const MOST_ZERO_BYTES = 2 ** 32;

/** Dtypes of the file's tensors, and the dtypes of their values. */
const DTYPES = /** @type {const} */ ({
  F32: "float32",
  I32: "int32",
  BOOL: "bool",
  C64: "complex64",
  I8: "int8",
});
const SPEC_DTYPES = /** @type {const} */ ({ float32: 1, int32: 1, bool: 1, complex64: 1 });

/** Number of int32 values in the state of a stream. */
const RANDOM_WORDS = 6;
/** Number of arguments of one call that every browser supports. */
const MOST_INPUTS = 2 ** 16 - 1;
const ADDER = /^(float32|int32|bool|complex64)\/(\d{1,10})$/;

/**
 * @param {Entry | undefined} entry
 * @param {string} what
 * @returns {Type}
 */
export function typeOf(entry, what) {
  demand(entry !== undefined, `there is no tensor ${what}`);
  const dtype = DTYPES[keyOf(entry.dtype, DTYPES, `the dtype of tensor ${what}`)];
  return { dtype, count: entry.count };
}

/**
 * @param {string} json
 * @param {Map<string, Entry>} entries
 * @returns {Document}
 */
export function parseDocument(json, entries) {
  const given = parsed(json, "the program");
  const version = shownValue(given.version);
  const known = VERSIONS.join(" and ");
  demand(VERSIONS.includes(given.version), `version ${version}; this runtime reads ${known}`);
  const state = list(given.state, "state").map((one) => stateOf(one, entries));
  const zeros = state.filter((one) => one.zeros).map(({ type }) => bytesOfType(type));
  const total = zeros.reduce((sum, bytes) => sum + bytes, 0);
  demand(total <= MOST_ZERO_BYTES, `variables of ${total} bytes are zero`);
  const variables = new Set(state.map(({ tensor }) => tensor));
  demand(variables.size === state.length, "two variables have the same tensor");
  const programs = list(given.programs, "programs").map((one) => programOf(one, entries));
  const functions = list(given.functions, "functions").map((one) => {
    const name = text(object(one, "a function").name, "a function's name");
    const signatures = list(one.signatures, name).map((each) => signatureOf(each, state, name));
    demand(signatures.length > 0, `${name} has no signature`);
    return { name, signatures };
  });
  demand(functions.length > 0, "there is no function");
  demandDistinct(
    functions.map(({ name }) => name),
    "a function's name",
  );
  const frames = functions.map(({ signatures }) => signatures.map((one) => frameOf(one, state)));
  /** @type {(name: any) => Type} */
  const constantType = (name) => {
    demand(!variables.has(text(name, "a constant's tensor")), `constant ${name} is a variable`);
    return typeOf(entries.get(name), name);
  };
  const targets = list(given.targets, "targets").map((one) =>
    targetOf(one, frames, new BlockCheck(programs, constantType)),
  );
  const lacks = object(given.lacks, "lacks");
  for (const [name, why] of Object.entries(lacks)) text(why, `the entry ${name} of lacks`);
  const languageModel = languageFactsOf(given.language_model, functions, entries);
  return { functions, state, targets, programs, lacks, languageModel };
}

/**
 * @param {any} given
 * @param {Map<string, Entry>} entries
 * @returns {StateEntry}
 */
function stateOf(given, entries) {
  const { tensor, trainable = false, constant = false, zeros } = object(given, "a variable");
  const entry = entries.get(text(tensor, "a variable's tensor"));
  if (zeros !== undefined) {
    const { dtype, shape } = object(zeros, `the zeros of ${tensor}`);
    demand(entry === undefined, `variable ${tensor} is zero and has a tensor`);
    const kind = keyOf(dtype, SPEC_DTYPES, `the dtype of ${tensor}`);
    const type = { dtype: kind, count: countOf(shape, tensor) };
    return { tensor, type, shape, trainable: false, constant: true, zeros: true };
  }
  const type = typeOf(entry, tensor);
  const { shape } = /** @type {Entry} */ (entry);
  // Pages have no arrays of int8, and cannot use quantized weights without their scales.
  const isConstant = constant === true || type.dtype === "int8";
  const flags = { trainable: trainable === true, constant: isConstant };
  return { tensor, type, shape, ...flags, zeros: false };
}

/** @param {Type} type */
function bytesOfType({ dtype, count }) {
  return (
    nbytesOf(count, dtype === "complex64" ? "float32" : dtype) * (dtype === "complex64" ? 2 : 1)
  );
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
    return {
      dtype: /** @type {any} */ (text(dtype, "a dtype")),
      count: countOf(shape, "a buffer"),
    };
  });
  if (constants !== undefined) {
    const dtype = entries.get(text(constants, "a program's constants"))?.dtype;
    demand(dtype === "U8", `the constants ${constants} are not bytes`);
  }
  const count = list(inputs, "a program's inputs").length;
  demand(count <= MOST_INPUTS, `a program has ${count} inputs, more than ${MOST_INPUTS}`);
  /** @type {(all: any, what: string) => Type[]} */
  const typed = (all, what) => indices(all, types.length, what).map((at) => types[at]);
  const [takes, gives] = [
    typed(inputs, "a program's inputs"),
    typed(outputs, "a program's outputs"),
  ];
  const common = { commonInput: commonType(takes), commonOutput: commonType(gives) };
  return { document, constants, inputs: takes, outputs: gives, ...common };
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
    const { state: at, random, blocks } = object(read, "a value that a function reads");
    if (at !== undefined) {
      demand(isIndex(at, state.length), `${name} reads variable ${shownValue(at)}`);
      return { state: at };
    }
    if (random === null) return { random };
    const words = indices(random, 2 ** 32, "a random state");
    demand(
      words.length === RANDOM_WORDS && isIndex(blocks),
      `the random state of ${name} is not valid`,
    );
    return { random: words, blocks };
  });
  const found = indices(assigns, state.length, "assigns");
  demandDistinct(found, `a variable that ${name} assigns`);
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
    demand(!names.has(text(name, "a name")), `input or output ${name} appears twice`);
    names.add(name);
    countOf(shape, name);
    return { name, dtype: keyOf(dtype, SPEC_DTYPES, `the dtype of ${name}`), shape };
  });
}

/**
 * @param {any} given
 * @param {Frame[][]} frames frames of the blocks, by function and signature
 * @param {BlockCheck} check
 * @returns {Target}
 */
function targetOf(given, frames, check) {
  const { backend, needs, blocks, adders } = object(given, "a target");
  for (const [limit, least] of Object.entries(object(needs, "needs"))) {
    demand(Number.isFinite(least), `a target's need of ${limit} is not a number`);
  }
  checkAdders(object(adders, "adders"), check.programs);
  const rows = list(blocks, "blocks");
  demand(rows.length === frames.length, `blocks of ${rows.length} functions`);
  const made = frames.map((signatures, i) => {
    const row = list(rows[i], "the blocks of a function");
    demand(row.length === signatures.length, `a function has ${row.length} blocks`);
    return signatures.map((frame, j) => check.block(row[j], frame, 0));
  });
  return { backend: text(backend, "backend"), needs, blocks: made, cached: check.cached, adders };
}

/**
 * Check that each adder maps two items to one item of the type that its key specifies.
 * @param {Record<string, any>} adders
 * @param {ProgramText[]} programs
 */
function checkAdders(adders, programs) {
  for (const [key, number] of Object.entries(adders)) {
    const [, dtype, count] = ADDER.exec(key) ?? [];
    demand(dtype !== undefined && isIndex(Number(count)), `an adder of ${shownValue(key)}`);
    const type = { dtype: /** @type {Type["dtype"]} */ (dtype), count: Number(count) };
    checkFits(programs, number, [type, type], [type]);
  }
}

/**
 * Return the frame of a signature's block.
 * @param {SignatureText} signature
 * @param {Document["state"]} state
 * @returns {Frame}
 */
function frameOf({ inputs, outputs, reads, assigns }, state) {
  /** @type {(spec: Spec) => Type} */
  const ofSpec = ({ dtype, shape, name }) => ({ dtype, count: countOf(shape, name) });
  /** @type {(source: Source) => Type} */
  const ofSource = (source) =>
    "state" in source ? state[source.state].type : { dtype: "int32", count: RANDOM_WORDS };
  const assigned = new Set(assigns);
  /** @type {(source: Source) => number | undefined} */
  const stateOf = (source) => ("state" in source ? source.state : undefined);
  const states = [...inputs.map(() => undefined), ...reads.map(stateOf)];
  return {
    inputs: [...inputs.map(ofSpec), ...reads.map(ofSource)],
    outputs: [...outputs.map(ofSpec), ...assigns.map((at) => state[at].type)],
    lasting: states.map((state) => (state === undefined ? undefined : { state })),
    replaced: states.map((state) => state !== undefined && assigned.has(state)),
  };
}
