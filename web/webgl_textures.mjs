/**
 * Textures, recycled by size and format.
 *
 * @typedef {import("./webgl_context.mjs").Device} Device
 * @typedef {import("./webgl_context.mjs").Format} Format
 *
 * @typedef {object} Layout where `count` elements lie: texel t at (t % width, t / width)
 * @property {number} count
 * @property {Format} format
 * @property {number} shift log2 of the width
 * @property {number} width
 * @property {number} height
 * @property {string} key equal for textures that can stand in for each other
 *
 * @typedef {object} Texture
 * @property {WebGLTexture} handle
 * @property {WebGLFramebuffer | null} framebuffer made when the texture is first rendered to or read
 * @property {Layout} layout
 */

import { TARGETS } from "./webgl_context.mjs";
import { toHalf } from "./webgl_half.mjs";

/** Free textures beyond this are deleted, the one that was freed first going first. */
const FREE_BYTES = 512 * 2 ** 20;

/** An allocation of this size is checked for success, which waits for the device. */
const CHECKED_BYTES = 64 * 2 ** 20;

/**
 * @param {Device} device
 * @param {number} count elements
 * @param {string} dtype
 * @returns {Layout}
 */
export function layoutOf(device, count, dtype) {
  const format = dtype === "float32" ? device.float : device.int;
  const texels = Math.max(1, Math.ceil(count / 4));
  const limit = Math.log2(device.maxSize);
  const shift = Math.min(limit, Math.ceil(Math.log2(texels) / 2));
  const width = 2 ** shift;
  const height = Math.ceil(texels / width);
  if (height > device.maxSize) {
    throw new Error(
      `WebGL2: ${count} elements do not fit into a texture of ${device.maxSize} x ${device.maxSize} x 4`,
    );
  }
  return { count, format, shift, width, height, key: `${format.internal}:${width}:${height}` };
}

/** @param {Layout} layout */
function bytesOf(layout) {
  return layout.width * layout.height * layout.format.texelBytes;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {number} number
 * @param {WebGLTexture} texture
 */
function attach(gl, number, texture) {
  const attachment = gl.COLOR_ATTACHMENT0 + number;
  gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, texture, 0);
}

export class TexturePool {
  /** @param {Device} device */
  constructor(device) {
    const gl = device.gl;
    this.gl = gl;
    this.shared = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shared);
    gl.drawBuffers(Array.from({ length: TARGETS }, (_, i) => gl.COLOR_ATTACHMENT0 + i));
    /** @type {Map<string, Texture[]>} */
    this.free = new Map();
    this.freeCount = 0;
    this.freeBytes = 0;
    this.allocatedBytes = 0;
    /** @type {Set<Texture>} */
    this.all = new Set();
  }

  /**
   * A texture whose content is undefined.
   *
   * @param {Layout} layout
   * @returns {Texture}
   */
  acquire(layout) {
    const texture = this.free.get(layout.key)?.pop();
    if (texture === undefined) return this.allocate(layout);
    this.freeCount--;
    this.freeBytes -= bytesOf(layout);
    texture.layout = layout;
    return texture;
  }

  /** @param {Texture} texture */
  release(texture) {
    const key = texture.layout.key;
    const list = this.free.get(key);
    if (list === undefined) this.free.set(key, [texture]);
    else list.push(texture);
    this.freeCount++;
    this.freeBytes += bytesOf(texture.layout);
    if (this.freeBytes > FREE_BYTES) this.trim();
  }

  /**
   * @param {Layout} layout
   * @returns {Texture}
   */
  allocate(layout) {
    const gl = this.gl;
    const bytes = bytesOf(layout);
    const handle = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, handle);
    gl.texStorage2D(gl.TEXTURE_2D, 1, layout.format.internal, layout.width, layout.height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    if (bytes >= CHECKED_BYTES && gl.getError() === gl.OUT_OF_MEMORY) {
      gl.deleteTexture(handle);
      throw new Error(`WebGL2: out of memory for a texture of ${bytes} bytes`);
    }
    const texture = { handle, framebuffer: null, layout };
    this.all.add(texture);
    this.allocatedBytes += bytes;
    return texture;
  }

  /** Deletes the sizes that were in the pool first, until half of the limit is left. */
  trim() {
    for (const [key, list] of this.free) {
      for (const texture of list) this.destroy(texture);
      this.freeCount -= list.length;
      for (const texture of list) this.freeBytes -= bytesOf(texture.layout);
      this.free.delete(key);
      if (this.freeBytes <= FREE_BYTES / 2) return;
    }
  }

  /** @param {Texture} texture */
  destroy(texture) {
    this.gl.deleteTexture(texture.handle);
    this.gl.deleteFramebuffer(texture.framebuffer);
    this.all.delete(texture);
    this.allocatedBytes -= bytesOf(texture.layout);
  }

  /**
   * Makes the texture the target of drawing and reading.
   *
   * @param {Texture} texture
   */
  bindTarget(texture) {
    const gl = this.gl;
    if (texture.framebuffer === null) {
      texture.framebuffer = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, texture.framebuffer);
      attach(gl, 0, texture.handle);
    } else {
      gl.bindFramebuffer(gl.FRAMEBUFFER, texture.framebuffer);
    }
  }

  /**
   * Makes several textures the targets of one draw call.
   *
   * @param {Texture[]} textures TARGETS of one layout
   */
  bindTargets(textures) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shared);
    textures.forEach((texture, i) => {
      attach(gl, i, texture.handle);
    });
  }

  /**
   * @param {Texture} texture
   * @param {Float32Array | Int32Array} data four values for each texel
   */
  upload(texture, data) {
    const { gl } = this;
    const { format, width, height } = texture.layout;
    const half = format.uploadType === gl.HALF_FLOAT && data instanceof Float32Array;
    gl.bindTexture(gl.TEXTURE_2D, texture.handle);
    gl.texSubImage2D(
      gl.TEXTURE_2D,
      0,
      0,
      0,
      width,
      height,
      format.external,
      format.uploadType,
      half ? toHalf(data) : data,
    );
  }

  close() {
    for (const texture of [...this.all]) this.destroy(texture);
    this.gl.deleteFramebuffer(this.shared);
    this.free.clear();
    this.freeCount = 0;
    this.freeBytes = 0;
  }
}
