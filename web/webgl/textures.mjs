/**
 * The memory pool of textures. A texel has four elements.
 *
 * @typedef {import("./context.mjs").Device} Device
 * @typedef {import("./context.mjs").Format} Format
 * @typedef {import("./state.mjs").GlState} GlState
 *
 * @typedef {object} Bucket interchangeable textures of one size and format
 * @property {Format} format
 * @property {number} target TEXTURE_2D, or TEXTURE_2D_ARRAY for several layers
 * @property {number} width width, a power of two
 * @property {number} height
 * @property {number} layers
 * @property {number} bytes bytes of one texture
 * @property {Texture[]} free
 * @property {number} least smallest number of free ones in this period
 * @property {Texture[]} temporaries textures shared by all Programs, which run one after another
 *
 * @typedef {object} Layout positions of `count` elements: texel t of a layer is at (t % width, t / width)
 * @property {number} count
 * @property {number} shift log2 of the width
 * @property {Bucket} bucket
 *
 * @typedef {object} Texture
 * @property {WebGLTexture} handle
 * @property {WebGLFramebuffer | null} framebuffer created when the texture is first rendered to or read
 * @property {Bucket} bucket
 */

import { NoMemory, OpError } from "../common/errors.mjs";
import { Periods } from "../common/periods.mjs";
import { contextLost } from "./context.mjs";

/** Number of elements in a texel. */
export const PER_TEXEL = 4;

/** Free textures above this limit are deleted; the sizes that were used first go first. */
export const FREE_BYTES = 512 * 2 ** 20;

/**
 * After this many bytes of new textures, the pool checks whether the device had memory for the last ones.
 * The check waits for the device, and takes as long as a small draw.
 */
const ASK_BYTES = 2 ** 20;

/** A context remembers at most one error of each kind. */
const ERROR_KINDS = 8;

export class TexturePool {
  /**
   * @param {Device} device
   * @param {GlState} state
   * @param {number} keptBytes bytes of free textures, and of temporaries, to keep
   * @param {(error: number) => void} conclude receives the device's error for all work so far, and throws
   *   if there is one
   */
  constructor(device, state, keptBytes, conclude) {
    this.device = device;
    this.gl = device.gl;
    this.state = state;
    this.keptBytes = keptBytes;
    this.conclude = conclude;
    /** @type {Map<string, Bucket>} */
    this.buckets = new Map();
    /** @type {Set<Texture>} */
    this.all = new Set();
    /** @type {Texture[]} those that have no memory yet */
    this.planned = [];
    /** Bytes of textures that were allocated since the last check. */
    this.unaskedBytes = 0;
    this.allocatedBytes = 0;
    this.freeCount = 0;
    this.freeBytes = 0;
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
    /** @type {WebGLBuffer | null} */
    this.chunkBuffer = null;
    this.chunkBufferBytes = 0;
    this.periods = new Periods();
    /** Changes when temporaries are deleted, so that Programs request new ones. */
    this.generation = 0;
  }

  /**
   * @param {number} count number of elements
   * @param {string} dtype
   * @param {number} layers number of layers that share the elements
   * @param {number} [width] width of the texture. Default: about its height
   * @returns {Layout}
   */
  layout(count, dtype, layers = 1, width = undefined) {
    const { float, int, maxSize } = this.device;
    const texels = Math.max(1, Math.ceil(count / layers / PER_TEXEL));
    const wanted = width === undefined ? Math.ceil(Math.log2(texels) / 2) : Math.log2(width);
    const shift = Math.min(Math.log2(maxSize), wanted);
    const height = Math.ceil(texels / 2 ** shift);
    if (height > maxSize) {
      throw new OpError(
        "ResourceExhaustedError",
        `webgl: ${count} elements do not fit into a texture of ${maxSize} x ${maxSize} x 4`,
      );
    }
    const format = dtype === "float32" ? float : int;
    return { count, shift, bucket: this.bucket(format, 2 ** shift, height, layers) };
  }

