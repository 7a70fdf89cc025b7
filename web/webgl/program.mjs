/**
 * A registered Program: its steps and compiled shaders, with all parameters in one uniform buffer. A run
 * replays the steps.
 *
 * @typedef {import("./document.mjs").Chunks} Chunks
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./shaders.mjs").Shader} Shader
 * @typedef {import("./textures.mjs").Layout} Layout
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./textures.mjs").TexturePool} TexturePool
 * @typedef {import("./timer_queries.mjs").TimerQueries} TimerQueries
 *
 * @typedef {object} Buffer
 * @property {string} dtype
 * @property {Layout} layout
 *
 * @typedef {object} Step
 * @property {Shader} shader
 * @property {number[]} inputs
 * @property {number} output
 * @property {number} paramsOffset byte offset of its parameters in the uniform buffer
 * @property {Chunks | null} chunks
 */

import { countOf, require_ } from "../common/document.mjs";
import { viewed } from "../common/elements.mjs";
import { BufferProgram } from "../common/program.mjs";
import { packParams } from "./params.mjs";
import { CHUNK_BINDING, PARAMS_BINDING } from "./shaders.mjs";
import { copyToBuffer, OutputReader, READ_BYTES, upload } from "./transfer.mjs";

/** Number of steps after which draws are flushed, so that the device begins while more steps are issued. */
const FLUSH_STEPS = 8;

/** The same for the chunks of a step. */
const FLUSH_CHUNKS = 32;

/** Number of vertices of the triangle that covers the target. */
const VERTICES = 3;

/** @extends {BufferProgram<Texture, Layout>} */
export class Program extends BufferProgram {
  /**
   * @param {TexturePool} pool
   * @param {ProgramText} text
   * @param {Shader[]} shaders compiled shaders, one for each kernel
   */
  constructor(pool, text, shaders) {
    const layouts = text.buffers.map(({ dtype, shape, layers, line }) =>
      pool.layout(countOf(shape), dtype, layers, line),
    );
    super(pool, text, layouts);
    this.pool = pool;
    const { params, steps } = this.makeSteps(text, shaders);
    this.params = params;
    this.steps = steps;
    this.chunkBytes = Math.max(0, ...steps.map((step) => this.chunkBytesOf(step)));
    this.reader = new OutputReader();
  }

  /**
   * Upload the constants. If this fails, the caller must close the program.
   *
   * @param {ProgramText["constants"]} constants
   * @param {ArrayBufferLike} heap
   * @param {number} ptr address of their data
   */
  uploadConstants(constants, heap, ptr) {
    const { pool, buffers, storages } = this;
    for (const { buffer } of constants) storages[buffer] = pool.acquire(buffers[buffer].layout);
    pool.allocate();
    for (const { buffer, offset } of constants) {
      const { dtype, layout } = buffers[buffer];
      upload(pool, storages[buffer], viewed(heap, ptr + offset, layout.count, dtype));
    }
  }

  /**
   * Create the steps that draw something, and the uniform buffer with the parameters of all steps.
   *
   * @param {ProgramText} text
   * @param {Shader[]} shaders
   */
  makeSteps(text, shaders) {
    const { buffers } = this;
    for (const { kernel, outputs, chunks } of text.steps) {
      checkChunks(shaders[kernel], chunks, buffers[outputs[0]].layout);
    }
    const { params, offsets } = packParams(this.pool.gl, text, shaders, buffers);
    /** @type {Step[]} */
    const steps = text.steps.map(({ kernel, inputs, outputs: [output], chunks = null }, number) => {
      return { shader: shaders[kernel], inputs, output, paramsOffset: offsets[number], chunks };
    });
    return { params, steps: steps.filter(({ output }) => buffers[output].layout.count > 0) };
  }

  /**
   * Return the bytes of the pool's buffer that a step reads through a uniform block.
   *
   * @param {Step} step
   */
  chunkBytesOf({ shader, inputs, chunks }) {
    if (chunks === null) return 0;
    const { width, height } = this.buffers[inputs[inputs.length - 1]].layout.bucket;
    return width * height * READ_BYTES + shader.chunkBytes;
  }

