// The parts of attention that its kernels share: softmax(scale * q k^T + mask) v.
// https://arxiv.org/abs/1706.03762
#pragma once

#include <stddef.h>

#include <memory>

#include "program/kernel.h"

namespace tfpy {

// Strides in elements along the two dimensions of the batch, the rows and the columns.
struct Strides {
  size_t outer, inner, row, column;
};

// Application of the scale to the scores, in addition to the factor that is a parameter.
enum class Scaling { kNone, kMultiply, kDivide };

struct AttentionShape {
  size_t outer, inner, m, n, depth, width;
  size_t group;  // adjacent matrices of q that share one of the inner / group matrices of k and v
  Strides q, k, v, out, mask;
  bool is_masked;
  bool are_blind_zero;  // rows of the result are zeros if the mask hides all their keys
  Scaling scaling;
  float factor;

  size_t matrices() const { return outer * inner; }

  // Returns the number by which the scores are multiplied.
  float scale_of(const Operand* inputs) const;

  // Stores a row of q times the scale contiguously.
  void scale_query(const float* row, float scale, float* to) const;

  // Replaces the first `count` scores of row `i` of a matrix by their softmax, after adding the
  // mask.
  void finish_scores(const Operand* inputs, size_t matrix, size_t i, size_t count,
                     float* scores) const;

  // Returns the number of keys up to the last one that the mask shows to row `i` of a matrix. The
  // weights of the others are 0. If the mask hides all keys, the result is n.
  size_t visible_keys(const Operand* inputs, size_t matrix, size_t i) const;
};

// Returns the matrix at a position of the batch.
template <class T>
T* matrix_of(T* data, const Strides& s, size_t outer, size_t inner) {
  return data + outer * s.outer + inner * s.inner;
}

// Returns true if attention_rows.cc computes this attention.
bool has_few_rows(const AttentionShape& shape);

std::unique_ptr<Kernel> make_attention_of_few_rows(const AttentionShape& shape);

}  // namespace tfpy
