/**
 * Byte-pair encoding of strings, as in GPT-2, Llama 3 and Qwen. The file contains the tokens and the order of the
 * merges. It names the patterns that split strings into words, and does not contain them, because a pattern of an
 * untrusted file could run for a very long time.
 *
 * @typedef {object} Split a step that splits strings, or adds a prefix to them
 * @property {RegExp} [pattern] matches are pieces, and so are the strings between them
 * @property {string} [prefix] prefix of pieces that do not begin with it
 */

import { demand, flag, indices, keyOf, list, object, text } from "./check.mjs";
import { merged } from "./merging.mjs";

/** Maximum number of steps that split a string. */
const MOST_SPLITS = 16;

/** The class White_Space of Unicode, which differs from \s in JavaScript. */
const SPACE = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const END = `[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`;
const ANY_CASE = "'(?:[sS\\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])";

/** @param {string} numbers pattern of a number */
const withNumbers = (numbers) =>
  `${ANY_CASE}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}|` +
  ` ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n]*|[${SPACE}]*[\\r\\n]+|${END}`;

const PATTERNS = {
  digit: "\\p{N}",
  gpt2: `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|${END}`,
  llama3: withNumbers("\\p{N}{1,3}"),
  qwen2: withNumbers("\\p{N}"),
};

/** Characters that represent the bytes in tokens, by byte. */
const CHARACTERS = charactersOfBytes();
const BYTES = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/** Printable characters of Latin-1 represent their own bytes, and the other bytes follow U+0100 in order. */
function charactersOfBytes() {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    return String.fromCharCode(printable ? byte : next++);
  });
}

export class BytePairs {
  /** @param {Record<string, any>} given description in the file */
  constructor(given) {
    /** @type {(string | null)[]} */
    this.tokens = list(given.tokens, "tokens").map((one) =>
      one === null ? null : text(one, "a token"),
    );
    /** @type {Map<string, number>} numbers of tokens */
    this.numbers = new Map();
    for (const [number, token] of this.tokens.entries()) {
      if (token === null) continue;
      demand(!this.numbers.has(token), `two tokens are ${JSON.stringify(token.slice(0, 60))}`);
      this.numbers.set(token, number);
    }
    this.merges = mergesOf(given.merges, this.tokens, this.numbers);
    this.added = list(given.added, "added tokens").map((group) => this.patternOf(group));
    const splits = list(given.splits, "splits");
    demand(splits.length <= MOST_SPLITS, `a string is split in ${splits.length} steps`);
    this.splits = splits.map(splitOf);
    this.whole = flag(given.whole, "the flag whole");
    this.bytes = CHARACTERS.map((character) => this.numbers.get(character));
    this.encoder = new TextEncoder();
  }

  /**
   * Return the pattern of tokens that are never split, or null if there are none. The longest one matches.
   * @param {any} group numbers of tokens
   */
  patternOf(group) {
    const found = indices(group, this.tokens.length, "added tokens").map((number) => {
      const token = this.tokens[number];
      demand(token !== null && token !== "", `the added token ${number} is empty`);
      return token;
    });
    if (found.length === 0) return null;
    return anyOf(found);
  }

  /**
   * Return the tokens of a string.
   * @param {string} string
   * @returns {number[]}
   */
  encode(string) {
    /** @type {number[]} */
    const found = [];
    this.add(string.isWellFormed?.() === false ? string.toWellFormed() : string, 0, found);
    return found;
  }

  /**
   * Append the tokens of a string.
   * @param {string} string
   * @param {number} group first group of added tokens to find
   * @param {number[]} found
   */
  add(string, group, found) {
    if (group === this.added.length) {
      for (const piece of this.pieces(string)) this.addPiece(piece, found);
      return;
    }
    const pattern = this.added[group];
    let end = 0;
    for (const match of pattern === null ? [] : string.matchAll(pattern)) {
      if (match.index > end) this.add(string.slice(end, match.index), group + 1, found);
      found.push(/** @type {number} */ (this.numbers.get(match[0])));
      end = match.index + match[0].length;
    }
    if (end < string.length) this.add(string.slice(end), group + 1, found);
  }

