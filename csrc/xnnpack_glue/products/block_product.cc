// Products of floats and weights in a block format, and the values of such weights. For few rows,
// the weights are converted to floats in registers, otherwise in strips.

#include <algorithm>

#include "products/block_values.h"
#include "products/weights_gemm.h"
#include "program/arena.h"
#include "simd/multiply_add.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kFewRows = 4;  // up to this many rows, weights are not stored as floats
constexpr size_t kStrip = 64;   // least number of columns that are converted to floats at once

struct BlockProduct {
  const BlockFormat& format;
  size_t m;
  const float* x;
  const uint8_t* w;
  float* c;
};

// Adds the products of the values of a block and R rows of x.
template <size_t R, BlockNumbers kNumbers>
inline void multiply_block(const BlockProduct& product, size_t block, const float* x,
                           const float* scales, f32x4* totals) {
  const BlockFormat& format = product.format;
  const BlockValues values(format, product.w, block);
  for (size_t run = 0; run < format.size / kRun; ++scales) {
    f32x4 found[R][2];
    for (size_t r = 0; r < R; ++r) found[r][0] = found[r][1] = splat(0.0f);
    for (size_t i = 0; i < format.group; i += kRun, ++run, x += kRun) {
      for_quarters<kNumbers>(format, values, run, [&](size_t quarter, f32x4 numbers) {
        for (size_t r = 0; r < R; ++r) {
          f32x4& sum = found[r][quarter % 2];
          sum = multiply_add(numbers, load(x + r * format.k + 4 * quarter), sum);
        }
      });
    }
    for (size_t r = 0; r < R; ++r)
      totals[r] = multiply_add(found[r][0] + found[r][1], splat_load(scales), totals[r]);
  }
}

// Computes the products of a row of the weights and the rows first..first+R of x. sums: of the
// groups of each row of x [m, groups].
template <size_t R, BlockNumbers kNumbers>
void multiply_row(const BlockProduct& product, size_t row, size_t first, const float* sums) {
  constexpr size_t kScales = 64;
  const BlockFormat& format = product.format;
  const size_t groups = format.groups(), blocks = format.blocks();
  const float* const x = product.x + first * format.k;
  f32x4 totals[R];
  float minimums[R];
  for (size_t r = 0; r < R; ++r) totals[r] = splat(minimums[r] = 0.0f);
  for (size_t begin = 0; begin < blocks; begin += kScales / groups) {
    const size_t end = std::min(blocks, begin + kScales / groups);
    float scales[kScales], lows[kScales] = {};
    read_scales(format, product.w, row * blocks + begin, end - begin, scales, lows);
    for (size_t block = begin; block < end; ++block)
      multiply_block<R, kNumbers>(product, row * blocks + block, x + block * format.size,
                                  scales + (block - begin) * groups, totals);
    if (!format.has_minimum) continue;
    for (size_t r = 0; r < R; ++r) {
      const float* const own = sums + ((first + r) * blocks + begin) * groups;
      for (size_t i = 0; i < (end - begin) * groups; ++i) minimums[r] += lows[i] * own[i];
    }
  }
  for (size_t r = 0; r < R; ++r) {
    const f32x4 total = totals[r];
    product.c[(first + r) * format.n + row] =
        (total[0] + total[1]) + (total[2] + total[3]) + minimums[r];
  }
}

template <BlockNumbers kNumbers>
bool multiply_few(const BlockProduct& product) {
  const BlockFormat& format = product.format;
  const size_t groups = product.m * format.k / format.group;
  float* const sums = borrow_scratch<float>(groups);
  if (sums == nullptr) return false;
  for (size_t i = 0; i < groups && format.has_minimum; ++i) {
    const float* const x = product.x + i * format.group;
    f32x4 sum = splat(0.0f);
    for (size_t j = 0; j < format.group; j += 4) sum += load(x + j);
    sums[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  parallel_ranges(format.n, product.m * format.k, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      if (kNumbers != BlockNumbers::kFloats && product.m == kFewRows) {
        multiply_row<kFewRows, kNumbers>(product, row, 0, sums);
      } else {
        for (size_t r = 0; r < product.m; ++r) multiply_row<1, kNumbers>(product, row, r, sums);
      }
    }
  });
  return true;
}

