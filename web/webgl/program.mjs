/**
 * A registered Program. All of it is fixed at registration (its steps and their compiled shaders,
 * its parameters in one uniform buffer, the place of each temporary in the pool), but for the
 * textures of its inputs and outputs: a run puts them in their places and replays the steps.
 *
 * @typedef {import("./document.mjs").Chunks} Chunks
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./shaders.mjs").Shader} Shader
 * @typedef {import("./textures.mjs").Layout} Layout
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./textures.mjs").TexturePool} TexturePool
 *
 * @typedef {object} Buffer
 * @property {string} dtype
 * @property {Layout} layout
 *
 * @typedef {object} Step
 * @property {Shader} shader
 * @property {number[]} inputs
 * @property {number} output
 * @property {number} paramsOffset byte of the uniform buffer where its parameters begin
 * @property {Chunks | null} chunks
 */

import { countOf, require_ } from "../runtime/document.mjs";
import { viewed } from "../runtime/elements.mjs";
import { assignTemporaries } from "../runtime/temporaries.mjs";
import { packParams } from "./params.mjs";
import { CHUNK_BINDING, PARAMS_BINDING } from "./shaders.mjs";
import { copyToBuffer, OutputReader, READ_BYTES, upload } from "./transfer.mjs";

/** After so many steps the device begins, while the next ones are still being issued. */
const FLUSH_STEPS = 8;

/** The same of a step's chunks. */
const FLUSH_CHUNKS = 32;

/** The triangle that covers the target has so many vertices. */
const VERTICES = 3;

export class Program {
  /**
   * @param {TexturePool} pool
   * @param {ProgramText} text
   * @param {Shader[]} shaders compiled, one for each kernel
   */
  constructor(pool, text, shaders) {
    const { inputs, outputs, constants } = text;
    this.pool = pool;
    /** @type {Buffer[]} */
    this.buffers = text.buffers.map(({ dtype, shape, layers, line }) => {
      return { dtype, layout: pool.layout(countOf(shape), dtype, layers, line) };
    });
    this.inputs = inputs;
    this.outputs = outputs;
    this.constants = constants.map(({ buffer }) => buffer);
    const donations = new Map(text.donations);
    /** For each output the position of the input whose texture it may take over; or -1. */
    this.donations = outputs.map((output) => inputs.indexOf(donations.get(output) ?? -1));
    const { temporaries, temporaryBytes } = assignTemporaries(text, this.buffers);
    this.temporaries = temporaries;
    this.temporaryBytes = temporaryBytes;
    const { params, steps } = this.makeSteps(text, shaders);
    this.params = params;
    this.steps = steps;
    this.chunkBytes = Math.max(0, ...steps.map((step) => this.chunkBytesOf(step)));
    this.reader = new OutputReader();
    /** Of the pool's temporaries that `textures` holds. */
    this.generation = -1;
    /** @type {Texture[]} by buffer */
    this.textures = new Array(this.buffers.length);
  }

  /**
   * Uploads the constants. On failure the program is to be closed.
   *
   * @param {ProgramText["constants"]} constants
   * @param {ArrayBufferLike} heap
   * @param {number} ptr where their data begin
   */
  uploadConstants(constants, heap, ptr) {
    const { pool, buffers, textures } = this;
    for (const { buffer } of constants) textures[buffer] = pool.acquire(buffers[buffer].layout);
    pool.allocate();
    for (const { buffer, offset } of constants) {
      const { dtype, layout } = buffers[buffer];
      upload(pool, textures[buffer], viewed(heap, ptr + offset, layout.count, dtype));
    }
  }

  /**
   * The steps that draw anything, and the uniform buffer with the parameters of all.
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
   * Bytes of the pool's buffer that a step reads through a uniform block.
   *
   * @param {Step} step
   */
  chunkBytesOf({ shader, inputs, chunks }) {
    if (chunks === null) return 0;
    const { width, height } = this.buffers[inputs[inputs.length - 1]].layout.bucket;
    return width * height * READ_BYTES + shader.chunkBytes;
  }

