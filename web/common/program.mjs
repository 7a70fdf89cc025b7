/**
 * The buffers of a registered Program of a GPU backend. Constants and the places of temporaries in the
 * pool are fixed at registration. Each run binds the storage of inputs and outputs.
 *
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 */

/**
 * @template Storage
 * @template {{count: number, bucket: {bytes: number}}} Layout
 * @typedef {object} Pool pool of storage
 * @property {(place: Layout["bucket"], wanted: Layout["bucket"]) => boolean} fits true if storage of a bucket
 *   may hold a temporary of another one
 * @property {(layout: Layout) => Storage} acquire
 * @property {(storage: Storage) => void} release
 * @property {(temporaryBytes: number) => void} beforeRun release what recent runs did not need
 * @property {number} generation changes when temporaries were deleted
 * @property {(bytes: number) => void} reserve reserve bytes for temporaries
 * @property {(bucket: Layout["bucket"], index: number) => Storage} temporary
 */

import { assignTemporaries } from "./temporaries.mjs";

/**
 * @template Storage
 * @template {{count: number, bucket: {bytes: number}}} Layout
 */
export class BufferProgram {
  /**
   * @param {Pool<Storage, Layout>} pool
   * @param {ProgramText} text
   * @param {Layout[]} layouts layout of each buffer
   */
  constructor(pool, text, layouts) {
    const { inputs, outputs, constants } = text;
    this.buffers = text.buffers.map(({ dtype }, i) => ({ dtype, layout: layouts[i] }));
    this.inputs = inputs;
    this.outputs = outputs;
    this.constants = constants.map(({ buffer }) => buffer);
    const donations = new Map(text.donations);
    const positions = new Map(inputs.map((buffer, position) => [buffer, position]));
    /** For each output, the position of the input whose storage it may reuse; or -1. */
    this.donations = outputs.map((output) => positions.get(donations.get(output) ?? -1) ?? -1);
    const { temporaries, temporaryBytes } = assignTemporaries(text, this.buffers, pool.fits);
    this.temporaries = temporaries;
    this.temporaryBytes = temporaryBytes;
    /** @type {Storage[]} storage of each buffer */
    this.storages = new Array(this.buffers.length);
    this.storagePool = pool;
    /** The pool's generation to which the temporaries in `storages` belong. */
    this.generation = -1;
  }

  /**
   * Check that an input may be a tensor of this dtype and size.
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
   * @param {Storage} storage
   */
  bindInput(position, storage) {
    this.storages[this.inputs[position]] = storage;
  }

  /**
   * Return the position of the donated input that an output reuses in a run; or -1.
   *
   * @param {number} output position of the output
   * @param {number[]} slots slots of the run; negative ones are donated
   */
  donatedTo(output, slots) {
    const input = this.donations[output];
    return slots[input] < 0 ? input : -1;
  }

  /**
   * Bind storage to an output: a donated input's, or new storage.
   *
   * @param {number} output position of the output
   * @param {number[]} slots
   */
  bindOutput(output, slots) {
    const { storages, buffers, inputs } = this;
    const input = this.donatedTo(output, slots);
    const buffer = this.outputs[output];
    storages[buffer] =
      input < 0 ? this.storagePool.acquire(buffers[buffer].layout) : storages[inputs[input]];
  }

  /** Bind the pool's storage to the temporaries before a run, if it has changed. */
  bindTemporaries() {
    const { storagePool: pool, storages } = this;
    pool.beforeRun(this.temporaryBytes);
    if (this.generation === pool.generation) return;
    pool.reserve(this.temporaryBytes);
    for (const { buffer, bucket, index } of this.temporaries) {
      storages[buffer] = pool.temporary(bucket, index);
    }
    this.generation = pool.generation;
  }

  /** Release the constants' storage. */
  releaseConstants() {
    for (const buffer of this.constants) {
      if (this.storages[buffer] !== undefined) this.storagePool.release(this.storages[buffer]);
    }
  }
}
