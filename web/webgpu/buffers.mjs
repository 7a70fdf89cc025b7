/**
 * The memory pool of storage buffers.
 *
 * @typedef {import("./commands.mjs").Commands} Commands
 * @typedef {import("./context.mjs").Device} Device
 * @typedef {import("./reads.mjs").Reads} Reads
 * @typedef {import("../common/elements.mjs").Elements} Elements
 *
 * @typedef {object} Bucket the buffers of one size, which can stand in for each other
 * @property {number} bytes of one buffer
 * @property {Storage[]} free
 * @property {Storage[]} temporaries the same for all Programs, which run one after another
 *
 * @typedef {object} Layout
 * @property {number} count elements
 * @property {number} bytes that kernels see: whole fours of elements
 * @property {Bucket} bucket
 *
 * @typedef {object} Storage
 * @property {GPUBuffer} handle
 * @property {number} id
 * @property {Bucket} bucket
 * @property {number} used the number of the submission whose commands used it last
 *
 * Buffers of the page's have storage, too, which the pool does not count among `all`: it neither uses
 * them again nor destroys them.
 */

import { storedBytes } from "../common/elements.mjs";
import { NoMemory } from "../common/errors.mjs";

/** Elements are read in fours, of 4 bytes at most. */
const UNIT = 16;

/** Sizes of buffers are multiples of this; those of large ones, of a quarter of a power of two. */
const LEAST_BYTES = 256;

/** Free buffers beyond this are destroyed, the sizes that were used first going first. */
const FREE_BYTES = 2 ** 30;

/**
 * The bytes that are written or copied for so many: whole words.
 *
 * @param {number} bytes
 */
export function wholeWords(bytes) {
  return Math.ceil(bytes / 4) * 4;
}

/**
 * An odd number of elements of 2 bytes, and one more.
 *
 * @param {Elements} elements
 */
function padded(elements) {
  const result = new Uint16Array(elements.length + 1);
  result.set(elements);
  return result;
}

export class BufferPool {
  /**
   * @param {Device} device
   * @param {Commands} commands
   * @param {Reads} reads
   * @param {(error: GPUError) => void} onFailure hears of buffers for which there is no memory
   */
  constructor({ gpu, tensorBytes }, commands, reads, onFailure) {
    this.gpu = gpu;
    this.tensorBytes = tensorBytes;
    this.commands = commands;
    this.reads = reads;
    this.onFailure = onFailure;
    /** What takes the buffers that are made now: ops, for errors. */
    this.taker = "";
    /** @type {Set<Promise<void>>} of buffers that the device has said nothing of yet */
    this.unsure = new Set();
    /** @type {{bytes: number, taker: string}[]} those for which it had no memory */
    this.refused = [];
    /** @type {Map<number, Bucket>} */
    this.buckets = new Map();
    /** @type {Set<Storage>} */
    this.all = new Set();
    this.lastId = 0;
    this.allocatedBytes = 0;
    this.freeBytes = 0;
    this.temporaryBytes = 0;
    /** Changes when temporaries were destroyed: whoever holds some must ask for them anew. */
    this.generation = 0;
  }

  /**
   * @param {number} count
   * @param {string} dtype
   * @returns {Layout}
   */
  layout(count, dtype) {
    const bytes = Math.max(UNIT, Math.ceil(storedBytes(count, dtype) / UNIT) * UNIT);
    if (bytes > this.tensorBytes) throw new NoMemory("webgpu", bytes, this.allocatedBytes);
    const step = Math.max(LEAST_BYTES, 2 ** (Math.floor(Math.log2(bytes)) - 2));
    const size = Math.min(Math.ceil(bytes / step) * step, this.gpu.limits.maxBufferSize);
    let bucket = this.buckets.get(size);
    if (bucket === undefined) {
      bucket = { bytes: size, free: [], temporaries: [] };
      this.buckets.set(size, bucket);
    }
    return { count, bytes, bucket };
  }

  /**
   * A buffer whose content is undefined.
   *
   * @param {Layout} layout
   * @returns {Storage}
   */
  acquire({ bucket }) {
    const storage = bucket.free.pop();
    if (storage === undefined) return this.make(bucket);
    this.freeBytes -= bucket.bytes;
    return storage;
  }

