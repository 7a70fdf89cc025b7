/**
 * The WebGPU backend: tensors are storage buffers, and a Program is a sequence of dispatches.
 *
 * @typedef {import("../common/backend.mjs").Backend & import("../common/backend.mjs").AsyncRead
 *   & import("../common/backend.mjs").Losable & import("../common/backend.mjs").Timed
 *   & import("../common/backend.mjs").Sharing & import("../common/backend.mjs").Pictured} Backend
 * @typedef {import("./buffers.mjs").Layout} Layout
 * @typedef {import("./buffers.mjs").Storage} Storage
 * @typedef {import("../common/slots.mjs").Slot<Storage, Layout>} Slot
 */

import { elementsOf, emptyArray, shown, storedBytes } from "../common/elements.mjs";
import { OpError } from "../common/errors.mjs";
import { budgetOf } from "../common/paging.mjs";
import { ProgramTable } from "../common/programs.mjs";
import { SlotTable } from "../common/slots.mjs";
import { BufferPool, wholeWords } from "./buffers.mjs";
import { Canvases, contextOf } from "./canvases.mjs";
import { Commands } from "./commands.mjs";
import { checkOwner, deviceLost, lostText, openDevice } from "./context.mjs";
import { parseProgram } from "./document.mjs";
import { Pictures } from "./pictures.mjs";
import { PipelineCache } from "./pipelines.mjs";
import { Program } from "./program.mjs";
import { Reads } from "./reads.mjs";
import { Specialized } from "./specialized.mjs";

/** Name in errors for tensors that are uploaded from the host. */
const HOST = "tensors of the host";

/**
 * @param {import("./context.mjs").Options} options
 * @returns {Promise<Backend>}
 */
export async function openWebgpu(options = {}) {
  return new Webgpu(await openDevice(options), options);
}

