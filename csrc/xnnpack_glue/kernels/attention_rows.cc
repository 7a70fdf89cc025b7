// Attention of few rows of q, e.g. of one token with the cached keys of those before it. k and v
// are read once, in their own layout, because packing them would cost more than the products.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/sizes.h"
#include "kernels/attention.h"
#include "kernels/rows.h"
#include "products/gemm_tile.h"
#include "program/arena.h"
#include "simd/multiply_add.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kFewRows = 8;

// A tile has the products of a few rows with as many keys, or with as many columns of v, as there
// are registers for.
constexpr size_t kTileRows = 3, kKeys = 4, kVectors = 4;

constexpr size_t kValues = 16;  // rows of v that stay in L1 while their columns are added

float total(f32x4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// Returns the total of each of four vectors.
f32x4 totals(const f32x4* x) {
  const auto halves = [](f32x4 a, f32x4 b) {
    return as_f32(wasm_i32x4_shuffle(bits(a), bits(b), 0, 4, 1, 5)) +
           as_f32(wasm_i32x4_shuffle(bits(a), bits(b), 2, 6, 3, 7));
  };
  const v128_t first = bits(halves(x[0], x[1])), second = bits(halves(x[2], x[3]));
  return as_f32(wasm_i64x2_shuffle(first, second, 0, 2)) +
         as_f32(wasm_i64x2_shuffle(first, second, 1, 3));
}

// Rows of an array, with the distance between them.
template <class T>
struct Lines {
  T* data;
  size_t stride;

  T* operator[](size_t i) const { return data + i * stride; }
  Lines from(size_t row, size_t column = 0) const { return {data + row * stride + column, stride}; }
};

// scores = queries * keys for R rows and K keys; K is 1 or kKeys.
template <size_t R, size_t K>
void score(Lines<const float> queries, Lines<const float> keys, size_t depth, Lines<float> scores) {
  f32x4 sums[R][K] = {};
  size_t d = 0;
  for (; d + 4 <= depth; d += 4) {
    f32x4 q[R];
    for (size_t r = 0; r < R; ++r) q[r] = load(queries[r] + d);
    for (size_t j = 0; j < K; ++j) {
      const f32x4 key = load(keys[j] + d);
      for (size_t r = 0; r < R; ++r) sums[r][j] = multiply_add(q[r], key, sums[r][j]);
    }
  }
  for (size_t r = 0; r < R; ++r) {
    float* const to = scores[r];
    if constexpr (K == kKeys) {
      store(to, totals(sums[r]));
    } else {
      to[0] = total(sums[r][0]);
    }
    for (size_t i = d; i < depth; ++i) {
      for (size_t j = 0; j < K; ++j) to[j] += queries[r][i] * keys[j][i];
    }
  }
}

// out += weights * values for R rows, `count` rows of v and V vectors of columns.
template <size_t R, size_t V>
void mix(Lines<const float> weights, Lines<const float> values, size_t count, Lines<float> out) {
  f32x4 sums[R][V];
  for (size_t r = 0; r < R; ++r) {
    for (size_t v = 0; v < V; ++v) sums[r][v] = load(out[r] + 4 * v);
  }
#pragma unroll 1
  for (size_t j = 0; j < count; ++j) {
    f32x4 factor[R];
    for (size_t r = 0; r < R; ++r) factor[r] = splat_load(weights[r] + j);
    for (size_t v = 0; v < V; ++v) {
      const f32x4 value = load(values[j] + 4 * v);
      for (size_t r = 0; r < R; ++r) sums[r][v] = multiply_add(factor[r], value, sums[r][v]);
    }
  }
  for (size_t r = 0; r < R; ++r) {
    for (size_t v = 0; v < V; ++v) store(out[r] + 4 * v, sums[r][v]);
  }
}

// The same for all columns.
template <size_t R>
void mix_columns(Lines<const float> weights, Lines<const float> values, size_t count, size_t width,
                 Lines<float> out) {
  size_t w = 0;
  for (; w + 4 * kVectors <= width; w += 4 * kVectors)
    mix<R, kVectors>(weights, values.from(0, w), count, out.from(0, w));
  for (; w + 4 <= width; w += 4) mix<R, 1>(weights, values.from(0, w), count, out.from(0, w));
  for (; w < width; ++w) {
    for (size_t r = 0; r < R; ++r) {
      for (size_t j = 0; j < count; ++j) out[r][w] += weights[r][j] * values[j][w];
    }
  }
}

// Calls body(count, first) for parts of `total` items. `count` is a constant, at most `most`.
template <size_t most, class Body>
void each_part(size_t total, const Body& body) {
  size_t i = 0;
  for (; i + most <= total; i += most) body(std::integral_constant<size_t, most>(), i);
  for (; i < total; ++i) body(std::integral_constant<size_t, 1>(), i);
}

class AttentionOfFewRows final : public Kernel {
 public:
  explicit AttentionOfFewRows(const AttentionShape& shape)
      : shape_(shape),
        rows_(shape.group * shape.m),
        pitch_(round_up(shape.n, 4) + kBlockPadding / sizeof(float)) {}

  bool run(const Operand* inputs, void* output) override {
    const auto& s = shape_;
    const size_t shared = s.inner / s.group, items = s.outer * shared;
    const size_t tasks = task_count(items, rows_ * s.n * (s.depth + s.width + kExpCost));
    const size_t most = heads_at_once(ceil_divide(items, tasks));
    const uint64_t own = product({most * rows_, uint64_t{pitch_} + s.depth + s.width});
    float* scratch = borrow_scratch<float>(product({tasks, own}));
    if (scratch == nullptr) return false;
    const float scale = s.scale_of(inputs);
    parallel_shares(items, tasks, [&](size_t task, size_t begin, size_t end) {
      while (begin < end) {
        const size_t first = begin % shared;
        const size_t count = std::min({most, end - begin, shared - first});
        const Heads heads{begin / shared, first, count};
        attend(inputs, heads, scale, scratch + task * own, static_cast<float*>(output));
        begin += count;
      }
    });
    return true;
  }

 private:
  // Matrices of k and v of the same part of the batch.
  struct Heads {
    size_t outer, first, count;
  };

  // Adjacent keys of different heads are read together, so that memory is read in order.
  size_t heads_at_once(size_t count) const {
    const auto& s = shape_;
    const bool is_adjacent = s.k.inner < s.k.row && s.v.inner < s.v.row;
    return is_adjacent ? std::min(count, s.inner / s.group) : 1;
  }

  // Computes the rows of all matrices that read these heads.
  void attend(const Operand* inputs, const Heads& heads, float scale, float* scratch,
              float* output) const {
    const auto& s = shape_;
    const size_t rows = heads.count * rows_;
    const Lines<float> scores{scratch, pitch_}, queries{scores[rows], s.depth},
        sums{queries[rows], s.width};
    const auto place_of = [&](size_t row) { return place(heads, row); };
    for (size_t r = 0; r < rows; ++r) {
      const auto [inner, i] = place_of(r);
      const float* q = matrix_of(inputs[0].as<float>(), s.q, heads.outer, inner) + i * s.q.row;
      s.scale_query(q, scale, queries[r]);
    }
    const size_t keys = visible_keys(inputs, heads);
    multiply_keys(inputs[1].as<float>(), heads, keys, {queries.data, s.depth}, scores);
    for (size_t r = 0; r < rows; ++r) {
      const auto [inner, i] = place_of(r);
      s.finish_scores(inputs, heads.outer * s.inner + inner, i, keys, scores[r]);
    }
    std::fill_n(sums.data, rows * s.width, 0.0f);
    add_values(inputs[2].as<float>(), heads, keys, {scores.data, pitch_}, sums);
    for (size_t r = 0; r < rows; ++r) {
      const auto [inner, i] = place_of(r);
      float* const to = matrix_of(output, s.out, heads.outer, inner) + i * s.out.row;
      std::copy_n(sums[r], s.width, to);
    }
  }

  // Returns the number of keys that at least one row reads. A cache is often longer than its text.
  size_t visible_keys(const Operand* inputs, const Heads& heads) const {
    const auto& s = shape_;
    const bool is_shared = s.mask.inner == 0;  // all heads have the same mask
    size_t most = 0;
    for (size_t r = 0; r < (is_shared ? s.m : heads.count * rows_); ++r) {
      const auto [inner, i] = place(heads, r);
      most = std::max(most, s.visible_keys(inputs, heads.outer * s.inner + inner, i));
    }
    return most;
  }

  void multiply_keys(const float* k, const Heads& heads, size_t count, Lines<const float> queries,
                     Lines<float> scores) const {
    const auto& s = shape_;
    const Lines<const float> keys{matrix_of(k, s.k, heads.outer, heads.first), s.k.row};
    each_part<kKeys>(count, [&](auto some, size_t j) {
      each_head(heads, [&](size_t head, auto rows, size_t r) {
        score<rows, some>(queries.from(r), keys.from(j, head * s.k.inner), s.depth,
                          scores.from(r, j));
      });
    });
  }

  void add_values(const float* v, const Heads& heads, size_t count, Lines<const float> weights,
                  Lines<float> sums) const {
    const auto& s = shape_;
    const Lines<const float> values{matrix_of(v, s.v, heads.outer, heads.first), s.v.row};
    for (size_t j = 0; j < count; j += kValues) {
      each_head(heads, [&](size_t head, auto rows, size_t r) {
        mix_columns<rows>(weights.from(r, j), values.from(j, head * s.v.inner),
                          std::min(kValues, count - j), s.width, sums.from(r));
      });
    }
  }

  // Calls body(head, count, first) for parts of the rows of each head.
  template <class Body>
  void each_head(const Heads& heads, const Body& body) const {
    for (size_t head = 0; head < heads.count; ++head) {
      each_part<kTileRows>(rows_,
                           [&](auto count, size_t r) { body(head, count, head * rows_ + r); });
    }
  }

  // Returns the matrix of q, in its part of the batch, and the row for a row of all heads.
  std::pair<size_t, size_t> place(const Heads& heads, size_t row) const {
    const size_t head = heads.first + row / rows_, in_head = row % rows_;
    return {head * shape_.group + in_head / shape_.m, in_head % shape_.m};
  }

  AttentionShape shape_;
  size_t rows_;   // rows of q for each matrix of k and v
  size_t pitch_;  // distance between rows of scores, not a power of two
};

}  // namespace

bool has_few_rows(const AttentionShape& s) {
  return s.m <= kFewRows && s.k.column == 1 && s.v.column == 1;
}

std::unique_ptr<Kernel> make_attention_of_few_rows(const AttentionShape& shape) {
  return std::make_unique<AttentionOfFewRows>(shape);
}

}  // namespace tfpy
