/**
 * The file in the safetensors format, read as a stream. Eight bytes contain the length of the header.
 * The header is JSON with the position of each tensor in the bytes that follow.
 *
 * @typedef {object} Entry a tensor of the file
 * @property {string} name
 * @property {string} dtype dtype in the names of safetensors
 * @property {number[]} shape
 * @property {number} count
 * @property {number} begin
 * @property {number} end
 */

import { IN_PUBLIC, refusal } from "../site/responses.mjs";
import { countOf, demand, isIndex, keyOf, list, object, parsed, text } from "./check.mjs";

const LENGTH_BYTES = 8;
const MOST_HEADER_BYTES = 1e8;
const METADATA = "__metadata__";

/** @type {Record<string, number>} */
const ELEMENT_BYTES = { F32: 4, I32: 4, BOOL: 1, I8: 1, U8: 1, C64: 8 };

/**
 * @param {string | URL | Request | Response | Blob | ArrayBuffer | Uint8Array} source
 * @returns {Promise<ReadableStreamDefaultReader<Uint8Array>>}
 */
export async function open(source) {
  if (source instanceof Uint8Array || source instanceof ArrayBuffer || source instanceof Blob) {
    return new Blob([/** @type {BlobPart} */ (source)]).stream().getReader();
  }
  const response = source instanceof Response ? source : await fetch(source);
  const refused = refusal(response, IN_PUBLIC);
  if (refused) throw new Error(`${response.url}: ${refused}`);
  demand(response.body !== null, "the response has no body");
  return /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
}

/** Reads a stream in pieces of requested sizes. */
export class Bytes {
  /**
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   * @param {(loaded: number) => void} heard called with the number of bytes received
   */
  constructor(reader, heard) {
    this.reader = reader;
    this.heard = heard;
    this.loaded = 0;
    this.left = new Uint8Array(0);
  }

  /**
   * Return the next bytes. Memory is allocated only for bytes that were received, whatever the header declares.
   * @param {number} wanted
   * @param {string} what
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async take(wanted, what) {
    const pieces = [];
    let missing = wanted;
    while (missing > 0) {
      if (this.left.length === 0) {
        const { value, done } = await this.reader.read();
        demand(!done, `the file ends within ${what}`);
        this.left = /** @type {Uint8Array<ArrayBuffer>} */ (value);
        this.loaded += this.left.length;
        this.heard(this.loaded);
      }
      const piece = this.left.subarray(0, missing);
      this.left = this.left.subarray(piece.length);
      missing -= piece.length;
      pieces.push(piece);
    }
    const found = new Uint8Array(wanted);
    let at = 0;
    for (const piece of pieces) {
      found.set(piece, at);
      at += piece.length;
    }
    return found;
  }

  /** Check that no bytes follow. */
  async end() {
    const { done } = await this.reader.read();
    demand(done && this.left.length === 0, "bytes follow the last tensor");
  }
}

/**
 * @param {Bytes} bytes
 * @returns {Promise<{raw: Uint8Array<ArrayBuffer>, entries: Entry[], document: string}>} the tensors in
 *   file order, and the JSON text of the program
 */
export async function readHeader(bytes) {
  const lead = await bytes.take(LENGTH_BYTES, "the length of the header");
  const length = Number(new DataView(lead.buffer).getBigUint64(0, true));
  demand(length <= MOST_HEADER_BYTES, `the header is declared to have ${length} bytes`);
  const head = await bytes.take(length, "the header");
  const raw = new Uint8Array(LENGTH_BYTES + length);
  raw.set(lead);
  raw.set(head, LENGTH_BYTES);
  const header = parsed(new TextDecoder("utf-8", { fatal: true }).decode(head), "the header");
  const document = text(object(header[METADATA], METADATA).tfpy, "the program, tfpy,");
  return { raw, entries: entriesOf(header), document };
}

/**
 * @param {Record<string, any>} header
 * @returns {Entry[]}
 */
function entriesOf(header) {
  const entries = Object.keys(header)
    .filter((name) => name !== METADATA)
    .map((name) => {
      const { dtype, shape, data_offsets } = object(header[name], `tensor ${name}`);
      const [begin, end, ...more] = list(data_offsets, `the offsets of ${name}`);
      demand(
        isIndex(begin, 2 ** 53) && isIndex(end, 2 ** 53) && more.length === 0,
        `${name} has wrong offsets`,
      );
      const count = countOf(shape, name);
      const nbytes = count * ELEMENT_BYTES[keyOf(dtype, ELEMENT_BYTES, `the dtype of ${name}`)];
      demand(end - begin === nbytes, `tensor ${name} has ${end - begin} bytes, not ${nbytes}`);
      return { name, dtype, shape, count, begin, end };
    })
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  let at = 0;
  for (const { name, begin, end } of entries) {
    demand(begin === at, `tensor ${name} does not follow the previous tensor`);
    at = end;
  }
  return entries;
}
