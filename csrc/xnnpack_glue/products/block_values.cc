#include "products/block_values.h"

#include <algorithm>

namespace tfpy {
namespace {

float half_at(const uint8_t* from) { return floats_of_halves(wasm_v128_load16_splat(from))[0]; }

void read_halves(const uint8_t* from, size_t count, float* to) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) store(to + i, floats_of_halves(wasm_u32x4_load16x4(from + 2 * i)));
  for (; i < count; ++i) to[i] = half_at(from + 2 * i);
}

// Repeats each of `count` numbers for the groups of a block.
void repeat(size_t groups, size_t count, float* numbers) {
  if (groups == 1) return;
  for (size_t i = count; i-- > 0;) std::fill_n(numbers + i * groups, groups, numbers[i]);
}

// Scales of scales.
void read_scales_of_block(const BlockFormat& format, const uint8_t* w, size_t block, float* scales,
                          float* minimums) {
  if (format.scale == BlockScale::kE8M0) {  // a power of 2, which is halved
    const uint32_t exponent = w[format.scales[0] + block];
    const uint32_t value = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
    std::fill_n(scales, format.groups(), as_f32(wasm_u32x4_splat(value))[0]);
    return;
  }
  const float scale = half_at(w + format.scales[0] + 2 * block);
  const auto set = [&](size_t group, int number) {
    scales[group] = scale * static_cast<float>(number);
  };
  if (format.scale == BlockScale::kQ3K) {
    const uint8_t* const from = w + format.scales[1] + 12 * block;
    for (size_t group = 0; group < 16; ++group) {
      const int low = from[group % 8] >> (group / 8 * 4) & 15;
      const int high = from[8 + group % 4] >> (group / 4 * 2) & 3;
      set(group, (low | high << 4) - 32);
    }
    return;
  }
  if (format.scale == BlockScale::kQ6K) {
    const uint8_t* const from = w + format.scales[1] + 16 * block;
    for (size_t group = 0; group < 16; ++group) set(group, static_cast<int8_t>(from[group]));
    return;
  }
  const float least = -half_at(w + format.scales[1] + 2 * block);
  const auto set_both = [&](size_t group, int number, int minimum) {
    set(group, number);
    minimums[group] = least * static_cast<float>(minimum);
  };
  if (format.scale == BlockScale::kQ2K) {
    const uint8_t* const from = w + format.scales[2] + 16 * block;
    for (size_t group = 0; group < 16; ++group) set_both(group, from[group] & 15, from[group] >> 4);
    return;
  }
  const uint8_t* const from = w + format.scales[2] + 12 * block;
  for (size_t group = 0; group < 4; ++group) {
    const uint8_t first = from[group], second = from[group + 4], low = from[group + 8];
    set_both(group, first & 63, second & 63);
    set_both(group + 4, (low & 15) | (first >> 2 & 48), low >> 4 | (second >> 2 & 48));
  }
}

template <BlockNumbers kNumbers>
void convert_block(const BlockFormat& format, const uint8_t* w, size_t block, float* to) {
  float scales[kRuns], minimums[kRuns] = {};
  read_scales(format, w, block, 1, scales, minimums);
  const BlockValues values(format, w, block);
  for (size_t run = 0; run < format.size / kRun; ++run, to += kRun) {
    const size_t group = run * kRun / format.group;
    for_quarters<kNumbers>(format, values, run, [&](size_t quarter, f32x4 numbers) {
      store(to + 4 * quarter, splat(scales[group]) * numbers + splat(minimums[group]));
    });
  }
}

}  // namespace

void read_scales(const BlockFormat& format, const uint8_t* w, size_t block, size_t count,
                 float* scales, float* minimums) {
  if (format.numbers == BlockNumbers::kFloats) {
    std::fill_n(scales, count * format.groups(), 1.0f);
    return;
  }
  if (format.scale <= BlockScale::kHalfZero) {
    read_halves(w + format.scales[0] + 2 * block, count, scales);
    if (format.has_minimum) {
      read_halves(w + format.scales[1] + 2 * block, count, minimums);
      if (format.scale == BlockScale::kHalfZero) {
        for (size_t i = 0; i < count; ++i) minimums[i] *= -scales[i];
      }
      repeat(format.groups(), count, minimums);
    }
    repeat(format.groups(), count, scales);
    return;
  }
  for (size_t i = 0; i < count; ++i, scales += format.groups(), minimums += format.groups())
    read_scales_of_block(format, w, block + i, scales, minimums);
}

void convert_blocks(const BlockFormat& format, const uint8_t* w, size_t row, size_t first,
                    size_t count, float* to) {
  const size_t block = row * format.blocks() + first / format.size;
  for (size_t i = 0; i < count / format.size; ++i, to += format.size) {
    switch (format.numbers) {
      case BlockNumbers::kIntegers:
        convert_block<BlockNumbers::kIntegers>(format, w, block + i, to);
        break;
      case BlockNumbers::kTable:
        convert_block<BlockNumbers::kTable>(format, w, block + i, to);
        break;
      case BlockNumbers::kFloats:
        convert_block<BlockNumbers::kFloats>(format, w, block + i, to);
        break;
    }
  }
}

}  // namespace tfpy
