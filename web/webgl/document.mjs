/**
 * The document of a Program (src/tfpy/lower/program.py). It may come from anywhere: it is checked
 * before anything relies on it.
 *
 * @typedef {import("./shaders.mjs").KernelText} KernelText
 *
 * @typedef {object} BufferText
 * @property {string} dtype
 * @property {number[]} shape
 * @property {number} [layers] of its texture; 1 if not there
 * @property {number} [line] width of its texture in texels, a power of two, where kernels rely on it
 *
 * @typedef {object} StepText
 * @property {number} kernel
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {Record<string, number | number[]>} params
 * @property {Chunks} [chunks]
 *
 * @typedef {object} Chunks of a step that reads its last input through a uniform block: chunk i reads
 *   from byte i * nbytes on and draws the i-th rectangle of the output's texture
 * @property {number} count
 * @property {number} nbytes
 * @property {number} width texels
 * @property {number} height
 *
 * @typedef {object} ProgramText
 * @property {number} version
 * @property {string} backend
 * @property {KernelText[]} kernels
 * @property {BufferText[]} buffers
 * @property {{buffer: number, offset: number}[]} constants
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {[number, number][]} [donations] pairs of an output and an input's buffer
 * @property {StepText[]} steps
 */

const VERSION = 1;
const LISTS = ["kernels", "buffers", "constants", "inputs", "outputs", "steps"];
const MAX_INPUTS = 16;
/** Sizes and indices are int32 in shaders. */
const SIZE_LIMIT = 2 ** 31;
/** Bytes: chunks that uniform blocks read begin at multiples of this on any device. */
const CHUNK_ALIGNMENT = 256;
/** float32 and int32. */
const ELEMENT_BYTES = 4;
const DTYPES = new Set(["float32", "int32", "bool"]);

/**
 * @param {string} json
 * @param {number} nbytes length of the constants' data
 * @param {number} targets how many layers a buffer may have
 * @returns {ProgramText}
 */
export function parseProgram(json, nbytes, targets) {
  const text = parsed(json);
  checkLists(text);
  check(text, nbytes, targets);
  return text;
}

/**
 * @param {string} json
 * @returns {ProgramText}
 */
function parsed(json) {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`program: the text is no JSON (${error})`);
  }
}

/**
 * Every list and object is there; what they hold, `check` looks at.
 *
 * @param {any} text
 */
function checkLists(text) {
  require_(isObject(text), "the text is no object");
  for (const name of LISTS) requireList(text, name);
  text.buffers.forEach((/** @type {any} */ buffer, /** @type {number} */ number) => {
    requireList(buffer, "shape", `buffer ${number}: `);
  });
  text.kernels.forEach((/** @type {any} */ kernel, /** @type {number} */ number) => {
    requireList(kernel, "inputs", `kernel ${number}: `);
  });
  text.constants.forEach((/** @type {any} */ constant, /** @type {number} */ number) => {
    require_(isObject(constant), `constant ${number} is no object`);
  });
  text.steps.forEach((/** @type {any} */ step, /** @type {number} */ number) => {
    for (const name of ["inputs", "outputs"]) requireList(step, name, `step ${number}: `);
    require_(isObject(step.params), `step ${number} has no params`);
  });
  if (text.donations === undefined) return;
  requireList(text, "donations");
  for (const pair of text.donations) {
    require_(Array.isArray(pair) && pair.length === 2, "one of donations is no pair");
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
 * What the rest relies on: indices in range, each buffer written once and before it is read.
 *
 * @param {ProgramText} text
 * @param {number} nbytes
 * @param {number} targets
 */
function check(text, nbytes, targets) {
  require_(text.version === VERSION, `version ${text.version}, this runtime reads ${VERSION}`);
  require_(text.backend === "webgl", `made for backend ${text.backend}`);
  for (const buffer of text.buffers) checkBuffer(buffer, targets);
  for (const { name, source, inputs } of text.kernels) {
    require_(typeof name === "string" && typeof source === "string", "kernel without source");
    require_(inputs.length <= MAX_INPUTS, `kernel ${name} has ${inputs.length} inputs`);
  }
  /** @type {Set<number>} */
  const written = new Set();
  /** @type {(buffer: number, what: string) => void} */
  const write = (buffer, what) => {
    require_(isIndex(buffer, text.buffers.length), `${what} names buffer ${buffer}`);
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
      require_(written.has(buffer), `${what} reads buffer ${buffer} before it is written`);
    }
    for (const buffer of step.outputs) write(buffer, what);
    if (step.chunks !== undefined) checkChunks(text, step, what);
  });
  checkOutputs(text, sources, written);
  checkDonations(text);
}

