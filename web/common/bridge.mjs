// The functions that Python calls. Structured data crosses as JSON text, other arguments as integers, and bytes as
// an address in Pyodide's heap. The heap's buffer is read at each call, because growing memory replaces it.

import { openWasm } from "../wasm/wasm.mjs";
import { openWebgl } from "../webgl/webgl.mjs";
import { openWebgpu } from "../webgpu/webgpu.mjs";
import { settling } from "./answers.mjs";
import { probe } from "./probe.mjs";
import { Repeats } from "./repeats.mjs";
import { nextTask } from "./turns.mjs";

/**
 * @typedef {import("./backend.mjs").Backend & Partial<import("./backend.mjs").BlockingRead>
 *   & Partial<import("./backend.mjs").AsyncRead>
 *   & Partial<import("./backend.mjs").Sliced>
 *   & Partial<import("./backend.mjs").Timed>
 *   & Partial<import("./backend.mjs").Sharing>
 *   & Partial<import("./backend.mjs").Pictured>
 *   & Partial<import("./backend.mjs").Losable>} Backend
 * @typedef {import("./backend.mjs").AsyncRead} AsyncBackend
 */

/**
 * Emscripten's module object of Pyodide. With `jspiSupported`, functions called by Python may wait for the browser.
 * @typedef {{ HEAPU8: Uint8Array, jspiSupported?: boolean }} HeapOwner
 */

/**
 * A Python function that is called back when the request with a number has a result or has failed.
 * @typedef {(number: number, error?: Error, found?: unknown) => void} Settled
 * @typedef {Settled & {callPromising: (...given: Parameters<Settled>) => Promise<void>}} Settle
 */

/**
 * Return the results of the feature probe as JSON.
 * @returns {Promise<string>}
 */
export async function probeJson() {
  return JSON.stringify(await probe());
}

/**
 * Open a backend.
 * @param {string} kind "webgpu", "webgl" or "wasm"
 * @param {string} options JSON of the backend's options
 * @param {HeapOwner} owner
 * @param {number} pointer the wasm module's bytes in the heap
 * @param {number} size number of bytes; 0 for the others
 * @returns {Promise<Backend>}
 */
export async function openJson(kind, options, owner, pointer, size) {
  const parsed = JSON.parse(options);
  if (kind === "webgpu") return openWebgpu(parsed);
  if (kind === "webgl") return openWebgl(parsed);
  if (kind === "wasm") {
    const wasm = owner.HEAPU8.slice(pointer, pointer + size);
    return openWasm({ ...parsed, wasm });
  }
  throw new Error(`no backend is called ${kind}`);
}

/**
 * Return a backend's functions with Pyodide's heap bound to them.
 * @param {Backend} backend
 * @param {HeapOwner} owner
 * @param {Settle} settle called back for each read that was started
 */
export function bindHeap(backend, owner, settle) {
  const repeats = new Repeats(backend);
  /** @type {(pointer: number, size: number, slot: number) => Promise<void>} */
  async function readInto(pointer, size, slot) {
    const turn = nextTask(); // keeps the page responsive during a loop of reads
    await /** @type {AsyncBackend} */ (backend).readAsync(slot, (elements) => {
      const { buffer, byteOffset, byteLength } = elements;
      if (byteLength !== size) throw new Error(`slot ${slot} has ${byteLength} bytes, not ${size}`);
      owner.HEAPU8.set(new Uint8Array(buffer, byteOffset, byteLength), pointer);
    });
    await turn;
  }
  const settled = settling(settle, owner);
  return {
    variant: backend.variant,
    limits: JSON.stringify(backend.limits),
    /** @type {(pointer: number, count: number, dtype: string) => number} */
    write: (pointer, count, dtype) => backend.write(owner.HEAPU8.buffer, pointer, count, dtype),
    /** @type {(pointer: number, slot: number) => void} */
    read: (pointer, slot) => backend.read?.(owner.HEAPU8.buffer, pointer, slot),
    readsAtOnce: backend.read !== undefined,
    /** @type {((pointer: number, size: number, slot: number, number: number) => void) | undefined} */
    startRead:
      backend.readAsync &&
      ((pointer, size, slot, number) => {
        readInto(pointer, size, slot).then(
          () => settled(number),
          (error) => settled(number, error),
        );
      }),
    /** @type {(...slots: number[]) => void} */
    free: (...slots) => backend.free(...slots),
    /** @type {(json: string, pointer: number, size: number) => number} */
    register: (json, pointer, size) => backend.register(json, owner.HEAPU8.buffer, pointer, size),
    /** @type {(json: string, pointer: number, size: number, progress: (done: number, total: number) => void) => Promise<number>} */
    registerAsync: (json, pointer, size, progress) =>
      backend.registerAsync(json, owner.HEAPU8.buffer, pointer, size, progress),
    /** @type {(program: number) => void} */
    release(program) {
      repeats.forget(program);
      backend.release(program);
    },
    run: backend.run.bind(backend),
    begin: backend.begin?.bind(backend),
    goOn: backend.goOn?.bind(backend),
    drop: backend.drop?.bind(backend),
    /** @type {(program: number, json: string) => void} */
    link: (program, json) => repeats.link(program, json),
    /** @type {(program: number, count: number, ...slots: number[]) => number} */
    repeat: (program, count, ...slots) => repeats.run(program, count, slots),
    memory: () => JSON.stringify(backend.memory()),
    finish: () => backend.finish(),
    startTiming: () => backend.startTiming?.(),
    /** @returns {string | Promise<string>} */
    stopTiming() {
      const times = backend.stopTiming?.();
      return times instanceof Promise ? times.then(JSON.stringify) : JSON.stringify(times);
    },
    /** @type {(source: any, height: number, width: number, channels: number) => number} */
    picture: (...given) => backend.picture?.(...given) ?? 0,
    draws: backend.draw !== undefined,
    /** @type {(slot: number, canvas: any, look: string) => boolean | undefined} */
    draw: (slot, canvas, look) => backend.draw?.(slot, canvas, JSON.parse(look)),
    gpu: backend.gpu,
    borrow: backend.borrow?.bind(backend),
    lend: backend.lend?.bind(backend),
    lost: () => backend.lost?.() ?? "",
    /** @type {(pointer: number, slot: number) => boolean} */
    rescue: (pointer, slot) => backend.rescue?.(owner.HEAPU8.buffer, pointer, slot) ?? false,
    close: () => backend.close(),
  };
}