  /**
   * Whether an input, by position, may be a tensor of this type.
   *
   * @param {number} position
   * @param {string} dtype
   * @param {number} count
   */
  checkInput(position, dtype, count) {
    const wanted = this.buffers[this.inputs[position]];
    if (wanted.dtype !== dtype || wanted.layout.count !== count) {
      throw new Error(
        `program input ${position} takes ${wanted.layout.count} elements of ${wanted.dtype}, ` +
          `got ${count} of ${dtype}`,
      );
    }
  }

  /**
   * @param {number} position
   * @param {Texture} texture
   */
  bindInput(position, texture) {
    this.textures[this.inputs[position]] = texture;
  }

  /**
   * The position of the donated input whose texture an output takes over in a run; or -1.
   *
   * @param {number} output position
   * @param {number[]} slots of the run, those with a minus sign donated
   */
  donatedTo(output, slots) {
    const input = this.donations[output];
    return slots[input] < 0 ? input : -1;
  }

  /**
   * Runs the steps on the inputs that were bound. On failure no output has a texture, and the
   * donated inputs keep theirs.
   *
   * @param {number[]} slots of the inputs, those with a minus sign donated
   */
  run(slots) {
    const { pool, buffers, inputs, outputs, textures } = this;
    let bound = 0;
    try {
      for (; bound < outputs.length; bound++) {
        const input = this.donatedTo(bound, slots);
        const buffer = outputs[bound];
        textures[buffer] =
          input < 0 ? pool.acquire(buffers[buffer].layout) : textures[inputs[input]];
      }
      this.replay();
    } catch (error) {
      while (bound-- > 0) {
        if (this.donatedTo(bound, slots) < 0) pool.release(textures[outputs[bound]]);
      }
      throw error;
    }
  }

  /** Draws the steps; every buffer's texture is in its place. */
  replay() {
    if (this.generation !== this.pool.generation) this.bindTemporaries();
    this.pool.allocate();
    this.pool.reserveChunkBuffer(this.chunkBytes);
    const { gl, state } = this.pool;
    const { steps, textures, params, buffers } = this;
    for (let number = 0; number < steps.length; number++) {
      const { shader, inputs, output, paramsOffset, chunks } = steps[number];
      const source = textures[inputs[inputs.length - 1]];
      const chunkBuffer = chunks && copyToBuffer(this.pool, source);
      state.bindFramebuffer(this.pool.framebuffer(textures[output]));
      state.useProgram(shader.program);
      for (let unit = 0; unit < inputs.length; unit++) {
        const { bucket, handle } = textures[inputs[unit]];
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
      if (number % FLUSH_STEPS === FLUSH_STEPS - 1) gl.flush();
    }
  }

  /**
   * Draws a step's rectangles, which lie side by side in the target and then below each other.
   *
   * @param {Chunks} chunks
   * @param {number} blockBytes size of the uniform block that reads a chunk
   * @param {WebGLBuffer | null} buffer what the chunks read
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

  /** Puts the pool's textures in the places of the temporaries. */
  bindTemporaries() {
    const { pool, buffers, textures } = this;
    pool.reserve(this.temporaryBytes);
    for (const { buffer, index } of this.temporaries) {
      textures[buffer] = pool.temporary(buffers[buffer].layout, index);
    }
    this.generation = pool.generation;
  }

  close() {
    for (const buffer of this.constants) {
      if (this.textures[buffer] !== undefined) this.pool.release(this.textures[buffer]);
    }
    this.pool.gl.deleteBuffer(this.params);
  }
}

/**
 * The kernel reads chunks if the step has some, and their rectangles fit into the texture.
 *
 * @param {Shader} shader
 * @param {Chunks | undefined} chunks
 * @param {Layout} layout of the output
 */
function checkChunks({ kernel: { name }, chunkBytes }, chunks, { bucket }) {
  const agree = chunkBytes > 0 === (chunks !== undefined);
  require_(agree, `kernel ${name} and a step disagree about chunks`);
  if (chunks === undefined) return;
  const { count, width, height } = chunks;
  const room = Math.floor(bucket.width / width) * Math.floor(bucket.height / height);
  const size = `${bucket.width} x ${bucket.height}`;
  require_(count <= room, `kernel ${name} draws ${count} chunks in a texture of ${size}`);
}
