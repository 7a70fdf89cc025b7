/**
 * Packs the parameters of a Program's steps into one buffer, in the layout of each shader's uniform block.
 *
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./document.mjs").StepText} StepText
 * @typedef {import("./program.mjs").Buffer} Buffer
 * @typedef {import("./shaders.mjs").Shader} Shader
 */

import { shownValue } from "../common/document.mjs";

/**
 * @param {WebGL2RenderingContext} gl
 * @param {ProgramText} text
 * @param {Shader[]} shaders
 * @param {Buffer[]} buffers
 * @returns {{params: WebGLBuffer | null, offsets: number[]}} the buffer, and the byte offset of
 *   each step's parameters
 */
export function packParams(gl, text, shaders, buffers) {
  const alignment = gl.getParameter(gl.UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  let size = 0;
  const places = text.steps.map((step, number) => {
    const shader = shaders[step.kernel];
    const { name, inputs } = text.kernels[step.kernel];
    const values = valuesOf(step, inputs, buffers);
    const members = (shader.members ?? []).map((member) => {
      return { member, list: listOf(values, member, `step ${number} (${name})`) };
    });
    const offset = size;
    size += Math.ceil(shader.paramsBytes / alignment) * alignment;
    return { offset, members };
  });
  const view = new DataView(new ArrayBuffer(size));
  for (const { offset, members } of places) {
    for (const { member, list } of members) {
      list.forEach((v, i) => {
        const at = offset + member.offset + i * member.stride;
        if (member.isFloat) view.setFloat32(at, v, true);
        else view.setInt32(at, v, true);
      });
    }
  }
  const params = gl.createBuffer();
  gl.bindBuffer(gl.UNIFORM_BUFFER, params);
  gl.bufferData(gl.UNIFORM_BUFFER, view, gl.STATIC_DRAW);
  return { params, offsets: places.map(({ offset }) => offset) };
}

/**
 * Return the numbers of a parameter as a list.
 *
 * @param {Map<string, number | number[]>} values
 * @param {import("./shaders.mjs").Member} member
 * @param {string} what
 * @returns {number[]}
 */
function listOf(values, { name, size }, what) {
  const value = values.get(name);
  const list = Array.isArray(value) ? value : [value];
  if (list.length !== size || !list.every(Number.isFinite)) {
    const found = shownValue(value);
    throw new Error(`program: ${what}: parameter ${name} is ${found}, not ${size} numbers`);
  }
  return /** @type {number[]} */ (list);
}

/**
 * Return a step's parameters by name: those of the document, and the layouts of its buffers.
 *
 * @param {StepText} step
 * @param {string[]} names names of the inputs
 * @param {Buffer[]} buffers
 */
function valuesOf({ params, inputs, outputs: [output] }, names, buffers) {
  /** @type {Map<string, number | number[]>} */
  const values = new Map(Object.entries(params));
  values.set("out_shift", buffers[output].layout.shift);
  names.forEach((name, i) => {
    values.set(`${name}_shift`, buffers[inputs[i]].layout.shift);
  });
  return values;
}
