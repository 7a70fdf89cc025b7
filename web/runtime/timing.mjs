/**
 * How long each kernel took on the device, between `startTiming` and `stopTiming` of a backend.
 *
 * @typedef {object} KernelTimes
 * @property {[string, number][] | null} kernels the name and the milliseconds of each kernel that ran,
 *   in their order; null where that cannot be said
 * @property {string} reason why not
 */

export const NS_PER_MS = 1e6;

/**
 * @param {string} reason
 * @returns {KernelTimes}
 */
export function untimed(reason) {
  return { kernels: null, reason };
}
