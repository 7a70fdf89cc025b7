/**
 * Reads buffers by copying them to a staging buffer, which is mapped. Reads requested in the same turn of
 * the event loop share one copy and one map, and staging buffers are reused. Each reader copies its bytes
 * directly out of the mapped memory.
 *
 * @typedef {import("./commands.mjs").Commands} Commands
 *
 * @typedef {object} Request
 * @property {GPUBuffer} source
 * @property {number} bytes
 * @property {number} offset offset in the staging buffer
 * @property {(mapped: ArrayBuffer) => void} take
 * @property {(error: unknown) => void} reject
 */

/** Alignment of copies. */
const ALIGNMENT = 16;

/** Maximum size of a cached staging buffer, and the number of these. */
const KEPT_BYTES = 2 ** 24;
const KEPT = 4;

export class Reads {
  /**
   * @param {GPUDevice} gpu
   * @param {Commands} commands
   */
  constructor(gpu, commands) {
    this.gpu = gpu;
    this.commands = commands;
    /** @type {Request[]} */
    this.waiting = [];
    /** @type {GPUBuffer[]} that nobody maps */
    this.staging = [];
  }

  /**
   * Return the result of `use` on the first bytes of a buffer after all commands encoded so far. `use`
   * receives memory and an offset that are valid only during the call.
   *
   * @template T
   * @param {GPUBuffer} source
   * @param {number} bytes number of bytes, a multiple of 4
   * @param {(mapped: ArrayBuffer, offset: number) => T} use
   * @returns {Promise<T>}
   */
  read(source, bytes, use) {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => this.start());
      const last = this.waiting.at(-1);
      const end = last === undefined ? 0 : last.offset + last.bytes;
      const offset = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
      const take = (/** @type {ArrayBuffer} */ mapped) => {
        try {
          resolve(use(mapped, offset));
        } catch (error) {
          reject(error);
        }
      };
      this.waiting.push({ source, bytes, offset, take, reject });
    });
  }

  /** Start the waiting reads; their copies are encoded at once. */
  async start() {
    const requests = this.waiting;
    if (requests.length === 0) return;
    this.waiting = [];
    const last = /** @type {Request} */ (requests.at(-1));
    const bytes = Math.max(ALIGNMENT, last.offset + last.bytes);
    const staging = this.take(bytes);
    try {
      await this.commands.copy(requests, staging);
      await this.commands.awake(staging.mapAsync(GPUMapMode.READ, 0, bytes));
      const mapped = staging.getMappedRange(0, bytes);
      for (const { take } of requests) take(mapped);
      staging.unmap();
      this.give(staging);
    } catch (error) {
      staging.destroy();
      for (const { reject } of requests) reject(error);
    }
  }

  /**
   * @param {number} bytes
   * @returns {GPUBuffer}
   */
  take(bytes) {
    const found = this.staging.findIndex(({ size }) => size >= bytes);
    if (found >= 0) return this.staging.splice(found, 1)[0];
    const size = Math.max(2 ** 12, 2 ** Math.ceil(Math.log2(bytes)));
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    return this.gpu.createBuffer({ size: Math.min(size, this.gpu.limits.maxBufferSize), usage });
  }

  /** @param {GPUBuffer} staging */
  give(staging) {
    if (staging.size > KEPT_BYTES || this.staging.length >= KEPT) staging.destroy();
    else this.staging.push(staging);
  }

  close() {
    for (const staging of this.staging) staging.destroy();
  }
}
