/**
 * Device times of kernels between `startTiming` and `stopTiming` of a backend.
 *
 * @typedef {object} KernelTimes
 * @property {[name: string, ms: number, begin: number | null][] | null} kernels name, milliseconds and
 *   start of each kernel, in the order of execution; the start is null if the device has no clock; the
 *   list is null if times are not available
 * @property {string} reason why times are not available
 */

export const NS_PER_MS = 1e6;

/**
 * @param {string} reason
 * @returns {KernelTimes}
 */
export function untimed(reason) {
  return { kernels: null, reason };
}
