/**
 * Converts the inputs that a page passes to the bytes of tensors.
 *
 * @typedef {import("./tfpy-run.js").Spec} Spec
 * @typedef {import("./tfpy-run.js").Input} Input
 * @typedef {import("./document.mjs").SignatureText} SignatureText
 *
 * @typedef {object} Given an input that was passed
 * @property {ArrayLike<number>} data numbers; for an image red, green, blue, alpha from 0 to 255
 * @property {number[] | null} shape shape, if it is known
 * @property {boolean} picture
 */

const PICTURE_CHANNELS = 4;
const DEEPEST = 32;
const TENSOR = ["data", "shape", "dtype"];

/**
 * @param {Input} input
 * @param {string} name
 * @returns {Given}
 */
export function taken(input, name) {
  if (typeof input === "number" || typeof input === "boolean") {
    return { data: [Number(input)], shape: [], picture: false };
  }
  const pixels = pixelsOf(input);
  if (pixels !== null) {
    const { data, width, height } = pixels;
    return { data, shape: [height, width, PICTURE_CHANNELS], picture: true };
  }
  if (ArrayBuffer.isView(input)) return flat(/** @type {any} */ (input), null, name);
  if (Array.isArray(input)) return nested(input, name);
  const { data, shape } = /** @type {any} */ (input) ?? {};
  if (data === undefined) throw new TypeError(`input '${name}' is neither numbers nor an image`);
  return flat(data, shape ?? null, name);
}

/**
 * @param {any} data
 * @param {any} shape
 * @param {string} name
 * @returns {Given}
 */
function flat(data, shape, name) {
  const numbers = Array.isArray(data) || ArrayBuffer.isView(data);
  if (!numbers || ["DataView", "BigInt64Array", "BigUint64Array"].includes(kindOf(data))) {
    throw new TypeError(`input '${name}' must be an array of numbers`);
  }
  return { data: /** @type {any} */ (data), shape: shape && Array.from(shape), picture: false };
}

/**
 * @param {any[]} rows
 * @param {string} name
 * @returns {Given}
 */
function nested(rows, name) {
  const shape = [];
  for (let row = /** @type {any} */ (rows); Array.isArray(row); row = row[0])
    shape.push(row.length);
  const data = shape.length > DEEPEST ? [] : rows.flat(DEEPEST);
  if (data.length !== shape.reduce((a, b) => a * b, 1)) {
    throw new TypeError(`the rows of input '${name}' differ in length`);
  }
  // A flat list fits any shape with that number of elements.
  return { data: data.map(Number), shape: shape.length > 1 ? shape : null, picture: false };
}

/** Return the name of an object's class in the browser, also for an object of an iframe. @param {any} input */
const kindOf = (input) => Object.prototype.toString.call(input).slice("[object ".length, -1);

/**
 * @param {any} input
 * @returns {{data: Uint8ClampedArray, width: number, height: number} | null}
 */
function pixelsOf(input) {
  const kind = kindOf(input);
  if (kind === "ImageData") return input;
  const drawn = [
    ...["HTMLImageElement", "HTMLVideoElement", "HTMLCanvasElement", "OffscreenCanvas"],
    ...["ImageBitmap", "VideoFrame", "SVGImageElement"],
  ];
  if (!drawn.includes(kind)) return null;
  const width = input.videoWidth ?? input.naturalWidth ?? input.displayWidth ?? input.width;
  const height = input.videoHeight ?? input.naturalHeight ?? input.displayHeight ?? input.height;
  if (!(width > 0 && height > 0)) throw new TypeError("an image has no pixels yet");
  const canvas =
    typeof OffscreenCanvas === "undefined"
      ? Object.assign(document.createElement("canvas"), { width, height })
      : new OffscreenCanvas(width, height);
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext("2d", { willReadFrequently: true })
  );
  context.drawImage(input, 0, 0);
  return context.getImageData(0, 0, width, height);
}

/** @param {number[]} shape */
export function sizeOf(shape) {
  return shape.reduce((a, b) => a * b, 1);
}

/**
 * @param {Given} given
 * @param {Spec} spec
 */
export function fits({ data, shape, picture }, spec) {
  if (picture && shape !== null) {
    const [channels, width, height, ...more] = spec.shape.toReversed();
    const sizes = height === shape[0] && width === shape[1] && more.every((n) => n === 1);
    return sizes && channels >= 1 && channels <= PICTURE_CHANNELS;
  }
  const wanted = sizeOf(spec.shape) * (spec.dtype === "complex64" ? 2 : 1);
  const same = shape === null || shape.join() === spec.shape.join();
  return data.length === wanted && same;
}

