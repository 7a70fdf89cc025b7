// Page-side half of webgl_page.py: drives web/webgl/webgl.mjs without Pyodide.

import { openWebgl } from "../web/webgl/webgl.mjs";
import { plain, write } from "./tensors.mjs";

/** @typedef {import("./tensors.mjs").Call} Call */

/**
 * Reads a slot's elements asynchronously, and then synchronously, which takes no time by then.
 *
 * @param {import("../web/webgl/webgl.mjs").Backend} backend
 * @param {number} slot
 */
async function readTwice(backend, slot) {
  const first = await backend.readAsync(slot, plain);
  const second = await backend.readAsync(slot, plain);
  if (`${first}` !== `${second}`) throw new Error(`read ${first}, then ${second}`);
  return first;
}

/**
 * Runs Programs with one output each. Infinities and NaN are returned as strings.
 *
 * @param {{float32?: boolean}} options
 * @param {Call[]} calls
 */
export async function results(options, calls) {
  const backend = openWebgl(options);
  const values = [];
  for (const { json, inputs } of calls) {
    const program = backend.register(json, new ArrayBuffer(0), 0, 0);
    const slots = inputs.map((input) => write(backend, input));
    const output = backend.run(program, ...slots);
    values.push(await readTwice(backend, output));
    backend.free(output, ...slots);
    backend.release(program);
  }
  const { slots, bytes, programs, textures, freeTextures } = backend.memory();
  backend.close();
  const closed = backend.memory().allocatedBytes;
  return {
    variant: backend.variant,
    values,
    left: { slots, bytes, programs, used: textures - freeTextures, closed },
  };
}

/**
 * Returns the message of the error that an action throws, or null.
 *
 * @param {() => unknown} action
 */
