// Values of a running program: slots of the device, counted by who holds them, and lists of values.

/**
 * @typedef {import("../common/backend.mjs").Backend
 *   & Partial<import("../common/backend.mjs").BlockingRead>
 *   & Partial<import("../common/backend.mjs").AsyncRead>
 *   & Partial<import("../common/backend.mjs").Losable>} Backend
 *
 * @typedef {"float32" | "int32" | "bool" | "complex64" | "list"} Kind
 */

import { nbytesOf } from "../common/elements.mjs";
import { OpError } from "../common/errors.mjs";

/** Items of the longest list, those of the lists in it included. */
export const MOST_ITEMS = 2 ** 20;
/** How deeply lists lie in one another. */
const DEEPEST_LIST = 64;
/** Items of all lists that there are at a time. */
const MOST_LIVE_ITEMS = 2 ** 22;

let made = 0;

export class Value {
  /**
   * @param {Kind} dtype
   * @param {number} count of elements
   * @param {number[]} slots two of a complex tensor, none of a list
   * @param {(Value | null)[]} [items] of a list; null is one that nobody has written
   */
  constructor(dtype, count, slots, items = []) {
    this.id = ++made;
    this.dtype = dtype;
    this.count = count;
    this.slots = slots;
    this.items = items;
    /** Of a list the items, those of the lists in it included, and how deeply these lie in it. */
    this.total = 0;
    this.depth = 0;
    this.holders = 1;
    /** @type {number | undefined} the element of a single number, where the page knows it */
    this.number = undefined;
  }

  /** @returns {this} with one more holder */
  held() {
    this.holders++;
    return this;
  }
}

/**
 * The slots that a value takes, as dtypes and numbers of elements.
 * @param {{dtype: Kind, count: number}} value
 * @returns {{dtype: Kind, count: number}[]}
 */
export function slotsOf({ dtype, count }) {
  if (dtype === "list") return [];
  /** @type {{dtype: Kind, count: number}} */
  const one = { dtype: dtype === "complex64" ? "float32" : dtype, count };
  return dtype === "complex64" ? [one, one] : [one];
}

/** @type {Record<string, typeof Float32Array | typeof Int32Array | typeof Uint8Array>} */
const ARRAYS = { float32: Float32Array, int32: Int32Array, bool: Uint8Array };

/**
 * An array for elements as the heap has them.
 * @param {string} dtype
 * @param {number} count
 */
function heapArray(dtype, count) {
  try {
    return new ARRAYS[dtype](count);
  } catch (error) {
    const text = `no memory for ${count} elements of ${dtype} (${error})`;
    throw new OpError("ResourceExhaustedError", text);
  }
}

/** A backend's slots as values. */
export class Device {
  /** @param {Backend} backend */
  constructor(backend) {
    this.backend = backend;
    /** Items of all lists. */
    this.items = 0;
  }

  /**
   * @param {Kind} dtype
   * @param {number} count
   * @param {Uint8Array<ArrayBuffer>} bytes
   */
  upload(dtype, count, bytes) {
    const value = new Value(dtype, count, []);
    try {
      for (const part of partsOf(dtype, bytes)) {
        const inner = dtype === "complex64" ? "float32" : dtype;
        value.slots.push(this.backend.write(part.buffer, part.byteOffset, count, inner));
      }
    } catch (error) {
      this.release(value);
      throw error;
    }
    if (count === 1 && dtype !== "complex64") value.number = firstOf(dtype, bytes);
    return value;
  }

  /** @param {Kind} dtype @param {number} count */
  zeros(dtype, count) {
    if (dtype === "list") return this.list([]);
    const slots = slotsOf({ dtype, count });
    const { tensorBytes } = this.backend.limits;
    const nbytes = nbytesOf(count, slots[0].dtype);
    if (nbytes > tensorBytes) {
      const text = `a tensor of ${nbytes} bytes; this device allows ${tensorBytes}`;
      throw new OpError("ResourceExhaustedError", text);
    }
    const bytes = heapArray("bool", slots.length * nbytes);
    return this.upload(dtype, count, /** @type {Uint8Array<ArrayBuffer>} */ (bytes));
  }

