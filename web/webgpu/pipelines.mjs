/**
 * Compiled kernels, cached by source text. All kernels of a Program are compiled in parallel while Python
 * continues.
 *
 * @typedef {import("../common/document.mjs").KernelText} KernelText
 *
 * @typedef {object} Kernel
 * @property {KernelText} text
 * @property {GPUBindGroupLayout} layout layout of its parameters, inputs and output
 * @property {GPUComputePipeline | null} pipeline null until it is compiled
 * @property {Error | null} refusal why the driver rejects it, once this is known
 * @property {Promise<Error | null>} made resolves to the refusal, or to null
 */

/** Replacement of the function on browsers with an older WGSL. */
const DOT_PRODUCT = `
fn dot4I8Packed(x: u32, y: u32) -> i32 {
    var sum = 0;
    for (var i = 0u; i < 32u; i += 8u) {
        sum += extractBits(bitcast<i32>(x), i, 8u) * extractBits(bitcast<i32>(y), i, 8u);
    }
    return sum;
}`;

const MEND =
  'other kernels still work; await tf.set_backend_async("wasm") computes it without the GPU';

/**
 * Return the number of arrays that a kernel reads.
 *
 * @param {KernelText} text
 */
function readBy({ inputs, overwrites = false }) {
  return inputs.length - Number(overwrites);
}

export class PipelineCache {
  /**
   * @param {GPUDevice} gpu
   * @param {(error: Error) => void} onFailure called for kernels that do not compile
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
   * Return a kernel, and create it if necessary.
   *
   * @param {KernelText} text
   * @param {string} of names of the ops that it computes
   * @returns {Kernel}
   */
  kernel(text, of) {
    const found = this.kernels.get(text.source);
    if (found !== undefined) return found;
    const { layout } = this.layoutOf(readBy(text));
    /** @type {Kernel} */
    const kernel = { text, layout, pipeline: null, refusal: null, made: Promise.resolve(null) };
    kernel.made = this.make(kernel, of);
    this.kernels.set(text.source, kernel);
    return kernel;
  }

  /**
   * @param {Kernel} kernel
   * @param {string} of
   * @returns {Promise<Error | null>}
   */
  async make(kernel, of) {
    const { name, source } = kernel.text;
    try {
      kernel.pipeline = await this.compile(kernel.text);
      return null;
    } catch (cause) {
      const why = String(/** @type {any} */ (cause)?.message ?? cause);
      kernel.refusal = new Error(
        `kernel ${name} of ${of} does not compile: ${why.trim()}; ${MEND}`,
      );
      this.kernels.delete(source);
      this.onFailure(kernel.refusal);
      return kernel.refusal;
    }
  }

  /**
   * Compile a kernel that is not cached here and not awaited by runs; null if it does not compile.
   *
   * @param {KernelText} text
   * @returns {Promise<Kernel | null>}
   */
  async trial(text) {
    const { layout } = this.layoutOf(readBy(text));
    try {
      const pipeline = await this.compile(text);
      return { text, layout, pipeline, refusal: null, made: Promise.resolve(null) };
    } catch {
      return null;
    }
  }

  /**
   * Compile a kernel without reporting its errors to the device.
   *
   * @param {KernelText} text
   * @returns {Promise<GPUComputePipeline>} rejects with the error
   */
  async compile(text) {
    this.gpu.pushErrorScope("validation");
    const started = this.start(text);
    const noted = this.gpu.popErrorScope().catch(() => null); // a lost device is reported elsewhere
    try {
      return await started;
    } catch (cause) {
      throw (await noted) ?? cause;
    }
  }

  /**
   * @param {KernelText} text
   * @returns {Promise<GPUComputePipeline>}
   */
  start(text) {
    const { name, source } = text;
    const lacks = !this.hasDotProduct && source.includes("dot4I8Packed(");
    const code = lacks ? source + DOT_PRODUCT : source;
    const module = this.gpu.createShaderModule({ label: name, code });
    const layout = this.layoutOf(readBy(text)).pipelineLayout;
    return this.gpu.createComputePipelineAsync({ label: name, layout, compute: { module } });
  }

  /**
   * Return the bind group layout of kernels with this number of inputs: parameters, inputs, output.
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
