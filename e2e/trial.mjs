// Runs one corrupt Program on a backend. The backend must reject it with a clear message, or run it
// without any effect on other slots. Used by tests/wasm/driver.mjs and gpu_device.mjs.

/**
 * @typedef {import("../web/common/backend.mjs").Backend
 *   & Partial<import("../web/common/backend.mjs").BlockingRead>
 *   & Partial<import("../web/common/backend.mjs").AsyncRead>} Backend
 * @typedef {{dtype: string, shape: number[]}} Buffer
 * @typedef {{buffers: Buffer[], inputs: number[], outputs: number[]}} Text
 * @typedef {{ran: boolean, message: string, wrong: string[]}} Verdict
 */

/** Maximum number of elements of a Program that is run. Larger ones only take longer. */
const MAX_ELEMENTS = 1 << 20;
const SIZES = /** @type {Record<string, number>} */ ({ float32: 4, int32: 4, bool: 1 });

/**
 * Returns the bytes of `count` elements, derived from a seed.
 *
 * @param {string} dtype
 * @param {number} count
 * @param {number} seed
 */
function bytesOf(dtype, count, seed) {
  let state = (seed * 2654435761) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  const numbers = Array.from({ length: count }, next);
  if (dtype === "bool") return Uint8Array.from(numbers, (n) => n & 1);
  if (dtype === "int32") return new Uint8Array(Int32Array.from(numbers, (n) => n % 5).buffer);
  return new Uint8Array(Float32Array.from(numbers, (n) => n / 2 ** 22 - 2).buffer);
}

/**
 * Reads the bytes of a slot.
 *
 * @param {Backend} backend
 * @param {number} slot
 * @param {number} nbytes
 */
export async function bytesIn(backend, slot, nbytes) {
  if (backend.read === undefined) {
    const found = await /** @type {import("../web/common/backend.mjs").AsyncRead} */ (
      backend
    ).readAsync(slot, (elements) => elements.slice());
    return new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
  }
  const heap = new ArrayBuffer(nbytes);
  backend.read(heap, 0, slot);
  return new Uint8Array(heap);
}

/**
 * Returns true for equal bytes. NaNs with different bits are equal.
 *
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 * @param {string} dtype
 */
function same(a, b, dtype) {
  if (dtype !== "float32") return a.every((byte, i) => byte === b[i]);
  const [x, y] = [new Float32Array(a.buffer), new Float32Array(b.buffer)];
  return x.every((value, i) => Object.is(value, y[i]));
}

/** @param {unknown} error */
const textOf = (error) =>
  `${/** @type {Error} */ (error).name}: ${/** @type {Error} */ (error).message}`;

/** A slot with the bytes that it must keep. */
class Kept {
  /**
   * @param {Backend} backend
   * @param {string} what
   * @param {Buffer} buffer
   * @param {number} seed
   */
  constructor(backend, what, { dtype, shape }, seed) {
    const count = shape.reduce((a, b) => a * b, 1);
    this.what = what;
    this.bytes = bytesOf(dtype, count, seed);
    this.slot = backend.write(this.bytes.slice().buffer, 0, count, dtype);
  }

  /** @param {Backend} backend */
  async changed(backend) {
    const now = await bytesIn(backend, this.slot, this.bytes.length);
    return this.bytes.some((byte, i) => byte !== now[i]);
  }
}

/**
 * Runs a registered Program twice, between slots that it must not touch.
 *
 * @param {Backend} backend
 * @param {number} program
 * @param {Text} text
 * @param {string[]} wrong receives the problems
 */
async function runBetweenCanaries(backend, program, { buffers, inputs, outputs }, wrong) {
  const canary = (/** @type {number} */ i) =>
    new Kept(backend, "another slot", { dtype: "int32", shape: [61] }, 1000 + i);
  const around = [canary(0)];
  const given = inputs.map((buffer, i) => {
    const kept = new Kept(backend, `input ${i}`, buffers[buffer], i + 1);
    around.push(canary(i + 1));
    return kept;
  });
  const hole = canary(99); // freed, so that an output lies between the others
  around.push(canary(100));
  backend.free(hole.slot);
  /** @type {number[]} */
  const made = [];
  try {
    const slots = given.map((kept) => kept.slot);
    for (let i = 0; i < 2; i++) made.push(backend.run(program, ...slots));
    for (const [i, buffer] of outputs.entries()) {
      const { dtype, shape } = buffers[buffer];
      const nbytes = SIZES[dtype] * shape.reduce((a, b) => a * b, 1);
      const first = await bytesIn(backend, made[0] + i, nbytes);
      const second = await bytesIn(backend, made[1] + i, nbytes);
      if (!same(first, second, dtype)) wrong.push(`output ${i} differs in the second run`);
    }
  } finally {
    for (const kept of [...around, ...given]) {
      if (await kept.changed(backend)) wrong.push(`${kept.what} was changed`);
      backend.free(kept.slot);
    }
    for (const slot of made) backend.free(...outputs.map((_, i) => slot + i));
  }
}

/** @param {Backend} backend */
function inUse(backend) {
  const { slots, bytes, programs } = /** @type {Record<string, number>} */ (backend.memory());
  return JSON.stringify({ slots, bytes, programs });
}

/**
 * @param {Backend} backend
 * @param {string} json
 * @param {Uint8Array} constants
 * @returns {Promise<Verdict>}
 */
export async function trial(backend, json, constants) {
  const before = inUse(backend);
  /** @type {string[]} */
  const wrong = [];
  let ran = false;
  let message = "";
  try {
    const heap = constants.slice().buffer;
    const program = backend.register(json, heap, 0, constants.length);
    try {
      /** @type {Text} */
      const text = JSON.parse(json);
      const counts = text.buffers.map(({ shape }) => shape.reduce((a, b) => a * b, 1));
      if (counts.every((count) => count <= MAX_ELEMENTS)) {
        await runBetweenCanaries(backend, program, text, wrong);
        ran = true;
      }
    } finally {
      backend.release(program);
    }
  } catch (error) {
    message = textOf(error);
  }
  const after = inUse(backend);
  if (after !== before) wrong.push(`left ${after}, was ${before}`);
  return { ran, message, wrong };
}
