/**
 * The WebGL2 backend: tensors are textures, a Program is a sequence of draw calls.
 *
 * @typedef {import("../runtime/backend.mjs").Backend & import("../runtime/backend.mjs").Ahead} Backend
 * @typedef {import("../runtime/backend.mjs").TensorArray} TensorArray
 * @typedef {import("./program.mjs").Plan} Plan
 * @typedef {import("./textures.mjs").Layout} Layout
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./transfer.mjs").Elements} Elements
 *
 * @typedef {object} Slot either uploaded, or still holding the data that a program's use will upload
 * @property {string} dtype
 * @property {Layout} layout
 * @property {Texture | null} texture
 * @property {Elements | null} data
 * @property {Plan | null} maker the program whose output it is
 */

import { loseContext, openDevice } from "./context.mjs";
import { nbytesOf, parseProgram } from "./document.mjs";
import { donorOf, makePlan, replay } from "./program.mjs";
import { ShaderCache } from "./shaders.mjs";
import { GlState } from "./state.mjs";
import { fence } from "./sync.mjs";
import { TexturePool } from "./textures.mjs";
import { copied, download, downloadAsync, emptyArray, upload, viewed } from "./transfer.mjs";

/** Tensors up to this size are uploaded when a program first takes them; many are never. */
const LAZY_BYTES = 2 ** 16;

/**
 * Where reading a program's output took less than this the last time, the page is blocked for the
 * next one: browsers tell of a fence up to a millisecond late. Half of a frame.
 */
const BLOCKING_MS = 8;

/**
 * @param {{forceFloat16?: boolean, allowSoftware?: boolean}} options
 * @returns {Backend}
 */
export function openWebgl(options = {}) {
  return new Webgl(openDevice(options));
}

/** @implements {Backend} */
class Webgl {
  /** @param {import("./context.mjs").Device} device */
  constructor(device) {
    this.device = device;
    this.gl = device.gl;
    this.variant = device.float16 ? "webgl2-float16" : "webgl2-float32";
    this.limits = { targets: device.targets, block: device.block };
    this.state = new GlState(device.gl);
    this.pool = new TexturePool(device, this.state);
    this.shaders = new ShaderCache(this.state);
    /** @type {Map<number, Slot>} */
    this.slots = new Map();
    /** @type {Map<number, Plan>} */
    this.programs = new Map();
    this.lastId = 0;
    this.slotBytes = 0;
    this.closed = false;
    // Uploads' rows are packed, whatever their width.
    this.gl.pixelStorei(this.gl.UNPACK_ALIGNMENT, 1);
    this.gl.pixelStorei(this.gl.PACK_ALIGNMENT, 1);
  }

  /** @type {Backend["write"]} */
  write(heap, ptr, count, dtype) {
    this.checkUsable();
    const layout = this.pool.layout(count, dtype);
    if (nbytesOf(count, dtype) <= LAZY_BYTES) {
      const data = copied(heap, ptr, count, dtype);
      return this.addSlot({ dtype, layout, texture: null, data, maker: null });
    }
    const texture = this.pool.acquire(layout);
    upload(this.pool, texture, viewed(heap, ptr, count, dtype));
    return this.addSlot({ dtype, layout, texture, data: null, maker: null });
  }

  /** @type {Backend["read"]} */
  read(heap, ptr, slot) {
    this.checkUsable();
    const { dtype, layout, data, texture } = this.slot(slot);
    const { count } = layout;
    if (texture !== null && dtype !== "bool" && heap instanceof ArrayBuffer && ptr % 4 === 0) {
      download(this.pool, texture, viewed(heap, ptr, count, dtype));
      this.checkUsable();
      return;
    }
    const elements = data ?? emptyArray(dtype, count);
    if (texture !== null) {
      download(this.pool, texture, elements);
      this.checkUsable();
    }
    if (dtype === "bool") new Uint8Array(heap, ptr, count).set(elements);
    else new Uint8Array(heap, ptr, count * 4).set(new Uint8Array(elements.buffer));
  }

  /** @type {Backend["readAsync"]} */
  async readAsync(slot) {
    this.checkUsable();
    const found = this.slot(slot);
    const { dtype, data } = found;
    const elements = data === null ? await this.textureElements(found) : data.slice();
    this.checkUsable();
    return dtype === "bool" ? Uint8Array.from(elements) : elements;
  }

  /**
   * The elements of an uploaded slot; blocks the page only where that is short.
   *
   * @param {Slot} slot
   * @returns {Promise<Elements>}
   */
  async textureElements({ dtype, layout, texture, maker }) {
    const { count } = layout;
    const given = /** @type {Texture} */ (texture);
    if (maker === null) return downloadAsync(this.pool, given, dtype, count);
    const start = performance.now();
    const elements =
      maker.readMs < BLOCKING_MS
        ? download(this.pool, given, emptyArray(dtype, count))
        : await downloadAsync(this.pool, given, dtype, count);
    maker.readMs = performance.now() - start;
    return elements;
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
    const text = parseProgram(json, nbytes, this.device.targets);
    const shaders = text.kernels.map((kernel) => this.shaders.start(kernel));
    for (const shader of shaders) this.shaders.finish(shader);
    this.checkUsable();
    const plan = makePlan(this.pool, text, shaders);
    for (const { buffer, offset } of plan.constants) {
      const { dtype, layout } = plan.buffers[buffer];
      const texture = this.pool.acquire(layout);
      upload(this.pool, texture, viewed(heap, ptr + offset, layout.count, dtype));
      plan.textures[buffer] = texture;
    }
    this.programs.set(++this.lastId, plan);
    return this.lastId;
  }

