/** Converts float32 values to float16 bits. Browsers' own conversion turns infinity into NaN. */

const HALF_SIGN = 0x8000;
const HALF_INFINITY = 0x7c00;
const HALF_NAN = 0x7e00;

/** Bits of a float32 without the sign. */
const MAGNITUDE = 0x7fffffff;
const INFINITY = 0x7f800000;
const ONE_HALF = 0x3f000000;
/** Bits of 65520, the smallest number that rounds to infinity. */
const OVERFLOW = 0x477ff000;
/** Bits of 2^-14, the smallest normal float16. */
const NORMAL = 0x38800000;
/** Difference of the exponents' biases. */
const REBIAS = 112 << 23;
/** Number of additional fraction bits of float32. */
const EXTRA_BITS = 13;

const one = new Float32Array(1);
const oneBits = new Uint32Array(one.buffer);

/**
 * Round to nearest, ties to even; above 65504 the result is infinite.
 *
 * @param {Float32Array} values
 * @returns {Uint16Array}
 */
export function toHalf(values) {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (b) => ((b >>> 16) & HALF_SIGN) | magnitude(b & MAGNITUDE));
}

/**
 * @param {number} b float32 bits without the sign
 * @returns {number}
 */
function magnitude(b) {
  if (b > INFINITY) return HALF_NAN;
  if (b >= OVERFLOW) return HALF_INFINITY;
  if (b >= NORMAL) {
    const halfway = (1 << (EXTRA_BITS - 1)) - 1 + ((b >>> EXTRA_BITS) & 1);
    return (b - REBIAS + halfway) >>> EXTRA_BITS;
  }
  // A subnormal is a multiple of 2^-24, which is the last bit of a float32 in [0.5, 1).
  oneBits[0] = b;
  one[0] += 0.5;
  return oneBits[0] - ONE_HALF;
}
