/**
 * The memory pool of storage buffers.
 *
 * @typedef {import("./commands.mjs").Commands} Commands
 * @typedef {import("./context.mjs").Device} Device
 * @typedef {import("./reads.mjs").Reads} Reads
 * @typedef {import("../common/elements.mjs").Elements} Elements
 *
 * @typedef {object} Bucket interchangeable buffers of one size
 * @property {number} bytes bytes of one buffer
 * @property {Storage[]} free
 * @property {number} least smallest number of free ones in this period
 * @property {Storage[]} temporaries buffers shared by all Programs, which run one after another
 *
 * @typedef {object} Layout
 * @property {number} count number of elements
 * @property {number} bytes bytes that kernels see: a multiple of four elements
 * @property {Bucket} bucket
 *
 * @typedef {object} Storage
 * @property {GPUBuffer} handle
 * @property {number} id
 * @property {Bucket} bucket
 * @property {number} used number of the submission that used it last
 *
 * Buffers of the page have storage as well. The pool does not count them among `all`, does not reuse them
 * and does not destroy them.
 */

import { storedBytes } from "../common/elements.mjs";
import { NoMemory } from "../common/errors.mjs";
import { Periods } from "../common/periods.mjs";

/** Elements are read four at a time, with 4 bytes at most. */
const UNIT = 16;

/** Sizes of buffers are multiples of this; sizes of large buffers are multiples of a sixteenth of a power of two. */
const LEAST_BYTES = 256;

/** Free buffers above this limit are destroyed; the sizes that were used first go first. */
const FREE_BYTES = 2 ** 30;

/**
 * Round a number of bytes up to whole words, for writes and copies.
 *
 * @param {number} bytes
 */
export function wholeWords(bytes) {
  return Math.ceil(bytes / 4) * 4;
}

/**
 * Return the bytes of elements in whole words.
 *
 * @param {Elements} elements
 */
function padded({ buffer, byteOffset, byteLength }) {
  const result = new Uint8Array(wholeWords(byteLength));
  result.set(new Uint8Array(buffer, byteOffset, byteLength));
  return result;
}

export class BufferPool {
  /**
   * @param {Device} device
   * @param {Commands} commands
   * @param {Reads} reads
   * @param {(error: GPUError) => void} onFailure called for buffers that could not be allocated
   */
  constructor({ gpu, tensorBytes }, commands, reads, onFailure) {
    this.gpu = gpu;
    this.tensorBytes = tensorBytes;
    this.commands = commands;
    this.reads = reads;
    this.onFailure = onFailure;
    /** Names of the ops for which buffers are created now, for errors. */
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
    this.periods = new Periods();
    /** Changes when temporaries are destroyed, so that Programs request new ones. */
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
    const step = Math.max(LEAST_BYTES, 2 ** (Math.floor(Math.log2(bytes)) - 4));
    const size = Math.min(Math.ceil(bytes / step) * step, this.gpu.limits.maxBufferSize);
    let bucket = this.buckets.get(size);
    if (bucket === undefined) {
      bucket = { bytes: size, free: [], least: 0, temporaries: [] };
      this.buckets.set(size, bucket);
    }
    return { count, bytes, bucket };
  }

  /**
   * Return a buffer with undefined content.
   *
   * @param {Layout} layout
   * @returns {Storage}
   */
  acquire({ bucket }) {
    const storage = bucket.free.pop();
    bucket.least = Math.min(bucket.least, bucket.free.length);
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
   * Return true if a buffer of a bucket may hold a temporary of another one. Kernels see a part of it.
   *
   * @param {Bucket} place
   * @param {Bucket} wanted
   */
  fits(place, wanted) {
    return place.bytes >= wanted.bytes;
  }

  /**
   * Return a bucket's temporary of this number.
   *
   * @param {Bucket} bucket
   * @param {number} index
   */
  temporary(bucket, index) {
    const { temporaries } = bucket;
    while (temporaries.length <= index) {
      temporaries.push(this.make(bucket));
      this.temporaryBytes += bucket.bytes;
    }
    return temporaries[index];
  }

  /**
   * Destroy what the last period did not need, if it ends before a run.
   *
   * @param {number} temporaryBytes bytes of the Program's temporaries
   */
  beforeRun(temporaryBytes) {
    if (!this.periods.endsBefore(temporaryBytes)) return;
    if (this.periods.wastes(this.temporaryBytes)) this.destroyTemporaries();
    this.periods.begin(temporaryBytes);
    for (const bucket of this.buckets.values()) {
      this.dropFree(bucket, bucket.least);
      bucket.least = bucket.free.length;
    }
  }

  /**
   * Make room for this many bytes of temporaries before they are requested.
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
   * Destroy free buffers until at most this many bytes of them are left.
   *
   * @param {number} bytes
   */
  destroyFree(bytes) {
    for (const bucket of this.buckets.values()) {
      if (this.freeBytes <= bytes) return;
      const surplus = Math.ceil((this.freeBytes - bytes) / bucket.bytes);
      this.dropFree(bucket, Math.min(surplus, bucket.free.length));
    }
  }

  /**
   * @param {Bucket} bucket
   * @param {number} count number of its oldest free buffers to destroy
   */
  dropFree(bucket, count) {
    for (const storage of bucket.free.splice(0, count)) this.destroy(storage);
    this.freeBytes -= count * bucket.bytes;
    bucket.least = Math.min(bucket.least, bucket.free.length);
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
   * Wait for the result of an allocation: a buffer's handle exists before its memory.
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
      .catch(() => {}) // the device is lost, which is reported elsewhere
      .finally(() => this.unsure.delete(heard));
    this.unsure.add(heard);
  }

  /** Resolves when the results of all allocations so far are known. */
  async told() {
    if (this.unsure.size > 0) await Promise.all(this.unsure);
  }

  /**
   * Return storage over a buffer of the page.
   *
   * @param {GPUBuffer} handle
   * @returns {Storage}
   */
  borrow(handle) {
    const bucket = { bytes: handle.size, free: [], least: 0, temporaries: [] };
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
    this.reads.start(); // a waiting read may use the buffer
    this.commands.inOrder(() => {
      this.commands.flush(); // encoded commands may use the buffer
      storage.handle.destroy();
    });
  }

  /**
   * Upload elements.
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
        // The queue would write before encoded commands that are not submitted yet.
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
