// Types of Emscripten's output for csrc/xnnpack_glue; the bundler's aliases "xnnpack" (one thread) and
// "xnnpack-threads" name the files.

interface XnnpackModule {
  readonly wasmMemory: WebAssembly.Memory;
  readonly PThread?: { runningWorkers: Worker[]; terminateAllThreads(): void };
  UTF8ToString(address: number): string;
  _tfpy_open(threads: number, codegen: number): number;
  _tfpy_last_error(): number;
  _tfpy_wrong_step(): number;
  _tfpy_words(): number;
  _tfpy_slot_new(count: number, dtype: number, id: number): number;
  _tfpy_slot_list(first: number): number;
  _tfpy_slot_describe(slot: number): number;
  _tfpy_slot_free(slot: number): number;
  _tfpy_program_register(text: number, constants: number): number;
  _tfpy_program_run(program: number, count: number): number;
  _tfpy_run_begin(program: number, count: number): number;
  _tfpy_run_go_on(run: number, ms: number): number;
  _tfpy_run_drop(run: number): void;
  _tfpy_program_release(program: number): number;
  _tfpy_time_steps(wanted: number): void;
  _tfpy_step_times(first: number): number;
  _tfpy_held(): number;
  _tfpy_shrink(): void;
  _tfpy_memory(): void;
}

interface XnnpackOptions {
  wasmBinary: Uint8Array;
  /** URL of the thread workers' script. */
  mainScriptUrlOrBlob?: string;
  /** Number of workers to start before the module is ready. */
  threads?: number;
}

declare module "xnnpack" {
  export default function createXnnpack(options: XnnpackOptions): Promise<XnnpackModule>;
}

declare module "xnnpack-threads" {
  const either: ((options: XnnpackOptions) => Promise<XnnpackModule>) & string;
  export default either;
}
