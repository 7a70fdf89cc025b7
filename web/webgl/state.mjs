/** Tracks the GL state that draws need, so that only changes reach the context. */

export class GlState {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    /** @type {WebGLProgram | null} */
    this.program = null;
    /** @type {WebGLFramebuffer | null} */
    this.framebuffer = null;
    this.x = 0;
    this.y = 0;
    this.width = 0;
    this.height = 0;
    this.unit = 0;
    /** @type {(WebGLTexture | null)[]} */
    this.textures = new Array(gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS)).fill(null);
    gl.activeTexture(gl.TEXTURE0);
  }

  /** @param {WebGLProgram} program */
  useProgram(program) {
    if (this.program === program) return;
    this.gl.useProgram(program);
    this.program = program;
  }

  /** @param {WebGLFramebuffer | null} framebuffer */
  bindFramebuffer(framebuffer) {
    if (this.framebuffer === framebuffer) return;
    this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, framebuffer);
    this.framebuffer = framebuffer;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  viewport(x, y, width, height) {
    if (this.x === x && this.y === y && this.width === width && this.height === height) return;
    this.gl.viewport(x, y, width, height);
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
  }

  /**
   * @param {number} unit
   * @param {number} target TEXTURE_2D or TEXTURE_2D_ARRAY
   * @param {WebGLTexture} texture
   */
  bindTexture(unit, target, texture) {
    if (this.textures[unit] === texture) return;
    this.activate(unit);
    this.gl.bindTexture(target, texture);
    this.textures[unit] = texture;
  }

  /**
   * Bind the texture for allocation and upload.
   *
   * @param {number} target
   * @param {WebGLTexture} texture
   */
  editTexture(target, texture) {
    this.bindTexture(0, target, texture);
    this.activate(0);
  }

  /** @param {WebGLTexture} texture */
  deleteTexture(texture) {
    this.gl.deleteTexture(texture);
    for (let unit = 0; unit < this.textures.length; unit++) {
      if (this.textures[unit] === texture) this.textures[unit] = null;
    }
  }

  /** @param {WebGLFramebuffer | null} framebuffer */
  deleteFramebuffer(framebuffer) {
    this.gl.deleteFramebuffer(framebuffer);
    if (this.framebuffer === framebuffer) this.framebuffer = null;
  }

  /** @param {WebGLProgram} program */
  deleteProgram(program) {
    // GL keeps the current program until another one is used; forgetting it makes the next use reach GL.
    this.gl.deleteProgram(program);
    if (this.program === program) this.program = null;
  }

  /** @param {number} unit */
  activate(unit) {
    if (this.unit === unit) return;
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.unit = unit;
  }
}