  /** @param {Storage} storage one that was destroyed does not come back */
  release(storage) {
    if (!this.all.has(storage)) return;
    storage.bucket.free.push(storage);
    this.freeBytes += storage.bucket.bytes;
    if (this.freeBytes > FREE_BYTES) this.destroyFree(FREE_BYTES / 2);
  }

  /**
   * The temporary of that number.
   *
   * @param {Layout} layout
   * @param {number} index
   */
  temporary({ bucket }, index) {
    const { temporaries } = bucket;
    while (temporaries.length <= index) {
      temporaries.push(this.make(bucket));
      this.temporaryBytes += bucket.bytes;
    }
    return temporaries[index];
  }

  /**
   * Before temporaries are asked for: makes room for so many bytes of them.
   *
   * @param {number} bytes
   */
  reserve(bytes) {
    if (this.temporaryBytes > FREE_BYTES + bytes) this.destroyTemporaries();
  }

  destroyTemporaries() {
    for (const { temporaries } of this.buckets.values()) {
      for (const storage of temporaries.splice(0)) this.destroy(storage);
    }
    this.temporaryBytes = 0;
    this.generation++;
  }

  /**
   * Destroys free buffers until so many bytes of them are left.
   *
   * @param {number} bytes
   */
  destroyFree(bytes) {
    for (const { bytes: size, free } of this.buckets.values()) {
      while (this.freeBytes > bytes && free.length > 0) {
        this.destroy(/** @type {Storage} */ (free.shift()));
        this.freeBytes -= size;
      }
    }
  }

  /**
   * @param {Bucket} bucket
   * @returns {Storage}
   */
  make(bucket) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    this.gpu.pushErrorScope("out-of-memory");
    const handle = this.gpu.createBuffer({ size: bucket.bytes, usage });
    this.hear(this.gpu.popErrorScope(), bucket.bytes);
    const storage = { handle, id: ++this.lastId, bucket, used: 0 };
    this.all.add(storage);
    this.allocatedBytes += bucket.bytes;
    return storage;
  }

  /**
   * Waits for what the device says of a buffer: its memory is given later than its handle.
   *
   * @param {Promise<GPUError | null>} said
   * @param {number} bytes
   */
  hear(said, bytes) {
    const { taker } = this;
    const heard = said
      .then((error) => {
        if (error === null) return;
        this.refused.push({ bytes, taker });
        this.onFailure(error);
      })
      .catch(() => {}) // the device is lost, which is said elsewhere
      .finally(() => this.unsure.delete(heard));
    this.unsure.add(heard);
  }

  /** Resolves when the device has said of all buffers so far whether there was memory for them. */
  async told() {
    if (this.unsure.size > 0) await Promise.all(this.unsure);
  }

  /**
   * Storage over a buffer of the page's.
   *
   * @param {GPUBuffer} handle
   * @returns {Storage}
   */
  borrow(handle) {
    const bucket = { bytes: handle.size, free: [], temporaries: [] };
    return { handle, id: ++this.lastId, bucket, used: 0 };
  }

  /** @param {Storage} storage */
  isBorrowed(storage) {
    return !this.all.has(storage);
  }

  /** @param {Storage} storage */
  destroy(storage) {
    if (!this.all.delete(storage)) return;
    this.allocatedBytes -= storage.bucket.bytes;
    this.reads.start(); // one that waits may be of it
    this.commands.inOrder(() => {
      this.commands.flush(); // what was encoded may use it
      storage.handle.destroy();
    });
  }

  /**
   * Uploads elements.
   *
   * @param {[Storage, Elements][]} storages
   */
  fill(storages) {
    const { commands, gpu } = this;
    for (const [{ handle, used }, elements] of storages) {
      if (elements.length === 0) continue;
      const waits = commands.line !== null;
      const kept = elements.byteLength % 4 ? padded(elements) : waits ? elements.slice() : elements;
      commands.inOrder(() => {
        // The queue would write before the commands that are encoded but not submitted.
        if (waits || used === commands.number) commands.flush();
        gpu.queue.writeBuffer(handle, 0, kept);
      });
    }
  }

  close() {
    for (const { handle } of this.all) handle.destroy();
    this.all.clear();
    this.buckets.clear();
  }
}
