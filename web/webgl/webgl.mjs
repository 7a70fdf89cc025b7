/**
 * The WebGL2 backend: tensors are textures, and a Program is a sequence of draw calls.
 *
 * @typedef {import("../common/backend.mjs").Backend & import("../common/backend.mjs").BlockingRead
 *   & import("../common/backend.mjs").AsyncRead & import("../common/backend.mjs").Losable
 *   & import("../common/backend.mjs").Timed} Backend
 * @typedef {import("./textures.mjs").Layout} Layout
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./transfer.mjs").Elements} Elements
 *
 * @typedef {object} FromProgram
 * @property {import("./transfer.mjs").OutputReader | null} reader reader of the Program that produced it
 *
 * @typedef {import("../common/slots.mjs").Slot<Texture, Layout> & FromProgram} Slot
 */

import { copyOut, emptyArray, shown, viewed } from "../common/elements.mjs";
import { OpError } from "../common/errors.mjs";
import { budgetOf } from "../common/paging.mjs";
import { TIMER_QUERIES } from "../common/probe.mjs";
import { ProgramTable } from "../common/programs.mjs";
import { SlotTable } from "../common/slots.mjs";
import { untimed } from "../common/timing.mjs";
import { contextLost, LOST, loseContext, openDevice } from "./context.mjs";
import { parseProgram } from "./document.mjs";
import { Program } from "./program.mjs";
import { ShaderCache } from "./shaders.mjs";
import { GlState } from "./state.mjs";
import { fence } from "./sync.mjs";
import { FREE_BYTES, TexturePool, takeError } from "./textures.mjs";
import { timerQueries } from "./timer_queries.mjs";
import { download, downloadAsync, fill, READ_BYTES } from "./transfer.mjs";

/**
 * @param {import("./context.mjs").Options} options
 * @returns {Backend}
 */
export function openWebgl(options = {}) {
  return new Webgl(openDevice(options), options);
}

/** @implements {Backend} */
class Webgl {
  /**
   * @param {import("./context.mjs").Device} device
   * @param {import("./context.mjs").Options} options
   */
  constructor(
    device,
    { freeBytes = FREE_BYTES, budgetBytes, hostBytes, flushMs = -1, timers = true },
  ) {
    this.device = device;
    this.gl = device.gl;
    this.variant = device.float16 ? "webgl2-float16" : "webgl2-float32";
    const tensorBytes = device.maxSize ** 2 * READ_BYTES;
    const float16 = Number(device.float16);
    this.limits = { targets: device.targets, block: device.block, tensorBytes, float16 };
    this.state = new GlState(device.gl);
    const kept = freeBytes < 0 ? Infinity : freeBytes;
    this.pool = new TexturePool(device, this.state, kept, (error) => this.conclude(error));
    this.shaders = new ShaderCache(this.state);
    /** @type {(slot: import("../common/slots.mjs").Slot<Texture, Layout>) => Slot} */
    const make = (slot) => ({ ...slot, reader: null });
    /** @type {SlotTable<Texture, Layout, Slot>} */
    this.slots = new SlotTable("webgl", this.pool, (textures) => fill(this.pool, textures), make, {
      budget: budgetOf(budgetBytes),
      hostBudget: budgetOf(hostBytes),
      held: () => this.pool.allocatedBytes,
      shrink: () => this.pool.deleteFree(0),
      fetch: (slot) => this.fetch(slot),
    });
    /** @type {ProgramTable<Program>} */
    this.programs = new ProgramTable("WebGL2");
    this.closed = false;
    this.flushMs = flushMs;
    this.flushedAt = 0;
    this.timers = timers;
    /** @type {import("./timer_queries.mjs").TimerQueries | null} while kernels are timed */
    this.timer = null;
    // Rows of uploads are packed without alignment.
    this.gl.pixelStorei(this.gl.UNPACK_ALIGNMENT, 1);
    this.gl.pixelStorei(this.gl.PACK_ALIGNMENT, 1);
  }

  /** @type {Backend["write"]} */
  write(heap, ptr, count, dtype) {
    this.checkUsable();
    return this.slots.write(heap, ptr, count, dtype);
  }

  /** @type {Backend["read"]} */
  read(heap, ptr, slot) {
    this.checkUsable();
    const { dtype, layout, data, storage } = this.slots.getGood(slot);
    const { count } = layout;
    const source = data === null ? storage : null;
    if (source !== null && dtype !== "bool" && heap instanceof ArrayBuffer && ptr % 4 === 0) {
      download(this.pool, source, viewed(heap, ptr, count, dtype));
      return;
    }
    const elements = data ?? emptyArray(dtype, count);
    if (source !== null) download(this.pool, source, elements);
    copyOut(heap, ptr, dtype, elements);
  }

  /**
   * Read the elements of a slot's texture.
   *
   * @param {Slot} slot
   */
  fetch({ dtype, layout: { count }, storage }) {
    return download(this.pool, /** @type {Texture} */ (storage), emptyArray(dtype, count));
  }

  /** @type {Backend["readAsync"]} */
  async readAsync(slot, use) {
    this.checkUsable();
    const found = this.slots.getGood(slot);
    const elements = found.data ?? (await readTexture(this.pool, found));
    return use(shown(found.dtype, elements));
  }

