// Page-side half of tests/fuzz/page_device.py: a GPU backend that executes lists of commands.

import { openWebgl } from "../web/webgl/webgl.mjs";
import { openWebgpu } from "../web/webgpu/webgpu.mjs";
import { bytesIn, trial } from "./trial.mjs";

/** @typedef {import("./trial.mjs").Backend} Backend */

/** @type {Backend | null} */
let opened = null;

/**
 * Opens a backend and returns the limits that Programs for it must respect.
 *
 * @param {"webgl" | "webgpu"} name
 */
export async function open(name) {
  opened = name === "webgl" ? openWebgl() : await openWebgpu();
  return opened.limits;
}

/**
 * Returns a heap with these bytes at an address other than 0.
 *
 * @param {string} base64
 */
function heapOf(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const heap = new ArrayBuffer(bytes.length + 64);
  new Uint8Array(heap).set(bytes, 64);
  return { heap, nbytes: bytes.length };
}

/** @param {Uint8Array} bytes */
function base64Of(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** @type {Record<string, (backend: Backend, ...args: any[]) => unknown>} */
const COMMANDS = {
  write: (backend, data, count, dtype) => backend.write(heapOf(data).heap, 64, count, dtype),
  read: async (backend, slot, nbytes) => base64Of(await bytesIn(backend, slot, nbytes)),
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
 * Executes commands in order, up to the first that fails.
 *
 * @param {[string, ...unknown[]][]} commands
 */
export async function perform(commands) {
  if (opened === null) throw new Error("open() first");
  const results = [];
  try {
    for (const [name, ...args] of commands) {
      results.push((await COMMANDS[name](opened, ...args)) ?? null);
    }
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    return { results, error: `${name}: ${message}` };
  }
  return { results, error: null };
}

/**
 * Runs corrupt Programs and returns the outcomes.
 *
 * @param {[string, string][]} programs with their constants in base64
 */
export async function trials(programs) {
  if (opened === null) throw new Error("open() first");
  const verdicts = [];
  for (const [json, data] of programs) {
    const constants = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    verdicts.push(await trial(opened, json, constants));
  }
  return verdicts;
}
