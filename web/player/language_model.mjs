/**
 * Generates text with the functions of a file that has a language model.
 *
 * @typedef {import("./tfpy-run.js").GenerateOptions} GenerateOptions
 * @typedef {import("./tfpy-run.js").LanguageModel} Model
 * @typedef {import("./language_facts.mjs").LanguageFacts} LanguageFacts
 *
 * @typedef {object} Functions what a language model uses of a program
 * @property {import("./tfpy-run.js").Program} program
 * @property {() => Promise<void>} pause yields to the page from time to time
 *
 * @typedef {{temperature: number, topK: number, topP: number, uniform: () => number}} Drawing
 */

import { conversation } from "./language_facts.mjs";

/** @implements {Model} */
export class LanguageModel {
  /**
   * @param {Functions} functions
   * @param {LanguageFacts} facts
   * @param {import("./language_facts.mjs").Tokenizer} tokenizer
   */
  constructor({ program, pause }, facts, tokenizer) {
    this.program = program;
    this.pause = pause;
    this.facts = facts;
    this.tokenizer = tokenizer;
    this.maxLength = facts.length;
    this.candidates = facts.candidates;
    this.hasChat = facts.chat !== null;
    /** @type {number[]} tokens with keys and values on the device */
    this.cached = [];
    /** @type {Promise<unknown>} */
    this.last = Promise.resolve();
  }

  /** @type {Model["encode"]} */
  encode(text) {
    return [...this.facts.start, ...this.tokenizer.encode(text)];
  }

  /** @type {Model["decode"]} */
  decode(tokens) {
    const pieces = this.pieces();
    return Array.from(tokens, (token) => pieces.text(token)).join("") + pieces.end();
  }

  /** Return a decoder of tokens that arrive one after the other. */
  pieces() {
    const decoder = this.tokenizer.decoder();
    return {
      text: (/** @type {number} */ token) =>
        this.facts.hidden.has(token) ? "" : decoder.text(token),
      end: () => decoder.end(),
    };
  }

  /** @type {Model["generate"]} */
  async *generate(prompt, options = {}) {
    const pieces = this.pieces();
    for await (const token of this.tokens(prompt, options)) {
      const piece = pieces.text(token);
      if (piece !== "") yield piece;
    }
    const rest = pieces.end();
    if (rest !== "") yield rest;
  }

  /** @type {Model["chat"]} */
  async *chat(messages, options = {}) {
    const { chat } = this.facts;
    if (chat === null) {
      throw new TypeError("the file has no chat format; pass a prompt to generate");
    }
    yield* this.generate(conversation(chat, messages), options);
  }

  /** @type {Model["tokens"]} */
  async *tokens(prompt, options = {}) {
    const drawing = drawingOf(options, this.candidates);
    const { signal, maxTokens = this.maxLength } = options;
    demandInteger(maxTokens, "maxTokens", 1, Number.MAX_SAFE_INTEGER);
    const tokens = typeof prompt === "string" ? this.encode(prompt) : tokensOf(prompt);
    if (tokens.length === 0) throw new RangeError("the prompt has no tokens");
    if (tokens.length >= this.maxLength) {
      const room = `the model has ${this.maxLength} positions, and an answer needs at least one`;
      throw new RangeError(`the prompt has ${tokens.length} tokens; ${room}`);
    }
    const end = Math.min(this.maxLength, tokens.length + maxTokens);
    while (tokens.length < end) {
      signal?.throwIfAborted();
      const token = await this.next(tokens, drawing);
      signal?.throwIfAborted();
      if (this.facts.stop.has(token)) return;
      tokens.push(token);
      yield token;
    }
  }

  /**
   * Return the token after some others. Only tokens without keys and values on the device are computed, so the calls
   * of several texts may alternate.
   * @param {number[]} tokens
   * @param {Drawing | null} drawing null for the most probable token
   * @returns {Promise<number>}
   */
  next(tokens, drawing) {
    const call = async () => {
      const last = tokens.length - 1;
      let at = 0;
      while (at < last && this.cached[at] === tokens[at]) at++;
      this.cached.length = at;
      try {
        while (at < last) at = await this.prefill(tokens, at, last);
        await this.pause();
        const found = await this.step(tokens[last], last, drawing);
        this.cached.push(tokens[last]);
        return found;
      } catch (error) {
        this.cached = [];
        throw error;
      }
    };
    const result = this.last.then(call);
    this.last = result.catch(() => {});
    return result;
  }

