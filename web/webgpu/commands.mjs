/**
 * The commands that are encoded and not yet submitted: dispatches of one compute pass. They are
 * submitted when something is read, after so many dispatches, and when the page's turn ends, so that
 * ops that follow one another share a submission.
 */

/** Enough dispatches for the device to begin while the next ones are encoded. */
const MOST_DISPATCHES = 64;

export class Commands {
  /** @param {GPUDevice} gpu */
  constructor(gpu) {
    this.gpu = gpu;
    /** @type {GPUCommandEncoder | null} */
    this.encoder = null;
    /** @type {GPUComputePassEncoder | null} */
    this.pass = null;
    /** @type {GPUComputePipeline | null} */
    this.pipeline = null;
    this.dispatches = 0;
    /** Of the submission that is being encoded. */
    this.number = 1;
  }

  /** @returns {GPUComputePassEncoder} */
  open() {
    if (this.pass !== null) return this.pass;
    if (this.encoder === null) queueMicrotask(() => this.flush());
    this.encoder ??= this.gpu.createCommandEncoder();
    this.pass = this.encoder.beginComputePass();
    this.pipeline = null;
    return this.pass;
  }

  /**
   * @param {GPUComputePipeline} pipeline
   * @param {GPUBindGroup} group
   * @param {number[]} groups workgroups along each dimension
   */
  dispatch(pipeline, group, [x, y, z]) {
    const pass = this.open();
    if (pipeline !== this.pipeline) {
      pass.setPipeline(pipeline);
      this.pipeline = pipeline;
    }
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(x, y, z);
    this.dispatches++;
  }

  /** Between Programs: submits if there is enough to do. */
  breathe() {
    if (this.dispatches >= MOST_DISPATCHES) this.flush();
  }

  /**
   * Copies bytes of buffers to one that can be mapped, after all dispatches so far, and submits.
   *
   * @param {{source: GPUBuffer, offset: number, bytes: number}[]} copies
   * @param {GPUBuffer} target
   */
  copy(copies, target) {
    this.endPass();
    this.encoder ??= this.gpu.createCommandEncoder();
    for (const { source, offset, bytes } of copies) {
      this.encoder.copyBufferToBuffer(source, 0, target, offset, bytes);
    }
    this.flush();
  }

  endPass() {
    this.pass?.end();
    this.pass = null;
  }

  flush() {
    if (this.encoder === null) return;
    this.endPass();
    this.gpu.queue.submit([this.encoder.finish()]);
    this.encoder = null;
    this.dispatches = 0;
    this.number++;
  }
}
