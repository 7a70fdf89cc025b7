/**
 * The WebGL2 backend: tensors are textures, a Program is a sequence of draw calls.
 *
 * @typedef {import("./backend.mjs").Backend} Backend
 * @typedef {import("./backend.mjs").TensorArray} TensorArray
 * @typedef {import("./webgl_program.mjs").Plan} Plan
 * @typedef {import("./webgl_program.mjs").Step} Step
 * @typedef {import("./webgl_textures.mjs").Layout} Layout
 * @typedef {import("./webgl_textures.mjs").Texture} Texture
 *
 * @typedef {object} Slot either uploaded, or still holding the data that a program's use will upload
 * @property {string} dtype
 * @property {Layout} layout
 * @property {Texture | null} texture
 * @property {Float32Array | Int32Array | null} data
 *
 * @typedef {object} Registered
 * @property {Plan} plan
 * @property {Texture[]} constants
 */

import { loseContext, openDevice } from "./webgl_context.mjs";
import { makePlan, nbytesOf } from "./webgl_program.mjs";
import { ShaderCache } from "./webgl_shaders.mjs";
import { fence } from "./webgl_sync.mjs";
import { layoutOf, TexturePool } from "./webgl_textures.mjs";

/**
 * @param {{forceFloat16?: boolean, allowSoftware?: boolean}} options
 * @returns {Backend}
 */
export function openWebgl(options = {}) {
  return new Webgl(openDevice(options));
}

/** @implements {Backend} */
class Webgl {
  /** @param {import("./webgl_context.mjs").Device} device */
  constructor(device) {
    this.device = device;
    this.gl = device.gl;
    this.variant = device.float16 ? "webgl2-float16" : "webgl2-float32";
    this.pool = new TexturePool(device);
    this.shaders = new ShaderCache(device.gl);
    /** @type {Map<number, Slot>} */
    this.slots = new Map();
    /** @type {Map<number, Registered>} */
    this.programs = new Map();
    this.lastId = 0;
    this.slotBytes = 0;
    /** @type {import("./webgl_shaders.mjs").Shader | null} */
    this.current = null;
    this.closed = false;
    // Uploads' rows are packed, whatever their width.
    this.gl.pixelStorei(this.gl.UNPACK_ALIGNMENT, 1);
    this.gl.pixelStorei(this.gl.PACK_ALIGNMENT, 1);
  }

  /** @type {Backend["write"]} */
  write(heap, ptr, count, dtype) {
    this.checkUsable();
    const layout = layoutOf(this.device, count, dtype);
    return this.addSlot({ dtype, layout, texture: null, data: fromHeap(heap, ptr, layout, dtype) });
  }

  /** @type {Backend["read"]} */
  read(heap, ptr, slot) {
    this.checkUsable();
    const found = this.slot(slot);
    const { count } = found.layout;
    const data = found.data ?? this.readPixels(found);
    if (found.dtype === "bool") {
      const bytes = new Uint8Array(heap, ptr, count);
      for (let i = 0; i < count; i++) bytes[i] = data[i];
    } else {
      new Uint8Array(heap, ptr, count * 4).set(new Uint8Array(data.buffer, 0, count * 4));
    }
  }