  /**
   * Compute the keys and values of some tokens, and return the position after them.
   * @param {number[]} tokens
   * @param {number} at
   * @param {number} end
   */
  async prefill(tokens, at, end) {
    await this.pause();
    const fitting = this.facts.lengths.filter((length) => at + length <= this.maxLength);
    const length = fitting.find((one) => one >= end - at) ?? fitting.at(-1) ?? 1;
    const count = Math.min(length, end - at);
    if (count === 1) {
      await this.step(tokens[at], at, null);
    } else {
      // Later tokens overwrite the keys and values of the zeros.
      const data = new Int32Array(length);
      data.set(tokens.slice(at, at + count));
      await this.program.run({ tokens: data, position: at }, "prefill");
    }
    this.cached.push(...tokens.slice(at, at + count));
    return at + count;
  }

  /**
   * @param {number} token
   * @param {number} position
   * @param {Drawing | null} drawing
   */
  async step(token, position, drawing) {
    const given = { token: [token], position };
    if (drawing === null) return (await this.program.run(given, "step")).token.data[0];
    const { temperature, topK: top_k, topP: top_p, uniform } = drawing;
    const options = { temperature, top_k, top_p, uniform: uniform() };
    return (await this.program.run({ ...given, ...options }, "sample")).token.data[0];
  }

  /** @type {Model["dispose"]} */
  dispose() {
    this.program.dispose();
  }
}

/**
 * Return how tokens are drawn, or null if the most probable ones are chosen.
 * @param {GenerateOptions} options
 * @param {number} candidates
 * @returns {Drawing | null}
 */
function drawingOf({ temperature, topK, topP, seed }, candidates) {
  const draws = [topK, topP, seed].some((one) => one !== undefined);
  const found = temperature ?? (draws ? 1 : 0);
  if (!(found >= 0 && found < Number.POSITIVE_INFINITY)) {
    throw new TypeError(`temperature must be a number from 0, not ${temperature}`);
  }
  demandInteger(topK ?? 1, "topK", 1, candidates);
  if (!((topP ?? 1) > 0 && (topP ?? 1) <= 1)) {
    throw new TypeError(`topP must be a number above 0 and up to 1, not ${topP}`);
  }
  const least = Number.MIN_SAFE_INTEGER;
  demandInteger(seed ?? 0, "seed", least, Number.MAX_SAFE_INTEGER);
  if (found === 0) return null;
  return {
    temperature: found,
    topK: topK ?? candidates,
    topP: topP ?? 1,
    uniform: uniformOf(seed),
  };
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {number} least
 * @param {number} most
 */
function demandInteger(value, name, least, most) {
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
    throw new TypeError(`${name} must be an integer from ${least} to ${most}, not ${value}`);
  }
}

/** @param {ArrayLike<number>} given */
function tokensOf(given) {
  const tokens = Array.from(given);
  for (const token of tokens) demandInteger(token, "a token", 0, 2 ** 31 - 1);
  return tokens;
}

/**
 * Return a source of numbers from 0 to below 1 with 24 bits, which float32 represents exactly.
 * @param {number | undefined} seed
 */
function uniformOf(seed) {
  const words = new Uint32Array(2);
  if (seed === undefined) crypto.getRandomValues(words);
  else words.set([seed, Math.floor(seed / 2 ** 32)].map((word) => word >>> 0));
  let state = words[0] ^ mixed(words[1]);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (mixed(state) >>> 8) / 2 ** 24;
  };
}

/** Distribute the bits of an integer (the finalizer of MurmurHash3). @param {number} word */
function mixed(word) {
  let found = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  found = Math.imul(found ^ (found >>> 13), 0xc2b2ae35);
  return found ^ (found >>> 16);
}
