// Count the bytes of WebGPU buffers and of WebAssembly's memories, in this page and in the workers that it starts.

/** @typedef {{gpu: number, wasm: number}} Bytes */

const CHANNEL = `memory-${crypto.randomUUID()}`;
const WAIT_MS = 500;

/**
 * Count in the current thread, and answer on a channel. Workers run this function's source.
 * @param {string} channel
 */
function count(channel) {
  const device = /** @type {any} */ (globalThis).GPUDevice?.prototype;
  const buffer = /** @type {any} */ (globalThis).GPUBuffer?.prototype;
  let gpu = 0;
  if (device) {
    const counted = new WeakSet();
    const { createBuffer } = device;
    const { destroy } = buffer;
    device.createBuffer = function (/** @type {{size: number}} */ descriptor) {
      const made = createBuffer.call(this, descriptor);
      counted.add(made);
      gpu += descriptor.size;
      return made;
    };
    buffer.destroy = function () {
      if (counted.delete(this)) gpu -= this.size;
      destroy.call(this);
    };
  }

  /** @type {Set<WeakRef<WebAssembly.Memory>>} */
  const memories = new Set();
  const { Memory, instantiate, instantiateStreaming } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    /** @param {WebAssembly.MemoryDescriptor} descriptor */
    constructor(descriptor) {
      super(descriptor);
      memories.add(new WeakRef(this));
    }
  };
  const listed = (/** @type {any} */ made) => {
    for (const one of Object.values((made.instance ?? made).exports)) {
      // An exported memory that was imported is counted already.
      if (one instanceof Memory && !(one instanceof WebAssembly.Memory)) {
        memories.add(new WeakRef(one));
      }
    }
    return made;
  };
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {[any, any]} */ ...given) => listed(await instantiate(...given))
  );
  WebAssembly.instantiateStreaming = async (...given) =>
    listed(await instantiateStreaming(...given));

  const asked = new BroadcastChannel(channel);
  asked.onmessage = ({ data }) => {
    if (data !== "ask") return;
    const sizes = [...memories].map((one) => one.deref()?.buffer.byteLength ?? 0);
    asked.postMessage({ gpu, wasm: sizes.reduce((a, b) => a + b, 0) });
  };
}

/** Count from now on. */
export function countBytes() {
  count(CHANNEL);
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    /**
     * @param {string | URL} address
     * @param {WorkerOptions} [options]
     */
    constructor(address, options) {
      const { href } = new URL(address, location.href);
      super(href.startsWith("blob:") ? counting(href, options?.type) : address, options);
    }
  };
}

/** @param {string} source */
const script = (source) => URL.createObjectURL(new Blob([source], { type: "text/javascript" }));

/**
 * Return the address of a script for a worker that counts and then runs another script.
 * @param {string} address
 * @param {WorkerType} [type]
 */
function counting(address, type) {
  const begin = script(`(${count})(${JSON.stringify(CHANNEL)});`);
  if (type !== "module") return script(`importScripts("${begin}", "${address}");`);
  return script(`import "${begin}";\nimport "${address}";`);
}

/**
 * Return the bytes of all buffers that were created and not destroyed, and of all memories.
 * @returns {Promise<Bytes>}
 */
export async function liveBytes() {
  const total = { gpu: 0, wasm: 0 };
  const asking = new BroadcastChannel(CHANNEL);
  asking.onmessage = ({ data }) => {
    if (typeof data === "string") return;
    total.gpu += data.gpu;
    total.wasm += data.wasm;
  };
  asking.postMessage("ask");
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  asking.close();
  return total;
}
