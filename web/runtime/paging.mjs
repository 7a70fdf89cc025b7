/**
 * Keeps what slots hold on a device within a budget of bytes. Over it, the slots that were used longest
 * ago go to the host, and come back, as slots that were written do, when a Program takes them: a page
 * that holds too much becomes slow, and does not die.
 *
 * @typedef {import("./elements.mjs").Elements} Elements
 *
 * @typedef {object} Pageable
 * @property {{bucket: {bytes: number}}} layout
 * @property {unknown} storage on the device; null without
 * @property {Elements | null} data on the host
 * @property {number} used the number of the run that used it last
 * @property {boolean} [pinned] whether it stays on the device, whatever happens
 */

/** Of the budget, after some have gone: so that not every run has to send some. */
const REST = 7 / 8;

/** Smaller slots would bring little. */
const LEAST_BYTES = 2 ** 14;

/**
 * @template {Pageable} S
 */
export class Pager {
  /**
   * @param {object} device
   * @param {number} device.budget bytes
   * @param {() => number} device.held bytes that are in use or kept for use
   * @param {() => void} device.shrink gives back what is only kept
   * @param {(slot: S) => Elements | Promise<Elements>} device.fetch a slot's elements; a promise where
   *   the device cannot be waited for
   * @param {(slot: S) => void} device.drop gives a slot's storage back for good
   */
  constructor({ budget, held, shrink, fetch, drop }) {
    this.budget = budget;
    this.held = held;
    this.shrink = shrink;
    this.fetch = fetch;
    this.drop = drop;
    /** @type {Set<S>} those that are on their way to the host */
    this.leaving = new Set();
    this.leavingBytes = 0;
    /** Below this nothing is tried: the last time too little could go. */
    this.patience = 0;
  }

  /**
   * Sends slots to the host, if the device holds too much.
   *
   * @param {Iterable<S>} slots
   * @param {number} run the number of the next one, whose slots stay
   */
  relieve(slots, run) {
    const { budget } = this;
    if (this.held() <= Math.max(budget, this.patience)) return;
    this.shrink();
    let excess = this.held() - this.leavingBytes - budget;
    if (excess > 0) {
      excess += budget * (1 - REST);
      for (const slot of this.leastRecent(slots, run)) {
        excess -= slot.layout.bucket.bytes;
        this.send(slot);
        if (excess <= 0) break;
      }
    }
    this.patience = excess > 0 ? this.held() + budget * (1 - REST) : 0;
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
        const { storage, used, pinned, layout } = slot;
        const free = storage !== null && used < run && !pinned && !this.leaving.has(slot);
        return free && layout.bucket.bytes >= LEAST_BYTES;
      })
      .sort((a, b) => a.used - b.used);
  }

  /** @param {S} slot */
  send(slot) {
    const found = slot.data ?? this.fetch(slot);
    if (found instanceof Promise) this.sendLater(slot, found);
    else this.leave(slot, found);
  }

  /**
   * @param {S} slot which stays if it is used, freed or donated meanwhile, or cannot be read
   * @param {Promise<Elements>} found
   */
  async sendLater(slot, found) {
    const { storage, used, layout } = slot;
    this.leaving.add(slot);
    this.leavingBytes += layout.bucket.bytes;
    try {
      const elements = await found;
      const idle = slot.storage === storage && slot.used === used && !slot.pinned;
      if (idle) this.leave(slot, elements);
    } catch {
      // The next read tells what is wrong with the device.
    } finally {
      this.leaving.delete(slot);
      this.leavingBytes -= layout.bucket.bytes;
    }
  }

  /**
   * @param {S} slot
   * @param {Elements} elements
   */
  leave(slot, elements) {
    slot.data = elements;
    this.drop(slot);
    slot.storage = null;
  }
}
