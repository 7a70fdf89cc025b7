/**
 * Compiled shaders, cached by source text. The compilation of all shaders of a Program starts before the
 * first one is awaited, so that drivers compile them in parallel.
 *
 * @typedef {import("./state.mjs").GlState} GlState
 *
 * @typedef {object} KernelText
 * @property {string} name
 * @property {string} source
 * @property {string[]} inputs
 *
 * @typedef {object} Member location of a parameter in the uniform block
 * @property {string} name
 * @property {number} offset offset in bytes
 * @property {boolean} isFloat
 * @property {number} size number of elements
 * @property {number} stride bytes from one element to the next
 *
 * @typedef {object} Shader
 * @property {KernelText} kernel
 * @property {WebGLProgram} program
 * @property {WebGLShader} fragment
 * @property {Member[] | null} members null until compilation has finished
 * @property {number} paramsBytes size of its uniform block `Params`
 * @property {number} chunkBytes size of its uniform block `Chunk`, which reads a chunk of its last
 *   input; 0 without one
 */

import { until } from "../common/turns.mjs";
import { contextLost } from "./context.mjs";

/** Bindings of uniform blocks: a step's parameters, and a chunk of its last input. */
export const PARAMS_BINDING = 0;
export const CHUNK_BINDING = 1;

const MEND =
  'other kernels still work; await tf.set_backend_async("wasm") computes it without the GPU';

/** One triangle that covers the target. */
const VERTEX = `#version 300 es
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

export class ShaderCache {
  /** @param {GlState} state */
  constructor(state) {
    const { gl } = state;
    this.gl = gl;
    this.state = state;
    // Requesting the extension lets the driver use its compiler threads.
    this.parallel = gl.getExtension("KHR_parallel_shader_compile");
    this.vertex = compile(gl, gl.VERTEX_SHADER, VERTEX);
    /** @type {Map<string, Shader>} */
    this.shaders = new Map();
  }

  /**
   * Start to compile; `finish` or `finishAsync` wait for the result.
   *
   * @param {KernelText} kernel
   * @returns {Shader}
   */
  start(kernel) {
    const key = keyOf(kernel);
    let shader = this.shaders.get(key);
    if (shader !== undefined) return shader;
    const gl = this.gl;
    const fragment = compile(gl, gl.FRAGMENT_SHADER, kernel.source);
    const program = gl.createProgram();
    gl.attachShader(program, this.vertex);
    gl.attachShader(program, fragment);
    gl.linkProgram(program);
    shader = { kernel, program, fragment, members: null, paramsBytes: 0, chunkBytes: 0 };
    this.shaders.set(key, shader);
    return shader;
  }

  /**
   * Wait for shaders without blocking the page for longer than one of them takes.
   *
   * @param {Shader[]} shaders
   * @param {string} of names of the ops that they compute
   * @param {(done: number, total: number) => void} progress
   */
  async finishAsync(shaders, of, progress) {
    const { gl, parallel } = this;
    const total = shaders.length;
    progress(0, total);
    for (let done = 0; done < total; done++) {
      const { program } = shaders[done];
      await until(
        () => parallel === null || gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR),
      );
      this.finish(shaders[done], of);
      progress(done + 1, total);
    }
  }

  /**
   * @param {Shader} shader
   * @param {string} of names of the ops that it computes
   */
  finish(shader, of) {
    if (shader.members !== null) return;
    const { gl } = this;
    const { kernel, program, fragment } = shader;
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const log = gl.getShaderInfoLog(fragment) || gl.getProgramInfoLog(program) || "no log";
      this.shaders.delete(keyOf(kernel));
      this.state.deleteProgram(program);
      gl.deleteShader(fragment);
      throw new Error(
        `WebGL2 kernel ${kernel.name} of ${of} does not compile; ${MEND}:\n${located(log, kernel.source)}`,
      );
    }
    gl.deleteShader(fragment);
    this.state.useProgram(program);
    kernel.inputs.forEach((input, unit) => {
      gl.uniform1i(gl.getUniformLocation(program, `${input}_texture`), unit);
    });
    shader.chunkBytes = bindBlock(gl, program, "Chunk", CHUNK_BINDING);
    shader.paramsBytes = bindBlock(gl, program, "Params", PARAMS_BINDING);
    shader.members = blockMembers(gl, program, "Params");
  }

  close() {
    for (const { program } of this.shaders.values()) this.state.deleteProgram(program);
    this.gl.deleteShader(this.vertex);
    this.shaders.clear();
  }
}

/** @param {KernelText} kernel */
function keyOf({ inputs, source }) {
  return `${inputs}\n${source}`;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {number} type
 * @param {string} source
 * @returns {WebGLShader}
 */
function compile(gl, type, source) {
  const shader = gl.createShader(type);
  if (shader === null) throw contextLost();
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {WebGLProgram} program
 * @param {string} name name of a uniform block
 * @param {number} binding binding of its buffer
 * @returns {number} size of the block in bytes; 0 if the program does not have it
 */
function bindBlock(gl, program, name, binding) {
  const block = gl.getUniformBlockIndex(program, name);
  if (block === gl.INVALID_INDEX) return 0;
  gl.uniformBlockBinding(program, block, binding);
  return gl.getActiveUniformBlockParameter(program, block, gl.UNIFORM_BLOCK_DATA_SIZE);
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {WebGLProgram} program
 * @param {string} name name of a uniform block
 * @returns {Member[]}
 */
function blockMembers(gl, program, name) {
  const block = gl.getUniformBlockIndex(program, name);
  if (block === gl.INVALID_INDEX) return [];
  /** @type {number[]} */
  const indices = [
    ...gl.getActiveUniformBlockParameter(program, block, gl.UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES),
  ];
  const offsets = gl.getActiveUniforms(program, indices, gl.UNIFORM_OFFSET);
  const strides = gl.getActiveUniforms(program, indices, gl.UNIFORM_ARRAY_STRIDE);
  return indices.map((index, i) => {
    const info = gl.getActiveUniform(program, index);
    if (info === null) throw contextLost();
    return {
      name: info.name.replace("[0]", ""),
      offset: offsets[i],
      isFloat: info.type === gl.FLOAT,
      size: info.size,
      stride: strides[i],
    };
  });
}

/**
 * Return the log, with the source line that its first message refers to.
 *
 * @param {string} log
 * @param {string} source
 * @returns {string}
 */
function located(log, source) {
  const line = Number(/\d+:(\d+)/.exec(log)?.[1]);
  const text = source.split("\n")[line - 1];
  return text === undefined ? log : `${log.trim()}\nline ${line}: ${text}`;
}
