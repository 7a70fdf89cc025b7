/**
 * Parses and checks the document of a shader Program (src/tfpy/_src/compiler/lower/program.py). The
 * document may come from an untrusted file, so everything is checked before it is used.
 *
 * @typedef {object} KernelText
 * @property {string} name
 * @property {string} source
 * @property {string[]} inputs
 * @property {boolean} [overwrites] whether steps write a part of their output, and do not read the first
 *   input, which is the rest
 *
 * @typedef {object} BufferText backends may add properties
 * @property {string} dtype
 * @property {number[]} shape
 *
 * @typedef {object} StepText backends may add properties
 * @property {number} kernel
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {Record<string, number | number[]>} params
 *
 * @typedef {object} Rules additional checks of a backend
 * @property {string} backend
 * @property {number} maxInputs number of arrays that a kernel may read
 * @property {boolean} [float16] whether the device can store float16
 * @property {boolean} [int8] whether kernels can read the bytes of int8
 * @property {boolean} [overwriting] whether kernels may write a part of their output
 * @property {(buffer: any, number: number, isTemporary: boolean) => void} checkBuffer
 * @property {(text: ProgramText, step: any, what: string) => void} checkStep
 */

/**
 * @template {BufferText} [B=BufferText]
 * @template {StepText} [S=StepText]
 * @typedef {object} ProgramText
 * @property {number} version
 * @property {string} backend
 * @property {KernelText[]} kernels
 * @property {B[]} buffers
 * @property {{buffer: number, offset: number}[]} constants
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {[number, number][]} [donations] pairs of an output and an input's buffer
 * @property {S[]} steps
 * @property {string} of names of the ops that it computes, for errors
 */

import { nbytesOf } from "./elements.mjs";

const VERSION = 1;
const LISTS = ["kernels", "buffers", "constants", "inputs", "outputs", "steps"];
/** Sizes and indices are int32 in shaders. */
export const SIZE_LIMIT = 2 ** 31;
/** TensorFlow's limit for the rank of a tensor. */
export const MOST_DIMENSIONS = 254;
/** Number of characters of a value that an error shows. */
const MOST_SHOWN = 60;
const DTYPES = ["float32", "int32", "bool"];

/**
 * @param {string} json
 * @param {number} nbytes length of the constants' data
 * @param {Rules} rules
 * @returns {ProgramText}
 */
export function parseProgram(json, nbytes, rules) {
  const text = parsed(json);
  checkLists(text);
  check(text, nbytes, rules);
  return { ...text, of: typeof text.of === "string" ? text.of : "a program" };
}

/**
 * @param {string} json
 * @returns {ProgramText}
 */
function parsed(json) {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`program: the text is not JSON (${error})`);
  }
}

/**
 * Check that every list and object is present; `check` validates their contents.
 *
 * @param {any} text
 */
function checkLists(text) {
  require_(isObject(text), "the text is not an object");
  for (const name of LISTS) requireList(text, name);
  text.buffers.forEach((/** @type {any} */ buffer, /** @type {number} */ number) => {
    requireList(buffer, "shape", `buffer ${number}: `);
  });
  text.kernels.forEach((/** @type {any} */ kernel, /** @type {number} */ number) => {
    requireList(kernel, "inputs", `kernel ${number}: `);
  });
  text.constants.forEach((/** @type {any} */ constant, /** @type {number} */ number) => {
    require_(isObject(constant), `constant ${number} is not an object`);
  });
  text.steps.forEach((/** @type {any} */ step, /** @type {number} */ number) => {
    for (const name of ["inputs", "outputs"]) requireList(step, name, `step ${number}: `);
    require_(isObject(step.params), `step ${number} has no params`);
  });
  if (text.donations === undefined) return;
  requireList(text, "donations");
  for (const pair of text.donations) {
    require_(Array.isArray(pair) && pair.length === 2, "an entry of donations is not a pair");
  }
}

/**
 * @param {any} object
 * @param {string} name
 * @param {string} [where]
 */
