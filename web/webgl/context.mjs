/**
 * Creates and checks the WebGL2 context, and describes its limits and texture formats.
 *
 * @typedef {object} Format texture format of a kind of elements, four per texel
 * @property {number} internal
 * @property {number} external
 * @property {number} readType
 * @property {number} uploadType
 * @property {number} texelBytes
 *
 * @typedef {object} Device
 * @property {WebGL2RenderingContext} gl
 * @property {boolean} float16 whether floats are stored in 16 bits, where values above 65504 become infinite
 * @property {number} maxSize largest texture width and height
 * @property {number} targets number of textures that one draw call may write
 * @property {number} block bytes of a texture that a draw can read through a uniform block; 0 if textures
 *   cannot be copied to buffers, or only by way of the CPU
 * @property {Format} float
 * @property {Format} int
 */

import { OpError } from "../common/errors.mjs";
import { rendererNames, smallCanvas } from "../common/probe.mjs";

/** Numbers of textures that one draw call may write; every WebGL2 device supports the smallest, few support more. */
const TARGETS = [8, 4];

/** Bytes of a uniform block that many devices support; some report far more. */
const LARGEST_BLOCK = 2 ** 16;

/**
 * @typedef {object} Options
 * @property {boolean} [float32] whether floats have 32 bits where the device supports it. Default: true
 * @property {number} [maxTextureSize] largest width and height to use, if the device supports more
 * @property {number} [freeBytes] bytes of free textures that are kept for reuse; -1: all
 * @property {number} [budgetBytes] bytes of textures above which tensors move to the host; -1: no limit
 * @property {number} [hostBytes] maximum bytes of these on the host; undefined or -1: no limit
 * @property {number} [flushMs] milliseconds after which draws are flushed to the GPU; -1: the browser decides
 * @property {boolean} [timers] whether kernels are timed where the device supports it. Default: true
 */

/**
 * @param {Options} options
 * @returns {Device}
 */
export function openDevice(options) {
  const gl = /** @type {WebGL2RenderingContext | null | undefined} */ (
    smallCanvas()?.getContext("webgl2", {
      alpha: false,
      antialias: false,
      depth: false,
      stencil: false,
      powerPreference: "high-performance",
    })
  );
  if (!gl) throw new Error("WebGL2 is not available");
  return describe(gl, rendererNames(gl).renderer, options);
}

/** Error message after the browser has taken the context away. */
export const LOST =
  "WebGL context lost: the browser took the GPU away, and tensors that were only there are lost; " +
  'await tf.set_backend_async("webgl") reopens it, and other backends work';

export function contextLost() {
  return new OpError("UnavailableError", LOST);
}

/** @param {WebGL2RenderingContext} gl */
export function loseContext(gl) {
  gl.getExtension("WEBGL_lose_context")?.loseContext();
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {string} renderer
 * @param {Options} options
 * @returns {Device}
 */
function describe(gl, renderer, { float32: wantsFloat32 = true, maxTextureSize = Infinity }) {
  const fullFloat = gl.getExtension("EXT_color_buffer_float") !== null;
  const halfFloat = fullFloat || gl.getExtension("EXT_color_buffer_half_float") !== null;
  const { RGBA, RGBA_INTEGER, FLOAT, HALF_FLOAT, INT } = gl;
  const float32 = format(gl.RGBA32F, RGBA, FLOAT, FLOAT, 16);
  const float16 = format(gl.RGBA16F, RGBA, FLOAT, HALF_FLOAT, 8);
  const int = format(gl.RGBA32I, RGBA_INTEGER, INT, INT, 16);
  const largest = Math.min(gl.getParameter(gl.MAX_TEXTURE_SIZE), maxTextureSize);
  const maxSize = 1 << Math.floor(Math.log2(largest));
  const intTargets = renderable(gl, int);
  if (intTargets === 0) throw new Error("WebGL2 cannot render to int32 textures");
  const floatTargets = wantsFloat32 && fullFloat ? renderable(gl, float32) : 0;
  if (floatTargets > 0) {
    const targets = Math.min(intTargets, floatTargets);
    const longest = Math.min(gl.getParameter(gl.MAX_UNIFORM_BLOCK_SIZE), LARGEST_BLOCK);
    // ANGLE on Direct3D packs pixels into a buffer on the CPU.
    const block = renderer.includes("Direct3D") ? 0 : longest;
    return { gl, float16: false, maxSize, targets, block, float: float32, int };
  }
  const halfTargets = halfFloat ? renderable(gl, float16) : 0;
  if (halfTargets > 0) {
    const targets = Math.min(intTargets, halfTargets);
    return { gl, float16: true, maxSize, targets, block: 0, float: float16, int };
  }
  throw new Error("WebGL2 can render neither to float32 nor to float16 textures");
}

/**
 * @param {number} internal
 * @param {number} external
 * @param {number} readType
 * @param {number} uploadType
 * @param {number} texelBytes
 * @returns {Format}
 */
function format(internal, external, readType, uploadType, texelBytes) {
  return { internal, external, readType, uploadType, texelBytes };
}

/**
 * Return the number of textures of a format that can be rendered to at once, of TARGETS; 0 if none fits.
 *
 * @param {WebGL2RenderingContext} gl
 * @param {Format} format
 * @returns {number}
 */
function renderable(gl, format) {
  const limit = gl.getParameter(gl.MAX_DRAW_BUFFERS);
  return TARGETS.find((count) => count <= limit && isComplete(gl, format, count)) ?? 0;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {Format} format
 * @param {number} count
 * @returns {boolean}
 */
function isComplete(gl, format, count) {
  const framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  const textures = Array.from({ length: count }, (_, i) => {
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format.internal, 1, 1);
    const attachment = gl.COLOR_ATTACHMENT0 + i;
    gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, texture, 0);
    return texture;
  });
  gl.drawBuffers(textures.map((_, i) => gl.COLOR_ATTACHMENT0 + i));
  const complete = gl.checkFramebufferStatus(gl.FRAMEBUFFER) === gl.FRAMEBUFFER_COMPLETE;
  gl.deleteFramebuffer(framebuffer);
  for (const texture of textures) gl.deleteTexture(texture);
  return complete;
}
