/**
 * Copies elements between a heap and textures. A texture has whole texels, so its last row may be longer
 * than the data: full rows are copied directly, the rest through an array.
 *
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./textures.mjs").TexturePool} TexturePool
 * @typedef {import("../common/elements.mjs").Elements} Elements
 */

import { emptyArray } from "../common/elements.mjs";
import { NoMemory } from "../common/errors.mjs";
import { toHalf } from "./half.mjs";
import { fence } from "./sync.mjs";
import { PER_TEXEL, takeError } from "./textures.mjs";

/** Bytes of a texel as readPixels returns it, for every format of textures. */
export const READ_BYTES = 16;

/**
 * Up to this many elements are read as whole rows, including the padding of the last row, and copied once
 * more: each call waits for the GPU's process.
 */
const AT_ONCE = 2 ** 18;

/**
 * If the last read of a Program's output took less than this, the next read blocks the page, because
 * browsers report a fence up to a millisecond late. Half of a frame.
 */
const BLOCKING_MS = 8;

/**
 * Allocate textures and upload their elements.
 *
 * @param {TexturePool} pool
 * @param {[Texture, Elements][]} textures
 */
export function fill(pool, textures) {
  pool.allocate();
  for (const [texture, elements] of textures) upload(pool, texture, elements);
}

/**
 * Upload elements to the texture of a layout.
 *
 * @param {TexturePool} pool
 * @param {Texture} texture
 * @param {Elements} elements
 */
export function upload({ gl, state }, texture, elements) {
  const { format, width } = texture.bucket;
  const half = format.uploadType === gl.HALF_FLOAT && elements instanceof Float32Array;
  const data = half ? toHalf(elements) : elements;
  const { rows, rest, full } = rowsOf(data.length, width);
  const { external, uploadType } = format;
  state.editTexture(texture.bucket.target, texture.handle);
  if (rows > 0) {
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, rows, external, uploadType, data, 0);
  }
  if (rest > 0) {
    const texels = Math.ceil(rest / PER_TEXEL);
    const last = padded(data.subarray(full), texels * PER_TEXEL);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, texels, 1, external, uploadType, last, 0);
  }
}

/**
 * @template {Float32Array | Int32Array | Int8Array | Uint16Array} A
 * @param {A} data
 * @param {number} length
 * @returns {A}
 */
function padded(data, length) {
  if (data.length === length) return data;
  const result = /** @type {A} */ (
    new /** @type {new (n: number) => A} */ (data.constructor)(length)
  );
  result.set(data);
  return result;
}

/**
 * Wait for the texture and return its elements.
 *
 * @param {TexturePool} pool
 * @param {Texture} texture
 * @param {Elements} data array for the elements
 * @returns {Elements} data
 */
export function download(pool, texture, data) {
  const { gl, state } = pool;
  const { format, width } = texture.bucket;
  const { external, readType } = format;
  const { rows, rest, full } = rowsOf(data.length, width);
  state.bindFramebuffer(pool.framebuffer(texture));
  const whole = rest > 0 && data.length <= AT_ONCE ? 0 : rows; // rows that are read directly
  if (whole > 0) gl.readPixels(0, 0, width, whole, external, readType, data, 0);
  if (rest > 0) {
    const height = rows + 1 - whole;
    const texels = height > 1 ? width : Math.ceil(rest / PER_TEXEL);
    const length = height * texels * PER_TEXEL;
    const last = data instanceof Float32Array ? new Float32Array(length) : new Int32Array(length);
    gl.readPixels(0, whole, texels, height, external, readType, last, 0);
    const before = whole > 0 ? full : 0;
    data.set(last.subarray(0, data.length - before), before);
  }
  pool.conclude(takeError(gl));
  return data;
}

/**
 * Copy a texture of floats, on the device, to the pool's buffer for uniform blocks, which must have room
 * for it.
 *
 * @param {TexturePool} pool
 * @param {Texture} texture
 * @returns {WebGLBuffer | null} valid until the next copy
 */
export function copyToBuffer(pool, texture) {
  const { gl, state, chunkBuffer: buffer } = pool;
  const { width, height, format } = texture.bucket;
  state.bindFramebuffer(pool.framebuffer(texture));
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
  gl.readPixels(0, 0, width, height, format.external, format.readType, 0);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  return buffer;
}

/** @type {WeakMap<WebGL2RenderingContext, Promise<number>>} */
const told = new WeakMap();

/**
 * Wait for all work so far and return the device's error. Callers in the same turn of the event loop share one
 * fence and one query, because each needs a round trip to the GPU's process.
 *
 * @param {WebGL2RenderingContext} gl
 * @returns {Promise<number>} error code of getError
 */
function finished(gl) {
  let found = told.get(gl);
  if (found === undefined) {
    found = Promise.resolve().then(async () => {
      told.delete(gl);
      await fence(gl);
      return takeError(gl);
    });
    told.set(gl, found);
  }
  return found;
}

/**
 * Read a texture as `download` does, without blocking the page.
 *
 * @param {TexturePool} pool
 * @param {Texture} texture
 * @param {string} dtype
 * @param {number} count
 * @returns {Promise<Elements>}
 */
export async function downloadAsync(pool, texture, dtype, count) {
  const { gl, state } = pool;
  const { format, width, height } = texture.bucket;
  const buffer = gl.createBuffer();
  const nbytes = width * height * READ_BYTES;
  state.bindFramebuffer(pool.framebuffer(texture));
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
  gl.bufferData(gl.PIXEL_PACK_BUFFER, nbytes, gl.STREAM_READ);
  gl.readPixels(0, 0, width, height, format.external, format.readType, 0);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  try {
    const error = await finished(gl);
    const result = emptyArray(dtype, count);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
    const failed =
      error !== gl.NO_ERROR &&
      gl.getBufferParameter(gl.PIXEL_PACK_BUFFER, gl.BUFFER_SIZE) !== nbytes;
    if (!failed) gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, result);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    if (failed) throw new NoMemory("webgl", nbytes, pool.allocatedBytes);
    pool.conclude(error);
    return result;
  } finally {
    gl.deleteBuffer(buffer);
  }
}

/** Reads a Program's outputs, and blocks the page only for short reads. */
export class OutputReader {
  constructor() {
    this.lastMs = Number.POSITIVE_INFINITY;
  }

  /**
   * @param {TexturePool} pool
   * @param {Texture} texture
   * @param {string} dtype
   * @param {number} count
   * @returns {Promise<Elements>}
   */
  async read(pool, texture, dtype, count) {
    const start = performance.now();
    const elements =
      this.lastMs < BLOCKING_MS
        ? download(pool, texture, emptyArray(dtype, count))
        : await downloadAsync(pool, texture, dtype, count);
    this.lastMs = performance.now() - start;
    return elements;
  }
}

/**
 * Return the rows of elements in a texture: full rows with `full` elements in all, and the rest.
 *
 * @param {number} count
 * @param {number} width
 */
function rowsOf(count, width) {
  const rows = Math.floor(count / (PER_TEXEL * width));
  const full = rows * PER_TEXEL * width;
  return { rows, full, rest: count - full };
}
