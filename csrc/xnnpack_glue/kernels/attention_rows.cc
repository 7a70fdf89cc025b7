// Attention of few rows of q, e.g. of one token with the cached keys of those before it. k and v
// are read once, in their own layout, because packing them would cost more than the products.
#include <algorithm>

#include "base/sizes.h"
#include "kernels/attention.h"
#include "kernels/rows.h"
#include "program/arena.h"
#include "simd/multiply_add.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kFewRows = 8;
constexpr size_t kKeys = 4;  // keys that are multiplied at a time

float total(f32x4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// scores[j] = query * keys[j] for `count` keys.
template <size_t count>
void score(const float* query, const float* keys, size_t stride, size_t depth, float* scores) {
  f32x4 sums[count] = {};
  size_t d = 0;
  for (; d + 4 <= depth; d += 4) {
    const f32x4 q = load(query + d);
    for (size_t j = 0; j < count; ++j)
      sums[j] = multiply_add(q, load(keys + j * stride + d), sums[j]);
  }
  for (size_t j = 0; j < count; ++j) {
    float sum = total(sums[j]);
    for (size_t i = d; i < depth; ++i) sum += query[i] * keys[j * stride + i];
    scores[j] = sum;
  }
}

// out += weights * values for `count` rows of v.
template <size_t count>
void mix(const float* weights, const float* values, size_t stride, size_t width, float* out) {
  size_t w = 0;
  for (; w + 4 <= width; w += 4) {
    f32x4 sum = load(out + w);
    for (size_t j = 0; j < count; ++j)
      sum = multiply_add(splat(weights[j]), load(values + j * stride + w), sum);
    store(out + w, sum);
  }
  for (; w < width; ++w) {
    for (size_t j = 0; j < count; ++j) out[w] += weights[j] * values[j * stride + w];
  }
}

class AttentionOfFewRows final : public Kernel {
 public:
  explicit AttentionOfFewRows(const AttentionShape& shape) : shape_(shape) {}

  bool run(const Operand* inputs, void* output) override {
    const auto& s = shape_;
    const size_t items = s.matrices() / s.group, rows = s.group * s.m;
    const size_t tasks = task_count(items, rows * s.n * (s.depth + s.width + kExpCost));
    const uint64_t own = product({rows, uint64_t{s.n} + s.depth});
    float* scratch = borrow_scratch<float>(product({tasks, own}));
    if (scratch == nullptr) return false;
    const float scale = s.scale_of(inputs);
    parallel_shares(items, tasks, [&](size_t task, size_t begin, size_t end) {
      for (size_t item = begin; item < end; ++item)
        attend(inputs, item * s.group, scale, scratch + task * own, static_cast<float*>(output));
    });
    return true;
  }

 private:
  // Computes the matrices first..first + group, which share k and v.
  void attend(const Operand* inputs, size_t first, float scale, float* scores,
              float* output) const {
    const auto& s = shape_;
    const size_t rows = s.group * s.m, outer = first / s.inner, shared = first % s.inner / s.group;
    float* queries = scores + rows * s.n;
    for (size_t r = 0; r < rows; ++r) {
      const float* q = matrix_of(inputs[0].as<float>(), s.q, outer, inner_of(first, r));
      s.scale_query(q + r % s.m * s.q.row, scale, queries + r * s.depth);
    }
    const float* keys = matrix_of(inputs[1].as<float>(), s.k, outer, shared);
    each_part([&](auto count, size_t j) {
      for (size_t r = 0; r < rows; ++r)
        score<count>(queries + r * s.depth, keys + j * s.k.row, s.k.row, s.depth,
                     scores + r * s.n + j);
    });
    for (size_t r = 0; r < rows; ++r) {
      s.finish_scores(inputs, first + r / s.m, r % s.m, scores + r * s.n);
      std::fill_n(row_of(output, outer, first, r), s.width, 0.0f);
    }
    const float* values = matrix_of(inputs[2].as<float>(), s.v, outer, shared);
    each_part([&](auto count, size_t j) {
      for (size_t r = 0; r < rows; ++r)
        mix<count>(scores + r * s.n + j, values + j * s.v.row, s.v.row, s.width,
                   row_of(output, outer, first, r));
    });
  }

  // Calls body(count, first) for parts of the keys. `count` is a constant.
  template <class Body>
  void each_part(const Body& body) const {
    size_t j = 0;
    for (; j + kKeys <= shape_.n; j += kKeys) body(std::integral_constant<size_t, kKeys>(), j);
    for (; j < shape_.n; ++j) body(std::integral_constant<size_t, 1>(), j);
  }

  size_t inner_of(size_t first, size_t r) const { return first % shape_.inner + r / shape_.m; }

  float* row_of(float* output, size_t outer, size_t first, size_t r) const {
    return matrix_of(output, shape_.out, outer, inner_of(first, r)) + r % shape_.m * shape_.out.row;
  }

  AttentionShape shape_;
};

}  // namespace

bool has_few_rows(const AttentionShape& s) {
  return s.m <= kFewRows && s.k.column == 1 && s.v.column == 1;
}

std::unique_ptr<Kernel> make_attention_of_few_rows(const AttentionShape& shape) {
  return std::make_unique<AttentionOfFewRows>(shape);
}

}  // namespace tfpy