  /**
   * @param {Format} format
   * @param {number} width
   * @param {number} height
   * @param {number} layers
   * @returns {Bucket}
   */
  bucket(format, width, height, layers) {
    const key = `${format.internal}:${width}:${height}:${layers}`;
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      const target = layers > 1 ? this.gl.TEXTURE_2D_ARRAY : this.gl.TEXTURE_2D;
      const bytes = width * height * layers * format.texelBytes;
      const stored = { free: [], least: 0, temporaries: [] };
      bucket = { format, target, width, height, layers, bytes, ...stored };
      this.buckets.set(key, bucket);
    }
    return bucket;
  }

  /**
   * Return a texture with undefined content. It may have no memory before `allocate` is called.
   *
   * @param {Layout} layout
   * @returns {Texture}
   */
  acquire({ bucket }) {
    const texture = bucket.free.pop();
    bucket.least = Math.min(bucket.least, bucket.free.length);
    if (texture === undefined) return this.plan(bucket);
    this.freeCount--;
    this.freeBytes -= bucket.bytes;
    return texture;
  }

  /** @param {Texture} texture one that was deleted for want of memory does not come back */
  release(texture) {
    if (!this.all.has(texture)) return;
    const { bucket } = texture;
    bucket.free.push(texture);
    this.freeCount++;
    this.freeBytes += bucket.bytes;
    if (this.freeBytes > this.keptBytes) this.deleteFree(this.keptBytes / 2);
  }

  /**
   * Delete what the last period did not need, if it ends before a run.
   *
   * @param {number} temporaryBytes bytes of the Program's temporaries
   */
  beforeRun(temporaryBytes) {
    if (!this.periods.endsBefore(temporaryBytes)) return;
    if (this.periods.wastes(this.temporaryBytes - this.chunkBufferBytes)) this.deleteTemporaries();
    this.periods.begin(temporaryBytes);
    for (const bucket of this.buckets.values()) {
      this.dropFree(bucket, bucket.least);
      bucket.least = bucket.free.length;
    }
  }

  /**
   * Make room for this many bytes of temporaries before they are requested.
   *
   * @param {number} bytes
   */
  reserve(bytes) {
    if (this.temporaryBytes > this.keptBytes + bytes) this.deleteTemporaries();
  }

  deleteTemporaries() {
    for (const { temporaries } of this.buckets.values()) {
      for (const texture of temporaries.splice(0)) this.destroy(texture);
    }
    this.deleteChunkBuffer();
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
    this.generation++;
  }

  /**
   * Ensure that the buffer for uniform blocks has room for this many bytes before chunks are drawn. All
   * Programs share it, like temporaries.
   *
   * @param {number} bytes
   */
  reserveChunkBuffer(bytes) {
    if (this.chunkBufferBytes >= bytes) return;
    const { gl } = this;
    this.conclude(takeError(gl));
    this.deleteChunkBuffer();
    this.chunkBuffer = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.chunkBuffer);
    // Drivers may place buffers with other usages in the host's memory.
    gl.bufferData(gl.PIXEL_PACK_BUFFER, bytes, gl.STATIC_COPY);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    if (takeError(gl) !== gl.NO_ERROR) {
      this.deleteChunkBuffer();
      throw this.exhausted(bytes);
    }
    this.countChunkBuffer(bytes);
  }

  deleteChunkBuffer() {
    this.gl.deleteBuffer(this.chunkBuffer);
    this.chunkBuffer = null;
    this.countChunkBuffer(0);
  }

  /** @param {number} bytes of the buffer from now on */
  countChunkBuffer(bytes) {
    this.allocatedBytes += bytes - this.chunkBufferBytes;
    this.temporaryBytes += bytes - this.chunkBufferBytes;
    this.chunkBufferBytes = bytes;
  }

  /**
   * Return true if a texture of a bucket may hold a temporary of another one: the sizes must be equal.
   *
   * @param {Bucket} place
   * @param {Bucket} wanted
   */
  fits(place, wanted) {
    return place === wanted;
  }

  /**
   * Return a bucket's temporary of this number, valid for one run of a Program until `generation` changes.
   *
   * @param {Bucket} bucket
   * @param {number} index
   * @returns {Texture}
   */
  temporary(bucket, index) {
    while (bucket.temporaries.length <= index) {
      bucket.temporaries.push(this.plan(bucket));
      this.temporaryCount++;
      this.temporaryBytes += bucket.bytes;
    }
    return bucket.temporaries[index];
  }

  /**
   * @param {Bucket} bucket
   * @returns {Texture}
   */
  plan(bucket) {
    const texture = { handle: this.gl.createTexture(), framebuffer: null, bucket };
    this.all.add(texture);
    this.planned.push(texture);
    this.allocatedBytes += bucket.bytes;
    return texture;
  }

  /**
   * Allocate memory for the textures that were planned since the last call, either for all or for none
   * with an error. Small amounts are checked later, by `conclude`.
   */
  allocate() {
    if (this.planned.length === 0) return;
    for (const { bucket } of this.planned) this.unaskedBytes += bucket.bytes;
    if (this.unaskedBytes < ASK_BYTES) {
      for (const texture of this.planned.splice(0)) this.makeStorage(texture);
      return;
    }
    this.conclude(takeError(this.gl));
    this.unaskedBytes = 0;
    const planned = this.planned.splice(0);
    if (this.tryAllocate(planned)) return;
    this.deleteFree(0);
    for (const texture of planned) {
      this.deleteObjects(texture);
      texture.handle = this.gl.createTexture();
      texture.framebuffer = null;
    }
    if (this.tryAllocate(planned)) return;
    for (const texture of planned) this.destroy(texture);
    this.deleteTemporaries();
    throw this.exhausted(planned.reduce((sum, { bucket }) => sum + bucket.bytes, 0));
  }

  /** @param {Texture} texture */
  makeStorage({ handle, bucket: { format, target, width, height, layers } }) {
    const { gl } = this;
    this.state.editTexture(target, handle);
    if (layers > 1) gl.texStorage3D(target, 1, format.internal, width, height, layers);
    else gl.texStorage2D(target, 1, format.internal, width, height);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /**
   * @param {Texture[]} textures
   * @returns {boolean} whether the device had memory for all; textures are cleared, because drivers
   *   allocate when a texture is first written
   */
  tryAllocate(textures) {
    const { gl } = this;
    for (const texture of textures) {
      const { format, layers } = texture.bucket;
      this.makeStorage(texture);
      this.state.bindFramebuffer(this.framebuffer(texture));
      for (let layer = 0; layer < layers; layer++) {
        if (format.readType === gl.INT) gl.clearBufferiv(gl.COLOR, layer, [0, 0, 0, 0]);
        else gl.clearBufferfv(gl.COLOR, layer, [0, 0, 0, 0]);
      }
    }
    return takeError(gl) === gl.NO_ERROR;
  }

  /** @param {number} wanted bytes */
  exhausted(wanted) {
    return this.gl.isContextLost()
      ? contextLost()
      : new NoMemory("webgl", wanted, this.allocatedBytes);
  }

  /**
   * Delete free textures; the sizes that entered the pool first go first.
   *
   * @param {number} limit bytes of free textures that may remain
   */
  deleteFree(limit) {
    for (const bucket of this.buckets.values()) {
      if (this.freeBytes <= limit) return;
      this.dropFree(bucket, bucket.free.length);
    }
  }

  /**
   * @param {Bucket} bucket
   * @param {number} count number of its oldest free textures to delete
   */
  dropFree(bucket, count) {
    for (const texture of bucket.free.splice(0, count)) this.destroy(texture);
    this.freeCount -= count;
    this.freeBytes -= count * bucket.bytes;
    bucket.least = Math.min(bucket.least, bucket.free.length);
  }

  /** @param {Texture} texture */
  deleteObjects({ handle, framebuffer }) {
    this.state.deleteTexture(handle);
    this.state.deleteFramebuffer(framebuffer);
  }

  /** @param {Texture} texture */
  destroy(texture) {
    if (!this.all.delete(texture)) return;
    const unallocated = this.planned.indexOf(texture);
    if (unallocated >= 0) this.planned.splice(unallocated, 1);
    this.deleteObjects(texture);
    this.allocatedBytes -= texture.bucket.bytes;
  }

  /**
   * Return the framebuffer that draws to the texture (to all its layers at once) and reads from it.
   *
   * @param {Texture} texture
   * @returns {WebGLFramebuffer}
   */
  framebuffer(texture) {
    texture.framebuffer ??= this.framebufferOf(texture);
    return texture.framebuffer;
  }

  /**
   * @param {Texture} texture
   * @returns {WebGLFramebuffer}
   */
  framebufferOf({ handle, bucket: { layers, target } }) {
    const { gl } = this;
    const framebuffer = gl.createFramebuffer();
    this.state.bindFramebuffer(framebuffer);
    const attachments = Array.from({ length: layers }, (_, i) => gl.COLOR_ATTACHMENT0 + i);
    attachments.forEach((attachment, layer) => {
      if (layers > 1) gl.framebufferTextureLayer(gl.FRAMEBUFFER, attachment, handle, 0, layer);
      else gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, target, handle, 0);
    });
    gl.drawBuffers(attachments);
    return framebuffer;
  }

  close() {
    this.deleteChunkBuffer();
    for (const texture of [...this.all]) this.destroy(texture);
    this.buckets.clear();
    this.freeCount = 0;
    this.freeBytes = 0;
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
  }
}

/**
 * Return an error since the last call, after the device has processed all work so far. If memory ran out,
 * this error takes precedence over the errors that follow from it.
 *
 * @param {WebGL2RenderingContext} gl
 */
export function takeError(gl) {
  let found = gl.getError();
  for (let more = found, kinds = 0; more !== gl.NO_ERROR && kinds < ERROR_KINDS; kinds++) {
    if (more === gl.OUT_OF_MEMORY) found = more;
    more = gl.getError();
  }
  return found;
}
