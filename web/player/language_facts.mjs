/**
 * Checks of the parts of a file that only language models have.
 *
 * @typedef {import("./document.mjs").SignatureText} SignatureText
 * @typedef {import("./container.mjs").Entry} Entry
 * @typedef {import("./tfpy-run.js").Message} Message
 *
 * @typedef {object} ChatFormat
 * @property {Record<string, Record<string, string>>} joins strings by the roles before and after them
 * @property {Set<string>} stripped roles with contents that are stripped
 *
 * @typedef {object} LanguageFacts
 * @property {number} length number of positions
 * @property {number} candidates number of tokens from which one can be drawn
 * @property {number[]} start tokens before each prompt
 * @property {Set<number>} stop tokens that end a text
 * @property {Set<number>} hidden tokens that are not part of a text
 * @property {number[]} lengths lengths of prefills, ascending
 * @property {ChatFormat | null} chat
 * @property {string} tokenizer name of the tensor that describes the tokenizer
 *
 * @typedef {BytePairs | SentencePieces} Tokenizer
 */

import { BytePairs } from "./byte_pairs.mjs";
import { demand, indices, isIndex, keyOf, list, object, parsed, text } from "./check.mjs";
import { SentencePieces } from "./sentence_pieces.mjs";

const TOKENIZERS = { byte_pairs: BytePairs, sentence_pieces: SentencePieces };
/** Maximum number of positions. */
const MOST_POSITIONS = 2 ** 20;
/** Numbers of tokens are int32. */
const TOKEN_LIMIT = 2 ** 31;
const START = "start";
const END = "end";

/**
 * @param {any} given
 * @param {{name: string, signatures: SignatureText[]}[]} functions
 * @param {Map<string, Entry>} entries
 * @returns {LanguageFacts | null} null if the file has no language model
 */
export function languageFactsOf(given, functions, entries) {
  if (given === undefined) return null;
  const { length, candidates, start, stop, hidden, chat, tokenizer } = object(
    given,
    "language_model",
  );
  demand(isIndex(length, MOST_POSITIONS + 1) && length > 1, "a language model has a wrong length");
  demand(
    isIndex(candidates) && candidates > 0,
    "a language model has a wrong number of candidates",
  );
  const dtype = entries.get(text(tokenizer, "a tokenizer"))?.dtype;
  demand(dtype === "U8", `the tokenizer ${tokenizer.slice(0, 60)} is not bytes`);
  const own = new Map(functions.map(({ name, signatures }) => [name, signatures]));
  const token = "token:int32[1,1],position:int32[]";
  demandForm(own.get("step"), "step", () => token);
  const number = "temperature:float32[],top_k:int32[],top_p:float32[],uniform:float32[]";
  demandForm(own.get("sample"), "sample", () => `${token},${number}`);
  const prefills = own.get("prefill") ?? [];
  const lengths = prefills.map(({ inputs }) => inputs[0]?.shape[1] ?? 0);
  prefills.forEach((one, i) => {
    demandForm([one], "prefill", () => `tokens:int32[1,${lengths[i]}],position:int32[]`, "");
    const grows = lengths[i] > (lengths[i - 1] ?? 1) && lengths[i] <= length;
    demand(grows, `prefills of ${lengths} tokens for ${length} positions`);
  });
  return {
    length,
    candidates,
    start: indices(start, TOKEN_LIMIT, "start tokens"),
    stop: new Set(indices(stop, TOKEN_LIMIT, "stop tokens")),
    hidden: new Set(indices(hidden, TOKEN_LIMIT, "hidden tokens")),
    lengths,
    chat: chatOf(chat),
    tokenizer,
  };
}

/**
 * @param {SignatureText[] | undefined} signatures
 * @param {string} name of the function
 * @param {() => string} inputs
 * @param {string} [outputs]
 */
function demandForm(signatures, name, inputs, outputs = "token:int32[1]") {
  demand(signatures?.length === 1, `a language model has no single function ${name}`);
  const [one] = signatures;
  const wanted = `${inputs()} -> ${outputs}`;
  const shown = (/** @type {SignatureText["inputs"]} */ specs) =>
    specs.map((spec) => `${spec.name}:${spec.dtype}[${spec.shape}]`).join();
  const found = `${shown(one.inputs)} -> ${shown(one.outputs)}`;
  demand(found === wanted, `${name} of a language model is not ${wanted}`);
}

/**
 * @param {any} given
 * @returns {ChatFormat | null}
 */
function chatOf(given) {
  if (given === null) return null;
  const { joins, stripped } = object(given, "a chat format");
  for (const [before, strings] of Object.entries(object(joins, "joins"))) {
    for (const join of Object.values(object(strings, `joins of ${before}`))) text(join, "a join");
  }
  const roles = list(stripped, "stripped roles").map((role) => text(role, "a role"));
  return { joins, stripped: new Set(roles) };
}

/**
 * Write a conversation in the format of the model, which ends where its answer begins.
 * @param {ChatFormat} format
 * @param {readonly Message[]} messages
 */
export function conversation({ joins, stripped }, messages) {
  let [found, before] = ["", START];
  const join = (/** @type {string} */ after) => {
    const strings = Object.hasOwn(joins, before) ? joins[before] : {};
    if (Object.hasOwn(strings, after)) return strings[after];
    const known = Object.keys(strings).filter((role) => role !== END);
    const place = before === START ? "at the beginning" : `after the role ${before}`;
    const what = after === END ? "the conversation ends" : `there is the role ${after}`;
    const takes = `the model's chat format has ${known.join(", ") || "no message"} there`;
    throw new TypeError(`${place}, ${what}; ${takes}`);
  };
  for (const { role, content } of messages) {
    if (typeof role !== "string" || typeof content !== "string" || role === END) {
      throw new TypeError("a message must be an object of two strings, role and content");
    }
    found += join(role) + (stripped.has(role) ? content.trim() : content);
    before = role;
  }
  return found + join(END);
}

/**
 * Read a tokenizer from its bytes.
 * @param {Uint8Array} bytes
 * @returns {Tokenizer}
 */
export function tokenizerOf(bytes) {
  let json = "";
  try {
    json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    demand(false, "the tokenizer is not UTF-8");
  }
  const given = parsed(json, "the tokenizer");
  return new TOKENIZERS[keyOf(given.type, TOKENIZERS, "the type of the tokenizer")](given);
}
