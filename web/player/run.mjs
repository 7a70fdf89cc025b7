// Runs exported programs in pages without Python: the source of tfpy-run.mjs; tfpy-run.d.ts has its types.

import { openBackend } from "./backends.mjs";
import { Bytes, open, readHeader } from "./container.mjs";
import { parseDocument } from "./document.mjs";
import { bytesOf, choose, fits, shown, shownSpec, sizeOf, taken } from "./inputs.mjs";
import { tokenizerOf } from "./language_facts.mjs";
import { LanguageModel } from "./language_model.mjs";
import { Loading } from "./loading.mjs";

/**
 * @typedef {import("./tfpy-run.js").Tensor} Tensor
 * @typedef {import("./tfpy-run.js").Spec} Spec
 * @typedef {import("./tfpy-run.js").Program} Loaded
 * @typedef {import("./document.mjs").SignatureText} SignatureText
 * @typedef {import("./values.mjs").Value} Value
 */

/** @type {typeof import("./tfpy-run.js").loadProgram} */
export function loadProgram(source, options = {}) {
  return load(source, options);
}

/** @type {typeof import("./tfpy-run.js").loadLanguageModel} */
export async function loadLanguageModel(source, options = {}) {
  const program = await load(source, options);
  try {
    const { languageModel: facts } = program.document;
    if (facts === null) throw new TypeError("the file has no language model; use loadProgram");
    const tokenizer = tokenizerOf(program.kept.get(facts.tokenizer) ?? new Uint8Array(0));
    const pause = () => program.runner.pause();
    return new LanguageModel({ program, pause }, facts, tokenizer);
  } catch (error) {
    program.dispose();
    throw error;
  }
}

/**
 * @param {Parameters<typeof loadProgram>[0]} source
 * @param {import("./tfpy-run.js").LoadOptions} options
 * @returns {Promise<Program>}
 */
