/**
 * The slots of a GPU backend: numbered tensors that were written from the host or are outputs of Programs.
 *
 * @typedef {import("./elements.mjs").Elements} Elements
 */

/**
 * A slot has storage on the device, or data to upload when a Program first uses it, or both until the
 * device has confirmed the upload. It has neither if memory ran out.
 *
 * @template Storage, Layout
 * @typedef {object} Slot
 * @property {string} dtype
 * @property {Layout} layout
 * @property {Storage | null} storage
 * @property {Elements | null} data
 * @property {number} used number of the run that used it last
 * @property {boolean} [pinned] whether it must not leave the device
 */

/**
 * @template Storage, Layout
 * @typedef {object} Pool pool of storage
 * @property {(count: number, dtype: string) => Layout} layout
 * @property {(layout: Layout) => Storage} acquire
 * @property {(storage: Storage) => void} release
 * @property {(storage: Storage) => void} destroy
 */

import { copied, copyOut, nbytesOf, viewed } from "./elements.mjs";
import { NoMemory, OpError } from "./errors.mjs";
import { Pager } from "./paging.mjs";

/** Tensors up to this size are uploaded when a Program first uses them; many are never used. */
const LAZY_BYTES = 2 ** 16;

/**
 * @template Storage
 * @typedef {object} Taker the part of a Program that binds slots
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {(position: number, dtype: string, count: number) => void} checkInput
 * @property {(position: number, storage: Storage) => void} bindInput
 * @property {(output: number, slots: number[]) => number} donatedTo position of the donated input that
 *   an output has reused; or -1
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
   * @param {(storages: [Storage, Elements][]) => void} fill upload elements, either all or none
   * @param {(slot: Slot<Storage, Layout>) => S} make complete a slot
   * @param {{budget: number, hostBudget: number, held: () => number, shrink: () => void,
   *   fetch: (slot: S) => Elements | Promise<Elements>}} memory the device's memory; see `Pager`
   */
  constructor(backend, pool, fill, make, memory) {
    this.backend = backend;
    this.pool = pool;
    this.fill = fill;
    this.make = make;
    /** @type {Map<number, S>} */
    this.slots = new Map();
    this.lastId = 0;
    /** Slots up to this id are known to have correct values. */
    this.lastGoodId = 0;
    /** @type {Set<S>} slots uploaded since then, which still have their data */
    this.uploaded = new Set();
    this.bytes = 0;
    /** Number of runs of Programs. */
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
   * Create a slot with elements of the heap.
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
   * Return the result of a call; while it runs out of memory, evict slots and try again.
   *
   * @template T
   * @param {() => T} call has no effect if it fails; the slots of the current run are not evicted
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
   * Return a slot whose value is not lost.
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
   * Allocate storage for slots that have only data, and upload the data.
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

  /** Record that the device has completed all work so far without errors. */
  trust() {
    for (const slot of this.uploaded) slot.data = null;
    this.uploaded.clear();
    this.lastGoodId = this.lastId;
  }

  /** Record that something failed on the device since `trust`: drop all storage created since then. */
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
   * Remove a donated slot's storage, which an output has taken over.
   *
   * @param {number} id
   */
  detach(id) {
    this.get(id).storage = null;
  }

  /**
   * Bind the slots' storage to a program, and upload slots that were never used before.
   *
   * @param {Taker<Storage>} program
   * @param {number[]} slots negative ones are donated
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
   * Free the donated slots after a run.
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

  /** Number of bytes of slots that are only on the host. */
  get hostBytes() {
    let total = 0;
    for (const slot of this.slots.values()) {
      if (slot.storage === null && slot.data !== null) total += bytesOf(slot);
    }
    return total;
  }

  /** Close the table after the device is lost; data on the host remains. */
  close() {
    for (const [id, slot] of this.slots) {
      slot.storage = null;
      if (slot.data === null) this.slots.delete(id);
    }
    this.bytes = 0;
  }

  /**
   * Copy a slot's elements to byte `ptr` of the heap, if the host has them.
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
 * Check that a donated slot occurs only once among the inputs of a run.
 *
 * @param {number[]} slots negative ones are donated
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
