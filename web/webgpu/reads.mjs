/**
 * Reads: buffers are copied to a staging buffer, which is mapped. What is asked for before the page
 * gets its turn shares one copy and one map; staging buffers are used again. Who asks takes what it
 * wants of the mapped bytes, so that these are copied once.
 *
 * @typedef {import("./commands.mjs").Commands} Commands
 *
 * @typedef {object} Request
 * @property {GPUBuffer} source
 * @property {number} bytes
 * @property {number} offset in the staging buffer
 * @property {(mapped: ArrayBuffer) => void} take
 * @property {(error: unknown) => void} reject
 */

/** Copies begin at multiples of this. */
const ALIGNMENT = 16;

/** Staging buffers up to this size are kept, and so many of them. */
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
   * What `use` makes of the first bytes of a buffer, as they are after all that was encoded so far:
   * it finds them in the memory that it is given, from an offset on, while it is called.
   *
   * @template T
   * @param {GPUBuffer} source
   * @param {number} bytes a multiple of 4
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

  /** Begins with what waits, its copies being encoded at once. */
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
