/**
 * Compiled kernels, cached by source text. All kernels of a Program are compiled side by side, while
 * Python goes on.
 *
 * @typedef {import("../runtime/document.mjs").KernelText} KernelText
 *
 * @typedef {object} Kernel
 * @property {KernelText} text
 * @property {GPUBindGroupLayout} layout of its parameters, inputs and output
 * @property {GPUComputePipeline | null} pipeline null until it is made
 * @property {Promise<Error | null>} made what is wrong with it, when that is known
 */

/** What a language without these functions is given in their place. */
const DOT_PRODUCT = `
fn dot4I8Packed(x: u32, y: u32) -> i32 {
    var sum = 0;
    for (var i = 0u; i < 32u; i += 8u) {
        sum += extractBits(bitcast<i32>(x), i, 8u) * extractBits(bitcast<i32>(y), i, 8u);
    }
    return sum;
}`;

export class PipelineCache {
  /**
   * @param {GPUDevice} gpu
   * @param {(error: Error) => void} onFailure hears of kernels that do not compile
   */
  constructor(gpu, onFailure) {
    this.gpu = gpu;
    this.onFailure = onFailure;
    /** @type {Map<string, Kernel>} */
    this.kernels = new Map();
    /** @type {{layout: GPUBindGroupLayout, pipelineLayout: GPUPipelineLayout}[]} by inputs */
    this.layouts = [];
    this.hasDotProduct = navigator.gpu.wgslLanguageFeatures.has("packed_4x8_integer_dot_product");
  }

  /**
   * A kernel, which is made if need be.
   *
   * @param {KernelText} text
   * @returns {Kernel}
   */
  kernel(text) {
    const found = this.kernels.get(text.source);
    if (found !== undefined) return found;
    const { layout } = this.layoutOf(text.inputs.length);
    /** @type {Kernel} */
    const kernel = { text, layout, pipeline: null, made: Promise.resolve(null) };
    kernel.made = this.make(kernel);
    this.kernels.set(text.source, kernel);
    return kernel;
  }

  /**
   * @param {Kernel} kernel
   * @returns {Promise<Error | null>}
   */
  async make(kernel) {
    const { name, source } = kernel.text;
    try {
      kernel.pipeline = await this.compile(kernel.text);
      return null;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const error = new Error(`kernel ${name} does not compile: ${why}`);
      this.kernels.delete(source);
      this.onFailure(error);
      return error;
    }
  }

  /**
   * A kernel that nobody waits for, and that is not kept here: null if it does not compile.
   *
   * @param {KernelText} text
   * @returns {Promise<Kernel | null>}
   */
  async trial(text) {
    const { layout } = this.layoutOf(text.inputs.length);
    this.gpu.pushErrorScope("validation");
    const compiled = this.compile(text);
    this.gpu.popErrorScope().catch(() => {}); // the device is lost, which is told elsewhere
    try {
      return { text, layout, pipeline: await compiled, made: Promise.resolve(null) };
    } catch {
      return null;
    }
  }

  /**
   * @param {KernelText} text
   * @returns {Promise<GPUComputePipeline>}
   */
  compile({ name, source, inputs }) {
    const lacks = !this.hasDotProduct && source.includes("dot4I8Packed(");
    const code = lacks ? source + DOT_PRODUCT : source;
    const module = this.gpu.createShaderModule({ label: name, code });
    const layout = this.layoutOf(inputs.length).pipelineLayout;
    return this.gpu.createComputePipelineAsync({ label: name, layout, compute: { module } });
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
