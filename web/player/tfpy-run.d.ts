/** Runs programs that `tf.export` of Python has written, in pages without Python. */

export type DType = "float32" | "int32" | "bool" | "complex64";

/** Numbers with a shape. A bool is one byte, 0 or 1; a complex number two floats, real part first. */
export interface Tensor {
  dtype: DType;
  shape: number[];
  data: Float32Array | Int32Array | Uint8Array;
}

export type Numbers = ArrayLike<number> | Numbers[];

/** Red, green, blue and alpha from 0 to 255: a page's picture, for inputs `[1, height, width, 1 to 4]`. */
export type Picture = ImageData | CanvasImageSource;

/** What an input may be given as; without a shape, the number of elements must tell the signature. */
export type Input =
  | number
  | boolean
  | Numbers
  | { data: ArrayLike<number>; shape?: readonly number[] }
  | Picture;

export interface Spec {
  name: string;
  dtype: DType;
  shape: number[];
}

export interface Signature {
  inputs: Spec[];
  outputs: Spec[];
}

export interface VariableInfo extends Spec {
  trainable: boolean;
}

export interface BackendReport {
  status: "chosen" | "skipped" | "failed" | "not tried";
  reason: string;
}

export interface Progress {
  /** Bytes of the file that have come. */
  loaded: number;
  /** Bytes of the file; 0 until its header is read. */
  total: number;
  /** The share of programs that are compiled, up to 1. */
  compiled: number;
}

export interface LoadOptions {
  /** "webgpu", "webgl" or "wasm"; by default the best that the file has and that works here. */
  backend?: "webgpu" | "webgl" | "wasm";
  /** The folder of `xnnpack-*.wasm`; by default that of `tfpy-run.mjs`. */
  assets?: string | URL;
  /** Whether WebGPU's adapter may be software, which is slower than wasm. */
  allowSoftwareWebgpu?: boolean;
  /** Whether WebGL may be a software rasteriser, which is slower than wasm. */
  allowSoftwareWebgl?: boolean;
  /** Threads of wasm where the page is cross-origin isolated; 0, the default: as the device has. */
  threads?: number;
  /**
   * Bytes beyond which what was used longest ago leaves the device for the host, to come back when
   * it is used; by default found of the device's memory and the screen (on wasm 3 GiB); -1: without
   * an end.
   */
  budgetBytes?: number;
  /** Bytes that the host takes; by default the device's memory as browsers tell it, or 4 GiB. */
  hostBytes?: number;
  onProgress?: (progress: Progress) => void;
}

export interface Program {
  readonly backend: "webgpu" | "webgl" | "wasm";
  /** For example "webgpu-float32", "webgl2-float32" or "relaxed-threads". */
  readonly variant: string;
  /** Why each backend was chosen or not. */
  readonly report: Record<string, BackendReport>;
  /** By name, in the order of the file. */
  readonly functions: Record<string, Signature[]>;
  readonly variables: VariableInfo[];
  /**
   * Runs a function, by default the file's first one, and gives its results by name. Calls that
   * are made before others have ended wait for them.
   * @throws {TypeError} for unknown or missing inputs, and those of another shape
   */
  run(inputs: Record<string, Input>, functionName?: string): Promise<Record<string, Tensor>>;
  /** A variable's value. */
  read(name: string): Promise<Tensor>;
  /** Gives a variable another value. */
  write(name: string, value: Input): Promise<void>;
  /** The file with the present values of the variables. */
  save(): Promise<Uint8Array<ArrayBuffer>>;
  /** Slots and bytes in use on the device. */
  memory(): Record<string, number>;
  /** Frees everything. */
  dispose(): void;
}

/**
 * Loads a file and makes its programs ready.
 * @param source its URL, a response, or its bytes
 * @throws {Error} when the file cannot be had or is broken, and when no backend works; the text says why
 * @throws {TypeError} for budgets that are no whole numbers
 */
export function loadProgram(
  source: string | URL | Request | Response | Blob | ArrayBuffer | Uint8Array,
  options?: LoadOptions,
): Promise<Program>;
