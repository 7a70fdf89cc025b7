// Weights in a block format: values of a few bits that share scales. A Program describes the
// format, so that there is no list of formats here. The fields of all blocks are next to each
// other.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <vector>

#include "program/kernel.h"
#include "simd/simd.h"

namespace tfpy {

// Values that are converted at once.
constexpr size_t kRun = 16;

// Bits of the values of a block, see BlockFormat in block_formats.py.
struct BlockBits {
  size_t begin, pitch, bits, width, place;
};

// How the scale and the minimum of a group are stored.
enum class BlockScale { kHalf, kHalfMinimum, kQ2K, kQ3K, kQ4K, kQ6K, kE8M0 };

struct GroupScale {
  float scale, minimum;
};

// A matrix [n, k] with blocks of `size` values along k. Each `group` values of a block have one
// scale.
struct BlockFormat {
  size_t n, k, bytes, size, group;
  std::vector<BlockBits> parts;
  uint8_t offset;
  bool has_table;
  int8_t table[kRun];
  BlockScale scale;
  size_t scales[3];

  size_t blocks() const { return k / size; }  // of a row
  bool has_minimums() const {
    return scale == BlockScale::kHalfMinimum || scale == BlockScale::kQ2K ||
           scale == BlockScale::kQ4K;
  }
};

// Reads the format from a step, and checks that all blocks are inside of the input.
BlockFormat read_block_format(StepSpec& step, size_t input);

// Returns the scale of a group of a block.
GroupScale group_scale(const BlockFormat& format, const uint8_t* w, size_t block, size_t group);

// The bits of the values i..i+kRun of a block.
inline v128_t run_of_bits(const BlockBits& part, const uint8_t* w, size_t block, size_t i) {
  const uint8_t* const field = w + part.begin + block * part.pitch;
  if (part.width == 1) {  // one bit of each value
    uint16_t both;
    memcpy(&both, field + i / 8, sizeof(both));
    const v128_t places =
        wasm_u8x16_const(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128);
    const v128_t bytes = wasm_i8x16_shuffle(wasm_u16x8_splat(both), wasm_u16x8_splat(both), 0, 0, 0,
                                            0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const v128_t is_set = wasm_i8x16_eq(wasm_v128_and(bytes, places), places);
    return wasm_v128_and(is_set, wasm_u8x16_const_splat(1));
  }
  const size_t span = part.width * 8 / part.bits;
  const v128_t from = wasm_v128_load(field + i / span * part.width + i % part.width);
  if (part.bits == 8) return wasm_v128_xor(from, wasm_u8x16_const_splat(128));
  const uint32_t shift = static_cast<uint32_t>(i % span / part.width * part.bits);
  const uint8_t mask = static_cast<uint8_t>((1u << part.bits) - 1);
  return wasm_v128_and(wasm_u16x8_shr(from, shift), wasm_u8x16_splat(mask));
}

// The numbers of the values i..i+kRun of a block, as int8.
inline v128_t run_of_numbers(const BlockFormat& format, const uint8_t* w, size_t block, size_t i) {
  v128_t numbers = run_of_bits(format.parts[0], w, block, i);
  for (size_t j = 1; j < format.parts.size(); ++j) {
    const BlockBits& part = format.parts[j];
    const v128_t bits = run_of_bits(part, w, block, i);
    numbers = wasm_v128_or(numbers, wasm_i16x8_shl(bits, static_cast<uint32_t>(part.place)));
  }
  if (format.has_table) return wasm_i8x16_swizzle(wasm_v128_load(format.table), numbers);
  return wasm_i8x16_sub(numbers, wasm_u8x16_splat(format.offset));
}

// Calls body(quad, numbers) for the four numbers of each quarter of a run, as floats.
template <class Body>
inline void for_quarters(v128_t run, const Body& body) {
  const v128_t low = wasm_i16x8_extend_low_i8x16(run), high = wasm_i16x8_extend_high_i8x16(run);
  body(0, to_f32(as_i32(wasm_i32x4_extend_low_i16x8(low))));
  body(1, to_f32(as_i32(wasm_i32x4_extend_high_i16x8(low))));
  body(2, to_f32(as_i32(wasm_i32x4_extend_low_i16x8(high))));
  body(3, to_f32(as_i32(wasm_i32x4_extend_high_i16x8(high))));
}

// Converts the values first..first+count of a row, which consists of whole blocks, to floats.
void convert_blocks(const BlockFormat& format, const uint8_t* w, size_t row, size_t first,
                    size_t count, float* to);

}  // namespace tfpy
