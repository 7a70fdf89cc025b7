/** Runs programs that Python's `tf.export` has written, in pages without Python. */

export type DType = "float32" | "int32" | "bool" | "complex64";

/** Numbers with a shape. A bool is one byte, 0 or 1; a complex number is two floats, real part first. */
export interface Tensor {
  dtype: DType;
  shape: number[];
  data: Float32Array | Int32Array | Uint8Array;
}

export type Numbers = ArrayLike<number> | Numbers[];

/** An image, as red, green, blue and alpha from 0 to 255, for inputs of shape `[1, height, width, 1 to 4]`. */
export type Picture = ImageData | CanvasImageSource;

/** Forms of an input. Without a shape, the number of elements must determine the signature. */
export type Input =
  | number
  | boolean
  | Numbers
  | { data: ArrayLike<number>; shape?: readonly number[] }
  | Picture;

/**
 * Inputs of a function: an object that maps names to inputs, the input of a function that has only one, or
 * an array of the inputs of a function that has several, in the order of its signature.
 */
export type Inputs = Record<string, Input> | Input | readonly Input[];

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
  /** Number of bytes of the file that were received. */
  loaded: number;
  /** Number of bytes of the file; 0 until its header is read. */
  total: number;
  /** Share of the programs that are compiled, up to 1. */
  compiled: number;
}

export interface LoadOptions {
  /** "webgpu", "webgl" or "wasm". Default: the best one that the file supports and that works here. */
  backend?: "webgpu" | "webgl" | "wasm";
  /** Folder of `xnnpack-*.wasm`. Default: the folder of `tfpy-run.mjs`. */
  assets?: string | URL;
  /** Whether to accept a software adapter of WebGPU, which is slower than wasm. */
  allowSoftwareWebgpu?: boolean;
  /** Whether to accept a software rasterizer of WebGL, which is slower than wasm. */
  allowSoftwareWebgl?: boolean;
  /** Number of wasm threads if the page is cross-origin isolated. Default: 0, as many as the device has. */
  threads?: number;
  /**
   * Bytes above which the least recently used tensors move from the device to the host until they are
   * used again; -1: no limit. Default: an estimate from the device's memory and the screen, or 3 GiB on
   * wasm.
   */
  budgetBytes?: number;
  /** Bytes on the host. Default: the device's memory as the browser reports it, or 4 GiB. */
  hostBytes?: number;
  onProgress?: (progress: Progress) => void;
}

export interface Program {
  readonly backend: "webgpu" | "webgl" | "wasm";
  /** For example "webgpu-float32", "webgl2-float32" or "relaxed-threads". */
  readonly variant: string;
  /** For each backend, why it was chosen or not. */
  readonly report: Record<string, BackendReport>;
  /** Signatures by function name, in the order of the file. */
  readonly functions: Record<string, Signature[]>;
  readonly variables: VariableInfo[];
  /**
   * Run a function (default: the first of the file) and return its results by name. A call waits for
   * earlier calls to end.
   * @throws {TypeError} for unknown or missing inputs, and for inputs of another shape
   */
  run(inputs: Inputs, functionName?: string): Promise<Record<string, Tensor>>;
  /** Return a variable's value. */
  read(name: string): Promise<Tensor>;
  /** Set a variable's value. */
  write(name: string, value: Input): Promise<void>;
  /** Return the file with the current values of the variables. */
  save(): Promise<Uint8Array<ArrayBuffer>>;
  /** Return the slots and bytes in use on the device. */
  memory(): Record<string, number>;
  /** Free all memory. */
  dispose(): void;
}

/**
 * Load a file and compile its programs.
 * @param source its URL, a response, or its bytes
 * @throws {Error} if the file cannot be loaded or is broken, or if no backend works; the message has the reason
 * @throws {TypeError} for budgets that are not integers
 */
export function loadProgram(
  source: string | URL | Request | Response | Blob | ArrayBuffer | Uint8Array,
  options?: LoadOptions,
): Promise<Program>;

/** A message of a conversation. */
export interface Message {
  /** "system", "user" or "assistant"; models support other roles if their chat format has them. */
  role: string;
  content: string;
}

export interface GenerateOptions {
  /** Number of tokens after which the answer ends. Default: as many as the model has positions for. */
  maxTokens?: number;
  /**
   * Divisor of the logits before a token is drawn. With 0, the most probable token is chosen. Default: 0, or 1 if
   * `topK`, `topP` or `seed` is set.
   */
  temperature?: number;
  /** Number of the most probable tokens from which one is drawn. Default and maximum: `candidates`. */
  topK?: number;
  /** Draw from the fewest tokens with probabilities that add up to more than this number. Default: 1. */
  topP?: number;
  /** Integer that determines the drawn tokens. Default: a random one. */
  seed?: number;
  /** Signal that ends the generation with an error before the next token. */
  signal?: AbortSignal;
}

/** A prompt as a string or as tokens. */
export type Prompt = string | ArrayLike<number>;

export interface LanguageModel {
  /** The functions that compute tokens. */
  readonly program: Program;
  /** Number of tokens of the longest prompt and answer together. */
  readonly maxLength: number;
  /** Number of the most probable tokens from which one can be drawn. */
  readonly candidates: number;
  /** True if `chat` can be called. */
  readonly hasChat: boolean;
  /**
   * Generate the text after a prompt, in parts. Keys and values of the tokens that the last prompt began with are
   * not computed again.
   * @throws {RangeError} for a prompt that leaves no room for an answer
   * @throws {TypeError} for options that are not valid
   */
  generate(prompt: Prompt, options?: GenerateOptions): AsyncGenerator<string, void, undefined>;
  /**
   * Generate the answer to a conversation, in parts.
   * @throws {TypeError} if the file has no chat format, or if the format does not have these roles in this order
   */
  chat(
    messages: readonly Message[],
    options?: GenerateOptions,
  ): AsyncGenerator<string, void, undefined>;
  /** Generate the tokens after a prompt. */
  tokens(prompt: Prompt, options?: GenerateOptions): AsyncGenerator<number, void, undefined>;
  /** Return the tokens of a prompt, with the token that begins each prompt if the model has one. */
  encode(text: string): number[];
  /** Return the text of tokens, without special tokens. */
  decode(tokens: ArrayLike<number>): string;
  /** Free all memory. */
  dispose(): void;
}

/**
 * Load a file with a language model that `tf.export` has written.
 * @param source its URL, a response, or its bytes
 * @throws {Error} as `loadProgram`
 * @throws {TypeError} if the file has no language model
 */
export function loadLanguageModel(
  source: string | URL | Request | Response | Blob | ArrayBuffer | Uint8Array,
  options?: LoadOptions,
): Promise<LanguageModel>;
