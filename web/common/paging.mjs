/**
 * Keeps what slots hold on a device within a budget of bytes. Over it, the slots that were used longest
 * ago go to the host, and come back, as slots that were written do, when a Program takes them: a page
 * that holds too much becomes slow, and does not die.
 *
 * @typedef {ArrayBufferView<ArrayBuffer>} Data
 *
 * @typedef {object} Pageable
 * @property {unknown} storage on the device; null without
 * @property {Data | null} data on the host
 * @property {number} used the number of the run that used it last
 * @property {boolean} [pinned] whether it stays on the device, whatever happens
 */

/** Of the budget, after some have gone: so that not every run has to send some. */
const REST = 7 / 8;

/** Smaller slots would bring little. */
const LEAST_BYTES = 2 ** 14;

/**
 * @param {number} [bytes] of an option; left out or -1: without an end
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
   * @param {number} device.hostBudget bytes that the host takes
   * @param {() => number} device.onHost bytes that it has taken
   * @param {() => number} device.held bytes that are in use or kept for use
   * @param {() => void} device.shrink gives back what is only kept
   * @param {(slot: S) => number} device.bytesOf what a slot's storage takes
   * @param {(slot: S) => S["data"] | Promise<S["data"]>} device.fetch a slot's elements; a promise
   *   where the device cannot be waited for
   * @param {(slot: S) => void} device.drop gives a slot's storage back for good
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
    /** Below this nothing is tried: the last time too little could go. */
    this.patience = 0;
  }

  /** Whether the device holds too much. */
  get over() {
    return this.held() > Math.max(this.budget, this.patience);
  }

  /**
   * Sends slots to the host, if the device holds too much.
   *
   * @param {Iterable<S>} slots
   * @param {number} run the number of the next one, whose slots stay
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
   * Sends some slots to the host, since the device has no memory left.
   *
   * @param {Iterable<S>} slots
   * @param {number} run the number of the next one, whose slots stay
   * @returns {boolean} whether there were any
   */
  makeRoom(slots, run) {
    return this.sendOff(slots, run, this.held() * (1 - REST)) > 0;
  }

  /**
   * Takes a smaller budget, since a device had less memory than that when it was too late to make
   * room; resolves when what is over it has left.
   *
   * @param {Iterable<S>} slots
   * @param {number} held bytes for which there was memory
   * @param {number} again bytes that will be wanted when what failed is done again
   */
  async learn(slots, held, again) {
    this.budget = Math.min(this.budget, held - Math.min(again, held / 2));
    this.patience = 0;
    this.relieve(slots, Infinity);
    await Promise.all(this.leaving.values());
  }

  /**
   * Sends the slots that were used longest ago to the host.
   *
   * @param {Iterable<S>} slots
   * @param {number} run
   * @param {number} wanted bytes
   * @returns {number} bytes that they took; less if no more can go, or the host takes no more
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
   * The slots that may go, the one that was used longest ago first.
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
   * @returns {boolean} whether it is gone or on its way; false where the host has no memory either
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
   * @param {S} slot which stays if it is used, freed or donated meanwhile, or cannot be read
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
      // The next read tells what is wrong with the device.
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
