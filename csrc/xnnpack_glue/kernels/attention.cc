// softmax(scale * q k^T + mask) v for a block of rows of q at a time, so that their scores fit in
// the cache. Operands are read and the result is written by strides, so that heads are not moved.
// https://arxiv.org/abs/1706.03762
#include <algorithm>

#include "base/sizes.h"
#include "kernels/rows.h"
#include "products/gemm.h"
#include "products/weights_gemm.h"
#include "program/arena.h"
#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kScores = 1 << 16;             // scores per block, so that they fit in L2
constexpr size_t kFewestRows = 4 * kPanelRows;  // rows that repay packing k and v

// Strides in elements along the two dimensions of the batch, the rows and the columns.
struct Strides {
  size_t outer, inner, row, column;
};

// Application of the scale to the scores, in addition to the factor that is a parameter.
enum class Scaling { kNone, kMultiply, kDivide };

struct AttentionShape {
  size_t outer, inner, m, n, depth, width;
  Strides q, k, v, out, mask;
  bool is_masked;
  Scaling scaling;
  float factor;

  size_t matrices() const { return outer * inner; }
};

// Returns the matrix at a position of the batch.
template <class T>
T* matrix_of(T* data, const Strides& s, size_t outer, size_t inner) {
  return data + outer * s.outer + inner * s.inner;
}

class Attention final : public Kernel {
 public:
  explicit Attention(const AttentionShape& shape) : shape_(shape) {}

  bool run(const Operand* inputs, void* output) override {
    const auto& s = shape_;
    const size_t rows = block_rows(), blocks = ceil_divide(s.m, rows);
    const size_t items = s.matrices() * blocks;
    const size_t tasks = task_count(items, rows * s.n * (s.depth + s.width + kExpCost));
    const uint64_t keys = packed_elements(s.depth, s.n), values = packed_elements(s.n, s.width);
    const uint64_t own = product({rows, uint64_t{s.n} + s.depth});
    const uint64_t all_packed = product({s.matrices(), keys + values});
    const uint64_t all_own = std::min(product({tasks, own}), UINT64_MAX - all_packed);
    float* packed = borrow_scratch<float>(all_packed + all_own);
    if (packed == nullptr) return false;
    parallel_ranges(s.matrices(), static_cast<size_t>(keys + values),
                    [&](size_t begin, size_t end) {
                      for (size_t matrix = begin; matrix < end; ++matrix)
                        pack(inputs, matrix, packed + matrix * (keys + values), keys);
                    });
    float* scratch = packed + all_packed;
    const float scale = scale_of(inputs);
    parallel_shares(items, tasks, [&](size_t task, size_t begin, size_t end) {
      for (size_t item = begin; item < end; ++item) {
        const size_t matrix = item / blocks, first = item % blocks * rows;
        const float* panels = packed + matrix * (keys + values);
        const Block block{
            matrix / s.inner, matrix % s.inner, first, std::min(rows, s.m - first), scale,
            panels,           panels + keys};
        attend(inputs, block, scratch + task * own, static_cast<float*>(output));
      }
    });
    return true;
  }

 private:
  // Rows first..first + count of a matrix, with its packed k and v.
  struct Block {
    size_t outer, inner, first, count;
    float scale;
    const float* keys;
    const float* values;
  };

  // Few enough rows that their scores fit in the cache and that all threads have work.
  size_t block_rows() const {
    const size_t most = std::max(kFewestRows, kScores / shape_.n);
    const size_t parts = ceil_divide(worker_count(), shape_.matrices());
    const size_t wanted = std::max(kFewestRows, ceil_divide(shape_.m, parts));
    const size_t blocks = ceil_divide(shape_.m, std::min(most, wanted));
    return ceil_divide(shape_.m, blocks * kPanelRows) * kPanelRows;
  }

  float scale_of(const Operand* inputs) const {
    if (shape_.scaling == Scaling::kNone) return shape_.factor;
    const float scale = *inputs[shape_.is_masked ? 4 : 3].as<float>();
    return shape_.scaling == Scaling::kMultiply ? shape_.factor * scale : shape_.factor / scale;
  }

  void pack(const Operand* inputs, size_t matrix, float* to, uint64_t keys) const {
    const auto& s = shape_;
    const size_t outer = matrix / s.inner, inner = matrix % s.inner;
    const float* k = matrix_of(inputs[1].as<float>(), s.k, outer, inner);
    const float* v = matrix_of(inputs[2].as<float>(), s.v, outer, inner);
    pack_weights({k, s.k.column, s.k.row}, s.depth, s.n, to);
    pack_weights({v, s.v.row, s.v.column}, s.n, s.width, to + keys);
  }

  void attend(const Operand* inputs, const Block& block, float* scratch, float* output) const {
    const auto& s = shape_;
    float* queries = scratch + block.count * s.n;
    scale_queries(inputs, block, queries);
    multiply_weights_serial(
        {block.count, s.n, s.depth, queries, s.depth, block.keys, scratch, s.n});
    for (size_t i = 0; i < block.count; ++i) {
      float* row = scratch + i * s.n;
      if (s.is_masked) add_mask(inputs, block, i, row);
      softmax_row(row, s.n, row);
    }
    float* out = matrix_of(output, s.out, block.outer, block.inner) + block.first * s.out.row;
    multiply_weights_serial(
        {block.count, s.width, s.n, scratch, s.n, block.values, out, s.out.row});
  }