  /** @type {Backend["free"]} */
  free(...slots) {
    for (const id of slots) this.slots.free(id);
  }

  /** @type {Backend["register"]} */
  register(json, heap, ptr, nbytes) {
    this.checkUsable();
    const text = parseProgram(json, nbytes, this.device.targets);
    const shaders = text.kernels.map((kernel) => this.shaders.start(kernel));
    for (const shader of shaders) this.shaders.finish(shader, text.of);
    this.checkUsable();
    return this.programs.add(new Program(this.pool, text, shaders), (program) => {
      program.uploadConstants(text.constants, heap, ptr);
      this.conclude(takeError(this.gl));
    });
  }

  /** @type {Backend["registerAsync"]} */
  async registerAsync(json, heap, ptr, nbytes, progress) {
    this.checkUsable();
    const constants = heap.slice(ptr, ptr + nbytes);
    const { kernels, of } = parseProgram(json, nbytes, this.device.targets);
    const shaders = kernels.map((kernel) => this.shaders.start(kernel));
    await this.shaders.finishAsync(shaders, of, progress);
    return this.register(json, constants, 0, nbytes);
  }

  /** @type {Backend["release"]} */
  release(id) {
    this.programs.release(id);
  }

  /** @type {Backend["run"]} */
  run(id, ...slots) {
    this.checkUsable();
    const program = this.programs.get(id);
    this.slots.surely(() => {
      this.slots.bind(program, slots);
      program.run(slots, this.timer);
    });
    this.slots.freeDonated(program, slots);
    const first = this.slots.lastId + 1;
    for (const buffer of program.outputs) {
      const { dtype, layout } = program.buffers[buffer];
      const storage = program.storages[buffer];
      this.slots.add({ dtype, layout, storage, data: null, used: 0, reader: program.reader });
    }
    this.flushWhenDue();
    return first;
  }

  /** Flush the draws to the GPU if they have waited for long enough. */
  flushWhenDue() {
    if (this.flushMs < 0) return;
    const now = performance.now();
    if (now - this.flushedAt < this.flushMs) return;
    this.gl.flush();
    this.flushedAt = now;
  }

  /** @type {Backend["memory"]} */
  memory() {
    const { allocatedBytes, all, freeCount, freeBytes, temporaryCount, temporaryBytes } = this.pool;
    return {
      slots: this.slots.count,
      bytes: this.slots.bytes,
      hostBytes: this.slots.hostBytes,
      allocatedBytes,
      textures: all.size,
      freeTextures: freeCount + temporaryCount,
      freeBytes: freeBytes + temporaryBytes,
      programs: this.programs.count,
      shaders: this.shaders.shaders.size,
    };
  }

  /** @type {Backend["finish"]} */
  async finish() {
    this.checkUsable();
    await fence(this.gl);
    this.conclude(takeError(this.gl));
  }

  /** @type {Backend["startTiming"]} */
  startTiming() {
    this.checkUsable();
    this.timer = this.timers ? timerQueries(this.gl) : null;
  }

  /** @type {Backend["stopTiming"]} */
  async stopTiming() {
    const { timer } = this;
    this.timer = null;
    if (timer !== null) return timer.times();
    const lacks = `the browser has no timer queries (${TIMER_QUERIES})`;
    return untimed(
      `webgl: ${this.timers ? lacks : "timer queries are not to be relied on in this browser"}`,
    );
  }

  /** @type {Backend["lost"]} */
  lost() {
    return this.gl.isContextLost() ? LOST : "";
  }

  /** @type {Backend["rescue"]} */
  rescue(heap, ptr, slot) {
    return this.slots.rescue(heap, ptr, slot);
  }

  /** @type {Backend["close"]} */
  close() {
    this.programs.close();
    this.slots.close();
    this.pool.close();
    this.shaders.close();
    this.closed = true;
    loseContext(this.gl);
  }

  checkUsable() {
    if (this.closed) throw new Error("WebGL2 backend is closed");
    if (this.gl.isContextLost()) throw contextLost();
  }

  /**
   * Process the device's error for all work so far. After an error, values computed since the last check
   * are not reliable.
   *
   * @param {number} error error code of GL
   */
  conclude(error) {
    this.checkUsable();
    if (error === this.gl.NO_ERROR) {
      this.slots.trust();
      return;
    }
    const { allocatedBytes } = this.pool;
    this.pool.deleteFree(0);
    this.pool.deleteTemporaries();
    this.slots.distrust();
    const lost = "the results computed since the last read are lost";
    if (error !== this.gl.OUT_OF_MEMORY) throw new Error(`webgl: error ${error}; ${lost}`);
    const text = `webgl: out of memory while computing, ${allocatedBytes} bytes in use; ${lost}`;
    throw new OpError("ResourceExhaustedError", text);
  }
}

/**
 * Read the elements of a slot that has a texture without blocking the page for long.
 *
 * @param {TexturePool} pool
 * @param {Slot} slot
 * @returns {Promise<Elements>}
 */
function readTexture(pool, { dtype, layout: { count }, storage, reader }) {
  const source = /** @type {Texture} */ (storage);
  return reader === null
    ? downloadAsync(pool, source, dtype, count)
    : reader.read(pool, source, dtype, count);
}