/** @implements {Backend} */
class Webgpu {
  /**
   * @param {import("./context.mjs").Device} device
   * @param {import("./context.mjs").Options} options
   */
  constructor(device, { budgetBytes, hostBytes, enoughDispatches, importsFrames = true }) {
    const { gpu, ...limits } = device;
    this.gpu = gpu;
    this.variant = limits.float16 ? "webgpu-float32-float16" : "webgpu-float32";
    this.limits = limits;
    /** @type {GPUError | Error | null} first error since `conclude` */
    this.failure = null;
    /** @param {GPUError | Error} error */
    const onFailure = (error) => {
      this.failure ??= error;
    };
    this.onFailure = onFailure;
    this.commands = new Commands(gpu, onFailure, enoughDispatches);
    this.reads = new Reads(gpu, this.commands);
    this.pool = new BufferPool(device, this.commands, this.reads, onFailure);
    this.pipelines = new PipelineCache(gpu, onFailure);
    this.specialized = new Specialized(this.pipelines);
    this.pictures = new Pictures(gpu, this.commands, importsFrames);
    this.canvases = new Canvases(gpu, this.commands);
    /** @type {SlotTable<Storage, Layout, Slot>} */
    this.slots = new SlotTable(
      "webgpu",
      this.pool,
      (storages) => this.pool.fill(storages),
      (slot) => slot,
      {
        budget: budgetOf(budgetBytes),
        hostBudget: budgetOf(hostBytes),
        held: () => this.pool.allocatedBytes,
        shrink: () => this.pool.destroyFree(0),
        fetch: (slot) => this.fetch(slot),
      },
    );
    /** @type {ProgramTable<Program>} */
    this.programs = new ProgramTable("WebGPU");
    this.closed = false;
    this.lostReason = "";
    gpu.lost.then(({ message, reason }) => {
      this.lostReason = message || reason;
    });
    gpu.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      onFailure(event.error);
    });
  }

  /** @type {Backend["write"]} */
  write(heap, ptr, count, dtype) {
    this.checkUsable();
    this.pool.taker = HOST;
    return this.slots.write(heap, ptr, count, dtype);
  }

  /** @type {Backend["readAsync"]} */
  async readAsync(slot, use) {
    this.checkUsable();
    const found = this.slots.getGood(slot);
    const { dtype, layout, data } = found;
    const elements = layout.count === 0 ? emptyArray(dtype, 0) : data;
    if (elements !== null) return use(shown(dtype, elements));
    try {
      return await this.mapped(found, (mapped) => use(shown(dtype, mapped)));
    } finally {
      await this.conclude();
    }
  }

  /**
   * Read the elements of a slot's buffer, without a check of the device's errors.
   *
   * @param {Slot} slot
   */
  fetch(slot) {
    return this.mapped(slot, (elements) => elements.slice());
  }

  /**
   * Return the result of `use` on the elements of a slot's buffer while they are mapped.
   *
   * @template T
   * @param {Slot} slot
   * @param {(elements: import("../common/elements.mjs").Elements) => T} use
   */
  mapped({ dtype, layout: { count }, storage }, use) {
    const { handle } = /** @type {Storage} */ (storage);
    const bytes = wholeWords(storedBytes(count, dtype));
    return this.reads.read(handle, bytes, (mapped, offset) =>
      use(elementsOf(dtype, mapped, offset, count)),
    );
  }

  /** @type {Backend["free"]} */
  free(...slots) {
    for (const id of slots) this.slots.free(id);
  }

  /** @type {Backend["register"]} */
  register(json, heap, ptr, nbytes) {
    this.checkUsable();
    const text = parseProgram(json, nbytes, this.limits);
    const kernels = text.kernels.map((kernel) => this.pipelines.kernel(kernel, text.of));
    this.pool.taker = text.of;
    const program = new Program(this.pool, text, kernels, this.specialized);
    return this.programs.add(program, () => program.uploadConstants(text.constants, heap, ptr));
  }

  /** @type {Backend["registerAsync"]} */
  async registerAsync(json, heap, ptr, nbytes, progress) {
    this.checkUsable();
    const constants = heap.slice(ptr, ptr + nbytes);
    const { kernels, of } = parseProgram(json, nbytes, this.limits);
    let done = 0;
    progress(done, kernels.length);
    await Promise.all(
      kernels.map(async (kernel) => {
        const error = await this.pipelines.kernel(kernel, of).made;
        if (error !== null) throw error;
        progress(++done, kernels.length);
      }),
    );
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
    program.checkKernels();
    this.pool.taker = program.of;
    this.slots.bind(program, slots);
    program.run(slots);
    this.slots.freeDonated(program, slots);
    const first = this.slots.lastId + 1;
    for (const buffer of program.outputs) {
      const { dtype, layout } = program.buffers[buffer];
      this.slots.add({ dtype, layout, storage: program.storages[buffer], data: null, used: 0 });
    }
    return first;
  }

  /** @type {Backend["memory"]} */
  memory() {
    const { allocatedBytes, all, freeBytes, temporaryBytes } = this.pool;
    return {
      slots: this.slots.count,
      bytes: this.slots.bytes,
      hostBytes: this.slots.hostBytes,
      allocatedBytes,
      buffers: all.size,
      freeBytes: freeBytes + temporaryBytes,
      programs: this.programs.count,
      kernels: this.pipelines.kernels.size,
      specialized: this.specialized.count,
    };
  }

  /** @type {Backend["finish"]} */
  async finish() {
    this.checkUsable();
    await this.commands.submitted();
    await this.commands.awake(this.gpu.queue.onSubmittedWorkDone());
    await this.conclude();
  }

  /** @type {Backend["picture"]} */
  picture(source, height, width, channels) {
    this.checkUsable();
    const layout = this.pool.layout(height * width * channels, "int32");
    const texture = this.pictures.take(source, width, height);
    if (texture === null) return 0;
    this.pool.taker = "pictures";
    const storage = this.pool.acquire(layout);
    this.pictures.write(texture, channels, storage);
    return this.slots.add({ dtype: "int32", layout, storage, data: null, used: 0 });
  }

  /** @type {Backend["draw"]} */
  draw(id, canvas, { kind, attributes, ...image }) {
    this.checkUsable();
    const slot = this.slots.getGood(id);
    const longest = Math.max(image.height, image.width);
    if (slot.layout.count === 0 || longest > this.gpu.limits.maxTextureDimension2D) return false;
    const context = contextOf(canvas, kind, attributes);
    if (context === null) return false;
    const isFloat = slot.dtype === "float32";
    this.canvases.draw(context, this.stored(slot), { ...image, isFloat });
    return true;
  }

  /** @type {Backend["borrow"]} */
  borrow(buffer, count, dtype) {
    this.checkUsable();
    const layout = this.pool.layout(count, dtype);
    checkOwner(this.gpu, buffer, this.onFailure);
    const storage = this.pool.borrow(buffer);
    return this.slots.add({ dtype, layout, storage, data: null, used: 0, pinned: true });
  }

  /** @type {Backend["lend"]} */
  async lend(id) {
    this.checkUsable();
    const slot = this.slots.getGood(id);
    slot.pinned = true;
    const { handle } = this.stored(slot);
    await this.commands.submitted();
    return handle;
  }

  /**
   * Return the storage of a slot on the device; upload its elements if necessary.
   *
   * @param {Slot} slot
   */
  stored(slot) {
    this.pool.taker = HOST;
    if (slot.storage === null) this.slots.upload(new Set([slot]));
    return /** @type {Storage} */ (slot.storage);
  }

  /** @type {Backend["startTiming"]} */
  startTiming() {
    this.checkUsable();
    this.commands.startTiming();
  }

  /** @type {Backend["stopTiming"]} */
  stopTiming() {
    return this.commands.stopTiming();
  }

  /** @type {Backend["lost"]} */
  lost() {
    return this.lostReason && lostText(this.lostReason);
  }

  /** @type {Backend["rescue"]} */
  rescue(heap, ptr, slot) {
    return this.slots.rescue(heap, ptr, slot);
  }

  /** @type {Backend["close"]} */
  close() {
    this.programs.close();
    this.slots.close();
    this.reads.close();
    this.pool.close();
    this.closed = true;
    this.gpu.destroy();
  }

  checkUsable() {
    if (this.closed) throw new Error("WebGPU backend is closed");
    if (this.lostReason) throw deviceLost(this.lostReason);
  }

  /**
   * Process the device's errors for all work so far. After an error, values computed since the last check
   * are not reliable.
   */
  async conclude() {
    await this.pool.told();
    this.checkUsable();
    const { failure } = this;
    if (failure === null) {
      this.slots.trust();
      return;
    }
    // Commands that depend on the buffer fail as well, and their errors arrive earlier.
    await this.gpu.queue.onSubmittedWorkDone();
    this.failure = null;
    const { allocatedBytes, refused } = this.pool;
    this.pool.refused = [];
    this.pool.destroyFree(0);
    this.pool.destroyTemporaries();
    this.slots.distrust();
    const lost = "the results computed since the last read are lost";
    if (!(failure instanceof GPUOutOfMemoryError) && refused.length === 0) {
      throw new Error(`webgpu: ${failure.message}; ${lost}`);
    }
    const wanted = refused.reduce((sum, { bytes }) => sum + bytes, 0);
    const held = allocatedBytes - wanted;
    const lostBytes = allocatedBytes - this.pool.allocatedBytes;
    await this.slots.pager.learn(this.slots.slots.values(), held, lostBytes);
    const takers = [...new Set(refused.map(({ taker }) => taker))].join("; ");
    const what = takers && `: ${wanted} bytes wanted for ${takers}`;
    const text = `webgpu: out of memory while computing${what}, ${held} in use; ${lost}`;
    throw new OpError("ResourceExhaustedError", text);
  }
}
