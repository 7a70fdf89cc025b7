/**
 * Textures, recycled by size and format.
 *
 * @typedef {import("./webgl_context.mjs").Device} Device
 * @typedef {import("./webgl_context.mjs").Format} Format
 * @typedef {import("./webgl_state.mjs").GlState} GlState
 *
 * @typedef {object} Shelf textures that can stand in for each other, and their common facts
 * @property {Format} format
 * @property {number} width a power of two
 * @property {number} height
 * @property {number} bytes of one texture
 * @property {Texture[]} free
 * @property {Texture[]} temporaries the same for all Programs, which run one after another
 *
 * @typedef {object} Layout where `count` elements lie: texel t at (t % width, t / width)
 * @property {number} count
 * @property {number} shift log2 of the width
 * @property {Shelf} shelf
 *
 * @typedef {object} Texture
 * @property {number} id
 * @property {WebGLTexture} handle
 * @property {WebGLFramebuffer | null} framebuffer made when the texture is first rendered to or read
 * @property {Shelf} shelf
 */

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
    /** @type {Map<string, Shelf>} */
    this.shelves = new Map();
    /** @type {Set<Texture>} */
    this.all = new Set();
    /** @type {Map<string, {framebuffer: WebGLFramebuffer, textures: Texture[]}>} */
    this.sets = new Map();
    this.lastId = 0;
    this.allocatedBytes = 0;
    this.freeCount = 0;
    this.freeBytes = 0;
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
    /** Changes when temporaries were deleted: whoever holds some must ask for them anew. */
    this.generation = 0;
  }

  /**
   * @param {number} count elements
   * @param {string} dtype
   * @returns {Layout}
   */
  layout(count, dtype) {
    const { float, int, maxSize } = this.device;
    const format = dtype === "float32" ? float : int;
    const texels = Math.max(1, Math.ceil(count / 4));
    const shift = Math.min(Math.log2(maxSize), Math.ceil(Math.log2(texels) / 2));
    const width = 2 ** shift;
    const height = Math.ceil(texels / width);
    if (height > maxSize) {
      throw new Error(
        `WebGL2: ${count} elements do not fit into a texture of ${maxSize} x ${maxSize} x 4`,
      );
    }
    const key = `${format.internal}:${width}:${height}`;
    let shelf = this.shelves.get(key);
    if (shelf === undefined) {
      const bytes = width * height * format.texelBytes;
      shelf = { format, width, height, bytes, free: [], temporaries: [] };
      this.shelves.set(key, shelf);
    }
    return { count, shift, shelf };
  }

  /**
   * A texture whose content is undefined.
   *
   * @param {Layout} layout
   * @returns {Texture}
   */
  acquire({ shelf }) {
    const texture = shelf.free.pop();
    if (texture === undefined) return this.allocate(shelf);
    this.freeCount--;
    this.freeBytes -= shelf.bytes;
    return texture;
  }

  /** @param {Texture} texture */
  release(texture) {
    const { shelf } = texture;
    shelf.free.push(texture);
    this.freeCount++;
    this.freeBytes += shelf.bytes;
    if (this.freeBytes > FREE_BYTES) this.trim();
  }

  /**
   * Before temporaries are asked for: makes room for so many bytes of them.
   *
   * @param {number} bytes
   */
  reserve(bytes) {
    if (this.temporaryBytes <= FREE_BYTES + bytes) return;
    for (const { temporaries } of this.shelves.values()) {
      for (const texture of temporaries.splice(0)) this.destroy(texture);
    }
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
    this.generation++;
  }

  /**
   * A layout's temporary of that number: good until `generation` changes, for one run of a Program.
   *
   * @param {Layout} layout
   * @param {number} index
   * @returns {Texture}
   */
  temporary({ shelf }, index) {
    while (shelf.temporaries.length <= index) {
      shelf.temporaries.push(this.allocate(shelf));
      this.temporaryCount++;
      this.temporaryBytes += shelf.bytes;
    }
    return shelf.temporaries[index];
  }

  /**
   * @param {Shelf} shelf
   * @returns {Texture}
   */
  allocate(shelf) {
    const { gl } = this;
    const { format, width, height, bytes } = shelf;
    const handle = gl.createTexture();
    this.state.editTexture(handle);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format.internal, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    if (bytes >= CHECKED_BYTES && gl.getError() === gl.OUT_OF_MEMORY) {
      this.state.deleteTexture(handle);
      throw new Error(`WebGL2: out of memory for a texture of ${bytes} bytes`);
    }
    const texture = { id: ++this.lastId, handle, framebuffer: null, shelf };
    this.all.add(texture);
    this.allocatedBytes += bytes;
    return texture;
  }

  /** Deletes the sizes that were in the pool first, until half of the limit is left. */
  trim() {
    for (const { free, bytes } of this.shelves.values()) {
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
    for (const [key, { framebuffer, textures }] of this.sets) {
      if (!textures.includes(texture)) continue;
      this.state.deleteFramebuffer(framebuffer);
      this.sets.delete(key);
    }
    this.all.delete(texture);
    this.allocatedBytes -= texture.shelf.bytes;
  }

  /**
   * The framebuffer that draws to and reads from the texture.
   *
   * @param {Texture} texture
   * @returns {WebGLFramebuffer}
   */
  target(texture) {
    texture.framebuffer ??= this.framebufferOf([texture]);
    return texture.framebuffer;
  }

  /**
   * The framebuffer that draws to several textures of one layout at once.
   *
   * @param {Texture[]} textures
   * @returns {WebGLFramebuffer}
   */
  targets(textures) {
    const key = textures.map((texture) => texture.id).join();
    let set = this.sets.get(key);
    if (set === undefined) {
      set = { framebuffer: this.framebufferOf(textures), textures };
      this.sets.set(key, set);
    }
    return set.framebuffer;
  }

  /**
   * @param {Texture[]} textures
   * @returns {WebGLFramebuffer}
   */
  framebufferOf(textures) {
    const { gl } = this;
    const framebuffer = gl.createFramebuffer();
    this.state.bindFramebuffer(framebuffer);
    const attachments = textures.map((_, i) => gl.COLOR_ATTACHMENT0 + i);
    textures.forEach(({ handle }, i) => {
      gl.framebufferTexture2D(gl.FRAMEBUFFER, attachments[i], gl.TEXTURE_2D, handle, 0);
    });
    gl.drawBuffers(attachments);
    return framebuffer;
  }

  close() {
    for (const texture of [...this.all]) this.destroy(texture);
    this.shelves.clear();
    this.freeCount = 0;
    this.freeBytes = 0;
    this.temporaryCount = 0;
    this.temporaryBytes = 0;
  }
}