function messageOf(action) {
  try {
    action();
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
  return null;
}

/**
 * @param {string[]} programs
 * @returns the runtime's message for each, and the memory that remains in use
 */
export function refusals(programs) {
  const backend = openWebgl();
  const messages = programs.map((json) =>
    messageOf(() => backend.register(json, new ArrayBuffer(16), 0, 16)),
  );
  const { programs: kept, textures } = backend.memory();
  backend.close();
  return { messages, kept, textures };
}

/**
 * Opens a backend and returns it with its context, which is intercepted when it is created.
 *
 * @returns {{backend: import("../web/webgl/webgl.mjs").Backend, gl: WebGL2RenderingContext}}
 */
function openWithContext() {
  const prototype = HTMLCanvasElement.prototype;
  const getContext = prototype.getContext;
  /** @type {WebGL2RenderingContext | null} */
  let gl = null;
  // @ts-expect-error: one overload of many
  prototype.getContext = function (...args) {
    // @ts-expect-error: the same
    gl = getContext.apply(this, args);
    return gl;
  };
  const backend = openWebgl();
  prototype.getContext = getContext;
  return { backend, gl: /** @type {WebGL2RenderingContext} */ (/** @type {unknown} */ (gl)) };
}

/**
 * Counts calls of the context's functions during a Program's second run.
 *
 * @param {Call} call
 * @param {string[]} names
 */
export function callsOfSecondRun({ json, inputs }, names) {
  const { backend, gl } = openWithContext();
  const program = backend.register(json, new ArrayBuffer(0), 0, 0);
  const slots = inputs.map((input) => write(backend, input));
  backend.free(backend.run(program, ...slots));
  /** @type {Record<string, number>} */
  const counts = {};
  for (const name of names) {
    // @ts-expect-error: functions by name
    const original = gl[name];
    counts[name] = 0;
    // @ts-expect-error: the same
    gl[name] = (...args) => {
      counts[name]++;
      return original.apply(gl, args);
    };
  }
  backend.run(program, ...slots);
  backend.close();
  return counts;
}

/**
 * Returns the events of a listener while a Program is registered asynchronously, and the result.
 *
 * @param {Call} call
 */
export async function registeredAsync({ json, inputs }) {
  const backend = openWebgl();
  /** @type {number[][]} */
  const heard = [];
  const program = await backend.registerAsync(json, new ArrayBuffer(0), 0, 0, (done, total) => {
    heard.push([done, total]);
  });
  const slots = inputs.map((input) => write(backend, input));
  const values = await backend.readAsync(backend.run(program, ...slots), plain);
  backend.close();
  return { heard, values };
}

/**
 * Runs a Program with two inputs: both kept, rejected, failing, and with the first donated.
 *
 * @param {Call} call
 */
export async function donatedInput({ json, inputs }) {
  const { backend, gl } = openWithContext();
  const program = backend.register(json, new ArrayBuffer(0), 0, 0);
  const [first, second] = inputs.map((input) => write(backend, input));
  const kept = backend.run(program, first, second);
  const before = backend.memory();
  const refused = [
    messageOf(() => backend.run(program, -first, -first)),
    messageOf(() => backend.run(program, -first, first)),
    messageOf(() => backend.run(program, first, -first)),
  ];
  const { drawArrays } = gl;
  gl.drawArrays = () => {
    throw new Error("no drawing");
  };
  refused.push(messageOf(() => backend.run(program, -first, second)));
  gl.drawArrays = drawArrays;
  const failed = backend.memory();
  const donated = backend.run(program, -first, second);
  const after = backend.memory();
  const gone = messageOf(() => backend.free(first));
  const values = [];
  for (const slot of [kept, donated, second]) values.push(await backend.readAsync(slot, plain));
  backend.free(kept, donated, second);
  const left = backend.memory();
  backend.close();
  return { values, refused, gone, memory: [before, failed, after, left] };
}

/**
 * Returns the message of each function after the context was lost, and of a read in progress.
 *
 * @param {Call} call
 */
export async function afterLoss({ json, inputs }) {
  const { backend, gl } = openWithContext();
  const heap = new ArrayBuffer(64);
  const program = backend.register(json, heap, 0, 0);
  const slots = inputs.map((input) => write(backend, input));
  const output = backend.run(program, ...slots);
  const underWay = backend.readAsync(output, plain).then(
    () => null,
    (error) => error.message,
  );
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  const said = [
    messageOf(() => backend.run(program, ...slots)),
    messageOf(() => backend.read(heap, 0, output)),
    messageOf(() => backend.write(heap, 0, 1, "float32")),
    messageOf(() => backend.register(json, heap, 0, 0)),
    await underWay,
  ];
  const freed = messageOf(() => backend.free(output, ...slots));
  backend.close();
  return { said, freed };
}

/**
 * Runs a Program of one input on a device without memory (a failing allocation, a failing
 * computation, a failing read), and again after memory is available.
 *
 * @param {Call} call
 */
export async function outOfMemory({ json, inputs: [input] }) {
  const { backend, gl } = openWithContext();
  const heap = new ArrayBuffer(4 * input.values.length);
  /** @type {string[]} */
  const said = [];
  /** @param {() => unknown} action */
  const hear = async (action) => {
    try {
      await action();
      said.push("nothing");
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      said.push(`${name}: ${message}`);
    }
  };
  const program = backend.register(json, heap, 0, 0);
  const slot = write(backend, input);
  const { texStorage2D, getError, bufferData } = gl;

  gl.texStorage2D = () => {};
  await hear(() => backend.run(program, slot));
  const failed = backend.memory();
  gl.texStorage2D = texStorage2D;
  const first = backend.run(program, slot);
  const values = [await readTwice(backend, first)];

  const second = backend.run(program, slot);
  gl.getError = () => {
    gl.getError = getError;
    return gl.OUT_OF_MEMORY;
  };
  await hear(() => backend.read(heap, 0, second));
  await hear(() => backend.read(heap, 0, second));
  await hear(() => backend.run(program, second));
  values.push(await readTwice(backend, first));
  const third = backend.run(program, slot);

  // @ts-expect-error: one overload of many
  gl.bufferData = (target) => bufferData.call(gl, target, 0, gl.STREAM_READ);
  await hear(() => backend.readAsync(slot, plain)); // reading a Program's slot may need no buffer
  gl.bufferData = bufferData;
  values.push(await readTwice(backend, third));

  backend.free(first, second, third, slot);
  const small = await withoutSmallMemory(backend, gl, json);
  const left = backend.memory();
  backend.close();
  const some = values.map((all) => all.filter((_, i) => i % 1000 === 0));
  return { said, values: some, failed, left, small };
}

/**
 * Lets the textures of a Program fail that are too small for an immediate check. Returns the error
 * of reading its result, and the result once there is memory again.
 *
 * @param {import("../web/webgl/webgl.mjs").Backend} backend
 * @param {WebGL2RenderingContext} gl
 * @param {string} json a Program that squares
 */
async function withoutSmallMemory(backend, gl, json) {
  const text = JSON.parse(json);
  for (const buffer of text.buffers) buffer.shape = [5];
  const program = backend.register(JSON.stringify(text), new ArrayBuffer(0), 0, 0);
  const slot = write(backend, { dtype: "float32", values: [1, 2, 3, 4, 5] });
  const { texStorage2D, getError } = gl;
  gl.texStorage2D = () => {
    gl.getError = () => {
      const earlier = getError.call(gl);
      if (earlier !== gl.NO_ERROR) return earlier;
      gl.getError = getError;
      return gl.OUT_OF_MEMORY;
    };
  };
  const lost = backend.run(program, slot);
  const error = await backend.readAsync(lost, plain).then(
    () => null,
    (failure) => failure.name,
  );
  gl.texStorage2D = texStorage2D;
  const output = backend.run(program, slot);
  const found = await backend.readAsync(output, plain);
  backend.free(lost, output, slot);
  backend.release(program);
  return [error, found[1]];
}