  /** @type {Backend["readAsync"]} */
  async readAsync(slot) {
    this.checkUsable();
    const { layout, dtype, data, texture } = this.slot(slot);
    if (data !== null) return toTensor(data.slice(0, layout.count), dtype);
    const gl = this.gl;
    const { width, height, format, count } = layout;
    const buffer = gl.createBuffer();
    this.pool.bindTarget(/** @type {Texture} */ (texture));
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, width * height * 16, gl.STREAM_READ);
    gl.readPixels(0, 0, width, height, format.external, format.readType, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    try {
      await fence(gl);
      const result = emptyArray(dtype, count);
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
      gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, result);
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
      this.checkUsable();
      return toTensor(result, dtype);
    } finally {
      gl.deleteBuffer(buffer);
    }
  }

  /** @type {Backend["free"]} */
  free(...slots) {
    for (const id of slots) {
      const slot = this.slot(id);
      this.slots.delete(id);
      this.slotBytes -= bytesOf(slot);
      if (slot.texture !== null) this.pool.release(slot.texture);
    }
  }

  /** @type {Backend["register"]} */
  register(json, heap, ptr, nbytes) {
    this.checkUsable();
    this.current = null;
    const plan = makePlan(this.device, this.shaders, json, nbytes);
    const constants = plan.constants.map(({ buffer, offset }) => {
      const { dtype, layout } = plan.buffers[buffer];
      const texture = this.pool.acquire(layout);
      this.pool.upload(texture, fromHeap(heap, ptr + offset, layout, dtype));
      return texture;
    });
    this.checkUsable();
    this.programs.set(++this.lastId, { plan, constants });
    return this.lastId;
  }

  /** @type {Backend["release"]} */
  release(program) {
    const { plan, constants } = this.program(program);
    this.programs.delete(program);
    for (const texture of constants) this.pool.release(texture);
    this.gl.deleteBuffer(plan.params);
  }

  /** @type {Backend["run"]} */
  run(program, ...slots) {
    this.checkUsable();
    const { plan, constants } = this.program(program);
    /** @type {Texture[]} */
    const textures = new Array(plan.buffers.length);
    this.bindInputs(plan, slots, textures);
    constants.forEach((texture, i) => {
      textures[plan.constants[i].buffer] = texture;
    });
    try {
      for (const step of plan.steps) {
        for (const b of step.outputs) textures[b] = this.pool.acquire(plan.buffers[b].layout);
        this.draw(plan, step, textures);
        for (const b of step.last) {
          this.pool.release(textures[b]);
          delete textures[b];
        }
      }
    } catch (error) {
      for (const b of plan.steps.flatMap((step) => step.outputs)) {
        if (textures[b] !== undefined) this.pool.release(textures[b]);
      }
      throw error;
    }
    const first = this.lastId + 1;
    for (const b of plan.outputs) {
      const { dtype, layout } = plan.buffers[b];
      this.addSlot({ dtype, layout, texture: textures[b], data: null });
    }
    return first;
  }

  /** @type {Backend["memory"]} */
  memory() {
    const { allocatedBytes, all, freeCount, freeBytes } = this.pool;
    return {
      slots: this.slots.size,
      bytes: this.slotBytes,
      allocatedBytes,
      textures: all.size,
      freeTextures: freeCount,
      freeBytes,
      programs: this.programs.size,
      shaders: this.shaders.shaders.size,
    };
  }

  /** @type {Backend["finish"]} */
  async finish() {
    this.checkUsable();
    await fence(this.gl);
  }

  /** @type {Backend["close"]} */
  close() {
    for (const id of [...this.programs.keys()]) this.release(id);
    this.slots.clear();
    this.slotBytes = 0;
    this.pool.close();
    this.shaders.close();
    this.closed = true;
    loseContext(this.gl);
  }

  checkUsable() {
    if (this.closed) throw new Error("WebGL2 backend is closed");
    if (this.gl.isContextLost()) {
      throw new Error("WebGL context lost: the browser took the GPU away and tensors are gone");
    }
  }

  /**
   * @param {Slot} slot
   * @returns {number}
   */
  addSlot(slot) {
    this.slots.set(++this.lastId, slot);
    this.slotBytes += bytesOf(slot);
    return this.lastId;
  }

  /**
   * @param {number} id
   * @returns {Slot}
   */
  slot(id) {
    const slot = this.slots.get(id);
    if (slot === undefined) throw new Error(`WebGL2: there is no slot ${id}`);
    return slot;
  }

  /**
   * @param {number} id
   * @returns {Registered}
   */
  program(id) {
    const program = this.programs.get(id);
    if (program === undefined) throw new Error(`WebGL2: there is no program ${id}`);
    return program;
  }

  /**
   * Puts the slots' textures in their places, uploading those that were never used before.
   *
   * @param {Plan} plan
   * @param {number[]} slots
   * @param {Texture[]} textures
   */
  bindInputs(plan, slots, textures) {
    if (slots.length !== plan.inputs.length) {
      throw new Error(`program takes ${plan.inputs.length} inputs, got ${slots.length}`);
    }
    plan.inputs.forEach((b, i) => {
      const slot = this.slot(slots[i]);
      const { dtype, layout } = plan.buffers[b];
      if (slot.dtype !== dtype || slot.layout.count !== layout.count) {
        throw new Error(
          `program input ${i} takes ${layout.count} elements of ${dtype}, ` +
            `got ${slot.layout.count} of ${slot.dtype}`,
        );
      }
      if (slot.texture === null) {
        slot.texture = this.pool.acquire(slot.layout);
        this.pool.upload(slot.texture, /** @type {Float32Array} */ (slot.data));
        slot.data = null;
      }
      textures[b] = slot.texture;
    });
  }

  /**
   * @param {Plan} plan
   * @param {Step} step
   * @param {Texture[]} textures
   */
  draw(plan, step, textures) {
    const { count, width, height } = plan.buffers[step.outputs[0]].layout;
    if (count === 0) return;
    const gl = this.gl;
    if (this.current !== step.shader) {
      gl.useProgram(step.shader.program);
      this.current = step.shader;
    }
    if (step.outputs.length === 1) this.pool.bindTarget(textures[step.outputs[0]]);
    else this.pool.bindTargets(step.outputs.map((b) => textures[b]));
    gl.viewport(0, 0, width, height);
    for (let unit = 0; unit < step.inputs.length; unit++) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, textures[step.inputs[unit]].handle);
    }
    gl.bindBufferRange(gl.UNIFORM_BUFFER, 0, plan.params, step.block, step.shader.blockBytes);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /**
   * @param {Slot} slot
   * @returns {Float32Array | Int32Array}
   */
  readPixels({ layout, dtype, texture }) {
    const gl = this.gl;
    const { width, height, format } = layout;
    const data = emptyArray(dtype, width * height * 4);
    this.pool.bindTarget(/** @type {Texture} */ (texture));
    gl.readPixels(0, 0, width, height, format.external, format.readType, data);
    this.checkUsable();
    return data;
  }
}

/**
 * @param {string} dtype
 * @param {number} count
 * @returns {Float32Array | Int32Array}
 */
function emptyArray(dtype, count) {
  return dtype === "float32" ? new Float32Array(count) : new Int32Array(count);
}

/**
 * Elements of the heap, padded to the layout's whole texels.
 *
 * @param {ArrayBufferLike} heap
 * @param {number} ptr
 * @param {Layout} layout
 * @param {string} dtype
 * @returns {Float32Array | Int32Array}
 */
function fromHeap(heap, ptr, { count, width, height }, dtype) {
  const data = emptyArray(dtype, width * height * 4);
  if (dtype === "bool") {
    const bytes = new Uint8Array(heap, ptr, count);
    for (let i = 0; i < count; i++) data[i] = bytes[i] === 0 ? 0 : 1;
  } else {
    new Uint8Array(data.buffer, 0, count * 4).set(new Uint8Array(heap, ptr, count * 4));
  }
  return data;
}

/**
 * @param {Float32Array | Int32Array} data
 * @param {string} dtype
 * @returns {TensorArray}
 */
function toTensor(data, dtype) {
  return dtype === "bool" ? Uint8Array.from(data) : data;
}

/** @param {Slot} slot */
function bytesOf({ dtype, layout }) {
  return nbytesOf(layout.count, dtype);
}
