/**
 * The memory pool of textures. A texel has four elements.
 *
 * @typedef {import("./context.mjs").Device} Device
 * @typedef {import("./context.mjs").Format} Format
 * @typedef {import("./state.mjs").GlState} GlState
 *
 * @typedef {object} Bucket the textures of one size and format, which can stand in for each other
 * @property {Format} format
 * @property {number} target TEXTURE_2D, or TEXTURE_2D_ARRAY where there are several layers
 * @property {number} width a power of two
 * @property {number} height
 * @property {number} layers
 * @property {number} bytes of one texture
 * @property {Texture[]} free
 * @property {Texture[]} temporaries the same for all Programs, which run one after another
 *
 * @typedef {object} Layout where `count` elements lie: texel t of a layer at (t % width, t / width)
 * @property {number} count
 * @property {number} shift log2 of the width
 * @property {Bucket} bucket
 *
 * @typedef {object} Texture
 * @property {WebGLTexture} handle
 * @property {WebGLFramebuffer | null} framebuffer made when the texture is first rendered to or read
 * @property {Bucket} bucket
 */

/** Elements of a texel. */
export const PER_TEXEL = 4;

/** Free textures beyond this are deleted, the sizes that were used first going first. */
const FREE_BYTES = 512 * 2 ** 20;

/** An allocation of this size is checked for success, which waits for the device. */
const CHECKED_BYTES = 64 * 2 ** 20;

export class TexturePool {
  /**
   * @param {Device} device
   * @param {GlState} state
   */
  constructor(device, state) {
    this.device = device;
    this.gl = device.gl;
    this.state = state;
    /** @type {Map<string, Bucket>} */
    this.buckets = new Map();
    /** @type {Set<Texture>} */
    this.all = new Set();
    this.allocatedBytes = 0;
    this.freeCount = 0;
    this.freeBytes = 0;
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
    /** @type {WebGLBuffer | null} */
    this.chunkBuffer = null;
    this.chunkBufferBytes = 0;
    /** Changes when temporaries were deleted: whoever holds some must ask for them anew. */
    this.generation = 0;
  }

  /**
   * @param {number} count elements
   * @param {string} dtype
   * @param {number} layers among which they are divided
   * @param {number} [width] of the texture; left out, about its height
   * @returns {Layout}
   */
  layout(count, dtype, layers = 1, width = undefined) {
    const { float, int, maxSize } = this.device;
    const texels = Math.max(1, Math.ceil(count / layers / PER_TEXEL));
    const wanted = width === undefined ? Math.ceil(Math.log2(texels) / 2) : Math.log2(width);
    const shift = Math.min(Math.log2(maxSize), wanted);
    const height = Math.ceil(texels / 2 ** shift);
    if (height > maxSize) {
      throw new Error(
        `WebGL2: ${count} elements do not fit into a texture of ${maxSize} x ${maxSize} x 4`,
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
      bucket = { format, target, width, height, layers, bytes, free: [], temporaries: [] };
      this.buckets.set(key, bucket);
    }
    return bucket;
  }

  /**
   * A texture whose content is undefined.
   *
   * @param {Layout} layout
   * @returns {Texture}
   */
  acquire({ bucket }) {
    const texture = bucket.free.pop();
    if (texture === undefined) return this.allocate(bucket);
    this.freeCount--;
    this.freeBytes -= bucket.bytes;
    return texture;
  }

  /** @param {Texture} texture */
  release(texture) {
    const { bucket } = texture;
    bucket.free.push(texture);
    this.freeCount++;
    this.freeBytes += bucket.bytes;
    if (this.freeBytes > FREE_BYTES) this.trim();
  }

  /**
   * Before temporaries are asked for: makes room for so many bytes of them.
   *
   * @param {number} bytes
   */
  reserve(bytes) {
    if (this.temporaryBytes <= FREE_BYTES + bytes) return;
    for (const { temporaries } of this.buckets.values()) {
      for (const texture of temporaries.splice(0)) this.destroy(texture);
    }
    this.deleteChunkBuffer();
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
    this.generation++;
  }

  /**
   * The buffer whose chunks uniform blocks read; all Programs share it as they do temporaries.
   *
   * @param {number} bytes that it has room for, at least
   * @returns {WebGLBuffer | null}
   */
  reserveChunkBuffer(bytes) {
    if (this.chunkBufferBytes >= bytes) return this.chunkBuffer;
    const { gl } = this;
    this.deleteChunkBuffer();
    this.chunkBuffer = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.chunkBuffer);
    // Buffers of other usages may lie in the host's memory.
    gl.bufferData(gl.PIXEL_PACK_BUFFER, bytes, gl.STATIC_COPY);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    if (bytes >= CHECKED_BYTES && gl.getError() === gl.OUT_OF_MEMORY) {
      this.deleteChunkBuffer();
      throw new Error(`WebGL2: out of memory for a buffer of ${bytes} bytes`);
    }
    this.countChunkBuffer(bytes);
    return this.chunkBuffer;
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
   * A layout's temporary of that number: good until `generation` changes, for one run of a Program.
   *
   * @param {Layout} layout
   * @param {number} index
   * @returns {Texture}
   */
  temporary({ bucket }, index) {
    while (bucket.temporaries.length <= index) {
      bucket.temporaries.push(this.allocate(bucket));
      this.temporaryCount++;
      this.temporaryBytes += bucket.bytes;
    }
    return bucket.temporaries[index];
  }

  /**
   * @param {Bucket} bucket
   * @returns {Texture}
   */
  allocate(bucket) {
    const { gl } = this;
    const { format, target, width, height, layers, bytes } = bucket;
    const handle = gl.createTexture();
    this.state.editTexture(target, handle);
    if (layers > 1) gl.texStorage3D(target, 1, format.internal, width, height, layers);
    else gl.texStorage2D(target, 1, format.internal, width, height);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    if (bytes >= CHECKED_BYTES && gl.getError() === gl.OUT_OF_MEMORY) {
      this.state.deleteTexture(handle);
      throw new Error(`WebGL2: out of memory for a texture of ${bytes} bytes`);
    }
    const texture = { handle, framebuffer: null, bucket };
    this.all.add(texture);
    this.allocatedBytes += bytes;
    return texture;
  }

  /** Deletes the sizes that were in the pool first, until half of the limit is left. */
  trim() {
    for (const { free, bytes } of this.buckets.values()) {
      for (const texture of free) this.destroy(texture);
      this.freeCount -= free.length;
      this.freeBytes -= free.length * bytes;
      free.length = 0;
      if (this.freeBytes <= FREE_BYTES / 2) return;
    }
  }

  /** @param {Texture} texture */
  destroy(texture) {
    this.state.deleteTexture(texture.handle);
    this.state.deleteFramebuffer(texture.framebuffer);
    this.all.delete(texture);
    this.allocatedBytes -= texture.bucket.bytes;
  }

  /**
   * The framebuffer that draws to the texture (to all its layers at once) and reads from it.
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
