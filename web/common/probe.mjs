// The browser's capabilities, as data. This module decides nothing: Python's registry of backends does.

/**
 * @typedef {object} WebglProbe
 * @property {0 | 1 | 2} version highest WebGL version with a context; 0 if there is none
 * @property {string} renderer
 * @property {string} vendor
 * @property {boolean} software whether the renderer is a software rasterizer
 * @property {boolean} float32Target whether a float32 texture can be rendered to (WebGL2)
 * @property {boolean} float16Target whether a float16 texture can be rendered to (WebGL2)
 * @property {number} maxTextureSize
 * @property {0 | 2} timers version of EXT_disjoint_timer_query_webgl2, for timing kernels; 0 if it is missing
 *
 * @typedef {object} WebgpuProbe
 * @property {string} adapter name of the adapter; empty if there is none
 * @property {boolean} software whether it is a fallback adapter
 *
 * @typedef {object} AdapterDetails information for people; no code depends on it
 * @property {string} vendor
 * @property {string} architecture
 * @property {string[]} features
 * @property {Record<string, number>} limits
 *
 * @typedef {object} Host properties of the browser or runtime
 * @property {boolean} browser a page, or a worker of one
 * @property {boolean} node
 * @property {boolean} chrome Chrome, or another browser of Chromium
 * @property {boolean} safari Safari, or another browser of WebKit
 * @property {boolean} mobile
 *
 * @typedef {object} Probe
 * @property {Host} host
 * @property {WebgpuProbe & Partial<AdapterDetails>} webgpu
 * @property {WebglProbe} webgl
 * @property {{simd: boolean, relaxedSimd: boolean, threads: boolean, jspi: boolean}} wasm
 * @property {boolean} crossOriginIsolated
 * @property {boolean} worker whether this is a worker, not a page's main thread
 * @property {boolean} offscreenCanvas
 * @property {number} hardwareConcurrency
 * @property {import("./budgets.mjs").Budgets} budgets
 */

import { defaultBudgets } from "./budgets.mjs";

/** WebGL2's extension that times draws. */
export const TIMER_QUERIES = "EXT_disjoint_timer_query_webgl2";

const SOFTWARE_RENDERER = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** WebAssembly's header, followed by sections; each test module has one function. */
const WASM_HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const ONE_FUNCTION = [0x03, 0x02, 0x01, 0x00];
const RETURNS_V128 = [0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b];
const RETURNS_I32 = [0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f];
const SHARED_MEMORY = [0x05, 0x04, 0x01, 0x03, 0x01, 0x01];
const SPLAT_ZERO = [0x41, 0x00, 0xfd, 0x0f];
const RELAXED_MADD = [0xfd, 0x85, 0x02];
const RELAXED_DOT_ADD = [0xfd, 0x93, 0x02];
const THREE_ZEROS = [...SPLAT_ZERO, ...SPLAT_ZERO, ...SPLAT_ZERO];
const ATOMIC_LOAD_AT_ZERO = [0x41, 0x00, 0xfe, 0x10, 0x02, 0x00];
const CODE_SECTION = 0x0a;
const NO_LOCALS = 0x00;
const END = 0x0b;

/**
 * @param {number[]} instructions
 * @param {...number[]} sections sections before the code section
 */
function validates(instructions, ...sections) {
  const body = [NO_LOCALS, ...instructions, END];
  const functions = [0x01, body.length, ...body];
  const code = [CODE_SECTION, functions.length, ...functions];
  return WebAssembly.validate(new Uint8Array([...WASM_HEADER, ...sections.flat(), ...code]));
}

/**
 * Return true if a worker started here may block this thread forever. In Firefox (153), `new Worker()` inside a
 * worker does not return in one to seven of a hundred calls.
 */
function workersMayHang() {
  const isWorker = typeof document === "undefined";
  return isWorker && /\bFirefox\//.test(globalThis.navigator?.userAgent ?? "");
}

/** @returns {Host} */
export function probeHost() {
  const { process, navigator } = /** @type {any} */ (globalThis);
  const node = process?.versions?.node !== undefined;
  const agent = node ? "" : (navigator?.userAgent ?? "");
  const chrome = /Chrom(e|ium)\//.test(agent);
  return {
    browser: !node && agent !== "",
    node,
    chrome,
    safari: !chrome && /\bSafari\//.test(agent),
    mobile: /\b(Mobi|Android)/.test(agent),
  };
}

export function probeWasm() {
  return {
    simd: validates(SPLAT_ZERO, RETURNS_V128, ONE_FUNCTION),
    // WebKit (2.50) puts a part of it behind an option, but the module needs all of it.
    relaxedSimd: validates(
      [...SPLAT_ZERO, ...SPLAT_ZERO, ...THREE_ZEROS, ...RELAXED_DOT_ADD, ...RELAXED_MADD],
      RETURNS_V128,
      ONE_FUNCTION,
    ),
    threads:
      globalThis.crossOriginIsolated === true &&
      !workersMayHang() &&
      typeof SharedArrayBuffer !== "undefined" &&
      validates(ATOMIC_LOAD_AT_ZERO, RETURNS_I32, ONE_FUNCTION, SHARED_MEMORY),
    jspi: "Suspending" in WebAssembly && "promising" in WebAssembly,
  };
}

