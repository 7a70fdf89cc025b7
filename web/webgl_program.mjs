/**
 * A registered Program: its text checked, its shaders compiled, its parameters in one uniform
 * buffer, and for each step the buffers that are not needed after it.
 *
 * @typedef {import("./webgl_context.mjs").Device} Device
 * @typedef {import("./webgl_shaders.mjs").Shader} Shader
 * @typedef {import("./webgl_shaders.mjs").ShaderCache} ShaderCache
 * @typedef {import("./webgl_textures.mjs").Layout} Layout
 *
 * @typedef {object} KernelText
 * @property {string} name
 * @property {string} source
 * @property {string[]} inputs
 *
 * @typedef {object} StepText
 * @property {number} kernel
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {Record<string, number | number[]>} params
 *
 * @typedef {object} ProgramText see src/tfpy/lower/program.py
 * @property {number} version
 * @property {string} backend
 * @property {KernelText[]} kernels
 * @property {{dtype: string, shape: number[]}[]} buffers
 * @property {{buffer: number, offset: number}[]} constants
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {StepText[]} steps
 *
 * @typedef {object} Buffer
 * @property {string} dtype
 * @property {Layout} layout
 *
 * @typedef {object} Step
 * @property {Shader} shader
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {number} block byte offset of its parameters in the uniform buffer
 * @property {number[]} last buffers that no later step reads
 *
 * @typedef {object} Plan
 * @property {Buffer[]} buffers
 * @property {{buffer: number, offset: number}[]} constants
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {Step[]} steps
 * @property {WebGLBuffer | null} params
 */

import { TARGETS } from "./webgl_context.mjs";
import { layoutOf } from "./webgl_textures.mjs";

const VERSION = 1;
const MAX_INPUTS = 16;
const DTYPES = new Set(["float32", "int32", "bool"]);

/**
 * @param {Device} device
 * @param {ShaderCache} cache
 * @param {string} json
 * @param {number} nbytes length of the constants' data
 * @returns {Plan}
 */
export function makePlan(device, cache, json, nbytes) {
  /** @type {ProgramText} */
  const text = JSON.parse(json);
  check(text, nbytes);
  const shaders = compileAll(cache, text.kernels);
  const buffers = text.buffers.map(({ dtype, shape }) => {
    return { dtype, layout: layoutOf(device, countOf(shape), dtype) };
  });
  const alignment = device.gl.getParameter(device.gl.UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  let size = 0;
  const last = lastUses(text);
  const steps = text.steps.map((step, number) => {
    const shader = shaders[step.kernel];
    const block = size;
    size += Math.ceil(shader.blockBytes / alignment) * alignment;
    return { shader, inputs: step.inputs, outputs: step.outputs, block, last: last[number] };
  });
  for (const { shader, outputs } of steps) {
    const keys = new Set(outputs.map((b) => buffers[b].layout.key));
    require_(keys.size === 1, `outputs of kernel ${shader.name} differ in size`);
  }
  const params = packParams(device.gl, text, buffers, steps, size);
  const { constants, inputs, outputs } = text;
  return { buffers, constants, inputs, outputs, steps, params };
}

/**
 * @param {ShaderCache} cache
 * @param {KernelText[]} kernels
 * @returns {Shader[]}
 */
function compileAll(cache, kernels) {
  const shaders = kernels.map((k) => cache.start(k.name, k.source, k.inputs));
  shaders.forEach((shader, i) => {
    cache.finish(shader, kernels[i].source, kernels[i].inputs);
  });
  return shaders;
}

/**
 * All steps' parameters, each laid out as its shader's uniform block, in one buffer.
 *
 * @param {WebGL2RenderingContext} gl
 * @param {ProgramText} text
 * @param {Buffer[]} buffers
 * @param {Step[]} steps
 * @param {number} size bytes
 * @returns {WebGLBuffer | null}
 */
function packParams(gl, text, buffers, steps, size) {
  if (size === 0) return null;
  const view = new DataView(new ArrayBuffer(size));
  steps.forEach((step, number) => {
    const { params, kernel } = text.steps[number];
    const { name, inputs } = text.kernels[kernel];
    /** @type {Map<string, number | number[]>} */
    const values = new Map(Object.entries(params));
    values.set("out_shift", buffers[step.outputs[0]].layout.shift);
    inputs.forEach((input, i) => {
      values.set(`${input}_shift`, buffers[step.inputs[i]].layout.shift);
    });
    for (const member of step.shader.members ?? []) {
      const value = values.get(member.name);
      const list = Array.isArray(value) ? value : [value];
      if (list.length !== member.size || !list.every(Number.isFinite)) {
        throw new Error(`program: step ${number} (${name}): parameter ${member.name} is ${value}`);
      }
      list.forEach((v, i) => {
        const at = step.block + member.offset + i * member.stride;
        if (member.isFloat) view.setFloat32(at, Number(v), true);
        else view.setInt32(at, Number(v), true);
      });
    }
  });
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.UNIFORM_BUFFER, buffer);
  gl.bufferData(gl.UNIFORM_BUFFER, view, gl.STATIC_DRAW);
  return buffer;
}