  /** @param {string} string */
  pieces(string) {
    let pieces = [string];
    for (const { pattern, prefix } of this.splits) {
      if (pattern !== undefined) pieces = pieces.flatMap((piece) => splitBy(piece, pattern));
      else pieces = pieces.map((one) => (one.startsWith(prefix ?? "") ? one : prefix + one));
    }
    return pieces;
  }

  /**
   * @param {string} piece
   * @param {number[]} found
   */
  addPiece(piece, found) {
    const bytes = this.encoder.encode(piece);
    if (this.whole) {
      const number = this.numbers.get(Array.from(bytes, (byte) => CHARACTERS[byte]).join(""));
      if (number !== undefined) {
        found.push(number);
        return;
      }
    }
    /** @type {number[]} */
    const symbols = [];
    for (const byte of bytes) {
      const number = this.bytes[byte];
      if (number !== undefined) symbols.push(number);
    }
    const size = this.tokens.length;
    const all = merged(symbols, (left, right) => this.merges.get(left * size + right));
    for (const number of all) found.push(number);
  }

  /** Return a decoder of tokens that arrive one after the other. */
  decoder() {
    const bytes = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      text: (/** @type {number} */ token) => bytes.decode(this.bytesOf(token), { stream: true }),
      end: () => bytes.decode(),
    };
  }

  /**
   * Return the bytes of a token. Tokens without bytes are texts.
   * @param {number} number
   * @returns {Uint8Array<ArrayBuffer>}
   */
  bytesOf(number) {
    const token = this.tokens[number] ?? "";
    const bytes = Array.from(token, (character) => BYTES.get(character));
    if (bytes.every((byte) => byte !== undefined)) return Uint8Array.from(bytes);
    return this.encoder.encode(token);
  }
}

/** Return a pattern that matches a string. @param {string} string */
const escaped = (string) => string.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Return a pattern that matches the longest of some strings. @param {string[]} strings */
export function anyOf(strings) {
  const longestFirst = [...strings].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map(escaped).join("|"), "gu");
}

/**
 * Return the merges by pairs of tokens: their ranks and results.
 * @param {any} given numbers of tokens, two for each merge
 * @param {(string | null)[]} tokens
 * @param {Map<string, number>} numbers
 * @returns {Map<number, {rank: number, result: number}>}
 */
function mergesOf(given, tokens, numbers) {
  const parts = indices(given, tokens.length, "merges");
  demand(parts.length % 2 === 0, "a merge has only one token");
  const found = new Map();
  for (let i = 0; i < parts.length; i += 2) {
    const [a, b] = [tokens[parts[i]], tokens[parts[i + 1]]];
    const result = a === null || b === null ? undefined : numbers.get(a + b);
    demand(result !== undefined, `the result of merge ${i / 2} is not a token`);
    found.set(parts[i] * tokens.length + parts[i + 1], { rank: i / 2, result });
  }
  return found;
}

/**
 * @param {any} given
 * @returns {Split}
 */
function splitOf(given) {
  const { pattern, prefix, literal } = object(given, "a split");
  if (prefix !== undefined) return { prefix: text(prefix, "a prefix") };
  if (literal !== undefined) {
    demand(text(literal, "a literal") !== "", "a string is split by an empty literal");
    return { pattern: new RegExp(escaped(literal), "gu") };
  }
  return { pattern: new RegExp(PATTERNS[keyOf(pattern, PATTERNS, "a pattern")], "gu") };
}

/**
 * @param {string} piece
 * @param {RegExp} pattern
 */
function splitBy(piece, pattern) {
  const found = [];
  let end = 0;
  for (const match of piece.matchAll(pattern)) {
    if (match.index > end) found.push(piece.slice(end, match.index));
    found.push(match[0]);
    end = match.index + match[0].length;
  }
  if (end < piece.length) found.push(piece.slice(end));
  return found;
}
