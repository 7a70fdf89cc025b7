/**
 * Reads images of the page: the browser copies them to a texture, and a kernel writes their pixels to a
 * buffer. A video's frame is copied by a kernel, because it is valid only until the task ends.
 *
 * @typedef {import("./buffers.mjs").Storage} Storage
 * @typedef {import("./commands.mjs").Commands} Commands
 */

/** Number of invocations of a workgroup along each dimension. */
const GROUP = 8;

const FRAME = `
@group(0) @binding(0) var frame: texture_external;
@group(0) @binding(1) var picture: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(${GROUP}, ${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  if (any(at.xy >= textureDimensions(picture))) { return; }
  textureStore(picture, at.xy, textureLoad(frame, at.xy));
}`;

const LEVELS = `
override channels: u32;
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> levels: array<i32>;

@compute @workgroup_size(${GROUP}, ${GROUP})
fn main(@builtin(global_invocation_id) at: vec3u) {
  let size = textureDimensions(picture);
  if (any(at.xy >= size)) { return; }
  let texel = vec4i(round(textureLoad(picture, at.xy, 0) * 255.0));
  let first = (at.y * size.x + at.x) * channels;
  for (var c = 0u; c < channels; c++) { levels[first + c] = texel[c]; }
}`;

export class Pictures {
  /**
   * @param {GPUDevice} gpu
   * @param {Commands} commands
   * @param {boolean} importsFrames whether a video's frames are imported without a copy
   */
  constructor(gpu, commands, importsFrames) {
    this.gpu = gpu;
    this.importsFrames = importsFrames && "importExternalTexture" in gpu;
    this.commands = commands;
    /** @type {Map<number, GPUComputePipeline>} pipelines of LEVELS by number of channels, and of FRAME as 0 */
    this.pipelines = new Map();
  }

  /**
   * Return the current pixels of an image; null if it is too large, or if the browser does not provide them.
   *
   * @param {any} source
   * @param {number} width
   * @param {number} height
   * @returns {GPUTexture | null}
   */
  take(source, width, height) {
    const { gpu } = this;
    if (Math.max(width, height) > gpu.limits.maxTextureDimension2D) return null;
    const { TEXTURE_BINDING, STORAGE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
    const texture = gpu.createTexture({
      size: [width, height],
      format: "rgba8unorm",
      usage: TEXTURE_BINDING | STORAGE_BINDING | COPY_DST | RENDER_ATTACHMENT,
    });
    try {
      const isVideo = "videoWidth" in source;
      if (isVideo && this.importsFrames) {
        this.copyFrame(gpu.importExternalTexture({ source }), texture);
        return texture;
      }
      const still = isVideo ? drawn(source, width, height) : source;
      gpu.queue.copyExternalImageToTexture({ source: still }, { texture }, [width, height]);
      return texture;
    } catch {
      texture.destroy();
      return null;
    }
  }

  /**
   * @param {GPUExternalTexture} frame
   * @param {GPUTexture} texture
   */
  copyFrame(frame, texture) {
    this.run(this.pipeline(0), [frame, texture.createView()], texture);
  }

  /**
   * Write the levels of the first channels, 0 to 255, after all commands encoded so far.
   *
   * @param {GPUTexture} texture texture, which is destroyed
   * @param {number} channels
   * @param {Storage} storage
   */
  write(texture, channels, { handle }) {
    const { commands } = this;
    const pipeline = this.pipeline(channels);
    commands.inOrder(() => {
      commands.flush();
      this.run(pipeline, [texture.createView(), { buffer: handle }], texture);
      texture.destroy();
    });
  }

  /**
   * Submit a kernel over the texels of a texture.
   *
   * @param {GPUComputePipeline} pipeline
   * @param {GPUBindingResource[]} resources
   * @param {GPUTexture} texture
   */
  run(pipeline, resources, { width, height }) {
    const { gpu } = this;
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const group = gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const encoder = gpu.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(width / GROUP), Math.ceil(height / GROUP));
    pass.end();
    gpu.queue.submit([encoder.finish()]);
  }

  /** @param {number} channels number of channels for LEVELS; 0 means FRAME */
  pipeline(channels) {
    const found = this.pipelines.get(channels);
    if (found !== undefined) return found;
    const label = "from_pixels";
    const module = this.gpu.createShaderModule({ label, code: channels ? LEVELS : FRAME });
    const compute = channels ? { module, constants: { channels } } : { module };
    const pipeline = this.gpu.createComputePipeline({ label, layout: "auto", compute });
    this.pipelines.set(channels, pipeline);
    return pipeline;
  }
}

/**
 * Draw the current frame of a video on a canvas and return the canvas.
 *
 * @param {HTMLVideoElement} video
 * @param {number} width
 * @param {number} height
 */
function drawn(video, width, height) {
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.drawImage(video, 0, 0, width, height);
  return canvas;
}