/**
 * Return the bytes of a tensor.
 * @param {Given} given input that fits
 * @param {Spec} spec
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOf({ data, picture }, { dtype, shape }) {
  const numbers = picture ? channelsOf(data, shape[shape.length - 1]) : data;
  if (dtype === "bool") return Uint8Array.from(numbers, (x) => Number(Boolean(x)));
  const array = dtype === "int32" ? Int32Array.from(numbers) : Float32Array.from(numbers);
  return new Uint8Array(array.buffer);
}

/**
 * @param {ArrayLike<number>} pixels
 * @param {number} channels number of channels to keep of red, green, blue and alpha
 */
function channelsOf(pixels, channels) {
  const found = new Uint8Array((pixels.length / PICTURE_CHANNELS) * channels);
  for (let i = 0; i < found.length; i++) {
    found[i] = pixels[Math.floor(i / channels) * PICTURE_CHANNELS + (i % channels)];
  }
  return found;
}

/**
 * Return the shape of an input for an error message.
 * @param {Given} given
 */
export function shown({ data, shape }) {
  return shape === null ? `${data.length} elements` : `[${shape}]`;
}

/** @param {Spec} spec */
export function shownSpec({ dtype, shape }) {
  return `${dtype}[${shape}]`;
}

/**
 * Return inputs by name. A single input may be passed alone, and several as an array.
 *
 * @param {string} functionName
 * @param {string[]} names names of the function's inputs
 * @param {any} inputs
 * @returns {Record<string, Input>}
 */
function byName(functionName, names, inputs) {
  if (isMapping(inputs, names)) return inputs;
  if (names.length === 0 && inputs === undefined) return {};
  const ordered = names.length === 1 ? [inputs] : inputs;
  if (!Array.isArray(ordered) || ordered.length !== names.length) {
    if (names.length === 0) throw new TypeError(`${functionName} takes no inputs. Pass {}.`);
    const forms = "an array of them, or an object that maps their names to them";
    throw new TypeError(
      `${functionName} takes the ${names.length} inputs ${names.join(", ")}. Pass ${forms}.`,
    );
  }
  return Object.fromEntries(names.map((name, i) => [name, ordered[i]]));
}

/**
 * Return true for an object that maps names to inputs, and false for an input such as { data, shape, dtype }. A plain
 * object is a mapping unless it can only be a tensor. An instance of a class, such as an array of a library, is an
 * input unless it has the names.
 * @param {any} value
 * @param {string[]} names
 */
function isMapping(value, names) {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  const keys = Object.keys(value);
  const others = keys.filter((key) => !TENSOR.includes(key));
  const isNamed = (/** @type {string} */ key) => names.includes(key);
  if (isPlain(value)) {
    return !keys.includes("data") || others.length > 0 || keys.every(isNamed);
  }
  if (value.data === undefined) return keys.some(isNamed);
  return others.some(isNamed) || (keys.includes("data") && keys.every(isNamed));
}

/** Return true for an object that is not an instance of a class, also of an iframe's. @param {object} value */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Return the signature that matches the inputs, and the inputs in its order.
 *
 * @param {string} functionName
 * @param {SignatureText[]} signatures
 * @param {import("./tfpy-run.js").Inputs} inputs
 */
export function choose(functionName, signatures, inputs) {
  const names = signatures[0].inputs.map(({ name }) => name);
  const all = new Set(signatures.flatMap((one) => one.inputs.map(({ name }) => name)));
  const passed = byName(functionName, names, inputs);
  for (const name of Object.keys(passed)) {
    if (!all.has(name)) {
      const known = names.length > 0 ? `takes ${names.join(", ")}` : "takes no inputs";
      throw new TypeError(`${functionName} has no input '${name}'; it ${known}`);
    }
  }
  const given = new Map(Object.entries(passed).map(([name, one]) => [name, taken(one, name)]));
  for (const [chosen, { inputs: specs }] of signatures.entries()) {
    const found = specs.map((spec) => ({ spec, one: given.get(spec.name) }));
    if (specs.length === given.size && found.every(({ spec, one }) => one && fits(one, spec))) {
      return { chosen, given: found.map(({ one }) => /** @type {any} */ (one)) };
    }
  }
  const missing = names.filter((name) => !given.has(name));
  if (missing.length > 0 && signatures.length === 1) {
    throw new TypeError(`${functionName} is missing the inputs ${missing.join(", ")}`);
  }
  const takes = signatures.map(({ inputs: specs }) => {
    return `(${specs.map((spec) => `${spec.name}: ${shownSpec(spec)}`).join(", ")})`;
  });
  const got = [...given].map(([name, one]) => `${name}: ${shown(one)}`).join(", ");
  throw new TypeError(`${functionName} takes ${takes.join(" or ")}, got (${got})`);
}