function requireList(object, name, where = "") {
  const found = isObject(object) && Array.isArray(object[name]);
  require_(found, `${where}the list ${name} is missing`);
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/**
 * Check that indices are in range, and that each buffer is written once, before any read.
 *
 * @param {ProgramText} text
 * @param {number} nbytes
 * @param {Rules} rules
 */
function check(text, nbytes, rules) {
  const version = shownValue(text.version);
  require_(text.version === VERSION, `version ${version}, this runtime reads ${VERSION}`);
  require_(text.backend === rules.backend, `made for backend ${shownValue(text.backend)}`);
  for (const buffer of text.buffers) checkBuffer(buffer, rules);
  for (const { name, source, inputs, overwrites = false } of text.kernels) {
    require_(typeof name === "string" && typeof source === "string", "kernel without source");
    const known = overwrites === false || (overwrites === true && rules.overwriting === true);
    require_(known && inputs.length >= Number(overwrites), `kernel ${name} overwrites its input`);
    require_(inputs.length <= rules.maxInputs, `kernel ${name} has ${inputs.length} inputs`);
    const named = inputs.every((input) => typeof input === "string");
    require_(named, `an input of kernel ${name} has no name`);
  }
  /** @type {Set<number>} */
  const written = new Set();
  /** @type {(buffer: number, what: string) => void} */
  const write = (buffer, what) => {
    require_(isIndex(buffer, text.buffers.length), `${what} names buffer ${shownValue(buffer)}`);
    require_(!written.has(buffer), `${what} writes buffer ${buffer} a second time`);
    written.add(buffer);
  };
  for (const buffer of text.inputs) write(buffer, "inputs");
  for (const { buffer, offset } of text.constants) {
    write(buffer, "constants");
    const { dtype, shape } = text.buffers[buffer];
    const end = offset + nbytesOf(countOf(shape), dtype);
    const inside = isIndex(offset, nbytes + 1) && end <= nbytes;
    require_(inside, `constant ${buffer} lies outside the data`);
  }
  const sources = new Set(written);
  text.steps.forEach((step, number) => {
    const what = `step ${number}`;
    checkStep(text, step, what);
    for (const buffer of step.inputs) {
      const shown = shownValue(buffer);
      require_(written.has(buffer), `${what} reads buffer ${shown} before it is written`);
    }
    for (const buffer of step.outputs) write(buffer, what);
    if (text.kernels[step.kernel].overwrites) {
      const [made, old] = [step.outputs[0], step.inputs[0]].map((b) => text.buffers[b]);
      require_(
        areAlike(made, old),
        `${what}: its output differs from the array that it overwrites`,
      );
    }
    rules.checkStep(text, step, what);
  });
  checkOutputs(text, sources, written);
  checkDonations(text);
  const passed = new Set([...sources, ...text.outputs]);
  text.buffers.forEach((buffer, number) => {
    rules.checkBuffer(buffer, number, !passed.has(number));
  });
}

/**
 * @param {BufferText} buffer
 * @param {Rules} rules
 */
function checkBuffer({ dtype, shape }, { backend, float16 = false, int8 = false }) {
  if (dtype === "float16") require_(float16, `float16, which this ${backend} device does not have`);
  else if (dtype === "int8") require_(int8, `int8, which ${backend} does not have`);
  else require_(DTYPES.includes(dtype), `dtype ${shownValue(dtype)}`);
  require_(shape.length <= MOST_DIMENSIONS, `a buffer of ${shape.length} dimensions`);
  const valid = shape.every((n) => isIndex(n, SIZE_LIMIT)) && countOf(shape) < SIZE_LIMIT;
  require_(valid, `buffer shape [${shape.map(shownValue)}]`);
}

/**
 * @param {ProgramText} text
 * @param {StepText} step
 * @param {string} what
 */
function checkStep({ kernels }, { kernel, inputs, outputs }, what) {
  require_(isIndex(kernel, kernels.length), `${what} names kernel ${shownValue(kernel)}`);
  const { name, inputs: names } = kernels[kernel];
  require_(inputs.length === names.length, `${what} (${name}) has too few or many inputs`);
  require_(outputs.length === 1, `${what} (${name}) has ${outputs.length} outputs`);
}

/**
 * Return the input that a step overwrites in place if nothing else uses it; or -1.
 *
 * @param {ProgramText} text
 * @param {StepText} step
 */
export function overwrittenBy({ kernels }, { kernel, inputs }) {
  const [first, ...others] = inputs;
  return kernels[kernel].overwrites && !others.includes(first) ? first : -1;
}

/**
 * @param {BufferText} made
 * @param {BufferText} old
 */
function areAlike(made, old) {
  return made.dtype === old.dtype && countOf(made.shape) === countOf(old.shape);
}

/**
 * @param {ProgramText} text
 * @param {Set<number>} sources buffers of inputs and constants
 * @param {Set<number>} written
 */
function checkOutputs({ outputs }, sources, written) {
  require_(new Set(outputs).size === outputs.length, "an output appears twice");
  for (const buffer of outputs) {
    const made = written.has(buffer) && !sources.has(buffer);
    require_(made, `no step writes output buffer ${shownValue(buffer)}`);
  }
}

/**
 * Check donations: an output may reuse an input of the same size and dtype if no later step reads the input.
 *
 * @param {ProgramText} text
 */
function checkDonations(text) {
  const { buffers, inputs, outputs, steps, donations = [] } = text;
  const named = donations.flat();
  require_(new Set(named).size === named.length, "a buffer is in two donations");
  const [given, returned] = [new Set(inputs), new Set(outputs)];
  /** @type {Map<number, number>} the step that writes a buffer */
  const makers = new Map();
  /** @type {Map<number, number>} the step that reads a buffer last */
  const readers = new Map();
  steps.forEach((step, number) => {
    for (const buffer of step.outputs) makers.set(buffer, number);
    for (const buffer of step.inputs) readers.set(buffer, number);
  });
  for (const [output, input] of donations) {
    const what = `output buffer ${shownValue(output)} and input buffer ${shownValue(input)}`;
    require_(returned.has(output) && given.has(input), `${what} do not exist`);
    require_(areAlike(buffers[output], buffers[input]), `${what} differ in size or dtype`);
    const maker = /** @type {number} */ (makers.get(output));
    const own = overwrittenBy(text, steps[maker]) === input;
    const free = (readers.get(input) ?? -1) < maker + Number(own);
    require_(free, `step ${maker} would overwrite ${what}`);
  }
}

/** @param {number[]} shape */
export function countOf(shape) {
  return shape.reduce((a, b) => a * b, 1);
}

/**
 * Return a short form of a document's value for an error.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function shownValue(value) {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return "an object";
  return String(value).slice(0, MOST_SHOWN);
}

/**
 * @param {boolean} condition
 * @param {string} message
 */
export function require_(condition, message) {
  if (!condition) throw new Error(`program: ${message}`);
}

/**
 * @param {number} value
 * @param {number} end
 */
export function isIndex(value, end) {
  return Number.isInteger(value) && value >= 0 && value < end;
}
