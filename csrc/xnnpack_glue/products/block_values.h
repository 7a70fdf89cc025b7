// Runs of the values of weights in a block format, as floats in registers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "products/block_format.h"
#include "simd/simd.h"

namespace tfpy {

// Writes the scales and the minimums of the groups of `count` blocks.
void read_scales(const BlockFormat& format, const uint8_t* w, size_t block, size_t count,
                 float* scales, float* minimums);

// Converts four float16 in the lower halves of the lanes.
inline f32x4 floats_of_halves(v128_t halves) {
  const v128_t magnitude =
      wasm_i32x4_shl(wasm_v128_and(halves, wasm_u32x4_const_splat(0x7fff)), 13);
  const v128_t sign = wasm_i32x4_shl(wasm_v128_and(halves, wasm_u32x4_const_splat(0x8000)), 16);
  const v128_t is_special = wasm_i32x4_gt(magnitude, wasm_i32x4_const_splat(0x0f7fffff));
  const v128_t special = wasm_v128_and(is_special, wasm_u32x4_const_splat(0x7f800000));
  const v128_t value = bits(as_f32(magnitude) * splat(0x1p112f));
  return as_f32(wasm_v128_or(wasm_v128_or(value, special), sign));
}

// The bits of the values of a block.
class BlockValues {
 public:
  BlockValues(const BlockFormat& format, const uint8_t* w, size_t block) : format_(format) {
    for (size_t i = 0; i < 2; ++i)
      fields_[i] = w + format.parts[i].begin + block * format.parts[i].pitch;
  }

  // Four values of 16 bits, in the lower halves of the lanes.
  v128_t wide(size_t run, size_t quarter) const {
    return wasm_u32x4_load16x4(fields_[0] + 2 * (run * kRun + 4 * quarter));
  }

  v128_t run(size_t run) const {
    const v128_t first = part(0, run);
    if (format_.part_count == 1) return first;
    return wasm_v128_or(first, wasm_i16x8_shl(part(1, run), format_.parts[1].place));
  }

 private:
  v128_t part(size_t i, size_t run) const {
    const BlockBits& part = format_.parts[i];
    const uint8_t* const from = fields_[i] + part.at[run];
    if (part.is_plane) {
      const v128_t both = wasm_v128_load16_splat(from);
      const v128_t bytes =
          wasm_i8x16_shuffle(both, both, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
      const v128_t places =
          wasm_u8x16_const(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128);
      const v128_t is_set = wasm_i8x16_eq(wasm_v128_and(bytes, places), places);
      return wasm_v128_and(is_set, wasm_u8x16_const_splat(1));
    }
    const v128_t shifted = wasm_u16x8_shr(wasm_v128_load(from), part.shift[run]);
    return wasm_v128_and(shifted, wasm_u8x16_splat(static_cast<uint8_t>((1u << part.bits) - 1)));
  }

  const BlockFormat& format_;
  const uint8_t* fields_[2];
};

// The bytes of a table at indices below 16.
inline v128_t look_up(v128_t table, v128_t indices) {
#if RELAXED_SIMD
  return wasm_i8x16_relaxed_swizzle(table, indices);
#else
  return wasm_i8x16_swizzle(table, indices);
#endif
}

// Calls body(quarter, numbers) for each quarter of a run, with four numbers as floats.
template <BlockNumbers kNumbers, class Body>
inline void for_quarters(const BlockFormat& format, const BlockValues& values, size_t number,
                         const Body& body) {
  if constexpr (kNumbers == BlockNumbers::kFloats) {
    const bool is_bfloat16 = format.scale == BlockScale::kBFloat16;
    for (size_t quarter = 0; quarter < 4; ++quarter) {
      const v128_t half = values.wide(number, quarter);
      body(quarter, is_bfloat16 ? as_f32(wasm_i32x4_shl(half, 16)) : floats_of_halves(half));
    }
  } else if constexpr (kNumbers == BlockNumbers::kTable) {
    const v128_t run = values.run(number);
    const v128_t low = look_up(wasm_v128_load(format.table[0]), run);
    const v128_t high = look_up(wasm_v128_load(format.table[1]), run);
    const v128_t front =
        wasm_i8x16_shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const v128_t back =
        wasm_i8x16_shuffle(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const v128_t zero = wasm_u16x8_const_splat(0);
    body(0, as_f32(wasm_i16x8_shuffle(zero, front, 0, 8, 1, 9, 2, 10, 3, 11)));
    body(1, as_f32(wasm_i16x8_shuffle(zero, front, 4, 12, 5, 13, 6, 14, 7, 15)));
    body(2, as_f32(wasm_i16x8_shuffle(zero, back, 0, 8, 1, 9, 2, 10, 3, 11)));
    body(3, as_f32(wasm_i16x8_shuffle(zero, back, 4, 12, 5, 13, 6, 14, 7, 15)));
  } else {
    const v128_t numbers = wasm_i8x16_sub(values.run(number), wasm_u8x16_splat(format.offset));
    const v128_t front = wasm_i16x8_extend_low_i8x16(numbers);
    const v128_t back = wasm_i16x8_extend_high_i8x16(numbers);
    body(0, to_f32(as_i32(wasm_i32x4_extend_low_i16x8(front))));
    body(1, to_f32(as_i32(wasm_i32x4_extend_high_i16x8(front))));
    body(2, to_f32(as_i32(wasm_i32x4_extend_low_i16x8(back))));
    body(3, to_f32(as_i32(wasm_i32x4_extend_high_i16x8(back))));
  }
}

}  // namespace tfpy
