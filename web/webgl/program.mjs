/**
 * A registered Program: its shaders compiled, its parameters in one uniform buffer, its temporaries
 * assigned to textures; and its replay, which allocates nothing.
 *
 * @typedef {import("./document.mjs").Parts} Parts
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./shaders.mjs").Shader} Shader
 * @typedef {import("./state.mjs").GlState} GlState
 * @typedef {import("./textures.mjs").Layout} Layout
 * @typedef {import("./textures.mjs").Shelf} Shelf
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./textures.mjs").TexturePool} TexturePool
 *
 * @typedef {object} Buffer
 * @property {string} dtype
 * @property {Layout} layout
 *
 * @typedef {object} Step
 * @property {WebGLProgram} program
 * @property {number[]} inputs
 * @property {number} output
 * @property {number} width
 * @property {number} height
 * @property {number} block byte offset of its parameters in the uniform buffer
 * @property {number} blockBytes
 * @property {number} partBytes that the shader's block of one of its parts holds
 * @property {Parts | null} parts
 *
 * @typedef {object} Temporary
 * @property {number} buffer
 * @property {number} index number among the temporaries of its size and format
 *
 * @typedef {object} Plan
 * @property {Buffer[]} buffers
 * @property {{buffer: number, offset: number}[]} constants
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {number[]} donors for each output the input, by position, whose texture it takes over
 *   when a run is given that for good; or -1
 * @property {Temporary[]} temporaries
 * @property {number} temporaryBytes
 * @property {number} generation of the pool's temporaries that `textures` holds
 * @property {Step[]} steps
 * @property {WebGLBuffer | null} params
 * @property {number} readMs how long reading an output took the last time
 * @property {Texture[]} textures by buffer; those of inputs and outputs change from run to run
 */

import { countOf, require_ } from "./document.mjs";
import { PARAMS_BINDING, PART_BINDING } from "./shaders.mjs";
import { copyToBuffer } from "./transfer.mjs";

/** After so many steps the device begins, while the next ones are still being issued. */
const FLUSH_STEPS = 8;

/** The same of a step's parts. */
const FLUSH_PARTS = 32;

/**
 * @param {TexturePool} pool
 * @param {ProgramText} text
 * @param {Shader[]} shaders compiled, one for each kernel
 * @returns {Plan}
 */
