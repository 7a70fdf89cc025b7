// The slots of the wasm backend, in the module's heap. The heap cannot grow beyond 4 GiB, or less if the
// browser limits it. Slots that do not fit move to the host and come back when they are used.

import { OpError } from "../common/errors.mjs";
import { Pager } from "../common/paging.mjs";

/**
 * @typedef {object} Away a slot on the host
 * @property {number} count number of elements
 * @property {import("./glue.mjs").ElementType} type
 * @property {Uint8Array<ArrayBuffer>} data
 *
 * @typedef {object} InHeap
 * @property {number} id
 * @property {number} bytes
 * @property {number} used
 * @property {boolean} pinned
 * @property {number | null} storage
 * @property {Uint8Array<ArrayBuffer> | null} data
 */

export class Slots {
  /**
   * @param {import("./glue.mjs").Glue} glue
   * @param {number} budget maximum bytes in the heap
   * @param {number} hostBudget maximum bytes on the host
   */
  constructor(glue, budget, hostBudget) {
    this.glue = glue;
    /** @type {Map<number, Away>} */
    this.away = new Map();
    /** @type {Pager<InHeap>} */
    this.pager = new Pager({
      budget,
      hostBudget,
      onHost: () => this.hostBytes,
      held: () => glue.held(),
      shrink: () => glue.shrink(),
      bytesOf: ({ bytes }) => bytes,
      fetch: ({ id }) => glue.bytesOf(id).slice(),
      drop: (slot) => this.leave(slot),
    });
  }

  /**
   * Create a slot with these bytes.
   * @param {Uint8Array} source
   * @param {number} count number of elements
   * @param {import("./glue.mjs").ElementType} type
   */
  write(source, count, type) {
    const { glue } = this;
    this.relieve([]);
    return this.surely(() => glue.newSlot(source, count, type));
  }

  /**
   * Return the bytes of a slot, valid until the heap grows.
   * @param {number} id
   */
  bytesOf(id) {
    return this.away.get(id)?.data ?? this.glue.bytesOf(id);
  }

  /** @param {number} id */
  free(id) {
    if (!this.away.delete(id)) this.glue.free(id);
  }

  /**
   * @param {string} json
   * @param {Uint8Array} constants
   */
  register(json, constants) {
    return this.surely(() => this.glue.register(json, constants));
  }

  /**
   * @param {number} program
   * @param {number[]} slots negative ones are donated
   */
  run(program, slots) {
    return this.launch("run", program, slots);
  }

  /**
   * Begin a run in slices.
   * @param {number} program
   * @param {number[]} slots
   */
  begin(program, slots) {
    return this.launch("begin", program, slots);
  }

  /**
   * @param {"run" | "begin"} way
   * @param {number} program
   * @param {number[]} slots
   */
  launch(way, program, slots) {
    this.relieve(slots);
    try {
      return this.launchNow(way, program, slots);
    } catch (error) {
      return this.again(error, () => this.launchNow(way, program, slots), slots);
    }
  }

  /**
   * @param {"run" | "begin"} way
   * @param {number} program
   * @param {number[]} slots
   */
  launchNow(way, program, slots) {
    if (this.away.size > 0) this.bringBack(slots);
    return this.glue[way](program, slots);
  }

  get hostBytes() {
    let total = 0;
    for (const { data } of this.away.values()) total += data.length;
    return total;
  }

  memory() {
    const { hostBytes } = this;
    const { slots, allocatedBytes, ...others } = this.glue.memory();
    const bytes = allocatedBytes + hostBytes;
    return { slots: slots + this.away.size, bytes, allocatedBytes, hostBytes, ...others };
  }

  /** @param {number[]} kept slots that must stay; a sign is ignored */
  relieve(kept) {
    if (this.pager.over) this.pager.relieve(this.inHeap(kept), Infinity);
  }

  /** @param {number[]} slots that a Program takes */
  bringBack(slots) {
    for (const crossed of slots) {
      const id = Math.abs(crossed);
      const found = this.away.get(id);
      if (found === undefined) continue;
      this.glue.newSlot(found.data, found.count, found.type, id);
      this.away.delete(id);
    }
  }

  /**
   * Make a call that takes no slots, and evict slots while it runs out of memory.
   * @param {() => number} call
   */
  surely(call) {
    try {
      return call();
    } catch (error) {
      return this.again(error, call, []);
    }
  }

  /**
   * Repeat a call that has failed: if it ran out of memory, evict slots until it succeeds.
   * @param {unknown} error
   * @param {() => number} call
   * @param {number[]} kept slots that the call takes
   */
  again(error, call, kept) {
    let last = error;
    for (let room = true; room; room = this.pager.makeRoom(this.inHeap(kept), Infinity)) {
      if (!(last instanceof OpError) || last.name !== "ResourceExhaustedError") throw last;
      this.glue.shrink();
      try {
        return call();
      } catch (next) {
        last = next;
      }
    }
    // Free memory may be fragmented: as a last resort all slots leave, and the call's slots come back contiguously.
    if (this.pager.sendOff(this.inHeap([]), Infinity, Infinity) === 0) throw last;
    this.glue.shrink();
    return call();
  }

  /**
   * @param {number[]} kept
   * @returns {Iterable<InHeap>}
   */
  *inHeap(kept) {
    const pinned = new Set(kept.map(Math.abs));
    for (const slot of this.glue.list()) {
      yield { ...slot, storage: slot.id, data: null, pinned: pinned.has(slot.id) };
    }
  }

  /** @param {InHeap} slot whose bytes the host has */
  leave({ id, data }) {
    const { count, type } = this.glue.describe(id);
    this.away.set(id, { count, type, data: /** @type {Uint8Array<ArrayBuffer>} */ (data) });
    this.glue.free(id);
  }
}
