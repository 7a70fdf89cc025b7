// Weights in a block format: values of a few bits that share scales. A Program describes the
// format, so that there is no list of formats here. The fields of all blocks are next to each
// other.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "program/kernel.h"

namespace tfpy {

// Values that are converted at once, and the most blocks' values in such runs.
constexpr size_t kRun = 16, kLargestBlock = 256;
constexpr size_t kRuns = kLargestBlock / kRun;

// Bits of the values of a block, see Bits in block_formats.py. The bits of a run begin in the byte
// at[run] of the field.
struct BlockBits {
  size_t begin, pitch;
  uint32_t bits, place;
  bool is_plane;  // one bit of each value, in the order of the values
  uint8_t at[kRuns], shift[kRuns];
};

// The rule from which the scale and the minimum of a group follow. The last two are for floats of
// 16 bits, which have no scales.
enum class BlockScale {
  kHalf,
  kHalfMinimum,
  kHalfZero,
  kQ2K,
  kQ3K,
  kQ4K,
  kQ6K,
  kE8M0,
  kFloat16,
  kBFloat16
};

// The bits of the values: integers, indices of a table, or floats of 16 bits.
enum class BlockNumbers { kIntegers, kTable, kFloats };

// A matrix [n, k] with blocks of `size` values along k. Each `group` values of a block have one
// scale.
struct BlockFormat {
  size_t n, k, bytes, size, group;
  size_t part_count;
  BlockBits parts[2];
  uint8_t offset;
  BlockNumbers numbers;
  bool has_minimum;
  uint8_t table[2][kRun];  // lower and upper bytes of the numbers as bfloat16, which is exact
  BlockScale scale;
  size_t scales[3];

  size_t blocks() const { return k / size; }      // of a row
  size_t groups() const { return size / group; }  // of a block
};

// Reads the format from a step, and checks that all blocks are inside of the input.
BlockFormat read_block_format(StepSpec& step, size_t input);

// Converts the values first..first+count of a row, which consists of whole blocks, to floats.
void convert_blocks(const BlockFormat& format, const uint8_t* w, size_t row, size_t first,
                    size_t count, float* to);

}  // namespace tfpy
