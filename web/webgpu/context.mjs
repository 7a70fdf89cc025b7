/**
 * The WebGPU device: asked for with all that its adapter offers, and described by its limits.
 *
 * @typedef {object} Device
 * @property {GPUDevice} gpu
 * @property {number} hardware 1 if a GPU computes, 0 if a rasteriser on the CPU
 * @property {number} inputs storage buffers that a kernel may read beside the one that it writes
 * @property {number} tensorBytes the largest buffer that a kernel can read
 * @property {number} float16 1 if kernels can store it, else 0
 * @property {number} workgroupBytes memory that the invocations of a workgroup share
 * @property {number} matrices 1 if subgroup matrices of bytes are to be used, else 0
 */

import { OpError } from "../common/errors.mjs";
import { describeAdapter, LIMITS, requestAdapter } from "../common/probe.mjs";

/** Features that make a difference here, where the adapter has them. */
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

/** Uniform buffers and storage buffers are in one layout of so many bindings on any device. */
const MAX_INPUTS = 32;

/**
 * @typedef {object} Options
 * @property {boolean} [lowPower] asks for the GPU that takes less power
 * @property {number} [budgetBytes] of buffers beyond which tensors go to the host; -1: none do
 * @property {number} [hostBytes] how much of them the host takes; left out or -1: any
 * @property {number} [enoughDispatches] after which they are submitted
 * @property {boolean} [importsFrames] whether a video's frames are read where they are; true if left out
 * @property {boolean} [matrices] whether subgroup matrices are used where the adapter has them
 */

/**
 * @param {Options} options
 * @returns {Promise<Device>}
 */
export async function openDevice({ lowPower, matrices }) {
  const adapter = await requestAdapter(lowPower);
  if (!adapter) throw new Error("WebGPU is not available");
  const experimental = matrices && hasByteMatrices(adapter) ? [SUBGROUP_MATRIX] : [];
  const gpu = await adapter.requestDevice({
    requiredFeatures: [...FEATURES.filter((name) => adapter.features.has(name)), ...experimental],
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  });
  const { limits } = gpu;
  return {
    gpu,
    hardware: describeAdapter(adapter).software ? 0 : 1,
    inputs: Math.min(MAX_INPUTS, limits.maxStorageBuffersPerShaderStage - 1),
    tensorBytes: Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize),
    float16: Number(gpu.features.has("shader-f16")),
    workgroupBytes: limits.maxComputeWorkgroupStorageSize,
    matrices: experimental.length,
  };
}

/**
 * Whether the adapter has the subgroup matrices that `packed_matrix.wgsl` is written for, and its language
 * the number of a subgroup.
 *
 * @param {GPUAdapter} adapter
 */
function hasByteMatrices({ features, info }) {
  const { subgroupMinSize, subgroupMaxSize, subgroupMatrixConfigs } = /** @type {MatrixInfo} */ (
    info
  );
  const fits = subgroupMinSize === 32 && subgroupMaxSize === 32 && features.has(SUBGROUP_MATRIX);
  const named = navigator.gpu.wgslLanguageFeatures.has("subgroup_id");
  const configs = fits && named ? [...(subgroupMatrixConfigs ?? [])] : [];
  return configs.some(({ M, N, K, componentType, resultComponentType }) => {
    return [M, N, K, componentType, resultComponentType].join() === "16,16,32,i8,i32";
  });
}

/** @param {string} reason */
export function lostText(reason) {
  return (
    `WebGPU device lost (${reason}): tensors that were only there are gone; ` +
    'await tf.set_backend_async("webgpu") opens it anew, and other backends work'
  );
}

/** @param {string} reason */
export function deviceLost(reason) {
  return new OpError("UnavailableError", lostText(reason));
}

/**
 * Whether a buffer is of the device can only be tried; that it is not is heard of later.
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
      const mend = "make it with the device that tf.browser.gpu_device() gives";
      onFailure(new Error(`the buffer cannot be used, ${mend}: ${error.message}`));
    },
    () => {}, // the device is lost, which is told elsewhere
  );
}
