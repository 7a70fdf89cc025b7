/**
 * How long each kernel took on the device, between `startTiming` and `stopTiming` of a backend.
 *
 * @typedef {object} KernelTimes
 * @property {[name: string, ms: number, begin: number | null][] | null} kernels the name and the
 *   milliseconds of each kernel that ran, in their order, and when it began by a clock of the
 *   device's own, if it has one; null where nothing can be said
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
