// Page-side half of tests/fuzz/webgl_device.py: one WebGL2 backend, asked by lists of commands.

import { openWebgl } from "../web/webgl/webgl.mjs";
import { trial } from "./trial.mjs";

/** @type {import("../web/webgl/webgl.mjs").Backend | null} */
let opened = null;

/** Opens the backend; what Programs for it must keep to. */
export function open() {
  opened = openWebgl();
  return opened.limits;
}

/**
 * A heap with the bytes at an address that is not 0.
 *
 * @param {string} base64
 */
function heapOf(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const heap = new ArrayBuffer(bytes.length + 64);
  new Uint8Array(heap).set(bytes, 64);
  return { heap, nbytes: bytes.length };
}

/** @param {ArrayBuffer} heap */
function base64Of(heap) {
  let text = "";
  for (const byte of new Uint8Array(heap)) text += String.fromCharCode(byte);
  return btoa(text);
}

/** @typedef {import("../web/webgl/webgl.mjs").Backend} Backend */

/** @type {Record<string, (backend: Backend, ...args: any[]) => unknown>} */
const COMMANDS = {
  write: (backend, data, count, dtype) => backend.write(heapOf(data).heap, 64, count, dtype),
  read(backend, slot, nbytes) {
    const heap = new ArrayBuffer(nbytes);
    backend.read(heap, 0, slot);
    return base64Of(heap);
  },
  register(backend, json, data) {
    const { heap, nbytes } = heapOf(data);
    return backend.register(json, heap, 64, nbytes);
  },
  run: (backend, program, ...slots) => backend.run(program, ...slots),
  free: (backend, ...slots) => backend.free(...slots),
  release: (backend, program) => backend.release(program),
  memory: (backend) => backend.memory(),
};

/**
 * Performs commands in order, up to the first that fails.
 *
 * @param {[string, ...unknown[]][]} commands
 */
export function perform(commands) {
  if (opened === null) throw new Error("open() first");
  const results = [];
  try {
    for (const [name, ...args] of commands) results.push(COMMANDS[name](opened, ...args) ?? null);
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    return { results, error: `${name}: ${message}` };
  }
  return { results, error: null };
}

/**
 * What becomes of broken Programs.
 *
 * @param {[string, string][]} programs with their constants in base64
 */
export function trials(programs) {
  const backend = opened;
  if (backend === null) throw new Error("open() first");
  return programs.map(([json, data]) =>
    trial(
      backend,
      json,
      Uint8Array.from(atob(data), (c) => c.charCodeAt(0)),
    ),
  );
}