export function makePlan(pool, text, shaders) {
  const { gl } = pool;
  const buffers = text.buffers.map(({ dtype, shape, layers, line }) => {
    return { dtype, layout: pool.layout(countOf(shape), dtype, layers, line) };
  });
  const { temporaries, temporaryBytes } = assignTemporaries(text, buffers);
  const alignment = gl.getParameter(gl.UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  let size = 0;
  const steps = text.steps.map(({ kernel, inputs, outputs: [output], parts = null }) => {
    const { program, blockBytes, partBytes } = shaders[kernel];
    checkParts(shaders[kernel], parts, buffers[output].layout);
    const { width, height } = buffers[output].layout.shelf;
    const block = size;
    size += Math.ceil(blockBytes / alignment) * alignment;
    return { program, inputs, output, width, height, block, blockBytes, partBytes, parts };
  });
  const params = packParams(gl, text, shaders, buffers, steps, size);
  const { constants, inputs, outputs } = text;
  const donations = new Map(text.donations);
  return {
    buffers,
    constants,
    inputs,
    outputs,
    donors: outputs.map((output) => inputs.indexOf(donations.get(output) ?? -1)),
    temporaries,
    temporaryBytes,
    generation: -1,
    steps: steps.filter(({ output }) => buffers[output].layout.count > 0),
    params,
    readMs: Number.POSITIVE_INFINITY,
    textures: new Array(buffers.length),
  };
}

/**
 * Puts the pool's textures in the places of a plan's temporaries.
 *
 * @param {TexturePool} pool
 * @param {Plan} plan
 */
function bindTemporaries(pool, plan) {
  const { textures, buffers } = plan;
  pool.reserve(plan.temporaryBytes);
  for (const { buffer, index } of plan.temporaries) {
    textures[buffer] = pool.temporary(buffers[buffer].layout, index);
  }
  plan.generation = pool.generation;
}

/**
 * The input, by position, whose texture an output takes over in a run on these slots; or -1.
 *
 * @param {Plan} plan
 * @param {number} output position
 * @param {number[]} slots
 */
export function donorOf({ donors }, output, slots) {
  return slots[donors[output]] < 0 ? donors[output] : -1;
}

/**
 * Runs the steps. The textures of inputs, constants and outputs are in their places.
 *
 * @param {TexturePool} pool
 * @param {Plan} plan
 */
export function replay(pool, plan) {
  if (plan.generation !== pool.generation) bindTemporaries(pool, plan);
  const { gl, state } = pool;
  const { steps, textures, params } = plan;
  for (let number = 0; number < steps.length; number++) {
    const step = steps[number];
    const { inputs, parts } = step;
    const blocks = parts && copyToBuffer(pool, textures[inputs[inputs.length - 1]], step.partBytes);
    state.bindFramebuffer(pool.target(textures[step.output]));
    state.useProgram(step.program);
    for (let unit = 0; unit < inputs.length; unit++) {
      const { shelf, handle } = textures[inputs[unit]];
      state.bindTexture(unit, shelf.target, handle);
    }
    gl.bindBufferRange(gl.UNIFORM_BUFFER, PARAMS_BINDING, params, step.block, step.blockBytes);
    if (parts) {
      drawParts(pool, step, parts, blocks);
    } else {
      state.viewport(0, 0, step.width, step.height);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    if (number % FLUSH_STEPS === FLUSH_STEPS - 1) gl.flush();
  }
}

/**
 * @param {TexturePool} pool
 * @param {Step} step
 * @param {Parts} parts
 * @param {WebGLBuffer | null} blocks what the parts read
 */
function drawParts({ gl, state }, step, { count, nbytes, width, height }, blocks) {
  const across = Math.floor(step.width / width);
  for (let part = 0; part < count; part++) {
    const line = Math.floor(part / across);
    state.viewport((part - line * across) * width, line * height, width, height);
    gl.bindBufferRange(gl.UNIFORM_BUFFER, PART_BINDING, blocks, part * nbytes, step.partBytes);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (part % FLUSH_PARTS === FLUSH_PARTS - 1) gl.flush();
  }
}

/**
 * The kernel reads parts if the step has some, and their rectangles fit into the texture.
 *
 * @param {Shader} shader
 * @param {Parts | null} parts
 * @param {Layout} layout of the output
 */
function checkParts({ kernel: { name }, partBytes }, parts, { shelf }) {
  require_(partBytes > 0 === (parts !== null), `kernel ${name} and a step disagree about parts`);
  if (parts === null) return;
  const { count, width, height } = parts;
  const room = Math.floor(shelf.width / width) * Math.floor(shelf.height / height);
  const size = `${shelf.width} x ${shelf.height}`;
  require_(count <= room, `kernel ${name} draws ${count} parts in a texture of ${size}`);
}

/**
 * Numbers the temporaries of each size and format, so that those that live at the same time differ.
 *
 * @param {ProgramText} text
 * @param {Buffer[]} buffers
 * @returns {{temporaries: Temporary[], temporaryBytes: number}}
 */
function assignTemporaries(text, buffers) {
  const last = lastUses(text);
  /** @type {Map<Shelf, {count: number, free: number[]}>} */
  const shelves = new Map();
  /** @type {Map<number, number>} */
  const indices = new Map();
  const passing = new Set(last.flat());
  text.steps.forEach(({ outputs: [output] }, number) => {
    if (passing.has(output)) {
      const { shelf } = buffers[output].layout;
      const used = shelves.get(shelf) ?? { count: 0, free: [] };
      shelves.set(shelf, used);
      indices.set(output, used.free.pop() ?? used.count++);
    }
    for (const buffer of last[number]) {
      const index = /** @type {number} */ (indices.get(buffer));
      shelves.get(buffers[buffer].layout.shelf)?.free.push(index);
    }
  });
  let temporaryBytes = 0;
  for (const [{ bytes }, { count }] of shelves) temporaryBytes += bytes * count;
  const temporaries = [...indices].map(([buffer, index]) => ({ buffer, index }));
  return { temporaries, temporaryBytes };
}

/**
 * For each step the temporaries (neither given nor returned) that it is the last to use.
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
 * All steps' parameters, each laid out as its shader's uniform block, in one buffer.
 *
 * @param {WebGL2RenderingContext} gl
 * @param {ProgramText} text
 * @param {Shader[]} shaders
 * @param {Buffer[]} buffers
 * @param {{block: number}[]} steps
 * @param {number} size bytes
 * @returns {WebGLBuffer | null}
 */
function packParams(gl, text, shaders, buffers, steps, size) {
  const view = new DataView(new ArrayBuffer(size));
  text.steps.forEach((step, number) => {
    const { params, kernel } = step;
    const { block } = steps[number];
    const { name, inputs } = text.kernels[kernel];
    /** @type {Map<string, number | number[]>} */
    const values = new Map(Object.entries(params));
    values.set("out_shift", buffers[step.outputs[0]].layout.shift);
    inputs.forEach((input, i) => {
      values.set(`${input}_shift`, buffers[step.inputs[i]].layout.shift);
    });
    for (const member of shaders[kernel].members ?? []) {
      const value = values.get(member.name);
      const list = Array.isArray(value) ? value : [value];
      if (list.length !== member.size || !list.every(Number.isFinite)) {
        throw new Error(`program: step ${number} (${name}): parameter ${member.name} is ${value}`);
      }
      list.forEach((v, i) => {
        const at = block + member.offset + i * member.stride;
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
