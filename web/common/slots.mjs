/**
 * The slots of a GPU backend: tensors by number, which are written or are the outputs of Programs.
 *
 * @typedef {import("./elements.mjs").Elements} Elements
 */

/**
 * It has storage on the device, or the data that its first use by a Program uploads, or both until
 * the device has said that it has the data; nothing if memory ran out.
 *
 * @template Storage, Layout
 * @typedef {object} Slot
 * @property {string} dtype
 * @property {Layout} layout
 * @property {Storage | null} storage
 * @property {Elements | null} data
 * @property {number} used the number of the run that used it last
 * @property {boolean} [pinned] whether it must not leave the device
 */

/**
 * @template Storage, Layout
 * @typedef {object} Pool where storage comes from
 * @property {(count: number, dtype: string) => Layout} layout
 * @property {(layout: Layout) => Storage} acquire
 * @property {(storage: Storage) => void} release
 * @property {(storage: Storage) => void} destroy
 */

import { copied, copyOut, nbytesOf, viewed } from "./elements.mjs";
import { NoMemory, OpError } from "./errors.mjs";
import { Pager } from "./paging.mjs";

/** Tensors up to this size are uploaded when a Program first takes them; many are never. */
const LAZY_BYTES = 2 ** 16;

/**
 * @template Storage
 * @typedef {object} Taker a Program, as far as slots are concerned
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {(position: number, dtype: string, count: number) => void} checkInput
 * @property {(position: number, storage: Storage) => void} bindInput
 * @property {(output: number, slots: number[]) => number} donatedTo the position of the donated input
 *   that an output has taken over; or -1
 */

/**
 * @template Storage
 * @template {{count: number, bucket: {bytes: number}}} Layout
 * @template {Slot<Storage, Layout>} [S=Slot<Storage, Layout>]
 */
