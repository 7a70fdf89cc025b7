/**
 * Runs the steps of a block that work on lists of values.
 *
 * @typedef {import("./document.mjs").Step} Step
 * @typedef {import("./types.mjs").Type} Type
 * @typedef {import("./values.mjs").Value} Value
 *
 * @typedef {(program: number, inputs: Value[], types: readonly Type[]) => Value[]} Launch
 */

import { isSameType, shownType } from "./types.mjs";

export class Lists {
  /**
   * @param {import("./values.mjs").Device} device
   * @param {Launch} launch runs a Program
   * @param {() => Promise<void>} pause keeps the page responsive
   * @param {Record<string, number>} adders see document.mjs
   */
  constructor(device, launch, pause, adders) {
    this.device = device;
    this.launch = launch;
    this.pause = pause;
    this.adders = adders;
  }

  /**
   * @param {Step} step
   * @param {Value[]} inputs
   * @param {Type[]} types of the outputs
   * @returns {Promise<Value[]>}
   */
  async run({ op, facts }, inputs, types) {
    const { device } = this;
    const [first, second, third] = inputs;
    switch (op) {
      case "list_make": {
        const items = Array(facts.length).fill(null);
        facts.places.forEach((/** @type {number} */ at, /** @type {number} */ i) => {
          items[at] = inputs[i];
        });
        return [device.list(items)];
      }
      case "list_set":
        return [device.listWith(first, await device.number(second), third, facts.limit)];
      case "list_clear":
        return [device.listWith(first, await device.number(second), null, null)];
      case "list_get":
        return [this.item(first, await device.number(second), types[0])];
      case "list_add":
        return [await this.sum(first, second)];
      case "list_stack":
        return this.stacked(first, facts, types);
      default:
        return [this.unstacked(first, facts)];
    }
  }

  /**
   * Return an item of a list, held for the caller; zeros if the item was never written.
   * @param {Value} values
   * @param {number} index
   * @param {Type} type
   */
  item(values, index, type) {
    const found = values.items[index] ?? null;
    if (found === null) return this.device.zeros(type.dtype, type.count);
    checkItem(found, index, type);
    return found.held();
  }

  /**
   * @param {Value} values
   * @param {Record<string, any>} facts
   * @param {Type[]} types of the outputs
   */
  stacked({ items }, { program, count, item }, types) {
    /** @type {Value | undefined} one for all that are not there */
    let zeros;
    try {
      const found = Array.from({ length: count }, (_, i) => {
        const there = items[i] ?? null;
        if (there !== null) checkItem(there, i, item);
        zeros ??= there === null ? this.device.zeros(item.dtype, item.count) : undefined;
        return /** @type {Value} */ (there ?? zeros);
      });
      return this.launch(program, found, types);
    } finally {
      this.device.release(zeros);
    }
  }

  /**
   * @param {Value} whole
   * @param {Record<string, any>} facts
   */
  unstacked(whole, { program, count, item }) {
    const made = count === 0 ? [] : this.launch(program, [whole], Array(count).fill(item));
    try {
      return this.device.list(made);
    } finally {
      for (const value of made) this.device.release(value);
    }
  }

  /**
   * Add two lists item by item; a missing item counts as zero.
   * @param {Value} first
   * @param {Value} second
   * @returns {Promise<Value>}
   */
  async sum(first, second) {
    const length = Math.max(first.items.length, second.items.length);
    /** @type {(Value | null)[]} */
    const sums = [];
    try {
      for (let i = 0; i < length; i++) {
        const [a, b] = [first.items[i] ?? null, second.items[i] ?? null];
        if (a === null || b === null) {
          sums.push((a ?? b)?.held() ?? null);
        } else {
          await this.pause();
          sums.push(await this.added(a, b));
        }
      }
      return this.device.list(sums);
    } finally {
      for (const item of sums) this.device.release(item);
    }
  }

  /**
   * @param {Value} a
   * @param {Value} b
   * @returns {Promise<Value>}
   */
  async added(a, b) {
    if (a.dtype === "list" && b.dtype === "list") return this.sum(a, b);
    const key = shownType(a);
    if (!isSameType(a, b) || !Object.hasOwn(this.adders, key)) {
      throw new Error(`items ${key} and ${shownType(b)} of lists cannot be added`);
    }
    return this.launch(this.adders[key], [a, b], [a])[0];
  }
}

/**
 * @param {Value} found
 * @param {number} index
 * @param {Type} type
 */
function checkItem(found, index, type) {
  if (isSameType(found, type)) return;
  throw new Error(`list item ${index} is ${shownType(found)}, not ${shownType(type)}`);
}