  // Stores rows of q times the scale contiguously.
  void scale_queries(const Operand* inputs, const Block& block, float* to) const {
    const auto& s = shape_;
    const float* q = matrix_of(inputs[0].as<float>(), s.q, block.outer, block.inner);
    for (size_t i = 0; i < block.count; ++i, to += s.depth) {
      const float* row = q + (block.first + i) * s.q.row;
      if (s.q.column == 1) {
        for (size_t d = 0; d < s.depth; ++d) to[d] = row[d] * block.scale;
      } else {
        for (size_t d = 0; d < s.depth; ++d) to[d] = row[d * s.q.column] * block.scale;
      }
    }
  }

  void add_mask(const Operand* inputs, const Block& block, size_t i, float* scores) const {
    const Strides& s = shape_.mask;
    const float* mask =
        matrix_of(inputs[3].as<float>(), s, block.outer, block.inner) + (block.first + i) * s.row;
    if (s.column == 1) {
      for (size_t j = 0; j < shape_.n; ++j) scores[j] += mask[j];
    } else {
      for (size_t j = 0; j < shape_.n; ++j) scores[j] += mask[j * s.column];
    }
  }

  AttentionShape shape_;
};

using Sizes = uint64_t[4];

Strides read_strides(StepSpec& step, const char* name) {
  const auto list = step.params.numbers(name, 4, 0, INT32_MAX);
  if (!step.ok()) return {};
  return {static_cast<size_t>(list[0]), static_cast<size_t>(list[1]), static_cast<size_t>(list[2]),
          static_cast<size_t>(list[3])};
}

// Fails unless all elements are inside the buffer.
void require_inside(StepSpec& step, const BufferSpec& buffer, const Strides& s, const Sizes& sizes,
                    const char* what) {
  const uint64_t strides[] = {s.outer, s.inner, s.row, s.column};
  uint64_t last = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t reach = product({sizes[i] - 1, strides[i]});
    step.params.require(reach < buffer.count, what);
    last += std::min<uint64_t>(reach, buffer.count);
  }
  step.params.require(last < buffer.count, what);
}

// Fails unless the strides belong to a dense array with its dimensions in any order.
void require_dense(StepSpec& step, const Strides& s, const Sizes& sizes) {
  const uint64_t strides[] = {s.outer, s.inner, s.row, s.column};
  for (int i = 0; i < 4; ++i) {
    if (sizes[i] == 1) continue;
    uint64_t inner = 1;
    for (int j = 0; j < 4; ++j) {
      if (sizes[j] != 1 && strides[j] < strides[i]) inner = product({inner, sizes[j]});
    }
    step.params.require(strides[i] == inner, "out_strides are not those of a dense array");
  }
}

}  // namespace

std::unique_ptr<Kernel> make_attention(StepSpec& step) {
  Params& params = step.params;
  AttentionShape s{};
  const uint32_t outer = params.number("outer", 1), inner = params.number("inner", 1),
                 m = params.number("m", 1), n = params.number("n", 1),
                 depth = params.number("depth", 1), width = params.number("width", 1);
  s.outer = outer, s.inner = inner, s.m = m, s.n = n, s.depth = depth, s.width = width;
  s.factor = params.real("factor_bits");
  s.is_masked = params.flag("masked");
  s.scaling = params.choice<Scaling>(
      "scaling",
      {{"none", Scaling::kNone}, {"multiply", Scaling::kMultiply}, {"divide", Scaling::kDivide}});
  s.q = read_strides(step, "q_strides");
  s.k = read_strides(step, "k_strides");
  s.v = read_strides(step, "v_strides");
  s.out = read_strides(step, "out_strides");
  if (s.is_masked) s.mask = read_strides(step, "mask_strides");
  const bool is_scaled = s.scaling != Scaling::kNone;
  step.require_float(3 + (s.is_masked ? 1 : 0) + (is_scaled ? 1 : 0));
  step.require_count(step.output, product({outer, inner, m, width}), "the output");
  if (!step.ok()) return nullptr;
  params.require(s.out.column == 1 || width == 1, "columns of the output are not adjacent");
  require_inside(step, step.inputs[0], s.q, {outer, inner, m, depth}, "q is too small");
  require_inside(step, step.inputs[1], s.k, {outer, inner, n, depth}, "k is too small");
  require_inside(step, step.inputs[2], s.v, {outer, inner, n, width}, "v is too small");
  require_inside(step, step.output, s.out, {outer, inner, m, width}, "the output is too small");
  require_dense(step, s.out, {outer, inner, m, width});
  if (s.is_masked)
    require_inside(step, step.inputs[3], s.mask, {outer, inner, m, n}, "the mask is too small");
  if (is_scaled) step.require_count(step.inputs.back(), 1, "the scale");
  if (!step.ok()) return nullptr;
  return std::make_unique<Attention>(s);
}

}  // namespace tfpy