export class SlotTable {
  /**
   * @param {string} backend
   * @param {Pool<Storage, Layout>} pool
   * @param {(storages: [Storage, Elements][]) => void} fill uploads elements; fails as a whole
   * @param {(slot: Slot<Storage, Layout>) => S} make completes a slot
   * @param {{budget: number, hostBudget: number, held: () => number, shrink: () => void,
   *   fetch: (slot: S) => Elements | Promise<Elements>}} memory of the device; see `Pager`
   */
  constructor(backend, pool, fill, make, memory) {
    this.backend = backend;
    this.pool = pool;
    this.fill = fill;
    this.make = make;
    /** @type {Map<number, S>} */
    this.slots = new Map();
    this.lastId = 0;
    /** Up to this one, slots hold what they should. */
    this.lastGoodId = 0;
    /** @type {Set<S>} those that were uploaded since, and have their data still */
    this.uploaded = new Set();
    this.bytes = 0;
    /** Of Programs. */
    this.runs = 0;
    /** @param {S} slot */
    const drop = (slot) => {
      this.uploaded.delete(slot);
      pool.destroy(/** @type {Storage} */ (slot.storage));
    };
    /** @type {Pager<S>} */
    this.pager = new Pager({
      ...memory,
      onHost: () => this.hostBytes,
      bytesOf: (slot) => slot.layout.bucket.bytes,
      drop,
    });
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
      return this.add(this.make({ dtype, layout, storage: null, data, used: 0 }));
    }
    this.pager.relieve(this.slots.values(), this.runs + 1);
    const storage = this.surely(() => {
      const room = this.pool.acquire(layout);
      this.fill([[room, viewed(heap, ptr, count, dtype)]]);
      return room;
    });
    return this.add(this.make({ dtype, layout, storage, data: null, used: 0 }));
  }

  /**
   * What a call gives: where it finds no memory, slots leave the device until it does.
   *
   * @template T
   * @param {() => T} call does nothing if it fails; the slots of the run that it makes stay
   * @returns {T}
   */
  surely(call) {
    const run = this.runs + 1;
    for (;;) {
      try {
        return call();
      } catch (error) {
        if (!(error instanceof NoMemory) || !this.pager.makeRoom(this.slots.values(), run)) {
          throw error;
        }
      }
    }
  }

  /**
   * @param {S} slot
   * @returns {number}
   */
  add(slot) {
    slot.used = this.runs;
    this.slots.set(++this.lastId, slot);
    this.bytes += bytesOf(slot);
    return this.lastId;
  }

  /**
   * @param {number} id
   * @returns {S}
   */
  get(id) {
    const slot = this.slots.get(id);
    if (slot === undefined) throw new Error(`${this.backend}: there is no slot ${id}`);
    return slot;
  }

  /**
   * A slot that has its value still.
   *
   * @param {number} id
   * @returns {S}
   */
  getGood(id) {
    const slot = this.get(id);
    if (slot.storage === null && slot.data === null) {
      const why = "the device ran out of memory when it was computed";
      const text = `${this.backend}: the value is lost: ${why}`;
      throw new OpError("ResourceExhaustedError", text);
    }
    return slot;
  }

  /**
   * Gives slots storage that have their data only.
   *
   * @param {Set<S>} slots
   */
  upload(slots) {
    const { pool } = this;
    const storages = new Map([...slots].map((slot) => [slot, pool.acquire(slot.layout)]));
    try {
      this.fill(
        [...storages].map(([{ data }, storage]) => [storage, /** @type {Elements} */ (data)]),
      );
    } catch (error) {
      for (const storage of storages.values()) pool.release(storage);
      throw error;
    }
    for (const [slot, storage] of storages) {
      slot.storage = storage;
      this.uploaded.add(slot);
    }
  }

  /** The device has said that all went well so far. */
  trust() {
    for (const slot of this.uploaded) slot.data = null;
    this.uploaded.clear();
    this.lastGoodId = this.lastId;
  }

  /** The device has said that something failed since `trust`: takes all storage made since away. */
  distrust() {
    for (const [id, slot] of this.slots) {
      const { storage } = slot;
      if (storage === null || (id <= this.lastGoodId && !this.uploaded.has(slot))) continue;
      this.pool.destroy(storage);
      slot.storage = null;
    }
    this.uploaded.clear();
    this.lastGoodId = this.lastId;
  }

  /**
   * Takes a donated slot's storage away: it is an output's now.
   *
   * @param {number} id
   */
  detach(id) {
    this.get(id).storage = null;
  }

  /**
   * Hands the slots' storage to a program, uploading those that were never used before.
   *
   * @param {Taker<Storage>} program
   * @param {number[]} slots those with a minus sign are donated
   */
  bind(program, slots) {
    const wanted = program.inputs.length;
    if (slots.length !== wanted) {
      throw new Error(`program takes ${wanted} inputs, got ${slots.length}`);
    }
    let donates = false;
    /** @type {Set<S> | null} */
    let fresh = null;
    this.runs++;
    for (let i = 0; i < wanted; i++) {
      const slot = this.getGood(Math.abs(slots[i]));
      slot.used = this.runs;
      program.checkInput(i, slot.dtype, slot.layout.count);
      if (slot.storage === null) fresh = (fresh ?? new Set()).add(slot);
      else program.bindInput(i, slot.storage);
      donates ||= slots[i] < 0;
    }
    if (donates) checkDonated(slots);
    this.pager.relieve(this.slots.values(), this.runs);
    if (fresh === null) return;
    this.upload(fresh);
    slots.forEach((id, i) => {
      program.bindInput(i, /** @type {Storage} */ (this.get(Math.abs(id)).storage));
    });
  }

  /**
   * After a run: the donated slots are gone.
   *
   * @param {Taker<Storage>} program
   * @param {number[]} slots
   */
  freeDonated(program, slots) {
    for (let i = 0; i < program.outputs.length; i++) {
      const input = program.donatedTo(i, slots);
      if (input >= 0) this.detach(-slots[input]);
    }
    for (const id of slots) {
      if (id < 0) this.free(-id);
    }
  }

  /** @param {number} id */
  free(id) {
    const slot = this.get(id);
    this.slots.delete(id);
    this.uploaded.delete(slot);
    this.bytes -= bytesOf(slot);
    if (slot.storage !== null) this.pool.release(slot.storage);
    slot.storage = null;
  }

  /** Bytes of the slots that are on the host only. */
  get hostBytes() {
    let total = 0;
    for (const slot of this.slots.values()) {
      if (slot.storage === null && slot.data !== null) total += bytesOf(slot);
    }
    return total;
  }

  /** The device is gone: what the host has is left. */
  close() {
    for (const [id, slot] of this.slots) {
      slot.storage = null;
      if (slot.data === null) this.slots.delete(id);
    }
    this.bytes = 0;
  }

  /**
   * Copies a slot's elements to byte `ptr` of the heap, if the host has them.
   *
   * @param {ArrayBufferLike} heap
   * @param {number} ptr
   * @param {number} id
   */
  rescue(heap, ptr, id) {
    const slot = this.slots.get(id);
    if (slot === undefined || slot.data === null) return false;
    copyOut(heap, ptr, slot.dtype, slot.data);
    return true;
  }
}

/**
 * A slot that is donated to a run is in it once.
 *
 * @param {number[]} slots those with a minus sign are donated
 */
function checkDonated(slots) {
  const seen = new Set();
  for (const id of slots) {
    if (seen.has(-id) || (id < 0 && seen.has(id))) {
      throw new Error(`slot ${Math.abs(id)} is donated and used elsewhere`);
    }
    seen.add(id);
  }
}

/** @param {{dtype: string, layout: {count: number}}} slot */
function bytesOf({ dtype, layout }) {
  return nbytesOf(layout.count, dtype);
}
