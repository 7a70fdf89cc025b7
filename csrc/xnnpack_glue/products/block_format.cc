#include "products/block_format.h"

#include <iterator>
#include <vector>

#include "base/sizes.h"
#include "simd/simd.h"

namespace tfpy {
namespace {

constexpr size_t kNumbersOfBits = 5;

// The number of fields that a rule reads, and the bytes of a block in each of them.
struct ScaleFields {
  size_t count;
  size_t pitch[3];
};

ScaleFields fields_of(BlockScale scale) {
  switch (scale) {
    case BlockScale::kHalf:
      return {1, {2, 0, 0}};
    case BlockScale::kHalfMinimum:
    case BlockScale::kHalfZero:
      return {2, {2, 2, 0}};
    case BlockScale::kQ2K:
      return {3, {2, 2, 16}};
    case BlockScale::kQ3K:
      return {2, {2, 12, 0}};
    case BlockScale::kQ4K:
      return {3, {2, 2, 12}};
    case BlockScale::kQ6K:
      return {2, {2, 16, 0}};
    case BlockScale::kE8M0:
      return {1, {1, 0, 0}};
    default:
      return {0, {0, 0, 0}};
  }
}

// The number of groups for which a rule has scales; 0 if there is one scale for each block.
size_t groups_of(BlockScale scale) {
  switch (scale) {
    case BlockScale::kQ2K:
    case BlockScale::kQ3K:
    case BlockScale::kQ6K:
      return 16;
    case BlockScale::kQ4K:
      return 8;
    default:
      return 0;
  }
}

bool has_floats(const BlockFormat& format) {
  return format.scale == BlockScale::kFloat16 || format.scale == BlockScale::kBFloat16;
}

// Reads a part of the values. Returns its number of bits.
uint32_t read_part(Params& params, const int32_t* numbers, const BlockFormat& format,
                   BlockBits& part) {
  const auto at = [&](size_t i) { return static_cast<uint32_t>(numbers[i]); };
  const uint32_t pitch = at(1), bits = at(2), width = at(3), place = at(4);
  const uint32_t most = has_floats(format) ? 16 : 8;
  const bool has_bits = most == 16 ? bits == 16 : bits == 1 || bits == 2 || bits == 4 || bits == 8;
  const bool has_width = (width == 1 && bits == 1) || width == 16 || width == 32 || width == 64;
  params.require(has_bits && has_width && place <= most - bits,
                 "the bits of the values are not supported");
  if (!params.ok()) return 0;
  params.require(pitch == format.size * bits / 8 && pitch % width == 0,
                 "the bits do not fit the size of a block");
  part = {at(0), pitch, bits, place, width == 1, {}, {}};
  const uint32_t span = width * 8 / bits;  // values after which the order repeats
  for (uint32_t run = 0; run < format.size / kRun; ++run) {
    const uint32_t i = run * kRun;
    part.at[run] = static_cast<uint8_t>(part.is_plane ? i / 8 : i / span * width + i % width);
    part.shift[run] = static_cast<uint8_t>(i % span / width * bits);
  }
  return bits;
}

// Reads the parts of values. Returns the number of bits of a value.
uint32_t read_parts(Params& params, BlockFormat& format) {
  const std::vector<int32_t> numbers = params.numbers("bits", 0, kMaxNumber);
  params.require(!numbers.empty() && numbers.size() % kNumbersOfBits == 0,
                 "the bits of the values are not complete");
  format.part_count = numbers.size() / kNumbersOfBits;
  params.require(format.part_count <= std::size(format.parts), "the values have too many parts");
  uint32_t all = 0;
  for (size_t i = 0; i < format.part_count && params.ok(); ++i)
    all += read_part(params, &numbers[i * kNumbersOfBits], format, format.parts[i]);
  params.require(all <= (has_floats(format) ? 16 : 8), "the values have too many bits");
  return all;
}

// Fills the table with the numbers of values of up to four bits.
void fill_table(const std::vector<int32_t>& numbers, BlockFormat& format) {
  for (size_t i = 0; i < kRun; ++i) {
    const int32_t number = numbers.empty() ? static_cast<int32_t>(i) - format.offset : numbers[i];
    const v128_t value = bits(splat(static_cast<float>(number)));
    format.table[0][i] = wasm_u8x16_extract_lane(value, 2);
    format.table[1][i] = wasm_u8x16_extract_lane(value, 3);
  }
}

void check_fields(StepSpec& step, const BlockFormat& format, size_t scales) {
  const uint64_t blocks = product({format.n, format.blocks()});
  const auto is_inside = [&](uint64_t begin, uint64_t pitch) {
    const uint64_t size = product({blocks, pitch});
    return begin <= format.bytes && size <= format.bytes - begin;
  };
  bool is_valid = true;
  for (size_t i = 0; i < format.part_count; ++i)
    is_valid = is_valid && is_inside(format.parts[i].begin, format.parts[i].pitch);
  const ScaleFields fields = fields_of(format.scale);
  for (size_t i = 0; i < fields.count && i < scales; ++i)
    is_valid = is_valid && is_inside(format.scales[i], fields.pitch[i]);
  step.params.require(is_valid, "a field of the blocks is outside of the input");
}

}  // namespace

BlockFormat read_block_format(StepSpec& step, size_t input) {
  Params& params = step.params;
  BlockFormat format{};
  format.n = params.number("n", 1);
  format.k = params.number("k", 1);
  format.bytes = params.number("bytes", 1);
  format.size = params.number("size", 2 * kRun, kLargestBlock);
  format.group = params.number("group", kRun, 2 * kRun);
  format.offset = static_cast<uint8_t>(params.number("offset", 0, 128));
  const std::vector<int32_t> table = params.numbers("table", INT8_MIN, INT8_MAX);
  format.has_minimum = params.flag("minimum");
  format.scale = params.choice<BlockScale>("scale", {{"half", BlockScale::kHalf},
                                                     {"half_minimum", BlockScale::kHalfMinimum},
                                                     {"half_zero", BlockScale::kHalfZero},
                                                     {"q2_k", BlockScale::kQ2K},
                                                     {"q3_k", BlockScale::kQ3K},
                                                     {"q4_k", BlockScale::kQ4K},
                                                     {"q6_k", BlockScale::kQ6K},
                                                     {"e8m0", BlockScale::kE8M0},
                                                     {"float16", BlockScale::kFloat16},
                                                     {"bfloat16", BlockScale::kBFloat16}});
  const size_t count = fields_of(format.scale).count, groups = groups_of(format.scale);
  const std::vector<int32_t> scales = params.numbers("scales", count, 0, kMaxNumber);
  params.require(table.empty() || table.size() == kRun, "the table does not have 16 numbers");
  params.require(format.group % kRun == 0 && format.size % format.group == 0,
                 "the size of a group is not supported");
  params.require(format.k % format.size == 0, "a row does not consist of whole blocks");
  params.require(groups == 0 || format.size == groups * format.group,
                 "the scales do not fit the number of groups");
  if (!step.ok()) return format;
  for (size_t i = 0; i < count; ++i) format.scales[i] = static_cast<size_t>(scales[i]);
  const uint32_t bits = read_parts(params, format);
  format.numbers = bits <= 4    ? BlockNumbers::kTable
                   : bits == 16 ? BlockNumbers::kFloats
                                : BlockNumbers::kIntegers;
  const bool has_table = format.numbers == BlockNumbers::kTable;
  params.require(table.empty() || has_table, "the table has too few numbers");
  if (!step.ok()) return format;
  if (has_table) fill_table(table, format);
  if (bits == 8) format.offset = static_cast<uint8_t>(format.offset - 128);  // the bits have a sign
  check_fields(step, format, count);
  step.require_bytes(input, format.bytes, "the weights");
  return format;
}

}  // namespace tfpy
