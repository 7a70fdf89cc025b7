// The wasm backend: XNNPACK and tfpy's own kernels in a WebAssembly module with its own heap.

import { budgetOf } from "../common/paging.mjs";
import { ELEMENT_TYPES, Glue } from "./glue.mjs";
import { Guard } from "./guard.mjs";
import { startModule } from "./module.mjs";
import { Slots } from "./slots.mjs";

/**
 * @typedef {object} WasmOptions
 * @property {import("./module.mjs").Variant} variant
 * @property {Uint8Array} wasm the module's bytes
 * @property {number} [threads] number of threads; undefined or 0: as many as the device has, at most 8
 * @property {import("./module.mjs").Codegen} [codegen] whether elementwise kernels are
 *   compiled to WebAssembly: "auto" (the default) where it pays, "always" at once, or "never"
 * @property {number} [budgetBytes] above which slots leave the heap; undefined or -1: when it is full
 * @property {number} [hostBytes] maximum bytes of these on the host; undefined or -1: no limit
 */

const MAX_TENSOR_BYTES = 2 ** 31 - 1;

/**
 * Open the wasm backend.
 * @param {WasmOptions} options
 * @returns {Promise<import("../common/backend.mjs").Backend
 *   & import("../common/backend.mjs").BlockingRead & import("../common/backend.mjs").Losable
 *   & import("../common/backend.mjs").Sliced & import("../common/backend.mjs").Timed>}
 */
export async function openWasm(options) {
  const { variant, wasm, threads = 0, codegen = "auto", budgetBytes, hostBytes } = options;
  const guard = new Guard(await startModule(variant, wasm, threads, codegen));
  const { module } = guard;
  const glue = new Glue(module);
  const slots = new Slots(glue, budgetOf(budgetBytes), budgetOf(hostBytes));
  return {
    variant,
    limits: { tensorBytes: MAX_TENSOR_BYTES },
    write(heap, ptr, count, dtype) {
      const type = ELEMENT_TYPES.find(({ name }) => name === dtype);
      if (type === undefined) throw new Error(`wasm: there is no dtype ${dtype}`);
      return slots.write(new Uint8Array(heap, ptr, count * type.size), count, type);
    },
    read(heap, ptr, slot) {
      const source = slots.bytesOf(slot);
      new Uint8Array(heap, ptr, source.length).set(source);
    },
    free(...ids) {
      if (guard.isOver) return;
      for (const id of ids) slots.free(id);
    },
    register: (json, heap, ptr, nbytes) => slots.register(json, new Uint8Array(heap, ptr, nbytes)),
    async registerAsync(json, heap, ptr, nbytes, progress) {
      const program = slots.register(json, new Uint8Array(heap, ptr, nbytes));
      progress(1, 1);
      return program;
    },
    release(program) {
      if (!guard.isOver) glue.check(module._tfpy_program_release(program));
    },
    run: (program, ...ids) => slots.run(program, ids),
    begin: (program, ...ids) => slots.begin(program, ids),
    goOn: (run, ms) => glue.check(module._tfpy_run_go_on(run, ms)),
    drop(run) {
      if (!guard.isOver) module._tfpy_run_drop(run);
    },
    memory: () => (guard.isOver ? { slots: 0, bytes: 0, threads: 0 } : slots.memory()),
    startTiming: () => module._tfpy_time_steps(1),
    stopTiming: () => glue.stepTimes(),
    async finish() {},
    lost: () => guard.trap,
    rescue(heap, ptr, slot) {
      const found = slots.away.get(slot);
      if (found) new Uint8Array(heap, ptr, found.data.length).set(found.data);
      return found !== undefined;
    },
    close: () => guard.close(),
  };
}