  /**
   * Run the steps on the bound inputs. If the run fails, no output has a texture, and the donated inputs
   * keep theirs.
   *
   * @param {number[]} slots slots of the inputs; negative ones are donated
   * @param {TimerQueries | null} timer timer of the steps
   */
  run(slots, timer) {
    const { pool, outputs, storages } = this;
    let bound = 0;
    try {
      for (; bound < outputs.length; bound++) this.bindOutput(bound, slots);
      this.replay(timer);
    } catch (error) {
      while (bound-- > 0) {
        if (this.donatedTo(bound, slots) < 0) pool.release(storages[outputs[bound]]);
      }
      throw error;
    }
  }

  /**
   * Draw the steps; every buffer's texture must be bound.
   *
   * @param {TimerQueries | null} timer
   */
  replay(timer) {
    this.bindTemporaries();
    this.pool.allocate();
    this.pool.reserveChunkBuffer(this.chunkBytes);
    const { gl, state } = this.pool;
    const { steps, storages, params, buffers } = this;
    for (let number = 0; number < steps.length; number++) {
      const { shader, inputs, output, paramsOffset, chunks } = steps[number];
      const source = storages[inputs[inputs.length - 1]];
      timer?.begin(shader.kernel.name);
      const chunkBuffer = chunks && copyToBuffer(this.pool, source);
      state.bindFramebuffer(this.pool.framebuffer(storages[output]));
      state.useProgram(shader.program);
      for (let unit = 0; unit < inputs.length; unit++) {
        const { bucket, handle } = storages[inputs[unit]];
        state.bindTexture(unit, bucket.target, handle);
      }
      const { paramsBytes } = shader;
      gl.bindBufferRange(gl.UNIFORM_BUFFER, PARAMS_BINDING, params, paramsOffset, paramsBytes);
      const { width, height } = buffers[output].layout.bucket;
      if (chunks) {
        this.drawChunks(chunks, shader.chunkBytes, chunkBuffer, width);
      } else {
        state.viewport(0, 0, width, height);
        gl.drawArrays(gl.TRIANGLES, 0, VERTICES);
      }
      timer?.end();
      if (number % FLUSH_STEPS === FLUSH_STEPS - 1) gl.flush();
    }
  }

  /**
   * Draw a step's rectangles, from left to right in the target and then from top to bottom.
   *
   * @param {Chunks} chunks
   * @param {number} blockBytes size of the uniform block for a chunk
   * @param {WebGLBuffer | null} buffer buffer that the chunks read
   * @param {number} targetWidth
   */
  drawChunks({ count, nbytes, width, height }, blockBytes, buffer, targetWidth) {
    const { gl, state } = this.pool;
    const across = Math.floor(targetWidth / width);
    for (let chunk = 0; chunk < count; chunk++) {
      const row = Math.floor(chunk / across);
      state.viewport((chunk - row * across) * width, row * height, width, height);
      gl.bindBufferRange(gl.UNIFORM_BUFFER, CHUNK_BINDING, buffer, chunk * nbytes, blockBytes);
      gl.drawArrays(gl.TRIANGLES, 0, VERTICES);
      if (chunk % FLUSH_CHUNKS === FLUSH_CHUNKS - 1) gl.flush();
    }
  }

  close() {
    this.releaseConstants();
    this.pool.gl.deleteBuffer(this.params);
  }
}

/**
 * Check that the kernel reads chunks if and only if the step has some, and that their rectangles fit into the texture.
 *
 * @param {Shader} shader
 * @param {Chunks | undefined} chunks
 * @param {Layout} layout layout of the output
 */
function checkChunks({ kernel: { name }, chunkBytes }, chunks, { bucket }) {
  const agree = chunkBytes > 0 === (chunks !== undefined);
  require_(agree, `kernel ${name} and its step do not agree on chunks`);
  if (chunks === undefined) return;
  const { count, width, height } = chunks;
  const room = Math.floor(bucket.width / width) * Math.floor(bucket.height / height);
  const size = `${bucket.width} x ${bucket.height}`;
  require_(count <= room, `kernel ${name} draws ${count} chunks in a texture of ${size}`);
}
