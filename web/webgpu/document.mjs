/**
 * Parses the document of a webgpu Program, with the properties that only webgpu has
 * (src/tfpy/_src/compiler/lower/webgpu/steps.py).
 *
 * @typedef {import("../common/document.mjs").StepText & {groups: number[]}} StepText `groups` are
 *   the numbers of workgroups along each dimension
 *
 * @typedef {import("../common/document.mjs").BufferText} BufferText
 * @typedef {import("../common/document.mjs").ProgramText<BufferText, StepText>} ProgramText
 */

import { isIndex, parseProgram as parse, require_ } from "../common/document.mjs";

const DIMENSIONS = 3;
const MAX_GROUPS = 65535;

/**
 * @param {string} json
 * @param {number} nbytes length of the constants' data
 * @param {{inputs: number, float16: number}} limits of the device
 * @returns {ProgramText}
 */
export function parseProgram(json, nbytes, { inputs, float16 }) {
  const text = parse(json, nbytes, {
    backend: "webgpu",
    maxInputs: inputs,
    float16: float16 === 1,
    int8: true,
    overwriting: true,
    checkBuffer: () => {},
    checkStep: ({ buffers }, { groups, outputs: [output] }, what) => {
      require_(buffers[output].dtype !== "int8", `${what} writes int8`);
      const valid = Array.isArray(groups) && groups.length === DIMENSIONS;
      require_(valid && groups.every((n) => isIndex(n - 1, MAX_GROUPS)), `${what}: its workgroups`);
    },
  });
  return /** @type {ProgramText} */ (text);
}
