/**
 * Compiled kernels, cached by source text. All pipelines of a Program are made side by side.
 *
 * @typedef {import("../runtime/document.mjs").KernelText} KernelText
 *
 * @typedef {object} Kernel
 * @property {string} name
 * @property {GPUComputePipeline} pipeline
 * @property {GPUBindGroupLayout} layout of its parameters, inputs and output
 */

export class PipelineCache {
  /** @param {GPUDevice} gpu */
  constructor(gpu) {
    this.gpu = gpu;
    /** @type {Map<string, Kernel>} */
    this.kernels = new Map();
    /** @type {Map<string, Promise<Kernel>>} those that are being made */
    this.making = new Map();
    /** @type {{layout: GPUBindGroupLayout, pipelineLayout: GPUPipelineLayout}[]} by inputs */
    this.layouts = [];
  }

  /**
   * A kernel, at once; what is wrong with its source, the device says later.
   *
   * @param {KernelText} text
   * @returns {Kernel}
   */
  make(text) {
    const found = this.kernels.get(text.source);
    if (found !== undefined) return found;
    const pipeline = this.gpu.createComputePipeline(this.description(text));
    return this.keep(text, pipeline);
  }

  /**
   * The same without waiting for the compiler.
   *
   * @param {KernelText} text
   * @returns {Promise<Kernel>}
   */
  async makeAsync(text) {
    const found = this.kernels.get(text.source) ?? this.making.get(text.source);
    if (found !== undefined) return found;
    const making = this.gpu
      .createComputePipelineAsync(this.description(text))
      .then((pipeline) => this.keep(text, pipeline))
      .catch((error) => {
        throw new Error(`WebGPU kernel ${text.name} does not compile: ${error.message}`);
      })
      .finally(() => this.making.delete(text.source));
    this.making.set(text.source, making);
    return making;
  }

  /**
   * @param {KernelText} text
   * @param {GPUComputePipeline} pipeline
   */
  keep({ name, source, inputs }, pipeline) {
    const kernel = { name, pipeline, layout: this.layoutOf(inputs.length).layout };
    this.kernels.set(source, kernel);
    return kernel;
  }

  /**
   * @param {KernelText} text
   * @returns {GPUComputePipelineDescriptor}
   */
  description({ name, source, inputs }) {
    const module = this.gpu.createShaderModule({ label: name, code: source });
    const layout = this.layoutOf(inputs.length).pipelineLayout;
    return { label: name, layout, compute: { module } };
  }

  /**
   * The bindings of kernels with so many inputs: parameters, inputs, output.
   *
   * @param {number} inputs
   */
  layoutOf(inputs) {
    if (this.layouts[inputs] === undefined) {
      /** @type {GPUBufferBindingType[]} */
      const types = ["uniform", ...new Array(inputs).fill("read-only-storage"), "storage"];
      const entries = types.map((type, binding) => {
        return { binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } };
      });
      const layout = this.gpu.createBindGroupLayout({ entries });
      const pipelineLayout = this.gpu.createPipelineLayout({ bindGroupLayouts: [layout] });
      this.layouts[inputs] = { layout, pipelineLayout };
    }
    return this.layouts[inputs];
  }
}
