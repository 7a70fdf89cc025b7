/**
 * Keeps the data of slots on a device within a budget of bytes. Above it, the least recently used slots
 * move to the host. They come back when a Program uses them. A page that holds too much becomes slow
 * instead of failing.
 *
 * @typedef {ArrayBufferView<ArrayBuffer>} Data
 *
 * @typedef {object} Pageable
 * @property {unknown} storage storage on the device, or null
 * @property {Data | null} data data on the host, or null
 * @property {number} used number of the run that used it last
 * @property {boolean} [pinned] whether it must stay on the device
 */

/** Share of the budget that is in use after eviction, so that not every run has to evict slots. */
const REST = 7 / 8;

/** Evicting smaller slots would free too little memory. */
const LEAST_BYTES = 2 ** 14;

/**
 * @param {number} [bytes] option's value; undefined or -1 means no limit
 */
export function budgetOf(bytes = -1) {
  return bytes < 0 ? Infinity : bytes;
}

/**
 * @template {Pageable} S
 */
export class Pager {
  /**
   * @param {object} device
   * @param {number} device.budget bytes
   * @param {number} device.hostBudget maximum bytes on the host
   * @param {() => number} device.onHost bytes that it has taken
   * @param {() => number} device.held bytes in use or cached for reuse
   * @param {() => void} device.shrink release cached free blocks
   * @param {(slot: S) => number} device.bytesOf bytes of a slot's storage
   * @param {(slot: S) => S["data"] | Promise<S["data"]>} device.fetch return a slot's elements; a promise
   *   where blocking reads are not possible
   * @param {(slot: S) => void} device.drop free a slot's storage
   */
  constructor({ budget, hostBudget, onHost, held, shrink, bytesOf, fetch, drop }) {
    this.budget = budget;
    this.hostBudget = hostBudget;
    this.onHost = onHost;
    this.held = held;
    this.shrink = shrink;
    this.bytesOf = bytesOf;
    this.fetch = fetch;
    this.drop = drop;
    /** @type {Map<S, Promise<void>>} those that are on their way to the host */
    this.leaving = new Map();
    this.leavingBytes = 0;
    /** Below this number of bytes, eviction is not tried: the last attempt freed too little. */
    this.patience = 0;
  }

  /** True if the device holds more than the budget. */
  get over() {
    return this.held() > Math.max(this.budget, this.patience);
  }

  /**
   * Move slots to the host if the device holds more than the budget.
   *
   * @param {Iterable<S>} slots
   * @param {number} run number of the next run; its slots stay
   */
  relieve(slots, run) {
    if (!this.over) return;
    const { budget } = this;
    const more = budget * (1 - REST);
    this.shrink();
    const excess = this.held() - this.leavingBytes - budget;
    const enough = excess <= 0 || this.sendOff(slots, run, excess + more) >= excess + more;
    this.patience = enough ? 0 : this.held() + more;
  }

  /**
   * Move some slots to the host, because the device has run out of memory.
   *
   * @param {Iterable<S>} slots
   * @param {number} run number of the next run; its slots stay
   * @returns {boolean} whether any slot could move
   */
  makeRoom(slots, run) {
    return this.sendOff(slots, run, this.held() * (1 - REST)) > 0;
  }

  /**
   * Reduce the budget, because a device turned out to have less memory after work had been issued.
   * Resolves when the slots above the new budget have moved to the host.
   *
   * @param {Iterable<S>} slots
   * @param {number} held bytes that the device could hold
   * @param {number} again bytes needed to repeat the failed work
   */
  async learn(slots, held, again) {
    this.budget = Math.min(this.budget, held - Math.min(again, held / 2));
    this.patience = 0;
    this.relieve(slots, Infinity);
    await Promise.all(this.leaving.values());
  }

  /**
   * Move the least recently used slots to the host.
   *
   * @param {Iterable<S>} slots
   * @param {number} run
   * @param {number} wanted bytes to free
   * @returns {number} freed bytes; fewer than wanted if no more slots can move or the host is full
   */
  sendOff(slots, run, wanted) {
    let sent = 0;
    const room = this.hostBudget - this.onHost() - this.leavingBytes;
    for (const slot of this.leastRecent(slots, run)) {
      const bytes = this.bytesOf(slot);
      if (sent + bytes > room || !this.send(slot)) break;
      sent += bytes;
      if (sent >= wanted) break;
    }
    return sent;
  }

  /**
   * Return the slots that may move, least recently used first.
   *
   * @param {Iterable<S>} slots
   * @param {number} run
   */
  leastRecent(slots, run) {
    return [...slots]
      .filter((slot) => {
        const { storage, used, pinned } = slot;
        const free = storage !== null && used < run && !pinned && !this.leaving.has(slot);
        return free && this.bytesOf(slot) >= LEAST_BYTES;
      })
      .sort((a, b) => a.used - b.used);
  }

  /**
   * @param {S} slot
   * @returns {boolean} whether the slot has moved or is being read; false if the host has no memory either
   */
  send(slot) {
    try {
      const found = slot.data ?? this.fetch(slot);
      if (found instanceof Promise) this.leaving.set(slot, this.sendLater(slot, found));
      else this.leave(slot, found);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /**
   * @param {S} slot stays if it is used, freed or donated meanwhile, or cannot be read
   * @param {Promise<S["data"]>} found
   */
  async sendLater(slot, found) {
    const { storage, used } = slot;
    const bytes = this.bytesOf(slot);
    this.leavingBytes += bytes;
    try {
      const elements = await found;
      const idle = slot.storage === storage && slot.used === used && !slot.pinned;
      if (idle) this.leave(slot, elements);
    } catch {
      // The next read reports the device's error.
    } finally {
      this.leaving.delete(slot);
      this.leavingBytes -= bytes;
    }
  }

  /**
   * @param {S} slot
   * @param {S["data"]} elements
   */
  leave(slot, elements) {
    slot.data = elements;
    this.drop(slot);
    slot.storage = null;
  }
}
