// softmax(scale * q k^T + mask) v for a block of rows of q at a time, so that their scores fit in
// the cache. Operands are read and the result is written by strides, so that heads are not moved.
// https://arxiv.org/abs/1706.03762
#include "kernels/attention.h"

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

// Score that marks a hidden key. Masks add numbers such as -1e9, and -3e38, which rounds others
// away.
constexpr float kHidden = -5e8f;

// Returns true if the mask hides all keys of a row.
bool is_blind(const float* scores, size_t n) {
  return std::all_of(scores, scores + n, [](float score) { return score <= kHidden; });
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
    const size_t packed_matrices = s.matrices() / s.group;
    const uint64_t all_packed = product({packed_matrices, keys + values});
    const uint64_t all_own = std::min(product({tasks, own}), UINT64_MAX - all_packed);
    float* packed = borrow_scratch<float>(all_packed + all_own);
    if (packed == nullptr) return false;
    parallel_ranges(packed_matrices, static_cast<size_t>(keys + values),
                    [&](size_t begin, size_t end) {
                      for (size_t matrix = begin; matrix < end; ++matrix)
                        pack(inputs, matrix, packed + matrix * (keys + values), keys);
                    });
    float* scratch = packed + all_packed;
    const float scale = s.scale_of(inputs);
    parallel_shares(items, tasks, [&](size_t task, size_t begin, size_t end) {
      for (size_t item = begin; item < end; ++item) {
        const size_t matrix = item / blocks, first = item % blocks * rows;
        const float* panels = packed + matrix / s.group * (keys + values);
        const Block block{matrix, first, std::min(rows, s.m - first), scale, panels, panels + keys};
        attend(inputs, block, scratch + task * own, static_cast<float*>(output));
      }
    });
    return true;
  }

 private:
  // Rows first..first + count of a matrix, with its packed k and v.
  struct Block {
    size_t matrix, first, count;
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

  void pack(const Operand* inputs, size_t matrix, float* to, uint64_t keys) const {
    const auto& s = shape_;
    const size_t shared = s.inner / s.group;
    const size_t outer = matrix / shared, inner = matrix % shared;
    const float* k = matrix_of(inputs[1].as<float>(), s.k, outer, inner);
    const float* v = matrix_of(inputs[2].as<float>(), s.v, outer, inner);
    pack_weights({k, s.k.column, s.k.row}, s.depth, s.n, to);
    pack_weights({v, s.v.row, s.v.column}, s.n, s.width, to + keys);
  }

  void attend(const Operand* inputs, const Block& block, float* scratch, float* output) const {
    const auto& s = shape_;
    const size_t outer = block.matrix / s.inner, inner = block.matrix % s.inner;
    const float* q = matrix_of(inputs[0].as<float>(), s.q, outer, inner);
    float* queries = scratch + block.count * s.n;
    for (size_t i = 0; i < block.count; ++i)
      s.scale_query(q + (block.first + i) * s.q.row, block.scale, queries + i * s.depth);
    multiply_weights_serial(
        {block.count, s.n, s.depth, queries, s.depth, block.keys, scratch, s.n});
    for (size_t i = 0; i < block.count; ++i)
      s.finish_scores(inputs, block.matrix, block.first + i, s.n, scratch + i * s.n);
    float* out = matrix_of(output, s.out, outer, inner) + block.first * s.out.row;
    multiply_weights_serial(
        {block.count, s.width, s.n, scratch, s.n, block.values, out, s.out.row});
  }

  AttentionShape shape_;
};

const float* mask_row(const AttentionShape& s, const Operand* inputs, size_t matrix, size_t i) {
  const float* mask = inputs[3].as<float>();
  return matrix_of(mask, s.mask, matrix / s.inner, matrix % s.inner) + i * s.mask.row;
}

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

float AttentionShape::scale_of(const Operand* inputs) const {
  if (scaling == Scaling::kNone) return factor;
  const float scale = *inputs[is_masked ? 4 : 3].as<float>();
  return scaling == Scaling::kMultiply ? factor * scale : factor / scale;
}

void AttentionShape::scale_query(const float* row, float scale, float* to) const {
  if (q.column == 1) {
    for (size_t d = 0; d < depth; ++d) to[d] = row[d] * scale;
  } else {
    for (size_t d = 0; d < depth; ++d) to[d] = row[d * q.column] * scale;
  }
}

void AttentionShape::finish_scores(const Operand* inputs, size_t matrix, size_t i, size_t count,
                                   float* scores) const {
  if (is_masked) {
    const float* row = mask_row(*this, inputs, matrix, i);
    if (mask.column == 1) {
      for (size_t j = 0; j < count; ++j) scores[j] += row[j];
    } else {
      for (size_t j = 0; j < count; ++j) scores[j] += row[j * mask.column];
    }
  }
  if (are_blind_zero && is_blind(scores, count)) {
    std::fill_n(scores, count, 0.0f);
  } else {
    softmax_row(scores, count, scores);
  }
}

size_t AttentionShape::visible_keys(const Operand* inputs, size_t matrix, size_t i) const {
  if (!is_masked) return n;
  const float* row = mask_row(*this, inputs, matrix, i);
  size_t count = n;
  while (count > 0 && row[(count - 1) * mask.column] <= kHidden) --count;
  return count == 0 ? n : count;
}

std::unique_ptr<Kernel> make_attention(StepSpec& step) {
  Params& params = step.params;
  AttentionShape s{};
  const uint32_t outer = params.number("outer", 1), inner = params.number("inner", 1),
                 m = params.number("m", 1), n = params.number("n", 1),
                 depth = params.number("depth", 1), width = params.number("width", 1);
  s.outer = outer, s.inner = inner, s.m = m, s.n = n, s.depth = depth, s.width = width;
  s.group = params.has("group") ? params.number("group", 1) : 1;
  s.are_blind_zero = params.has("blind") && params.choice<bool>("blind", {{"zero", true}});
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
  params.require(s.inner % s.group == 0, "inner is not divisible by group");
  const uint64_t shared = s.inner / s.group;
  params.require(s.out.column == 1 || width == 1, "columns of the output are not adjacent");
  require_inside(step, step.inputs[0], s.q, {outer, inner, m, depth}, "q is too small");
  require_inside(step, step.inputs[1], s.k, {outer, shared, n, depth}, "k is too small");
  require_inside(step, step.inputs[2], s.v, {outer, shared, n, width}, "v is too small");
  require_inside(step, step.output, s.out, {outer, inner, m, width}, "the output is too small");
  require_dense(step, s.out, {outer, inner, m, width});
  if (s.is_masked)
    require_inside(step, step.inputs[3], s.mask, {outer, inner, m, n}, "the mask is too small");
  if (is_scaled) step.require_count(step.inputs.back(), 1, "the scale");
  if (!step.ok()) return nullptr;
  if (has_few_rows(s)) return make_attention_of_few_rows(s);
  return std::make_unique<Attention>(s);
}

}  // namespace tfpy
