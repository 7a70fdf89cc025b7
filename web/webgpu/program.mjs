/**
 * A registered Program: its steps and pipelines, with all parameters in one uniform buffer. Bind groups
 * are created when a step first uses a set of buffers, and are cached.
 *
 * @typedef {import("./buffers.mjs").BufferPool} BufferPool
 * @typedef {import("./buffers.mjs").Layout} Layout
 * @typedef {import("./buffers.mjs").Storage} Storage
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./pipelines.mjs").Kernel} Kernel
 * @typedef {import("./specialized.mjs").Specialized} Specialized
 *
 * @typedef {object} Step
 * @property {Kernel} kernel
 * @property {number[]} buffers the inputs that it reads, and its output
 * @property {number} overwritten buffer with the elements of the output that it does not write; or -1
 * @property {number[]} groups number of workgroups along each dimension
 * @property {Record<string, number | number[]>} values values of its parameters
 * @property {GPUBufferBinding} params
 * @property {Map<string, GPUBindGroup>} bound bind groups by the buffers' ids
 */

import { countOf } from "../common/document.mjs";
import { viewed } from "../common/elements.mjs";
import { BufferProgram } from "../common/program.mjs";
import { packParams } from "./params.mjs";

/** Maximum number of bind groups that a step keeps. */
const MOST_BOUND = 32;

/** @extends {BufferProgram<Storage, Layout>} */
export class Program extends BufferProgram {
  /**
   * @param {BufferPool} pool
   * @param {ProgramText} text
   * @param {Kernel[]} kernels kernels of the text
   * @param {Specialized} specialized counts runs
   */
  constructor(pool, text, kernels, specialized) {
    const layouts = text.buffers.map(({ dtype, shape }) => pool.layout(countOf(shape), dtype));
    super(pool, text, layouts);
    this.pool = pool;
    this.of = text.of;
    this.specialized = specialized;
    this.runs = 0;
    this.isClosed = false;
    /** Number of this Program's own pipelines, which `specialized` creates. */
    this.pipelines = 0;
    const { data, places } = packParams(
      text.steps,
      pool.gpu.limits.minUniformBufferOffsetAlignment,
    );
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    this.params = pool.gpu.createBuffer({ size: Math.max(data.byteLength, 16), usage });
    pool.gpu.queue.writeBuffer(this.params, 0, data);
    /** @type {Step[]} */
    this.steps = text.steps
      .map(({ kernel, inputs, outputs: [output], groups, params }, number) => ({
        kernel: kernels[kernel],
        buffers: [...inputs.slice(Number(text.kernels[kernel].overwrites ?? false)), output],
        overwritten: text.kernels[kernel].overwrites ? inputs[0] : -1,
        groups,
        values: params,
        params: { buffer: this.params, ...places[number] },
        bound: new Map(),
      }))
      .filter(
        ({ buffers }) => this.buffers[/** @type {number} */ (buffers.at(-1))].layout.count > 0,
      );
  }

  /**
   * Upload the constants.
   *
   * @param {ProgramText["constants"]} constants
   * @param {ArrayBufferLike} heap
   * @param {number} ptr address of their data
   */
  uploadConstants(constants, heap, ptr) {
    const { pool, buffers, storages } = this;
    for (const { buffer, offset } of constants) {
      const { dtype, layout } = buffers[buffer];
      storages[buffer] = pool.acquire(layout);
      pool.fill([[storages[buffer], viewed(heap, ptr + offset, layout.count, dtype)]]);
    }
  }

  /** Throw an error if the driver has rejected a kernel. */
  checkKernels() {
    for (const { kernel } of this.steps) if (kernel.refusal !== null) throw kernel.refusal;
  }

  /**
   * Encode the steps on the bound inputs.
   *
   * @param {number[]} slots slots of the inputs; negative ones are donated
   */
  run(slots) {
    const { pool, storages } = this;
    this.bindTemporaries();
    for (let output = 0; output < this.outputs.length; output++) this.bindOutput(output, slots);
    for (const step of this.steps) {
      if (step.overwritten >= 0) this.takeOver(step);
      pool.commands.dispatch(step.kernel, this.bindGroup(step), step.groups);
    }
    for (const storage of storages) if (storage !== undefined) storage.used = pool.commands.number;
    pool.commands.breathe();
    this.specialized.ran(this);
  }

  /**
   * Return the donated input as for any Program, but never a buffer of the page, which must not be written.
   *
   * @param {number} output position of the output
   * @param {number[]} slots
   */
  donatedTo(output, slots) {
    const input = super.donatedTo(output, slots);
    if (input < 0 || !this.pool.isBorrowed(this.storages[this.inputs[input]])) return input;
    return -1;
  }

  /**
   * Copy the array that a step overwrites to its output, unless both share storage.
   *
   * @param {Step} step
   */
  takeOver({ buffers, overwritten }) {
    const output = /** @type {number} */ (buffers.at(-1));
    const [source, target] = [this.storages[overwritten], this.storages[output]];
    if (source === target) return;
    this.pool.commands.duplicate(source.handle, target.handle, this.buffers[output].layout.bytes);
  }

  /** @param {Step} step */
  bindGroup({ kernel, buffers, params, bound }) {
    const { storages } = this;
    let key = "";
    for (const buffer of buffers) key += `${storages[buffer].id} `;
    const found = bound.get(key);
    if (found !== undefined) return found;
    const entries = buffers.map((buffer, i) => {
      const { handle } = storages[buffer];
      return {
        binding: i + 1,
        resource: { buffer: handle, size: this.buffers[buffer].layout.bytes },
      };
    });
    const group = this.pool.gpu.createBindGroup({
      layout: kernel.layout,
      entries: [{ binding: 0, resource: params }, ...entries],
    });
    if (bound.size >= MOST_BOUND) bound.clear();
    bound.set(key, group);
    return group;
  }

  close() {
    this.isClosed = true;
    this.specialized.closed(this);
    this.releaseConstants();
    const { commands } = this.pool;
    commands.inOrder(() => {
      commands.flush();
      this.params.destroy();
    });
  }
}
