#include "products/block_format.h"

#include "base/sizes.h"

namespace tfpy {
namespace {

constexpr int32_t kLargestBlock = 256;
constexpr size_t kNumbersOfBits = 5;

float half_at(const uint8_t* from) {
  uint16_t half;
  memcpy(&half, from, sizeof(half));
  const uint32_t magnitude = half & 0x7fffu, sign = (half & 0x8000u) << 16;
  uint32_t bits = magnitude << 13;
  if (magnitude >= 0x7c00u) {  // infinite or NaN
    bits |= 0x7f800000u;
  } else {
    float value;
    memcpy(&value, &bits, sizeof(value));
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof(bits));
  }
  bits |= sign;
  float result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}

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
  }
  return {0, {0, 0, 0}};
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

// Reads the parts of values.
void read_parts(Params& params, BlockFormat& format) {
  const std::vector<int32_t> numbers = params.numbers("bits", 0, kMaxNumber);
  params.require(!numbers.empty() && numbers.size() % kNumbersOfBits == 0,
                 "the bits of the values are not complete");
  if (!params.ok()) return;
  size_t all = 0;
  for (size_t i = 0; i < numbers.size(); i += kNumbersOfBits) {
    const auto at = [&](size_t j) { return static_cast<size_t>(numbers[i + j]); };
    const BlockBits part{at(0), at(1), at(2), at(3), at(4)};
    const bool has_bits = part.bits == 1 || part.bits == 2 || part.bits == 4 || part.bits == 8;
    const bool has_width = (part.width == 1 && part.bits == 1) || part.width == 16 ||
                           part.width == 32 || part.width == 64;
    params.require(has_bits && has_width && part.bits + part.place <= 8,
                   "the bits of the values are not supported");
    if (!params.ok()) return;
    params.require(part.pitch * 8 == format.size * part.bits && part.pitch % part.width == 0,
                   "the bits do not fit the size of a block");
    format.parts.push_back(part);
    all += part.bits;
  }
  params.require(all <= 8, "the values have more than 8 bits");
  params.require(!format.has_table || all <= 4, "the table has too few numbers");
}

void check_fields(StepSpec& step, const BlockFormat& format, size_t scales) {
  const uint64_t blocks = product({format.n, format.blocks()});
  const auto is_inside = [&](uint64_t begin, uint64_t pitch) {
    const uint64_t size = product({blocks, pitch});
    return begin <= format.bytes && size <= format.bytes - begin;
  };
  bool is_valid = true;
  for (const BlockBits& part : format.parts)
    is_valid = is_valid && is_inside(part.begin, part.pitch);
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
  format.has_table = !table.empty();
  format.scale = params.choice<BlockScale>("scale", {{"half", BlockScale::kHalf},
                                                     {"half_minimum", BlockScale::kHalfMinimum},
                                                     {"q2_k", BlockScale::kQ2K},
                                                     {"q3_k", BlockScale::kQ3K},
                                                     {"q4_k", BlockScale::kQ4K},
                                                     {"q6_k", BlockScale::kQ6K},
                                                     {"e8m0", BlockScale::kE8M0}});
  const size_t count = fields_of(format.scale).count, groups = groups_of(format.scale);
  const std::vector<int32_t> scales = params.numbers("scales", count, 0, kMaxNumber);
  params.require(table.empty() || table.size() == kRun, "the table does not have 16 numbers");
  params.require(format.group % kRun == 0 && format.size % format.group == 0,
                 "the size of a group is not supported");
  params.require(format.k % format.size == 0, "a row does not consist of whole blocks");
  params.require(groups == 0 || format.size == groups * format.group,
                 "the scales do not fit the number of groups");
  if (!step.ok()) return format;
  for (size_t i = 0; i < table.size(); ++i) format.table[i] = static_cast<int8_t>(table[i]);
  for (size_t i = 0; i < count; ++i) format.scales[i] = static_cast<size_t>(scales[i]);
  read_parts(params, format);
  if (!step.ok()) return format;
  check_fields(step, format, count);
  step.require_bytes(input, format.bytes, "the weights");
  return format;
}

GroupScale group_scale(const BlockFormat& format, const uint8_t* w, size_t block, size_t group) {
  const auto half = [&](size_t field) { return half_at(w + format.scales[field] + 2 * block); };
  switch (format.scale) {
    case BlockScale::kHalf:
      return {half(0), 0.0f};
    case BlockScale::kHalfMinimum:
      return {half(0), half(1)};
    case BlockScale::kQ2K: {
      const uint8_t both = w[format.scales[2] + 16 * block + group];
      return {half(0) * static_cast<float>(both & 15), -half(1) * static_cast<float>(both >> 4)};
    }
    case BlockScale::kQ3K: {
      const uint8_t* const from = w + format.scales[1] + 12 * block;
      const int low = from[group % 8] >> (group / 8 * 4) & 15;
      const int high = from[8 + group % 4] >> (group / 4 * 2) & 3;
      return {half(0) * static_cast<float>((low | high << 4) - 32), 0.0f};
    }
    case BlockScale::kQ4K: {  // groups 4..7 have their high bits in the bytes of groups 0..3
      const uint8_t* const from = w + format.scales[2] + 12 * block + group;
      int scale = from[0] & 63, minimum = from[4] & 63;
      if (group >= 4) {
        scale = (from[4] & 15) | (from[-4] >> 2 & 48);
        minimum = from[4] >> 4 | (from[0] >> 2 & 48);
      }
      return {half(0) * static_cast<float>(scale), -half(1) * static_cast<float>(minimum)};
    }
    case BlockScale::kQ6K: {
      const int8_t scale = static_cast<int8_t>(w[format.scales[1] + 16 * block + group]);
      return {half(0) * static_cast<float>(scale), 0.0f};
    }
    case BlockScale::kE8M0: {  // a power of 2, which is halved
      const uint32_t exponent = w[format.scales[0] + block];
      const uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
      float scale;
      memcpy(&scale, &bits, sizeof(scale));
      return {scale, 0.0f};
    }
  }
  return {0.0f, 0.0f};
}

void convert_blocks(const BlockFormat& format, const uint8_t* w, size_t row, size_t first,
                    size_t count, float* to) {
  for (size_t at = first; at < first + count; at += format.group) {
    const size_t block = row * format.blocks() + at / format.size, in_block = at % format.size;
    const GroupScale scale = group_scale(format, w, block, in_block / format.group);
    for (size_t i = 0; i < format.group; i += kRun, to += kRun) {
      for_quarters(run_of_numbers(format, w, block, in_block + i), [&](size_t quad, f32x4 numbers) {
        store(to + 4 * quad, splat(scale.scale) * numbers + splat(scale.minimum));
      });
    }
  }
}

}  // namespace tfpy
