/**
 * Requests the WebGPU device with all features and limits of its adapter, and describes it.
 *
 * @typedef {object} Device
 * @property {GPUDevice} gpu
 * @property {number} hardware 1 for a GPU, 0 for a software rasterizer
 * @property {number} inputs number of storage buffers that a kernel may read, in addition to its output
 * @property {number} tensorBytes size of the largest buffer that a kernel can read
 * @property {number} float16 1 if kernels can store float16, else 0
 * @property {number} workgroupBytes bytes of memory that the invocations of a workgroup share
 * @property {number} byteMatrices 1 if subgroup matrices of bytes are to be used, else 0
 * @property {number} halfMatrices 1 if subgroup matrices of float16 are to be used, else 0
 */

import { OpError } from "../common/errors.mjs";
import { describeAdapter, LIMITS, requestAdapter } from "../common/probe.mjs";

/** Optional features that the kernels use if the adapter has them. */
const FEATURES = /** @type {GPUFeatureName[]} */ (["shader-f16", "subgroups", "timestamp-query"]);

const SUBGROUP_MATRIX = /** @type {GPUFeatureName} */ ("chromium-experimental-subgroup-matrix");

/**
 * @typedef {object} MatrixConfig
 * @property {number} M
 * @property {number} N
 * @property {number} K
 * @property {string} componentType
 * @property {string} resultComponentType
 *
 * @typedef {GPUAdapterInfo & {subgroupMatrixConfigs?: Iterable<MatrixConfig>}} MatrixInfo
 */

/** Maximum number of inputs of a kernel, so that one bind group layout fits on any device. */
const MAX_INPUTS = 32;

/**
 * @typedef {object} Options
 * @property {boolean} [lowPower] whether to prefer the GPU that uses less power
 * @property {number} [budgetBytes] bytes of buffers above which tensors move to the host; -1: no limit
 * @property {number} [hostBytes] maximum bytes of these on the host; undefined or -1: no limit
 * @property {number} [enoughDispatches] number of dispatches after which they are submitted
 * @property {boolean} [importsFrames] whether a video's frames are imported without a copy. Default: true
 * @property {boolean} [matrices] whether to use subgroup matrices if the adapter supports them
 */

/**
 * @param {Options} options
 * @returns {Promise<Device>}
 */
export async function openDevice({ lowPower, matrices }) {
  const adapter = await requestAdapter(lowPower);
  if (!adapter) throw new Error("WebGPU is not available");
  const configs = matrices ? matrixConfigs(adapter) : [];
  const experimental = configs.length > 0 ? [SUBGROUP_MATRIX] : [];
  const gpu = await adapter.requestDevice({
    requiredFeatures: [...FEATURES.filter((name) => adapter.features.has(name)), ...experimental],
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  });
  const { limits } = gpu;
  const float16 = Number(gpu.features.has("shader-f16"));
  return {
    gpu,
    hardware: describeAdapter(adapter).software ? 0 : 1,
    inputs: Math.min(MAX_INPUTS, limits.maxStorageBuffersPerShaderStage - 1),
    tensorBytes: Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize),
    float16,
    workgroupBytes: limits.maxComputeWorkgroupStorageSize,
    byteMatrices: Number(configs.includes("16,16,32,i8,i32")),
    halfMatrices: float16 && Number(configs.includes("16,16,16,f16,f32")),
  };
}

/**
 * Return the subgroup matrices that kernels can use: their sizes, and the types of elements and sums.
 *
 * @param {GPUAdapter} adapter
 */
function matrixConfigs({ features, info }) {
  const { subgroupMinSize, subgroupMaxSize, subgroupMatrixConfigs } = /** @type {MatrixInfo} */ (
    info
  );
  const fits = subgroupMinSize === 32 && subgroupMaxSize === 32 && features.has(SUBGROUP_MATRIX);
  const named = navigator.gpu.wgslLanguageFeatures.has("subgroup_id");
  const configs = fits && named ? [...(subgroupMatrixConfigs ?? [])] : [];
  return configs.map(({ M, N, K, componentType, resultComponentType }) =>
    [M, N, K, componentType, resultComponentType].join(),
  );
}

/** @param {string} reason */
export function lostText(reason) {
  return (
    `WebGPU device lost (${reason}): tensors that were only there are lost; ` +
    'await tf.set_backend_async("webgpu") reopens it, and other backends work'
  );
}

/** @param {string} reason */
export function deviceLost(reason) {
  return new OpError("UnavailableError", lostText(reason));
}

/**
 * Report an error later if a buffer does not belong to the device, which can only be found out by using it.
 *
 * @param {GPUDevice} gpu
 * @param {GPUBuffer} buffer
 * @param {(error: Error) => void} onFailure
 */
export function checkOwner(gpu, buffer, onFailure) {
  gpu.pushErrorScope("validation");
  const type = /** @type {const} */ ("read-only-storage");
  const binding = { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type } };
  const layout = gpu.createBindGroupLayout({ entries: [binding] });
  gpu.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
  gpu.popErrorScope().then(
    (error) => {
      if (error === null) return;
      const mend = "create it with the device that tf.browser.gpu_device() returns";
      onFailure(new Error(`the buffer cannot be used, ${mend}: ${error.message}`));
    },
    () => {}, // the device is lost, which is reported elsewhere
  );
}
