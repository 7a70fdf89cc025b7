// The slots of the wasm backend. They lie in the module's heap, which cannot grow beyond 4 GiB, nor as
// far where the browser does not let it: what is too much there goes to the host, and comes back.

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
   * @param {number} budget bytes of the heap
   * @param {number} hostBudget bytes of the host
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
   * A new slot with these bytes.
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
   * The bytes of a slot, as long as the heap does not grow.
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
   * @param {number[]} slots those with a minus sign are donated
   */
  run(program, slots) {
    return this.launch("run", program, slots);
  }

  /**
   * Begins a run in slices.
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

  /** @param {number[]} kept slots that stay, with a sign or without */
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
   * What a call gives that takes no slots, as soon as there is memory for it.
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
   * What a call gives that has failed: for want of memory, others leave the heap until it does not.
   * @param {unknown} error
   * @param {() => number} call
   * @param {number[]} kept slots that it takes
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
    // What is free may lie in pieces: at last all leave, and those that it takes come back in a row.
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
