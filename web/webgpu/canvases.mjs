/**
 * Draws tensors on canvases without the CPU: a render pass reads the buffer. A canvas with a 2d context
 * receives a copy of an offscreen rendering.
 *
 * @typedef {import("./buffers.mjs").Storage} Storage
 * @typedef {import("./commands.mjs").Commands} Commands
 * @typedef {GPUCanvasContext | CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context
 *
 * @typedef {object} Image
 * @property {number} height
 * @property {number} width
 * @property {number} channels
 * @property {number} alpha alpha from 0 to 255 if the channels have none
 * @property {boolean} isFloat whether values are from 0 to 1 instead of 0 to 255
 */

/** Values are rounded as on the host, and colors are multiplied by alpha as canvases store them. */
const SOURCE = `
struct Image { width: u32, channels: u32, alpha: u32, isFloat: u32 }
@group(0) @binding(0) var<uniform> image: Image;
@group(0) @binding(1) var<storage, read> values: array<u32>;

fn level(i: u32) -> f32 {
  let bits = values[i];
  let level = select(f32(bitcast<i32>(bits)), bitcast<f32>(bits) * 255.0, image.isFloat == 1u);
  return clamp(round(level), 0.0, 255.0) / 255.0;
}

@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment fn pixel(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let first = (u32(at.y) * image.width + u32(at.x)) * image.channels;
  var color = vec3f(level(first));
  var alpha = f32(image.alpha) / 255.0;
  if (image.channels >= 3u) { color = vec3f(color.r, level(first + 1u), level(first + 2u)); }
  if (image.channels == 4u) { alpha = level(first + 3u); }
  return vec4f(color * alpha, alpha);
}`;

const PARAMS_BYTES = 16;

export class Canvases {
  /**
   * @param {GPUDevice} gpu
   * @param {Commands} commands
   */
  constructor(gpu, commands) {
    this.gpu = gpu;
    this.commands = commands;
    this.format = navigator.gpu.getPreferredCanvasFormat();
    const { UNIFORM, COPY_DST } = GPUBufferUsage;
    this.params = gpu.createBuffer({ size: PARAMS_BYTES, usage: UNIFORM | COPY_DST });
    /** @type {GPURenderPipeline | null} */
    this.pipeline = null;
    /** @type {{canvas: OffscreenCanvas, context: GPUCanvasContext} | null} for those with a 2d context */
    this.beside = null;
  }

  /**
   * Resize a canvas to an image and draw it, after all commands encoded so far.
   *
   * @param {Context} context context of the canvas
   * @param {Storage} storage
   * @param {Image} image
   */
  draw(context, { handle }, image) {
    this.commands.inOrder(() => {
      this.commands.flush();
      if ("configure" in context) {
        this.render(context, handle, image);
        return;
      }
      const beside = this.rendering();
      this.render(beside.context, handle, image);
      context.canvas.width = image.width; // this also resets the context's state, e.g. transforms
      context.canvas.height = image.height;
      context.drawImage(beside.canvas, 0, 0);
    });
  }

  /**
   * @param {GPUCanvasContext} context
   * @param {GPUBuffer} handle
   * @param {Image} image
   */
  render(context, handle, { height, width, channels, alpha, isFloat }) {
    const { canvas } = context;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const { gpu, format, params } = this;
    context.configure({ device: gpu, format, alphaMode: "premultiplied" });
    gpu.queue.writeBuffer(params, 0, Uint32Array.of(width, channels, alpha, Number(isFloat)));
    this.pipeline ??= this.made();
    const entries = [params, handle].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = gpu.createBindGroup({ layout: this.pipeline.getBindGroupLayout(0), entries });
    const view = context.getCurrentTexture().createView();
    const encoder = gpu.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }],
    });
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    gpu.queue.submit([encoder.finish()]);
  }

  made() {
    const module = this.gpu.createShaderModule({ label: "draw", code: SOURCE });
    return this.gpu.createRenderPipeline({
      label: "draw",
      layout: "auto",
      vertex: { module },
      fragment: { module, targets: [{ format: this.format }] },
    });
  }

  rendering() {
    if (this.beside === null) {
      const canvas = new OffscreenCanvas(1, 1);
      const context = /** @type {GPUCanvasContext} */ (canvas.getContext("webgpu"));
      this.beside = { canvas, context };
    }
    return this.beside;
  }
}

/**
 * Return the context of a canvas, created with the kind if the canvas has none. Return null if the
 * existing context cannot be drawn on here, or if the argument is not a canvas.
 *
 * @param {any} canvas
 * @param {"webgpu" | "2d"} kind
 * @param {object} [attributes] attributes of a new context
 * @returns {Context | null}
 */
export function contextOf(canvas, kind, attributes) {
  const other = kind === "2d" ? "webgpu" : "2d";
  return canvas.getContext?.(kind, attributes) ?? canvas.getContext?.(other, attributes) ?? null;
}
