/**
 * Byte-pair encoding of SentencePiece, as in Llama 2, Mistral and Gemma. A piece has a score, and the pair of pieces
 * with the best result is merged first. A string is not split into words: spaces are characters of pieces.
 */

import { anyOf } from "./byte_pairs.mjs";
import { demand, flag, isIndex, list, text } from "./check.mjs";
import { merged } from "./merging.mjs";

/** Types of pieces. */
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;
const UNUSED = 5;
const BYTE = 6;

const SPACE = "\u2581";
const REPLACEMENT = "\ufffd";

export class SentencePieces {
  /** @param {Record<string, any>} given description in the file */
  constructor(given) {
    this.pieces = list(given.pieces, "pieces").map((one) => text(one, "a piece"));
    this.kinds = list(given.kinds, "types of pieces");
    this.scores = list(given.scores, "scores");
    const count = this.pieces.length;
    demand(this.kinds.length === count, `${this.kinds.length} types of ${count} pieces`);
    demand(this.scores.length === count, `${this.scores.length} scores of ${count} pieces`);
    demand(
      this.kinds.every((kind) => isIndex(kind, BYTE + 1) && kind >= NORMAL),
      "a piece has an unknown type",
    );
    demand(this.scores.every(Number.isFinite), "a score is not a number");
    this.unknown = this.kinds.indexOf(UNKNOWN);
    demand(this.unknown >= 0, "no piece is the unknown one");
    this.unknownText = text(given.unknown_text, "the text of the unknown piece");
    this.beginsWithSpace = flag(given.begins_with_space, "the flag begins_with_space");
    this.removesSpaces = flag(given.removes_spaces, "the flag removes_spaces");
    this.hasBytes = flag(given.has_bytes, "the flag has_bytes");
    /** @type {Map<string, number>} numbers of the pieces that strings are split into */
    this.numbers = new Map();
    /** @type {Map<number, number>} numbers of the pieces of single bytes */
    this.bytes = new Map();
    for (const [number, piece] of this.pieces.entries()) {
      const kind = this.kinds[number];
      if (kind === BYTE) this.bytes.set(byteOf(piece), number);
      else if (kind !== UNKNOWN && kind !== CONTROL) this.addPiece(piece, number);
    }
    const own = this.pieces.filter((_, number) => this.kinds[number] === USER_DEFINED);
    this.whole = own.length === 0 ? null : anyOf(own);
    this.encoder = new TextEncoder();
  }

  /**
   * @param {string} piece
   * @param {number} number
   */
  addPiece(piece, number) {
    demand(piece !== "", `the piece ${number} is empty`);
    demand(!this.numbers.has(piece), `two pieces are ${JSON.stringify(piece.slice(0, 60))}`);
    this.numbers.set(piece, number);
  }

  /**
   * Return the tokens of a string.
   * @param {string} string
   * @returns {number[]}
   */
  encode(string) {
    const word = new Word(this, this.normalized(string));
    /** @type {number[]} */
    const found = [];
    for (const symbol of word.merged()) {
      if (symbol < this.pieces.length) found.push(symbol);
      else if (this.hasBytes) found.push(...this.tokensOfBytes(word.textOf(symbol)));
      else if (found.at(-1) !== this.unknown) found.push(this.unknown);
    }
    return found;
  }

  /** @param {string} string */
  normalized(string) {
    let found = string.isWellFormed?.() === false ? string.toWellFormed() : string;
    if (this.removesSpaces) found = found.replace(/^ +/, "").replace(/ {2,}/g, " ");
    if (found === "") return found;
    found = (this.beginsWithSpace ? SPACE : "") + found.replaceAll(" ", SPACE);
    return this.removesSpaces ? found.replace(/\u2581+$/, "") : found;
  }

  /** @param {string} string */
  tokensOfBytes(string) {
    const bytes = Array.from(this.encoder.encode(string));
    return bytes.map((byte) => this.bytes.get(byte) ?? this.unknown);
  }

  /** Return a decoder of tokens that arrive one after the other. */
  decoder() {
    return new Decoder(this);
  }
}

/** A string while its symbols are merged. Characters that are not pieces have greater numbers. */
class Word {
  /**
   * @param {SentencePieces} model
   * @param {string} string
   */
  constructor(model, string) {
    this.model = model;
    /** @type {string[]} */
    this.others = [];
    /** @type {Map<number, number[]>} the parts of unused pieces */
    this.parts = new Map();
    /** @type {number[]} */
    this.symbols = [];
    let end = 0;
    for (const match of model.whole === null ? [] : string.matchAll(model.whole)) {
      this.addCharacters(string.slice(end, match.index));
      this.symbols.push(this.symbolOf(match[0]));
      end = match.index + match[0].length;
    }
    this.addCharacters(string.slice(end));
  }