  /**
   * @param {Value} value
   * @returns {Promise<Float32Array | Int32Array | Uint8Array>}
   */
  async read(value) {
    const parts = [];
    for (const [i, { dtype, count }] of slotsOf(value).entries()) {
      parts.push(await this.readSlot(value.slots[i], dtype, count));
    }
    if (parts.length === 1) return parts[0];
    const joined = /** @type {Float32Array} */ (heapArray("float32", 2 * value.count));
    for (let i = 0; i < value.count; i++) {
      joined[2 * i] = parts[0][i];
      joined[2 * i + 1] = parts[1][i];
    }
    return joined;
  }

  /**
   * @param {number} slot
   * @param {string} dtype
   * @param {number} count
   */
  async readSlot(slot, dtype, count) {
    if (this.backend.readAsync) {
      const data = await this.backend.readAsync(slot, (elements) => elements.slice());
      return /** @type {Float32Array | Int32Array | Uint8Array} */ (data); // no float16 is exported
    }
    const found = heapArray(dtype, count);
    this.backend.read?.(found.buffer, 0, slot);
    return found;
  }

  /**
   * The element of a single number, from the device if need be.
   * @param {Value} value
   */
  async number(value) {
    if (value.number === undefined) {
      if (value.count !== 1) throw new Error(`${value.count} elements are no single number`);
      value.number = (await this.read(value))[0];
    }
    return value.number;
  }

  /**
   * One holder less; the last one's going frees the slots.
   * @param {Value | null | undefined} value
   */
  release(value) {
    if (!value || --value.holders > 0) return;
    if (value.slots.length > 0) this.backend.free(...value.slots);
    value.slots = [];
    this.items -= value.items.length;
    for (const item of value.items) this.release(item);
    value.items = [];
  }

  /**
   * A list with these items, of which it becomes a holder.
   * @param {(Value | null)[]} items
   */
  list(items) {
    let [total, depth] = [items.length, 0];
    for (const item of items) {
      if (item?.dtype !== "list") continue;
      total += item.total;
      depth = Math.max(depth, item.depth + 1);
    }
    checkList(total, depth, this.items + items.length);
    const held = items.map((item) => item?.held() ?? null);
    this.items += items.length;
    return Object.assign(new Value("list", 1, [], held), { total, depth });
  }

  /**
   * @param {Value} before
   * @param {number} index
   * @param {Value | null} item
   * @param {number | null} limit
   */
  listWith(before, index, item, limit) {
    const end = limit ?? MOST_ITEMS;
    if (index < 0 || index >= end) {
      const why = limit === null ? "a list has at most" : "array is not resizeable and size is:";
      throw new RangeError(`Tried to write to index ${index} but ${why} ${end}`);
    }
    const items = before.items.slice();
    while (items.length <= index) items.push(null);
    items[index] = item;
    return this.list(items);
  }
}

/**
 * Check that a list is not larger than a page can walk and hold.
 * @param {number} total its items, those of the lists in it included
 * @param {number} depth how deeply these lie in it
 * @param {number} live items of all lists
 */
function checkList(total, depth, live) {
  /** @type {(text: string) => OpError} */
  const refused = (text) => new OpError("ResourceExhaustedError", text);
  if (total > MOST_ITEMS) throw refused(`a list has ${total} items, more than ${MOST_ITEMS}`);
  if (depth > DEEPEST_LIST) throw refused(`lists are nested more than ${DEEPEST_LIST} deep`);
  if (live > MOST_LIVE_ITEMS) throw refused(`all lists have more than ${MOST_LIVE_ITEMS} items`);
}

/**
 * @param {Kind} dtype
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function partsOf(dtype, bytes) {
  if (dtype !== "complex64") return [bytes];
  const both = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return [0, 1].map((part) => both.filter((_, i) => i % 2 === part));
}

/**
 * @param {Kind} dtype
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function firstOf(dtype, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if (dtype === "bool") return view.getUint8(0);
  return dtype === "int32" ? view.getInt32(0, true) : view.getFloat32(0, true);
}