/** Create a canvas of one pixel, on a page or in a worker; null where there are no canvases, as in Node.js. */
export function smallCanvas() {
  if (typeof document === "undefined") {
    return typeof OffscreenCanvas === "undefined" ? null : new OffscreenCanvas(1, 1);
  }
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  return canvas;
}

/**
 * Return true if a renderer's name belongs to a software rasterizer.
 * @param {string} renderer
 */
function isSoftwareRenderer(renderer) {
  return SOFTWARE_RENDERER.test(renderer);
}

/**
 * Return the unmasked vendor and renderer names of a context's GPU.
 * @param {WebGLRenderingContext | WebGL2RenderingContext} gl
 */
export function rendererNames(gl) {
  const unmasked = gl.getExtension("WEBGL_debug_renderer_info");
  return {
    renderer: String(gl.getParameter(unmasked ? unmasked.UNMASKED_RENDERER_WEBGL : gl.RENDERER)),
    vendor: String(gl.getParameter(unmasked ? unmasked.UNMASKED_VENDOR_WEBGL : gl.VENDOR)),
  };
}

/**
 * Return true if a texture of this format can be rendered to, by trying it.
 * @param {WebGL2RenderingContext} gl
 * @param {number} format a sized internal format
 */
function rendersTo(gl, format) {
  const texture = gl.createTexture();
  const framebuffer = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, 1, 1);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  const complete = gl.checkFramebufferStatus(gl.FRAMEBUFFER) === gl.FRAMEBUFFER_COMPLETE;
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  return complete;
}

/** @param {WebGL2RenderingContext} gl */
function renderTargets(gl) {
  const float = gl.getExtension("EXT_color_buffer_float") !== null;
  const half = float || gl.getExtension("EXT_color_buffer_half_float") !== null;
  return {
    float32Target: float && rendersTo(gl, gl.RGBA32F),
    float16Target: half && rendersTo(gl, gl.RGBA16F),
  };
}

/** @returns {WebglProbe} */
export function probeWebgl() {
  for (const version of /** @type {const} */ ([2, 1])) {
    const context = smallCanvas()?.getContext(version === 2 ? "webgl2" : "webgl");
    const gl = /** @type {WebGL2RenderingContext | null | undefined} */ (context);
    if (gl) {
      const names = rendererNames(gl);
      /** @type {WebglProbe} */
      const found = {
        version,
        ...names,
        software: isSoftwareRenderer(names.renderer),
        ...(version === 2 ? renderTargets(gl) : { float32Target: false, float16Target: false }),
        maxTextureSize: Number(gl.getParameter(gl.MAX_TEXTURE_SIZE)),
        timers: gl.getExtension(TIMER_QUERIES) ? 2 : 0,
      };
      gl.getExtension("WEBGL_lose_context")?.loseContext();
      return found;
    }
  }
  const names = { renderer: "", vendor: "" };
  const none = { ...names, software: false, maxTextureSize: 0, timers: /** @type {const} */ (0) };
  return { version: 0, ...none, float32Target: false, float16Target: false };
}

/**
 * Return the description of an adapter.
 * @param {GPUAdapter} adapter
 * @returns {WebgpuProbe}
 */
export function describeAdapter({ info }) {
  const { vendor, architecture, description, isFallbackAdapter } = info;
  const name = [vendor, architecture, description].filter(Boolean).join(" ") || "unnamed";
  return { adapter: name, software: isFallbackAdapter || isSoftwareRenderer(name) };
}

/**
 * Request the adapter that is both probed and opened; null where WebGPU is not available.
 *
 * @param {boolean} [lowPower] prefer the adapter that uses less power, if there are two
 */
export async function requestAdapter(lowPower = false) {
  const powerPreference = lowPower ? "low-power" : "high-performance";
  return globalThis.navigator?.gpu?.requestAdapter({ powerPreference });
}

/** Limits of an adapter to report; the device is requested with the adapter's values of them. */
export const LIMITS = /** @type {const} */ ([
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
  "maxTextureDimension2D",
]);

/**
 * @param {GPUAdapter} adapter
 * @returns {AdapterDetails}
 */
function detailsOf({ info, features, limits }) {
  return {
    vendor: info.vendor,
    architecture: info.architecture,
    features: [...features].sort(),
    limits: Object.fromEntries(LIMITS.map((name) => [name, limits[name]])),
  };
}

/** @returns {Promise<WebgpuProbe & Partial<AdapterDetails>>} */
export async function probeWebgpu() {
  const adapter = await requestAdapter();
  if (!adapter) return { adapter: "", software: false };
  return { ...describeAdapter(adapter), ...detailsOf(adapter) };
}

/**
 * Probe the browser. All contexts and objects that the probe creates are released.
 * @returns {Promise<Probe>}
 */
export async function probe() {
  return {
    host: probeHost(),
    webgpu: await probeWebgpu(),
    webgl: probeWebgl(),
    wasm: probeWasm(),
    crossOriginIsolated: globalThis.crossOriginIsolated === true,
    worker: typeof document === "undefined",
    offscreenCanvas: typeof OffscreenCanvas !== "undefined",
    hardwareConcurrency: globalThis.navigator?.hardwareConcurrency ?? 1,
    budgets: defaultBudgets(),
  };
}
