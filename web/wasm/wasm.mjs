// The wasm backend: XNNPACK and own kernels in a WebAssembly module with a heap of its own.

import { OpError } from "../runtime/errors.mjs";
import { startModule } from "./module.mjs";

/**
 * @typedef {object} WasmOptions
 * @property {import("./module.mjs").Variant} variant
 * @property {Uint8Array} wasm the module's bytes
 * @property {number} [threads] how many; left out or 0: as many as the device has, at most 8
 * @property {import("./module.mjs").Codegen} [codegen] whether elementwise kernels are
 *   compiled to WebAssembly: "auto" (the default) where it pays, "always" at once, or "never"
 *
 * @typedef {{ address: number, count: number, type: ElementType }} Slot
 */

const ELEMENT_TYPES = [
  { name: "float32", size: 4 },
  { name: "int32", size: 4 },
  { name: "bool", size: 1 },
];

/** @typedef {(typeof ELEMENT_TYPES)[number]} ElementType */

/** How many slots a Program may take; they cross in an array of this length. */
const MAX_ARGUMENTS = 65536;

const MAX_TENSOR_BYTES = 2 ** 31 - 1;

/** What the module says when memory has run out, of the heap or in XNNPACK. */
const OUT_OF_MEMORY = /out of memory/;

/** The module's C API with errors as exceptions and its heap as views. */
class Glue {
  /** @param {XnnpackModule} module */
  constructor(module) {
    this.module = module;
    this.wordsAt = module._tfpy_words() >>> 2;
    this.bytes = new Uint8Array(0);
    this.words = new Uint32Array(0);
    this.refresh();
  }

  /** Makes the views anew where growing has replaced the heap's buffer. */
  refresh() {
    const { buffer } = this.module.wasmMemory;
    if (this.bytes.buffer !== buffer) {
      this.bytes = new Uint8Array(buffer);
      this.words = new Uint32Array(buffer);
    }
  }

  /**
   * The result of a C call, after which the views are good.
   * @param {number} result
   */
  check(result) {
    this.refresh();
    if (result >= 0) return result;
    const text = `wasm: ${this.module.UTF8ToString(this.module._tfpy_last_error())}`;
    throw OUT_OF_MEMORY.test(text) ? new OpError("ResourceExhaustedError", text) : new Error(text);
  }

  /**
   * @param {number} id
   * @returns {Slot}
   */
  describe(id) {
    this.check(this.module._tfpy_slot_describe(id));
    const { words, wordsAt: at } = this;
    return { address: words[at], count: words[at + 1], type: ELEMENT_TYPES[words[at + 2]] };
  }

  /**
   * A new slot with these bytes.
   * @param {Uint8Array} source
   * @param {number} count number of elements
   * @param {number} dtype index into ELEMENT_TYPES
   */
  newSlot(source, count, dtype) {
    const id = this.check(this.module._tfpy_slot_new(count, dtype));
    this.bytes.set(source, this.describe(id).address);
    return id;
  }

  /**
   * The bytes of a slot, as long as the heap does not grow.
   * @param {number} id
   */
  bytesOf(id) {
    const { address, count, type } = this.describe(id);
    return this.bytes.subarray(address, address + count * type.size);
  }

  /** @param {number} id */
  free(id) {
    this.check(this.module._tfpy_slot_free(id));
  }

  /**
   * @param {string} json
   * @param {Uint8Array} constants
   */
  register(json, constants) {
    const bytesType = ELEMENT_TYPES.findIndex((type) => type.size === 1);
    const text = new TextEncoder().encode(json);
    const textSlot = this.newSlot(text, text.length, bytesType);
    try {
      const constantsSlot = this.newSlot(constants, constants.length, bytesType);
      return this.check(this.module._tfpy_program_register(textSlot, constantsSlot));
    } catch (error) {
      // Registering takes both slots, whatever its result; making the second one may fail before.
      this.module._tfpy_slot_free(textSlot);
      throw error;
    }
  }

  /**
   * @param {number} program
   * @param {number[]} slots
   */
  run(program, slots) {
    if (slots.length > MAX_ARGUMENTS) throw new Error(`wasm: more than ${MAX_ARGUMENTS} inputs`);
    this.refresh();
    this.words.set(slots, this.wordsAt);
    return this.check(this.module._tfpy_program_run(program, slots.length));
  }

  /** @returns {import("../runtime/timing.mjs").KernelTimes} */
  stepTimes() {
    /** @type {[string, number, null][]} */
    const kernels = [];
    for (let count = -1; count !== 0; ) {
      count = this.module._tfpy_step_times(kernels.length);
      this.refresh();
      const { words, wordsAt: at } = this;
      const ms = new Float32Array(words.buffer);
      for (let i = at; i < at + 2 * count; i += 2) {
        kernels.push([this.module.UTF8ToString(words[i]), ms[i + 1], null]);
      }
    }
    this.module._tfpy_time_steps(0);
    return { kernels, reason: "" };
  }

  memory() {
    this.module._tfpy_memory();
    this.refresh();
    const [slots, bytes, programs, threads, generated, refused, peakBytes] = this.words.subarray(
      this.wordsAt,
    );
    const heapBytes = this.bytes.length;
    return { slots, bytes, peakBytes, heapBytes, programs, threads, generated, refused };
  }
}

/**
 * Opens the wasm backend.
 * @param {WasmOptions} options
 * @returns {Promise<import("../runtime/backend.mjs").Backend
 *   & import("../runtime/backend.mjs").BlockingRead & import("../runtime/backend.mjs").Timed>}
 */
export async function openWasm({ variant, wasm, threads = 0, codegen = "auto" }) {
  const module = await startModule(variant, wasm, threads, codegen);
  const glue = new Glue(module);
  return {
    variant,
    limits: { tensorBytes: MAX_TENSOR_BYTES },
    write(heap, ptr, count, dtype) {
      const index = ELEMENT_TYPES.findIndex((type) => type.name === dtype);
      if (index < 0) throw new Error(`wasm: there is no dtype ${dtype}`);
      const source = new Uint8Array(heap, ptr, count * ELEMENT_TYPES[index].size);
      return glue.newSlot(source, count, index);
    },
    read(heap, ptr, slot) {
      const source = glue.bytesOf(slot);
      new Uint8Array(heap, ptr, source.length).set(source);
    },
    free(...slots) {
      for (const slot of slots) glue.free(slot);
    },
    register: (json, heap, ptr, nbytes) => glue.register(json, new Uint8Array(heap, ptr, nbytes)),
    async registerAsync(json, heap, ptr, nbytes, progress) {
      const program = glue.register(json, new Uint8Array(heap, ptr, nbytes));
      progress(1, 1);
      return program;
    },
    release: (program) => void glue.check(module._tfpy_program_release(program)),
    run: (program, ...slots) => glue.run(program, slots),
    memory: () => glue.memory(),
    startTiming: () => module._tfpy_time_steps(1),
    stopTiming: () => glue.stepTimes(),
    async finish() {},
    close() {
      module._tfpy_close();
      module.PThread?.terminateAllThreads();
    },
  };
}
