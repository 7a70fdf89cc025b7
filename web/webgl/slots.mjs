/**
 * The slots: tensors by number, which are written or are the outputs of Programs.
 *
 * @typedef {import("./program.mjs").Buffer} Buffer
 * @typedef {import("./textures.mjs").Layout} Layout
 * @typedef {import("./textures.mjs").Texture} Texture
 * @typedef {import("./textures.mjs").TexturePool} TexturePool
 * @typedef {import("./transfer.mjs").Elements} Elements
 * @typedef {import("./transfer.mjs").OutputReader} OutputReader
 *
 * @typedef {object} Slot it has a texture, or the data that its first use by a Program uploads, or
 *   both until the device has said that it has the data; nothing if memory ran out
 * @property {string} dtype
 * @property {Layout} layout
 * @property {Texture | null} texture
 * @property {Elements | null} data
 * @property {OutputReader | null} reader of the Program whose output it is
 */

import { OpError } from "../runtime/errors.mjs";
import { nbytesOf } from "./document.mjs";
import { copied, upload, viewed } from "./transfer.mjs";

/** Tensors up to this size are uploaded when a Program first takes them; many are never. */
const LAZY_BYTES = 2 ** 16;

export class SlotTable {
  /** @param {TexturePool} pool */
  constructor(pool) {
    this.pool = pool;
    /** @type {Map<number, Slot>} */
    this.slots = new Map();
    this.lastId = 0;
    /** Up to this one, slots hold what they should. */
    this.lastGoodId = 0;
    /** @type {Set<Slot>} those that were uploaded since, and have their data still */
    this.uploaded = new Set();
    this.bytes = 0;
  }

  get count() {
    return this.slots.size;
  }

  /**
   * A new slot with elements of the heap.
   *
   * @param {ArrayBufferLike} heap
   * @param {number} ptr
   * @param {number} count
   * @param {string} dtype
   */
  write(heap, ptr, count, dtype) {
    const layout = this.pool.layout(count, dtype);
    if (nbytesOf(count, dtype) <= LAZY_BYTES) {
      const data = copied(heap, ptr, count, dtype);
      return this.add({ dtype, layout, texture: null, data, reader: null });
    }
    const texture = this.pool.acquire(layout);
    this.pool.allocate();
    upload(this.pool, texture, viewed(heap, ptr, count, dtype));
    return this.add({ dtype, layout, texture, data: null, reader: null });
  }

  /**
   * @param {Slot} slot
   * @returns {number}
   */
  add(slot) {
    this.slots.set(++this.lastId, slot);
    this.bytes += bytesOf(slot);
    return this.lastId;
  }

  /**
   * @param {number} id
   * @returns {Slot}
   */
  get(id) {
    const slot = this.slots.get(id);
    if (slot === undefined) throw new Error(`WebGL2: there is no slot ${id}`);
    return slot;
  }

  /**
   * A slot that has its value still.
   *
   * @param {number} id
   * @returns {Slot}
   */
  getGood(id) {
    const slot = this.get(id);
    if (slot.texture === null && slot.data === null) {
      const text = "webgl: the value is lost: the device ran out of memory when it was computed";
      throw new OpError("ResourceExhaustedError", text);
    }
    return slot;
  }

  /**
   * Gives slots textures that have their data only.
   *
   * @param {Set<Slot>} slots
   */
  upload(slots) {
    const { pool } = this;
    const textures = new Map([...slots].map((slot) => [slot, pool.acquire(slot.layout)]));
    try {
      pool.allocate();
    } catch (error) {
      for (const texture of textures.values()) pool.release(texture);
      throw error;
    }
    for (const [slot, texture] of textures) {
      upload(pool, texture, /** @type {Elements} */ (slot.data));
      slot.texture = texture;
      this.uploaded.add(slot);
    }
  }

  /** The device has said that all went well so far. */
  trust() {
    for (const slot of this.uploaded) slot.data = null;
    this.uploaded.clear();
    this.lastGoodId = this.lastId;
  }

  /** The device has said that something failed since `trust`: takes all textures made since away. */
  distrust() {
    for (const [id, slot] of this.slots) {
      const { texture } = slot;
      if (texture === null || (id <= this.lastGoodId && !this.uploaded.has(slot))) continue;
      this.pool.destroy(texture);
      slot.texture = null;
    }
    this.uploaded.clear();
    this.lastGoodId = this.lastId;
  }

  /**
   * Takes a donated slot's texture away: it is an output's now.
   *
   * @param {number} id
   */
  detachTexture(id) {
    this.get(id).texture = null;
  }

  /** @param {number} id */
  free(id) {
    const slot = this.get(id);
    this.slots.delete(id);
    this.uploaded.delete(slot);
    this.bytes -= bytesOf(slot);
    if (slot.texture !== null) this.pool.release(slot.texture);
  }

  clear() {
    this.slots.clear();
    this.bytes = 0;
  }
}

/**
 * A slot that is donated to a run is in it once.
 *
 * @param {number[]} slots those with a minus sign are donated
 */
export function checkDonated(slots) {
  const seen = new Set();
  for (const id of slots) {
    if (seen.has(-id) || (id < 0 && seen.has(id))) {
      throw new Error(`WebGL2: slot ${Math.abs(id)} is donated and used elsewhere`);
    }
    seen.add(id);
  }
}

/** @param {Slot} slot */
function bytesOf({ dtype, layout }) {
  return nbytesOf(layout.count, dtype);
}
