/**
 * A registered Program. All of it is fixed at registration (its steps and their pipelines, its
 * parameters in one uniform buffer, the place of each temporary in the pool), but for the buffers of
 * its inputs and outputs. Bind groups are made when a step first meets a set of buffers, and kept.
 *
 * @typedef {import("./buffers.mjs").BufferPool} BufferPool
 * @typedef {import("./buffers.mjs").Layout} Layout
 * @typedef {import("./buffers.mjs").Storage} Storage
 * @typedef {import("./document.mjs").ProgramText} ProgramText
 * @typedef {import("./pipelines.mjs").Kernel} Kernel
 *
 * @typedef {object} Step
 * @property {Kernel} kernel
 * @property {number[]} buffers its inputs and its output
 * @property {number[]} groups workgroups along each dimension
 * @property {GPUBufferBinding} params
 * @property {Map<string, GPUBindGroup>} bound by the buffers' ids
 */

import { countOf } from "../runtime/document.mjs";
import { viewed } from "../runtime/elements.mjs";
import { assignTemporaries } from "../runtime/temporaries.mjs";
import { packParams } from "./params.mjs";

/** Bind groups that a step keeps. */
const MOST_BOUND = 32;

export class Program {
  /**
   * @param {BufferPool} pool
   * @param {ProgramText} text
   * @param {Kernel[]} kernels one for each of the text
   */
  constructor(pool, text, kernels) {
    const { inputs, outputs, constants } = text;
    this.pool = pool;
    this.buffers = text.buffers.map(({ dtype, shape }) => {
      return { dtype, layout: pool.layout(countOf(shape)) };
    });
    this.inputs = inputs;
    this.outputs = outputs;
    this.constants = constants.map(({ buffer }) => buffer);
    const donations = new Map(text.donations);
    /** For each output the position of the input whose buffer it may take over; or -1. */
    this.donations = outputs.map((output) => inputs.indexOf(donations.get(output) ?? -1));
    const { temporaries, temporaryBytes } = assignTemporaries(text, this.buffers);
    this.temporaries = temporaries;
    this.temporaryBytes = temporaryBytes;
    const { data, places } = packParams(
      text.steps,
      pool.gpu.limits.minUniformBufferOffsetAlignment,
    );
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    this.params = pool.gpu.createBuffer({ size: Math.max(data.byteLength, 16), usage });
    pool.gpu.queue.writeBuffer(this.params, 0, data);
    /** @type {Step[]} */
    this.steps = text.steps
      .map(({ kernel, inputs, outputs: [output], groups }, number) => ({
        kernel: kernels[kernel],
        buffers: [...inputs, output],
        groups,
        params: { buffer: this.params, ...places[number] },
        bound: new Map(),
      }))
      .filter(
        ({ buffers }) => this.buffers[/** @type {number} */ (buffers.at(-1))].layout.count > 0,
      );
    /** Of the pool's temporaries that `storages` holds. */
    this.generation = -1;
    /** @type {Storage[]} by buffer */
    this.storages = new Array(this.buffers.length);
  }

  /**
   * Uploads the constants.
   *
   * @param {ProgramText["constants"]} constants
   * @param {ArrayBufferLike} heap
   * @param {number} ptr where their data begin
   */
  uploadConstants(constants, heap, ptr) {
    const { pool, buffers, storages } = this;
    for (const { buffer, offset } of constants) {
      const { dtype, layout } = buffers[buffer];
      storages[buffer] = pool.acquire(layout);
      pool.fill([[storages[buffer], viewed(heap, ptr + offset, layout.count, dtype)]]);
    }
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
   * The position of the donated input whose buffer an output takes over in a run; or -1.
   *
   * @param {number} output position
   * @param {number[]} slots of the run, those with a minus sign donated
   */
  donatedTo(output, slots) {
    const input = this.donations[output];
    return slots[input] < 0 ? input : -1;
  }

  /**
   * Encodes the steps on the inputs that were bound.
   *
   * @param {number[]} slots of the inputs, those with a minus sign donated
   */
  run(slots) {
    const { pool, buffers, inputs, outputs, storages } = this;
    if (this.generation !== pool.generation) this.bindTemporaries();
    for (let i = 0; i < outputs.length; i++) {
      const input = this.donatedTo(i, slots);
      const buffer = outputs[i];
      storages[buffer] = input < 0 ? pool.acquire(buffers[buffer].layout) : storages[inputs[input]];
    }
    for (const step of this.steps) {
      pool.commands.dispatch(step.kernel, this.bindGroup(step), step.groups);
    }
    for (const storage of storages) if (storage !== undefined) storage.used = pool.commands.number;
    pool.commands.breathe();
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

  /** Puts the pool's buffers in the places of the temporaries. */
  bindTemporaries() {
    const { pool, buffers, storages } = this;
    pool.reserve(this.temporaryBytes);
    for (const { buffer, index } of this.temporaries) {
      storages[buffer] = pool.temporary(buffers[buffer].layout, index);
    }
    this.generation = pool.generation;
  }

  close() {
    for (const buffer of this.constants) this.pool.release(this.storages[buffer]);
    const { commands } = this.pool;
    commands.inOrder(() => {
      commands.flush();
      this.params.destroy();
    });
  }
}
