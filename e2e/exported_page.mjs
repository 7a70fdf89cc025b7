// Calls of exported programs in a page, for the tests in test_exported.py.

import { loadProgram } from "/src/tfpy/assets/tfpy-run.mjs";

/** @type {Record<string, any>} */
const ARRAYS = {
  float32: Float32Array,
  int32: Int32Array,
  bool: Uint8Array,
  complex64: Float32Array,
};

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;
}

/** @param {ArrayBufferView} view */
function base64Of({ buffer, byteOffset, byteLength }) {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Returns the memory of a model after pending transfers, because WebGPU's buffers are read later.
 * @param {Awaited<ReturnType<typeof loadProgram>>} model
 */
async function settled(model) {
  let memory = model.memory();
  for (let before = NaN; memory.allocatedBytes !== before; memory = model.memory()) {
    before = memory.allocatedBytes;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return memory;
}

/**
 * Loads a file and calls its functions. Returns the results and the duration of the first call.
 * @param {string} url
 * @param {any} options
 * @param {[string, Record<string, {dtype: string, shape: number[], base64: string}>][]} calls
 */
export async function called(url, options, calls) {
  const begin = performance.now();
  /** @type {any[]} */
  const heard = [];
  const model = await loadProgram(url, { ...options, onProgress: (one) => heard.push(one) });
  const loaded = performance.now();
  const { slots } = model.memory();
  let first = 0;
  const results = [];
  for (const [name, inputs] of calls) {
    const given = Object.fromEntries(
      Object.entries(inputs).map(([key, { dtype, shape, base64 }]) => [
        key,
        { data: new ARRAYS[dtype](bytesOf(base64)), shape },
      ]),
    );
    const found = await model.run(given, name);
    first ||= performance.now();
    results.push(
      Object.fromEntries(
        Object.entries(found).map(([key, { dtype, shape, data }]) => [
          key,
          { dtype, shape, base64: base64Of(data) },
        ]),
      ),
    );
  }
  const memory = await settled(model);
  const left = memory.slots - slots;
  const { backend, variant, report } = model;
  model.dispose();
  const times = { load: loaded - begin, first: first - loaded };
  return { backend, variant, report, results, left, memory, times, last: heard.at(-1) };
}

/**
 * The same with an adapter that is software (as in the tests), seems to be hardware, or has the
 * lowest limits. Also returns the number of requested adapters and the created kernels.
 * @param {string} url
 * @param {any} options
 * @param {any} calls
 * @param {"software" | "hardware" | "least"} kind
 */
export async function adapters(url, options, calls, kind) {
  const [gpu, device] = [GPU.prototype, GPUDevice.prototype];
  const info = GPUAdapterInfo.prototype;
  const { requestAdapter } = gpu;
  const { createComputePipelineAsync } = device;
  /** @type {[any, string, PropertyDescriptor][]} */
  const kept = ["vendor", "architecture", "description", "isFallbackAdapter"].map((name) => [
    info,
    name,
    /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(info, name)),
  ]);
  kept.push([
    GPUAdapter.prototype,
    "limits",
    /** @type {PropertyDescriptor} */ (
      Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "limits")
    ),
  ]);
  let asked = 0;
  /** @type {string[]} */
  const kernels = [];
  gpu.requestAdapter = function (...args) {
    asked++;
    return requestAdapter.apply(this, args);
  };
  device.createComputePipelineAsync = function (description) {
    kernels.push(description.label ?? "");
    return createComputePipelineAsync.call(this, description);
  };
  if (kind !== "software") {
    for (const [owner, name] of kept.slice(0, 4)) {
      const value = name === "isFallbackAdapter" ? false : "test";
      Object.defineProperty(owner, name, { get: () => value, configurable: true });
    }
  }
  if (kind === "least") {
    const adapter = await requestAdapter.call(navigator.gpu);
    const { limits } = await /** @type {GPUAdapter} */ (adapter).requestDevice();
    Object.defineProperty(GPUAdapter.prototype, "limits", {
      get: () => limits,
      configurable: true,
    });
  }
  try {
    return { ...(await called(url, options, calls)), asked, kernels };
  } finally {
    gpu.requestAdapter = requestAdapter;
    device.createComputePipelineAsync = createComputePipelineAsync;
    for (const [owner, name, property] of kept) Object.defineProperty(owner, name, property);
  }
}

/**
 * Loads corrupt files and runs those that load. Returns the error messages in order, "" for none.
 * @param {string[]} files base64
 * @param {any} options
 * @param {string} name
 * @param {Record<string, any>} inputs
 */
export async function broken(files, options, name, inputs) {
  const found = [];
  for (const file of files) {
    try {
      const model = await loadProgram(bytesOf(file), options);
      await model.run(inputs, name).finally(() => model.dispose());
      found.push("");
    } catch (error) {
      found.push(String(error));
    }
  }
  return found;
}

/**
 * Returns inputs that are instances of classes, or objects of an iframe.
 * @param {ImageData} image
 */
function foreignInputs(image) {
  const { contentDocument, contentWindow } = document.body.appendChild(
    document.createElement("iframe"),
  );
  const realm = /** @type {any} */ (contentWindow);
  const drawn = /** @type {Document} */ (contentDocument).createElement("canvas");
  [drawn.width, drawn.height] = [image.width, image.height];
  drawn.getContext("2d")?.putImageData(image, 0, 0);
  const named = new (class {
    image = image;
  })();
  const numbers = new realm.Float32Array(image.data.filter((_, i) => i % 4 < 3));
  const tensor = new (class {
    get data() {
      return numbers;
    }
    get shape() {
      return [1, image.height, image.width, 3];
    }
  })();
  const pixels = new realm.ImageData(image.data, image.width);
  return [named, Object.assign(new realm.Object(), { image }), drawn, pixels, numbers, tensor];
}

/**
 * Results of a program that takes images, for one image in several forms.
 * @param {string} url
 */
export async function pictures(url) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [3, 2];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = "rgb(10, 20, 30)";
  context.fillRect(0, 0, 3, 2);
  context.fillStyle = "rgb(200, 100, 50)";
  context.fillRect(1, 0, 1, 1);
  const model = await loadProgram(url, { backend: "wasm" });
  const bitmap = await createImageBitmap(canvas);
  const pixels = context.getImageData(0, 0, 3, 2);
  const named = [canvas, pixels, bitmap].map((image) => ({ image }));
  const found = [];
  for (const inputs of [...named, ...foreignInputs(pixels)]) {
    found.push(Array.from((await model.run(inputs)).pixels.data));
  }
  canvas.width = 4;
  const error = await model.run({ image: canvas }).catch(String);
  model.dispose();
  return { found, error };
}
