/**
 * Device times of kernels: each dispatch has its own compute pass with a timestamp before and after it.
 *
 * @typedef {import("../common/timing.mjs").KernelTimes} KernelTimes
 *
 * @typedef {object} Part dispatches whose timestamps are being read
 * @property {string[]} names
 * @property {GPUBuffer} staging
 */

import { NS_PER_MS } from "../common/timing.mjs";

/** Number of timestamps in a query set, which any device supports, and bytes of a timestamp. */
const QUERIES = 4096;
const QUERY_BYTES = 8;

export class Timestamps {
  /** @param {GPUDevice} gpu device with the feature timestamp-query */
  constructor(gpu) {
    this.gpu = gpu;
    this.set = gpu.createQuerySet({ type: "timestamp", count: QUERIES });
    /** @type {string[]} of the dispatches whose timestamps are in the query set */
    this.names = [];
    /** @type {Part[]} */
    this.parts = [];
  }

  /**
   * Return the timestamp writes of the next dispatch's pass.
   *
   * @param {GPUCommandEncoder} encoder encoder, outside of a pass
   * @param {string} name name of the kernel
   * @returns {GPUComputePassTimestampWrites}
   */
  next(encoder, name) {
    if (2 * this.names.length === QUERIES) this.resolve(encoder);
    const first = 2 * this.names.length;
    this.names.push(name);
    return {
      querySet: this.set,
      beginningOfPassWriteIndex: first,
      endOfPassWriteIndex: first + 1,
    };
  }

  /**
   * Copy the timestamps out of the query set, which can then be filled again.
   *
   * @param {GPUCommandEncoder} encoder encoder, outside of a pass
   */
  resolve(encoder) {
    const { gpu, set, names } = this;
    if (names.length === 0) return;
    const size = 2 * names.length * QUERY_BYTES;
    const resolved = gpu.createBuffer({
      size,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    const staging = gpu.createBuffer({
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.resolveQuerySet(set, 0, 2 * names.length, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, size);
    this.parts.push({ names, staging });
    this.names = [];
  }

  /**
   * Return the times of all dispatches, after their timestamps are resolved and submitted.
   *
   * @returns {Promise<KernelTimes>}
   */
  async times() {
    /** @type {[string, number, number][]} */
    const kernels = [];
    try {
      for (const { names, staging } of this.parts) {
        await staging.mapAsync(GPUMapMode.READ);
        const at = new BigUint64Array(staging.getMappedRange());
        names.forEach((name, i) => {
          // Devices may set their clocks back between two timestamps.
          const ns = at[2 * i + 1] > at[2 * i] ? at[2 * i + 1] - at[2 * i] : 0n;
          kernels.push([name, Number(ns) / NS_PER_MS, Number(at[2 * i]) / NS_PER_MS]);
        });
      }
    } finally {
      for (const { staging } of this.parts) staging.destroy();
      this.set.destroy();
    }
    return { kernels, reason: "" };
  }
}
