/** float16 bits from float32 values: browsers' own conversion turns infinity into NaN. */

const one = new Float32Array(1);
const oneBits = new Uint32Array(one.buffer);

/**
 * Rounds to nearest, ties to even; above 65504 the result is infinite.
 *
 * @param {Float32Array} values
 * @returns {Uint16Array}
 */
export function toHalf(values) {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (b) => ((b >>> 16) & 0x8000) | magnitude(b & 0x7fffffff));
}

/**
 * @param {number} b float32 bits without the sign
 * @returns {number}
 */
function magnitude(b) {
  if (b > 0x7f800000) return 0x7e00;
  if (b >= 0x477ff000) return 0x7c00;
  // 112 is the difference of the exponents' biases; the rest rounds at bit 13.
  if (b >= 0x38800000) return (b - (112 << 23) + 0xfff + ((b >>> 13) & 1)) >>> 13;
  // A subnormal is a multiple of 2^-24, which is the last bit of a float32 in [0.5, 1).
  oneBits[0] = b;
  one[0] += 0.5;
  return oneBits[0] - 0x3f000000;
}
