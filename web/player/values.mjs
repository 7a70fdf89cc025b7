// Values of a running program: reference-counted slots of the device, and lists of values.

/**
 * @typedef {import("../common/backend.mjs").Backend
 *   & Partial<import("../common/backend.mjs").BlockingRead>
 *   & Partial<import("../common/backend.mjs").AsyncRead>
 *   & Partial<import("../common/backend.mjs").Losable>} Backend
 *
 * @typedef {"float32" | "int32" | "bool" | "complex64" | "int8" | "list"} Kind
 */

import { nbytesOf } from "../common/elements.mjs";
import { OpError } from "../common/errors.mjs";

/** Number of items of the longest list, including the items of nested lists. */
export const MOST_ITEMS = 2 ** 20;
/** Maximum depth of nested lists. */
const DEEPEST_LIST = 64;
/** Maximum number of items of all live lists. */
const MOST_LIVE_ITEMS = 2 ** 22;

/** Dtypes of numbers that the page may know. */
const scalarDtypes = new Set(["float32", "int32", "bool"]);

let made = 0;

export class Value {
  /**
   * @param {Kind} dtype
   * @param {number} count number of elements
   * @param {number[]} slots slots: two for a complex tensor, none for a list
   * @param {(Value | null)[]} [items] items of a list; null for an item that was not written
   */
  constructor(dtype, count, slots, items = []) {
    this.id = ++made;
    this.dtype = dtype;
    this.count = count;
    this.slots = slots;
    this.items = items;
    /** Number of a list's items, including the items of nested lists, and the depth of nesting. */
    this.total = 0;
    this.depth = 0;
    this.holders = 1;
    /** @type {number | undefined} value of a single number, if the page knows it */
    this.number = undefined;
  }

  /** @returns {this} with one more holder */
  held() {
    this.holders++;
    return this;
  }
}

/**
 * Return the slots of a value, as dtypes and numbers of elements.
 * @param {{dtype: Kind, count: number}} value
 * @returns {{dtype: Kind, count: number}[]}
 */
export function slotsOf({ dtype, count }) {
  if (dtype === "list") return [];
  /** @type {{dtype: Kind, count: number}} */
  const one = { dtype: dtype === "complex64" ? "float32" : dtype, count };
  return dtype === "complex64" ? [one, one] : [one];
}

/** @type {Record<string, typeof Float32Array | typeof Int32Array | typeof Uint8Array | typeof Int8Array>} */
const ARRAYS = { float32: Float32Array, int32: Int32Array, bool: Uint8Array, int8: Int8Array };

/**
 * Allocate an array for elements in the layout of the heap.
 * @param {string} dtype
 * @param {number} count
 */
function heapArray(dtype, count) {
  try {
    return new ARRAYS[dtype](count);
  } catch (error) {
    const text = `out of memory for ${count} elements of ${dtype} (${error})`;
    throw new OpError("ResourceExhaustedError", text);
  }
}

/** A backend's slots as values. */
export class Device {
  /** @param {Backend} backend */
  constructor(backend) {
    this.backend = backend;
    /** Number of items of all lists. */
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
    if (count === 1 && scalarDtypes.has(dtype)) value.number = firstOf(dtype, bytes);
    return value;
  }

  /** @param {Kind} dtype @param {number} count */
  zeros(dtype, count) {
    if (dtype === "list") return this.list([]);
    const slots = slotsOf({ dtype, count });
    const { tensorBytes } = this.backend.limits;
    const nbytes = nbytesOf(count, slots[0].dtype);
    if (nbytes > tensorBytes) {
      const text = `a tensor of ${nbytes} bytes is larger than this device allows, ${tensorBytes}`;
      throw new OpError("ResourceExhaustedError", text);
    }
    const bytes = heapArray("bool", slots.length * nbytes);
    return this.upload(dtype, count, /** @type {Uint8Array<ArrayBuffer>} */ (bytes));
  }

  /**
   * Return the elements of a value. Those of int8 are only for files.
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
      return /** @type {Float32Array | Int32Array | Uint8Array} */ (data); // exported programs have no float16
    }
    const found = heapArray(dtype, count);
    this.backend.read?.(found.buffer, 0, slot);
    return /** @type {Float32Array | Int32Array | Uint8Array} */ (found);
  }

  /**
   * Return the value of a single number, read from the device if necessary.
   * @param {Value} value
   */
  async number(value) {
    if (value.number === undefined) {
      if (value.count !== 1)
        throw new Error(`expected a single number, got ${value.count} elements`);
      value.number = (await this.read(value))[0];
    }
    return value.number;
  }

  /**
   * Remove one holder; the last one frees the slots.
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
   * Create a list that holds these items.
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
 * Check that a list is not too large for a page to traverse and hold.
 * @param {number} total number of its items, including nested ones
 * @param {number} depth depth of nesting
 * @param {number} live number of items of all lists
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
