/**
 * Encoded commands that are not yet submitted: dispatches of one compute pass. They are submitted before
 * a read, after a number of dispatches, and at the end of the page's turn of the event loop, so that
 * consecutive ops share a submission.
 *
 * While a kernel is being compiled, its dispatch and all later actions wait in a queue.
 *
 * @typedef {import("./pipelines.mjs").Kernel} Kernel
 */

import { untimed } from "../common/timing.mjs";
import { until } from "../common/turns.mjs";
import { Timestamps } from "./timestamps.mjs";

/** Number of dispatches after which the device begins, while the next ones are encoded. */
const ENOUGH_DISPATCHES = 64;

/** Chromium checks every 2.4 ms, and at each command, whether the device has finished. */
const WAKE_MS = 0.1;

export class Commands {
  /**
   * @param {GPUDevice} gpu
   * @param {(error: Error) => void} onFailure called for errors after the call that caused them has returned
   * @param {number} [enough] number of dispatches to submit at once
   */
  constructor(gpu, onFailure, enough = ENOUGH_DISPATCHES) {
    this.gpu = gpu;
    this.onFailure = onFailure;
    /** @type {GPUCommandEncoder | null} */
    this.encoder = null;
    /** @type {GPUComputePassEncoder | null} */
    this.pass = null;
    /** @type {GPUComputePipeline | null} */
    this.pipeline = null;
    this.dispatches = 0;
    this.enough = enough;
    /** Number of the submission that is being encoded. */
    this.number = 1;
    /** @type {{kernel: Kernel | null, act: () => void}[] | null} waiting actions and the kernels for which they wait */
    this.line = null;
    /** @type {Timestamps | null} while kernels are timed */
    this.timestamps = null;
  }

  /**
   * @param {Kernel} kernel
   * @param {GPUBindGroup} group
   * @param {number[]} groups number of workgroups along each dimension
   */
  dispatch(kernel, group, groups) {
    if (this.line === null && kernel.pipeline !== null) this.encode(kernel, group, groups);
    else this.enqueue(kernel, () => this.encode(kernel, group, groups));
  }

  /**
   * Run an action after all dispatches so far: immediately unless some of them wait.
   *
   * @param {() => void} act
   */
  inOrder(act) {
    if (this.line === null) act();
    else this.enqueue(null, act);
  }

  /**
   * @param {Kernel | null} kernel kernel that must be compiled first
   * @param {() => void} act
   */
  enqueue(kernel, act) {
    const waits = this.line !== null;
    this.line ??= [];
    this.line.push({ kernel, act });
    if (!waits) this.advance(this.line);
  }

  /** @param {{kernel: Kernel | null, act: () => void}[]} line */
  async advance(line) {
    for (const { kernel, act } of line) {
      if (kernel !== null && kernel.pipeline === null) await kernel.made;
      try {
        act();
      } catch (error) {
        this.onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.line = null;
    this.flush();
  }

  /**
   * @param {Kernel} kernel kernel; one that does not compile is an error
   * @param {GPUBindGroup} group
   * @param {number[]} groups
   */
  encode({ text, pipeline, refusal }, group, [x, y, z]) {
    if (refusal !== null) this.onFailure(refusal);
    if (pipeline === null) return;
    const pass = this.open(text.name);
    if (pipeline !== this.pipeline) {
      pass.setPipeline(pipeline);
      this.pipeline = pipeline;
    }
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(x, y, z);
    this.dispatches++;
  }

  /**
   * Return the pass of the next dispatch: the open one, or a new one if kernels are timed.
   *
   * @param {string} name name of the kernel
   * @returns {GPUComputePassEncoder}
   */
  open(name) {
    if (this.timestamps !== null) this.endPass();
    if (this.pass !== null) return this.pass;
    const encoder = this.begin();
    const timestampWrites = this.timestamps?.next(encoder, name);
    this.pass = encoder.beginComputePass({ timestampWrites });
    this.pipeline = null;
    return this.pass;
  }

  /** Return the encoder of the next commands. */
  begin() {
    // A read requested in this turn of the event loop runs first, and shares the submission.
    if (this.encoder === null) queueMicrotask(() => queueMicrotask(() => this.flush()));
    this.encoder ??= this.gpu.createCommandEncoder();
    return this.encoder;
  }

  /**
   * Copy the first bytes of a buffer to another one, after all dispatches so far.
   *
   * @param {GPUBuffer} source
   * @param {GPUBuffer} target
   * @param {number} bytes
   */
  duplicate(source, target, bytes) {
    this.inOrder(() => {
      this.endPass();
      this.begin().copyBufferToBuffer(source, 0, target, 0, bytes);
    });
  }

  /** Submit between Programs if there are enough dispatches; a submission takes 50 us. */
  breathe() {
    if (this.dispatches >= this.enough) this.flush();
  }

  /**
   * Copy bytes of buffers to a buffer that can be mapped, after all dispatches so far.
   *
   * @param {{source: GPUBuffer, offset: number, bytes: number}[]} copies
   * @param {GPUBuffer} target
   * @returns {Promise<void>} resolves when the copies are submitted
   */
  copy(copies, target) {
    return new Promise((resolve) => {
      this.inOrder(() => {
        this.endPass();
        this.encoder ??= this.gpu.createCommandEncoder();
        for (const { source, offset, bytes } of copies) {
          this.encoder.copyBufferToBuffer(source, 0, target, offset, bytes);
        }
        this.flush();
        resolve();
      });
    });
  }

  endPass() {
    this.pass?.end();
    this.pass = null;
  }

  /** Submit the encoded commands. */
  flush() {
    if (this.encoder === null) return;
    this.endPass();
    this.gpu.queue.submit([this.encoder.finish()]);
    this.encoder = null;
    this.dispatches = 0;
    this.number++;
  }

  /**
   * Await the device, with occasional empty submissions so that the browser checks for completion.
   *
   * @param {Promise<undefined>} done
   */
  async awake(done) {
    let pending = true;
    done
      .finally(() => {
        pending = false;
      })
      .catch(() => {}); // thrown below
    let last = performance.now();
    // The device reports errors in the following turns of the event loop, so callers receive them before this resolves.
    await until(() => {
      const now = performance.now();
      if (pending && now - last >= WAKE_MS) {
        this.gpu.queue.submit([]);
        last = now;
      }
      return !pending;
    });
    await done;
  }

  /** Begin to time kernels, if the device supports it. */
  startTiming() {
    if (this.gpu.features.has("timestamp-query")) this.timestamps = new Timestamps(this.gpu);
  }

  /** @returns {Promise<import("../common/timing.mjs").KernelTimes>} of the kernels since then */
  async stopTiming() {
    const { timestamps } = this;
    if (timestamps === null) {
      return untimed("webgpu: the device has no timestamps (the feature timestamp-query)");
    }
    await this.submitted();
    this.timestamps = null;
    const encoder = this.gpu.createCommandEncoder();
    timestamps.resolve(encoder);
    this.gpu.queue.submit([encoder.finish()]);
    return timestamps.times();
  }

  /** Resolves when all commands so far are submitted. */
  async submitted() {
    await /** @type {Promise<void>} */ (new Promise((resolve) => this.inOrder(resolve)));
    this.flush();
  }
}
