// The wasm module's C API, with views of its heap.

import { OpError, WrongIndex } from "../common/errors.mjs";

/**
 * @typedef {{ address: number, count: number, type: ElementType }} Slot
 */

export const ELEMENT_TYPES = [
  { name: "float32", size: 4 },
  { name: "int32", size: 4 },
  { name: "bool", size: 1 },
  { name: "int8", size: 1 },
];

/** @typedef {(typeof ELEMENT_TYPES)[number]} ElementType */

/** Maximum number of slots that a Program may take, the length of the array that passes them. */
const MAX_ARGUMENTS = 65536;

/** The module's message if memory runs out, in the heap or in XNNPACK. */
const OUT_OF_MEMORY = /out of memory/;

/** The module's C API with exceptions for errors and with views of its heap. */
export class Glue {
  /** @param {XnnpackModule} module */
  constructor(module) {
    this.module = module;
    this.wordsAt = module._tfpy_words() >>> 2;
    this.bytes = new Uint8Array(0);
    this.words = new Uint32Array(0);
    this.refresh();
  }

  /** Renew the views if growing has replaced the heap's buffer. */
  refresh() {
    const { buffer } = this.module.wasmMemory;
    if (this.bytes.buffer !== buffer) {
      this.bytes = new Uint8Array(buffer);
      this.words = new Uint32Array(buffer);
    }
  }

  /**
   * Check the result of a C call and return it; the views are valid afterwards.
   * @param {number} result
   */
  check(result) {
    this.refresh();
    if (result >= 0) return result;
    const said = this.module.UTF8ToString(this.module._tfpy_last_error());
    const step = this.module._tfpy_wrong_step();
    if (step >= 0) throw new WrongIndex(said, step);
    const text = `wasm: ${said}`;
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
   * Create a slot with these bytes.
   * @param {Uint8Array} source
   * @param {number} count number of elements
   * @param {ElementType} type
   * @param {number} [again] id of a freed slot to reuse; otherwise the id is new
   */
  newSlot(source, count, type, again = 0) {
    const id = this.check(this.module._tfpy_slot_new(count, ELEMENT_TYPES.indexOf(type), again));
    this.bytes.set(source, this.describe(id).address);
    return id;
  }

  /** Return all slots, each with the number of the run that used it last. */
  list() {
    /** @type {{id: number, bytes: number, used: number}[]} */
    const slots = [];
    for (let count = -1; count !== 0; ) {
      count = this.module._tfpy_slot_list(slots.length);
      const { words, wordsAt: at } = this;
      for (let i = at; i < at + 3 * count; i += 3) {
        slots.push({ id: words[i], bytes: words[i + 1], used: words[i + 2] });
      }
    }
    return slots;
  }

  /**
   * Return the bytes of a slot, valid until the heap grows.
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
    const bytesType = /** @type {ElementType} */ (ELEMENT_TYPES.find(({ size }) => size === 1));
    const text = new TextEncoder().encode(json);
    const textSlot = this.newSlot(text, text.length, bytesType);
    try {
      const constantsSlot = this.newSlot(constants, constants.length, bytesType);
      return this.check(this.module._tfpy_program_register(textSlot, constantsSlot));
    } catch (error) {
      // Registering consumes both slots, even if it fails; but creating the second slot may fail first.
      this.module._tfpy_slot_free(textSlot);
      throw error;
    }
  }

  /**
   * Write the slots of a run to the array that passes them.
   * @param {number[]} slots
   */
  put(slots) {
    if (slots.length > MAX_ARGUMENTS) throw new Error(`wasm: more than ${MAX_ARGUMENTS} inputs`);
    this.refresh();
    this.words.set(slots, this.wordsAt);
  }

  /**
   * @param {number} program
   * @param {number[]} slots
   */
  run(program, slots) {
    this.put(slots);
    return this.check(this.module._tfpy_program_run(program, slots.length));
  }

  /**
   * Begin a run in slices.
   * @param {number} program
   * @param {number[]} slots
   */
  begin(program, slots) {
    this.put(slots);
    return this.check(this.module._tfpy_run_begin(program, slots.length));
  }

  /** @returns {import("../common/timing.mjs").KernelTimes} */
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

  /** Number of bytes of slots and of all other memory of Programs. */
  held() {
    return this.module._tfpy_held() >>> 0;
  }

  /** Release memory that Programs share and recreate on demand. */
  shrink() {
    this.module._tfpy_shrink();
  }

  memory() {
    this.module._tfpy_memory();
    this.refresh();
    const [slots, allocatedBytes, programs, threads, generated, refused, peakBytes] =
      this.words.subarray(this.wordsAt);
    const heapBytes = this.bytes.length;
    return { slots, allocatedBytes, peakBytes, heapBytes, programs, threads, generated, refused };
  }
}
