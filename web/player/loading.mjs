/**
 * Downloads the tensors of a file and compiles its programs.
 *
 * @typedef {import("./container.mjs").Entry} Entry
 * @typedef {import("./document.mjs").Document} Document
 * @typedef {import("./document.mjs").Target} Target
 * @typedef {import("./values.mjs").Value} Value
 */

import { typeOf } from "./document.mjs";
import { Runner } from "./runner.mjs";
import { Device } from "./values.mjs";

/** A program while its tensors are downloaded. */
export class Loading {
  /**
   * @param {Awaited<ReturnType<typeof import("./container.mjs").readHeader>>} file
   * @param {Document} document
   * @param {Awaited<ReturnType<typeof import("./backends.mjs").openBackend>>} opened
   * @param {(share: number) => void} heard called with the compiled share of the programs
   */
  constructor(file, document, opened, heard) {
    this.file = file;
    this.document = document;
    this.opened = opened;
    this.heard = heard;
    this.device = new Device(opened.backend);
    /** @type {Map<string, Uint8Array<ArrayBuffer>>} bytes to keep for saving, by name */
    this.kept = new Map();
    /** @type {Map<string, Value>} */
    this.constants = new Map();
    /** @type {Map<string, Value>} variables, by name */
    this.variables = new Map();
  }

  /**
   * @param {import("./container.mjs").Bytes} bytes
   * @returns {Promise<Runner>}
   */
  async finish(bytes) {
    const needed = programsOf(this.opened.target);
    const waiting = new Set([...needed].flatMap((n) => this.document.programs[n].constants ?? []));
    /** @type {Promise<number[]> | null} */
    let programs = null;
    const begin = () => {
      if (waiting.size > 0 || programs !== null) return;
      programs = this.register(needed);
      programs.catch(() => {}); // awaited below
    };
    begin();
    const state = new Set(this.document.state.map(({ tensor }) => tensor));
    for (const entry of this.file.entries) {
      const data = await bytes.take(entry.end - entry.begin, `tensor ${entry.name}`);
      this.keep(entry, data, state.has(entry.name));
      waiting.delete(entry.name);
      begin();
    }
    await bytes.end();
    const ids = await /** @type {Promise<number[]> | null} */ (programs);
    return new Runner(this.device, ids ?? [], this.opened.target.adders, this.constants);
  }

  /**
   * @param {Entry} entry
   * @param {Uint8Array<ArrayBuffer>} data
   * @param {boolean} isState
   */
  keep(entry, data, isState) {
    if (!isState) this.kept.set(entry.name, data);
    if (entry.dtype === "U8") return;
    const { dtype, count } = typeOf(entry, entry.name);
    const clean = dtype === "bool" ? data.map((x) => Number(x !== 0)) : data;
    const value = this.device.upload(dtype, count, clean);
    (isState ? this.variables : this.constants).set(entry.name, value);
  }

  /**
   * @param {Set<number>} needed
   * @returns {Promise<number[]>} the ids on the device, by number
   */
  async register(needed) {
    /** @type {number[]} */
    const ids = [];
    let done = 0;
    for (const number of needed) {
      const { document, constants } = this.document.programs[number];
      const data = this.kept.get(constants ?? "") ?? new Uint8Array(0);
      const json = textOf(document, number);
      ids[number] = await this.opened.backend.registerAsync(
        json,
        data.buffer,
        data.byteOffset,
        data.length,
        (some, all) => this.heard((done + some / Math.max(all, 1)) / needed.size),
      );
      this.heard(++done / needed.size);
    }
    return ids;
  }
}

/**
 * Return the JSON text of a Program for its runtime.
 * @param {Record<string, any>} document
 * @param {number} number
 */
function textOf(document, number) {
  try {
    return JSON.stringify(document);
  } catch {
    throw new Error(`broken file: program ${number} is nested too deeply`);
  }
}

/**
 * Return the numbers of the Programs that a target's blocks run.
 * @param {Target} target
 */
function programsOf({ blocks, adders }) {
  const found = new Set(Object.values(adders));
  /** @type {(block: any) => void} */
  const visit = ({ steps }) => {
    for (const { facts } of steps) {
      if (facts.program !== undefined) found.add(facts.program);
      for (const inner of [...(facts.branches ?? []), facts.body, facts.test]) {
        if (inner !== undefined) visit(inner);
      }
    }
  };
  blocks.flat().forEach(visit);
  return found;
}