  /** @param {string} string */
  addCharacters(string) {
    for (const character of string) this.symbols.push(this.symbolOf(character));
  }

  /** @param {string} piece */
  symbolOf(piece) {
    const number = this.model.numbers.get(piece);
    if (number !== undefined) return number;
    return this.model.pieces.length + this.others.push(piece) - 1;
  }

  /** @param {number} symbol */
  textOf(symbol) {
    const { pieces } = this.model;
    return pieces[symbol] ?? this.others[symbol - pieces.length];
  }

  /** Return the symbols after all merges. Unused pieces only lead to other ones, so they are split again. */
  merged() {
    const found = merged(this.symbols, (left, right) => this.mergeOf(left, right));
    /** @type {number[]} */
    const split = [];
    const rest = found.reverse();
    for (let symbol = rest.pop(); symbol !== undefined; symbol = rest.pop()) {
      const parts = this.model.kinds[symbol] === UNUSED ? this.parts.get(symbol) : undefined;
      if (parts === undefined) split.push(symbol);
      else rest.push(parts[1], parts[0]);
    }
    return split;
  }

  /**
   * @param {number} left
   * @param {number} right
   */
  mergeOf(left, right) {
    const { kinds, numbers, scores } = this.model;
    if (kinds[left] === USER_DEFINED || kinds[right] === USER_DEFINED) return undefined;
    const result = numbers.get(this.textOf(left) + this.textOf(right));
    if (result === undefined) return undefined;
    if (kinds[result] === UNUSED) this.parts.set(result, [left, right]);
    return { rank: -scores[result], result };
  }
}

/** The text of tokens. Bytes that are not UTF-8 become replacement characters. */
class Decoder {
  /** @param {SentencePieces} model */
  constructor(model) {
    this.model = model;
    this.isFirst = true;
    /** @type {number[]} bytes of a character that is not complete */
    this.bytes = [];
    this.decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  }

  /** @param {number} token */
  text(token) {
    const { kinds, pieces } = this.model;
    const isByte = kinds[token] === BYTE;
    if (isByte) this.bytes.push(byteOf(pieces[token]));
    const before = this.complete(!isByte);
    if (before !== "") this.isFirst = false;
    const found = before + (isByte ? "" : this.textOfPiece(token));
    if (found !== "") this.isFirst = false;
    return found;
  }

  /** @param {number} token */
  textOfPiece(token) {
    const { model } = this;
    const kind = model.kinds[token];
    if (kind === undefined || kind === CONTROL) return "";
    if (kind === UNKNOWN) return model.unknownText;
    let piece = model.pieces[token];
    if (this.isFirst && (model.beginsWithSpace || model.removesSpaces) && piece.startsWith(SPACE)) {
      piece = piece.slice(SPACE.length);
      this.isFirst = model.removesSpaces;
    }
    return piece.replaceAll(SPACE, " ");
  }

  /** Return the characters of the bytes. @param {boolean} isEnd true if no other byte follows */
  complete(isEnd) {
    let found = "";
    while (this.bytes.length > 0) {
      const size = sizeOf(this.bytes[0]);
      if (size > this.bytes.length && !isEnd) break;
      const character = this.character(size);
      this.bytes.splice(0, character === undefined ? 1 : size);
      found += character ?? REPLACEMENT;
    }
    return found;
  }

  /** @param {number} size */
  character(size) {
    try {
      if (size > this.bytes.length) return undefined;
      return this.decoder.decode(Uint8Array.from(this.bytes.slice(0, size)));
    } catch {
      return undefined;
    }
  }

  end() {
    return this.complete(true);
  }
}

/** Return the number of bytes of a character. @param {number} byte the first one */
function sizeOf(byte) {
  if (byte < 0xc2 || byte > 0xf4) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/** Return the byte of a piece such as <0x0A>. @param {string} piece */
function byteOf(piece) {
  const found = /^<0x([0-9A-F]{2})>$/.exec(piece);
  demand(found !== null, `the piece ${piece.slice(0, 60)} is not a byte`);
  return Number.parseInt(found[1], 16);
}
