/**
 * A registered Program of a GPU backend, as far as its buffers go: all are fixed at registration
 * (the constants, and the place of each temporary in the pool), but for the storage of its inputs
 * and outputs, which each run puts in its place.
 *
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 */

/**
 * @template Storage
 * @template {{count: number, bucket: {bytes: number}}} Layout
 * @typedef {object} Pool where storage comes from
 * @property {(layout: Layout) => Storage} acquire
 * @property {(storage: Storage) => void} release
 * @property {number} generation of its temporaries
 * @property {(bytes: number) => void} reserve room for temporaries
 * @property {(layout: Layout, index: number) => Storage} temporary
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
   * @param {Layout[]} layouts by buffer
   */
  constructor(pool, text, layouts) {
    const { inputs, outputs, constants } = text;
    this.buffers = text.buffers.map(({ dtype }, i) => ({ dtype, layout: layouts[i] }));
    this.inputs = inputs;
    this.outputs = outputs;
    this.constants = constants.map(({ buffer }) => buffer);
    const donations = new Map(text.donations);
    const positions = new Map(inputs.map((buffer, position) => [buffer, position]));
    /** For each output the position of the input whose storage it may take over; or -1. */
    this.donations = outputs.map((output) => positions.get(donations.get(output) ?? -1) ?? -1);
    const { temporaries, temporaryBytes } = assignTemporaries(text, this.buffers);
    this.temporaries = temporaries;
    this.temporaryBytes = temporaryBytes;
    /** @type {Storage[]} by buffer */
    this.storages = new Array(this.buffers.length);
    this.storagePool = pool;
    /** Of the pool's temporaries that `storages` holds. */
    this.generation = -1;
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
   * @param {Storage} storage
   */
  bindInput(position, storage) {
    this.storages[this.inputs[position]] = storage;
  }

  /**
   * The position of the donated input whose storage an output takes over in a run; or -1.
   *
   * @param {number} output position
   * @param {number[]} slots of the run, those with a minus sign donated
   */
  donatedTo(output, slots) {
    const input = this.donations[output];
    return slots[input] < 0 ? input : -1;
  }

  /**
   * Gives an output its storage: that of a donated input, or new.
   *
   * @param {number} output position
   * @param {number[]} slots
   */
  bindOutput(output, slots) {
    const { storages, buffers, inputs } = this;
    const input = this.donatedTo(output, slots);
    const buffer = this.outputs[output];
    storages[buffer] =
      input < 0 ? this.storagePool.acquire(buffers[buffer].layout) : storages[inputs[input]];
  }

  /** Puts the pool's storage in the places of the temporaries, where it has changed. */
  bindTemporaries() {
    const { storagePool: pool, buffers, storages } = this;
    if (this.generation === pool.generation) return;
    pool.reserve(this.temporaryBytes);
    for (const { buffer, index } of this.temporaries) {
      storages[buffer] = pool.temporary(buffers[buffer].layout, index);
    }
    this.generation = pool.generation;
  }

  /** Gives the constants' storage back. */
  releaseConstants() {
    for (const buffer of this.constants) {
      if (this.storages[buffer] !== undefined) this.storagePool.release(this.storages[buffer]);
    }
  }
}