  /** @type {Backend["registerAsync"]} */
  async registerAsync(json, heap, ptr, nbytes, progress) {
    this.checkUsable();
    const constants = heap.slice(ptr, ptr + nbytes);
    const { kernels } = parseProgram(json, nbytes, this.device.targets);
    const shaders = kernels.map((kernel) => this.shaders.start(kernel));
    await this.shaders.finishAsync(shaders, progress);
    return this.register(json, constants, 0, nbytes);
  }

  /** @type {Backend["release"]} */
  release(program) {
    const plan = this.program(program);
    this.programs.delete(program);
    for (const { buffer } of plan.constants) this.pool.release(plan.textures[buffer]);
    this.gl.deleteBuffer(plan.params);
  }

  /** @type {Backend["run"]} */
  run(program, ...slots) {
    this.checkUsable();
    const plan = this.program(program);
    const { buffers, inputs, outputs, textures } = plan;
    this.bindInputs(plan, slots);
    let bound = 0;
    try {
      for (; bound < outputs.length; bound++) {
        const donor = donorOf(plan, bound, slots);
        const buffer = outputs[bound];
        textures[buffer] =
          donor < 0 ? this.pool.acquire(buffers[buffer].layout) : textures[inputs[donor]];
      }
      replay(this.pool, plan);
    } catch (error) {
      while (bound-- > 0) {
        if (donorOf(plan, bound, slots) < 0) this.pool.release(textures[outputs[bound]]);
      }
      throw error;
    }
    this.freeGiven(plan, slots);
    const first = this.lastId + 1;
    for (let i = 0; i < outputs.length; i++) {
      const { dtype, layout } = buffers[outputs[i]];
      const texture = textures[outputs[i]];
      this.addSlot({ dtype, layout, texture, data: null, maker: plan });
    }
    return first;
  }

  /** @type {Backend["memory"]} */
  memory() {
    const { allocatedBytes, all, freeCount, freeBytes, temporaryCount, temporaryBytes } = this.pool;
    return {
      slots: this.slots.size,
      bytes: this.slotBytes,
      allocatedBytes,
      textures: all.size,
      freeTextures: freeCount + temporaryCount,
      freeBytes: freeBytes + temporaryBytes,
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
   * @returns {Plan}
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
   */
  bindInputs({ inputs, buffers, textures }, slots) {
    if (slots.length !== inputs.length) {
      throw new Error(`program takes ${inputs.length} inputs, got ${slots.length}`);
    }
    let areGiven = false;
    for (let i = 0; i < inputs.length; i++) {
      const slot = this.slot(Math.abs(slots[i]));
      const { dtype, layout } = buffers[inputs[i]];
      if (slot.dtype !== dtype || slot.layout.count !== layout.count) {
        throw new Error(
          `program input ${i} takes ${layout.count} elements of ${dtype}, ` +
            `got ${slot.layout.count} of ${slot.dtype}`,
        );
      }
      textures[inputs[i]] = slot.texture ?? this.uploaded(slot);
      areGiven ||= slots[i] < 0;
    }
    if (areGiven) checkGiven(slots);
  }

  /**
   * After a run: the slots that it was given for good are gone.
   *
   * @param {Plan} plan
   * @param {number[]} slots
   */
  freeGiven(plan, slots) {
    for (let i = 0; i < plan.outputs.length; i++) {
      const donor = donorOf(plan, i, slots);
      if (donor >= 0) this.slot(-slots[donor]).texture = null; // it is the output's now
    }
    for (const id of slots) {
      if (id < 0) this.free(-id);
    }
  }

  /**
   * @param {Slot} slot
   * @returns {Texture}
   */
  uploaded(slot) {
    slot.texture = this.pool.acquire(slot.layout);
    upload(this.pool, slot.texture, /** @type {Elements} */ (slot.data));
    slot.data = null;
    return slot.texture;
  }
}

/**
 * A slot that is given for good is given once.
 *
 * @param {number[]} slots
 */
function checkGiven(slots) {
  const seen = new Set();
  for (const id of slots) {
    if (seen.has(-id) || (id < 0 && seen.has(id))) {
      throw new Error(`WebGL2: slot ${Math.abs(id)} is given for good and used elsewhere`);
    }
    seen.add(id);
  }
}

/** @param {Slot} slot */
function bytesOf({ dtype, layout }) {
  return nbytesOf(layout.count, dtype);
}