// Calls convert(strip, first, width) to fill the columns of each strip of B [depth, columns], which
// is then described by `view`, and multiplies x [m, depth] by it.
template <class Convert>
bool multiply_strips(const BlockProduct& product, size_t depth, size_t columns, size_t strip,
                     const Convert& convert) {
  const size_t strips = ceil_divide(columns, strip);
  const size_t tasks = task_count(strips, product.m * depth * strip), each = 2 * depth * strip;
  float* const scratch = borrow_scratch<float>(uint64_t{tasks} * each);
  if (scratch == nullptr) return false;
  parallel_shares(strips, tasks, [&](size_t task, size_t begin, size_t end) {
    float* const floats = scratch + task * each;
    float* const packed = floats + depth * strip;
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i * strip, width = std::min(strip, columns - first);
      pack_weights(convert(floats, first, width), depth, width, packed);
      multiply_weights_serial(
          {product.m, width, depth, product.x, depth, packed, product.c + first, columns});
    }
  });
  return true;
}

// x [m, k] times the transpose of the weights.
bool multiply_turned(const BlockProduct& product) {
  const BlockFormat& format = product.format;
  const size_t k = format.k;
  const auto convert = [&](float* floats, size_t first, size_t width) {
    for (size_t row = 0; row < width; ++row)
      convert_blocks(format, product.w, first + row, 0, k, floats + row * k);
    return MatrixView<float>{floats, 1, k};
  };
  return multiply_strips(product, k, format.n, kStrip, convert);
}

// x [m, n] times the weights.
bool multiply_plain(const BlockProduct& product) {
  const BlockFormat& format = product.format;
  const size_t strip = std::max(kStrip, format.size);
  const auto convert = [&](float* floats, size_t first, size_t width) {
    for (size_t row = 0; row < format.n; ++row)
      convert_blocks(format, product.w, row, first, width, floats + row * width);
    return MatrixView<float>{floats, width, 1};
  };
  return multiply_strips(product, format.n, format.k, strip, convert);
}

bool multiply(const BlockProduct& product, bool transpose_b) {
  if (!transpose_b) return multiply_plain(product);
  if (product.m > kFewRows) return multiply_turned(product);
  switch (product.format.numbers) {
    case BlockNumbers::kIntegers:
      return multiply_few<BlockNumbers::kIntegers>(product);
    case BlockNumbers::kTable:
      return multiply_few<BlockNumbers::kTable>(product);
    default:
      return multiply_few<BlockNumbers::kFloats>(product);
  }
}

}  // namespace

std::unique_ptr<Kernel> make_multiply_blocks(StepSpec& step) {
  step.params.require(step.inputs.size() == 2, "multiply_blocks takes two inputs");
  const size_t m = step.params.number("m");
  const bool transpose_b = step.params.flag("transpose_b");
  if (!step.ok()) return nullptr;
  const BlockFormat format = read_block_format(step, 1);
  if (!step.ok()) return nullptr;
  step.params.require(step.inputs[0].dtype == DType::kFloat32, "x is not float32");
  step.params.require(step.output.dtype == DType::kFloat32, "the output is not float32");
  step.require_count(step.inputs[0], product({m, transpose_b ? format.k : format.n}), "x");
  step.require_count(step.output, product({m, transpose_b ? format.n : format.k}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    const BlockProduct product{format, m, inputs[0].as<float>(), inputs[1].as<uint8_t>(),
                               static_cast<float*>(output)};
    return multiply(product, transpose_b);
  });
}

std::unique_ptr<Kernel> make_dequantize_blocks(StepSpec& step) {
  step.params.require(step.inputs.size() == 1, "dequantize_blocks takes one input");
  if (!step.ok()) return nullptr;
  const BlockFormat format = read_block_format(step, 0);
  if (!step.ok()) return nullptr;
  step.params.require(step.output.dtype == DType::kFloat32, "the output is not float32");
  step.require_count(step.output, product({format.n, format.k}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    parallel_ranges(format.n, format.k, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        convert_blocks(format, inputs[0].as<uint8_t>(), row, 0, format.k,
                       static_cast<float*>(output) + row * format.k);
    });
  });
}

}  // namespace tfpy
