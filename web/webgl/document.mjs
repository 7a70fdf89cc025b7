/**
 * Parses the document of a webgl Program, with the properties that only webgl has
 * (src/tfpy/_src/compiler/lower/webgl/textures.py).
 *
 * @typedef {object} BufferText
 * @property {string} dtype
 * @property {number[]} shape
 * @property {number} [layers] number of layers of its texture. Default: 1
 * @property {number} [line] width of its texture in texels, a power of two, if kernels depend on it
 *
 * @typedef {object} Chunks chunks of a step that reads its last input through a uniform block: chunk i reads
 *   from byte i * nbytes on and draws the i-th rectangle of the output's texture
 * @property {number} count
 * @property {number} nbytes
 * @property {number} width width in texels
 * @property {number} height
 *
 * @typedef {import("../common/document.mjs").StepText & {chunks?: Chunks}} StepText
 *
 * @typedef {import("../common/document.mjs").ProgramText<BufferText, StepText>} ProgramText
 */

import {
  countOf,
  isIndex,
  parseProgram as parse,
  require_,
  SIZE_LIMIT,
  shownValue,
} from "../common/document.mjs";
import { nbytesOf } from "../common/elements.mjs";

const MAX_INPUTS = 16;
/** Alignment in bytes of chunks in uniform blocks; any device supports it. */
const CHUNK_ALIGNMENT = 256;

/**
 * @param {string} json
 * @param {number} nbytes length of the constants' data
 * @param {number} targets maximum number of layers of a buffer
 * @returns {ProgramText}
 */
export function parseProgram(json, nbytes, targets) {
  return parse(json, nbytes, {
    backend: "webgl",
    maxInputs: MAX_INPUTS,
    checkBuffer: (buffer, number, isTemporary) => checkBuffer(buffer, number, isTemporary, targets),
    checkStep: (text, step, what) => {
      if (step.chunks !== undefined) checkChunks(text, step, what);
    },
  });
}

/**
 * @param {BufferText} buffer
 * @param {number} number
 * @param {boolean} isTemporary
 * @param {number} targets
 */
function checkBuffer({ shape, layers = 1, line = 1 }, number, isTemporary, targets) {
  require_(isIndex(layers - 1, targets), `buffer of ${shownValue(layers)} layers`);
  require_(isPowerOf2(line), `buffer with lines of ${shownValue(line)} texels`);
  require_(layers === 1 || shape[0] === layers, `buffer shape [${shape}] of ${layers} layers`);
  const whole = isTemporary || layers === 1;
  require_(whole, `buffer ${number}, an input or output, has ${layers} layers`);
}

/**
 * Check that the last input of a step that is drawn in chunks has enough floats in one layer.
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
    `${what} has chunks of sizes ${sizes.map(shownValue)}`,
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

/** @param {number} value */
function isPowerOf2(value) {
  return isIndex(value, SIZE_LIMIT) && 2 ** Math.floor(Math.log2(value)) === value;
}