async function load(source, options) {
  let [loaded, total, compiled] = [0, 0, 0];
  const tell = () => options.onProgress?.({ loaded, total, compiled });
  const reader = await open(source);
  try {
    const bytes = new Bytes(reader, (count) => {
      loaded = count;
      tell();
    });
    const file = await readHeader(bytes);
    total = file.raw.length + (file.entries.at(-1)?.end ?? 0);
    const document = parseDocument(file.document, new Map(file.entries.map((e) => [e.name, e])));
    const opened = await openBackend(document, options);
    const loading = new Loading(file, document, opened, (share) => {
      compiled = share;
      tell();
    });
    try {
      const program = new Program(loading, await loading.finish(bytes));
      program.prepare();
      return program;
    } catch (error) {
      opened.backend.close();
      throw error;
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

/** @implements {Loaded} */
class Program {
  /**
   * @param {Loading} loading
   * @param {import("./runner.mjs").Runner} runner
   */
  constructor({ file, document, opened, device, kept, variables }, runner) {
    const { name, backend, target, report } = opened;
    this.backend = name;
    this.variant = backend.variant;
    this.report = report;
    this.device = device;
    this.file = file;
    this.kept = kept;
    this.document = document;
    this.target = target;
    this.runner = runner;
    /** @type {Value[]} */
    this.state = document.state.map(({ tensor, type, zeros }) =>
      zeros ? device.zeros(type.dtype, type.count) : /** @type {Value} */ (variables.get(tensor)),
    );
    this.functions = Object.fromEntries(
      document.functions.map((one) => [
        one.name,
        one.signatures.map(({ inputs, outputs }) => ({ inputs, outputs })),
      ]),
    );
    this.variables = document.state
      .filter(({ constant }) => !constant)
      .map(({ tensor, type, shape, trainable }) => {
        return { name: tensor, dtype: /** @type {any} */ (type.dtype), shape, trainable };
      });
    /** @type {Promise<unknown>} */
    this.last = Promise.resolve();
    this.closed = false;
    /** @type {Map<object, bigint>} how far each stream of random numbers is */
    this.streams = new Map();
  }

  /** Compute the values that depend only on variables and constants. */
  prepare() {
    for (const { program, given, types } of this.target.cached) {
      const values = given.map((one) =>
        "state" in one ? this.state[one.state] : this.runner.constant(one.constant),
      );
      this.runner.cached(program, values, types);
    }
  }

  /**
   * Make a call after all earlier calls have ended.
   * @template T
   * @param {() => Promise<T>} call
   * @returns {Promise<T>}
   */
  inTurn(call) {
    const result = this.last.then(() => {
      if (this.closed) throw new Error("the program was disposed");
      return call();
    });
    this.last = result.catch(() => {});
    return result;
  }

  /** @type {Loaded["run"]} */
  run(inputs, functionName = this.document.functions[0].name) {
    const at = this.document.functions.findIndex(({ name }) => name === functionName);
    return this.inTurn(async () => {
      if (at < 0) {
        const names = Object.keys(this.functions).join(", ");
        throw new TypeError(`there is no function '${functionName}'; the functions are ${names}`);
      }
      const { signatures } = this.document.functions[at];
      const { chosen, given } = choose(functionName, signatures, inputs);
      return this.call(signatures[chosen], this.target.blocks[at][chosen], given);
    });
  }

  /**
   * @param {SignatureText} signature
   * @param {import("./document.mjs").Block} block
   * @param {import("./inputs.mjs").Given[]} given
   */
  async call({ inputs, outputs, reads, assigns }, block, given) {
    /** @type {Value[]} */
    const own = [];
    /** @type {Value[]} */
    let results = [];
    try {
      for (const [i, one] of given.entries()) own.push(this.upload(inputs[i], one));
      const rest = reads.map((read) => {
        if ("state" in read) return this.state[read.state];
        own.push(this.random(read));
        return own[own.length - 1];
      });
      results = await this.runner.run(block, [...own.slice(0, inputs.length), ...rest]);
      assigns.forEach((at, i) => {
        this.assign(at, results[outputs.length + i].held());
      });
      /** @type {[string, Tensor][]} */
      const found = [];
      for (const [i, { name, dtype, shape }] of outputs.entries()) {
        const data = await this.device.read(results[i]);
        found.push([name, { dtype, shape: [...shape], data }]);
      }
      return Object.fromEntries(found);
    } finally {
      for (const value of [...own, ...results]) this.device.release(value);
    }
  }

  /**
   * @param {Spec} spec
   * @param {import("./inputs.mjs").Given} given
   */
  upload(spec, given) {
    return this.device.upload(spec.dtype, sizeOf(spec.shape), bytesOf(given, spec));
  }

  /**
   * Return the state of a stream of random numbers, and advance the stream; without a seed, draw a new state.
   * @param {{random: number[] | null, blocks?: number}} source
   */
  random(source) {
    const words = new Uint32Array(6);
    if (source.random === null) {
      const drawn = crypto.getRandomValues(new Uint32Array(4));
      words.set([drawn[0], drawn[1], 0, 0, drawn[2], drawn[3]]);
    } else {
      const far = this.streams.get(source) ?? 0n;
      this.streams.set(source, far + BigInt(source.blocks ?? 0));
      const [, , ...counter] = source.random;
      const begin = counter.reduceRight((high, word) => (high << 32n) | BigInt(word), 0n);
      words.set(source.random);
      for (let i = 0; i < 4; i++) {
        words[2 + i] = Number(((begin + far) >> BigInt(32 * i)) & 0xffffffffn);
      }
    }
    return this.device.upload("int32", words.length, new Uint8Array(words.buffer));
  }

  /**
   * @param {number} at
   * @param {Value} value value, which the variable takes over
   */
  assign(at, value) {
    const old = this.state[at];
    this.runner.cache.forget(old);
    this.state[at] = value;
    this.device.release(old);
  }

  /** @param {string} name */
  place(name) {
    const at = this.document.state.findIndex((one) => one.tensor === name && !one.constant);
    if (at < 0) throw new TypeError(`there is no variable '${name}'`);
    return at;
  }

  /** @type {Loaded["read"]} */
  read(name) {
    return this.inTurn(async () => {
      const at = this.place(name);
      const { type, shape } = this.document.state[at];
      const dtype = /** @type {Tensor["dtype"]} */ (type.dtype);
      return { dtype, shape: [...shape], data: await this.device.read(this.state[at]) };
    });
  }

  /** @type {Loaded["write"]} */
  write(name, value) {
    return this.inTurn(async () => {
      const at = this.place(name);
      const { type, shape } = this.document.state[at];
      const spec = { name, dtype: /** @type {Tensor["dtype"]} */ (type.dtype), shape };
      const given = taken(value, name);
      if (!fits(given, spec)) {
        throw new TypeError(`variable '${name}' is ${shownSpec(spec)}, got ${shown(given)}`);
      }
      this.assign(at, this.upload(spec, given));
    });
  }

  /** @type {Loaded["save"]} */
  save() {
    return this.inTurn(async () => {
      const { raw, entries } = this.file;
      const bytes = new Uint8Array(raw.length + (entries.at(-1)?.end ?? 0));
      bytes.set(raw);
      const places = new Map(entries.map(({ name, begin }) => [name, raw.length + begin]));
      for (const [name, data] of this.kept) bytes.set(data, places.get(name));
      for (const [at, { tensor, zeros }] of this.document.state.entries()) {
        if (zeros) continue;
        const { buffer, byteOffset, byteLength } = await this.device.read(this.state[at]);
        bytes.set(new Uint8Array(buffer, byteOffset, byteLength), places.get(tensor));
      }
      return bytes;
    });
  }

  /** @type {Loaded["memory"]} */
  memory() {
    return this.device.backend.memory();
  }

  /** @type {Loaded["dispose"]} */
  dispose() {
    if (this.closed) return;
    this.closed = true;
    this.runner.close();
    this.device.backend.close();
  }
}