/**
 * For each step the intermediate buffers that it is the last to use.
 *
 * @param {ProgramText} text
 * @returns {number[][]}
 */
function lastUses(text) {
  const kept = new Set([...text.inputs, ...text.outputs, ...text.constants.map((c) => c.buffer)]);
  const result = text.steps.map(() => /** @type {number[]} */ ([]));
  for (let number = text.steps.length - 1; number >= 0; number--) {
    const { inputs, outputs } = text.steps[number];
    for (const buffer of [...inputs, ...outputs]) {
      if (kept.has(buffer)) continue;
      kept.add(buffer);
      result[number].push(buffer);
    }
  }
  return result;
}

/**
 * What the rest relies on: indices in range, each buffer written once and before it is read.
 *
 * @param {ProgramText} text
 * @param {number} nbytes
 */
function check(text, nbytes) {
  require_(text.version === VERSION, `version ${text.version}, this runtime reads ${VERSION}`);
  require_(text.backend === "webgl", `made for backend ${text.backend}`);
  for (const { dtype, shape } of text.buffers) {
    require_(DTYPES.has(dtype), `dtype ${dtype}`);
    const valid = shape.every((n) => isIndex(n, 2 ** 31)) && countOf(shape) < 2 ** 31;
    require_(valid, `buffer shape [${shape}]`);
  }
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
    require_(
      isIndex(offset, nbytes + 1) && end <= nbytes,
      `constant ${buffer} lies outside the data`,
    );
  }
  const given = new Set(written);
  text.steps.forEach((step, number) => {
    const what = `step ${number}`;
    require_(isIndex(step.kernel, text.kernels.length), `${what} names kernel ${step.kernel}`);
    const { name, inputs } = text.kernels[step.kernel];
    require_(step.inputs.length === inputs.length, `${what} (${name}) has too few or many inputs`);
    const targets = step.outputs.length;
    require_(targets === 1 || targets === TARGETS, `${what} (${name}) has ${targets} outputs`);
    for (const buffer of step.inputs) {
      require_(written.has(buffer), `${what} reads buffer ${buffer} before it is written`);
    }
    for (const buffer of step.outputs) write(buffer, what);
  });
  require_(new Set(text.outputs).size === text.outputs.length, "an output appears twice");
  for (const buffer of text.outputs) {
    require_(written.has(buffer) && !given.has(buffer), `no step writes output buffer ${buffer}`);
  }
}

/** @param {number[]} shape */
function countOf(shape) {
  return shape.reduce((a, b) => a * b, 1);
}

/**
 * @param {number} count
 * @param {string} dtype
 */
export function nbytesOf(count, dtype) {
  return count * (dtype === "bool" ? 1 : 4);
}

/**
 * @param {boolean} condition
 * @param {string} message
 */
function require_(condition, message) {
  if (!condition) throw new Error(`program: ${message}`);
}

/**
 * @param {number} value
 * @param {number} end
 */
function isIndex(value, end) {
  return Number.isInteger(value) && value >= 0 && value < end;
}