/**
 * @param {BufferText} buffer
 * @param {number} targets
 */
function checkBuffer({ dtype, shape, layers = 1, line = 1 }, targets) {
  require_(DTYPES.has(dtype), `dtype ${dtype}`);
  require_(isIndex(layers - 1, targets), `buffer of ${layers} layers`);
  require_(isPowerOf2(line), `buffer with lines of ${line} texels`);
  require_(layers === 1 || shape[0] === layers, `buffer shape [${shape}] of ${layers} layers`);
  const valid = shape.every((n) => isIndex(n, SIZE_LIMIT)) && countOf(shape) < SIZE_LIMIT;
  require_(valid, `buffer shape [${shape}]`);
}

/**
 * @param {ProgramText} text
 * @param {StepText} step
 * @param {string} what
 */
function checkStep({ kernels }, { kernel, inputs, outputs }, what) {
  require_(isIndex(kernel, kernels.length), `${what} names kernel ${kernel}`);
  const { name, inputs: names } = kernels[kernel];
  require_(inputs.length === names.length, `${what} (${name}) has too few or many inputs`);
  require_(outputs.length === 1, `${what} (${name}) has ${outputs.length} outputs`);
}

/**
 * @param {ProgramText} text
 * @param {Set<number>} sources inputs and constants
 * @param {Set<number>} written
 */
function checkOutputs({ buffers, outputs }, sources, written) {
  require_(new Set(outputs).size === outputs.length, "an output appears twice");
  for (const buffer of [...sources, ...outputs]) {
    const { layers = 1 } = buffers[buffer] ?? {};
    require_(layers === 1, `buffer ${buffer}, given or returned, has ${layers} layers`);
  }
  for (const buffer of outputs) {
    const made = written.has(buffer) && !sources.has(buffer);
    require_(made, `no step writes output buffer ${buffer}`);
  }
}

/**
 * The last input of a step that is drawn in chunks has floats in one layer, enough of them.
 *
 * @param {ProgramText} text
 * @param {StepText} step
 * @param {string} what
 */
function checkChunks({ buffers }, { chunks, inputs }, what) {
  const { count = 0, nbytes = 0, width = 0, height = 0 } = chunks ?? {};
  const sizes = [count, nbytes, width, height];
  require_(
    sizes.every((n) => isIndex(n - 1, SIZE_LIMIT)),
    `${what} has chunks of sizes ${sizes}`,
  );
  require_(nbytes % CHUNK_ALIGNMENT === 0, `${what} has chunks of ${nbytes} bytes`);
  const { dtype, layers = 1, shape } = buffers[inputs[inputs.length - 1]] ?? {};
  require_(
    dtype === "float32" && layers === 1,
    `${what} reads chunks of ${layers} layers of ${dtype}`,
  );
  const held = nbytesOf(countOf(shape), "float32");
  require_(count * nbytes <= held, `${what} reads ${count} chunks of [${shape}]`);
}

/**
 * An output takes over an input of its size and dtype that no step reads any more when it is drawn.
 *
 * @param {ProgramText} text
 */
function checkDonations({ buffers, inputs, outputs, steps, donations = [] }) {
  const named = donations.flat();
  require_(new Set(named).size === named.length, "a buffer is in two donations");
  for (const [output, input] of donations) {
    const what = `output buffer ${output} and input buffer ${input}`;
    require_(outputs.includes(output) && inputs.includes(input), `there are no ${what}`);
    const [made, old] = [buffers[output], buffers[input]];
    const same = made.dtype === old.dtype && countOf(made.shape) === countOf(old.shape);
    require_(same, `${what} differ in size or dtype`);
    const maker = steps.findIndex((step) => step.outputs[0] === output);
    const read = steps.findLastIndex((step) => step.inputs.includes(input));
    require_(read < maker, `step ${maker} would overwrite ${what}`);
  }
}

/** @param {number[]} shape */
export function countOf(shape) {
  return shape.reduce((a, b) => a * b, 1);
}

/**
 * @param {number} count
 * @param {string} dtype
 */
export function nbytesOf(count, dtype) {
  return count * (dtype === "bool" ? 1 : ELEMENT_BYTES);
}

/**
 * @param {boolean} condition
 * @param {string} message
 */
export function require_(condition, message) {
  if (!condition) throw new Error(`program: ${message}`);
}

/** @param {number} value */
function isPowerOf2(value) {
  return isIndex(value, SIZE_LIMIT) && 2 ** Math.floor(Math.log2(value)) === value;
}

/**
 * @param {number} value
 * @param {number} end
 */
function isIndex(value, end) {
  return Number.isInteger(value) && value >= 0 && value < end;
}
