/**
 * Expressions of single numbers, such as a loop's counter. The page computes them, so that loops do not
 * wait for the device. src/tfpy/_src/formats/exported/scalars.py writes them.
 *
 * @typedef {any[]} Expression `["input", number]`, `["const", type, value]`, or
 *   `[operation, type of the result, ...operands]`; types are "f", "i" and "b"
 */

import { demand, isIndex, keyOf, list } from "./check.mjs";

/** @type {Record<string, (x: number) => number>} */
const TO = { f: Math.fround, i: (x) => Math.trunc(x) | 0, b: (x) => Number(x !== 0) };

/** @type {Record<string, [number, (...operands: number[]) => number]>} */
const OPERATIONS = {
  neg: [1, (x) => -x],
  abs: [1, Math.abs],
  sign: [1, Math.sign],
  floor: [1, Math.floor],
  ceil: [1, Math.ceil],
  sqrt: [1, Math.sqrt],
  isnan: [1, (x) => Number(Number.isNaN(x))],
  cast: [1, (x) => x],
  add: [2, (x, y) => x + y],
  sub: [2, (x, y) => x - y],
  min: [2, Math.min],
  max: [2, Math.max],
  div: [2, (x, y) => x / y],
  quotient: [2, (x, y) => x / y],
  rem: [2, (x, y) => x % y],
  idiv: [2, (x, y) => (y === 0 ? 0 : x / y)],
  irem: [2, (x, y) => (y === 0 ? 0 : x % y)],
  and: [2, (x, y) => x & y],
  or: [2, (x, y) => x | y],
  xor: [2, (x, y) => x ^ y],
  eq: [2, (x, y) => Number(x === y)],
  ne: [2, (x, y) => Number(x !== y)],
  lt: [2, (x, y) => Number(x < y)],
  le: [2, (x, y) => Number(x <= y)],
  select: [3, (x, y, z) => (x ? y : z)],
  mul: [2, (x, y) => x * y],
  not: [1, (x) => ~x],
};
const DEEPEST = 256;

/** @typedef {"f" | "i" | "b"} ScalarType */

/** Checks of constants, by type. @type {Record<ScalarType, (value: any) => boolean>} */
const CONSTANTS = {
  f: (value) => typeof value === "number",
  i: Number.isInteger,
  b: (value) => typeof value === "boolean" || value === 0 || value === 1,
};

/**
 * Check an expression, and return its type.
 * @param {any} node
 * @param {readonly (ScalarType | undefined)[]} inputs types of the inputs; undefined for inputs that it may not read
 * @param {number} [depth]
 * @returns {ScalarType}
 */
export function checkExpression(node, inputs, depth = 0) {
  demand(depth < DEEPEST, "an expression is nested too deeply");
  const [op, type, ...operands] = list(node, "an expression");
  if (op === "input") {
    const found = isIndex(type, inputs.length) ? inputs[type] : undefined;
    demand(found !== undefined, "an expression reads an input that is not a known number");
    return found;
  }
  const kind = /** @type {ScalarType} */ (keyOf(type, TO, "the type of an expression"));
  if (op === "const") {
    demand(CONSTANTS[kind](operands[0]), `a constant is not a number of type ${kind}`);
    return kind;
  }
  const [count] = OPERATIONS[keyOf(op, OPERATIONS, "an operation")];
  demand(operands.length === count, `${op} has ${operands.length} operands`);
  for (const operand of operands) checkExpression(operand, inputs, depth + 1);
  return kind;
}

/**
 * @param {Expression} node checked
 * @param {ArrayLike<number>} inputs
 * @returns {number}
 */
export function evaluate(node, inputs) {
  const [op, type, ...operands] = node;
  if (op === "input") return inputs[type];
  if (op === "const") return TO[type](Number(operands[0]));
  const given = operands.map((operand) => evaluate(operand, inputs));
  if (type === "i" && op === "mul") return Math.imul(given[0], given[1]);
  if (type === "b" && op === "not") return 1 - given[0];
  return TO[type](OPERATIONS[op][1](...given));
}
