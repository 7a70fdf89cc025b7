// Products with a matrix that stays the same from call to call, so that it is packed once.
#pragma once

#include <stddef.h>

#include "epilogue.h"
#include "gemm.h"

namespace tfpy {

// C = epilogue(A B): rows of A lie a_stride apart, those of C n.
struct WeightsProduct {
  size_t m, n, k;
  const float* a;
  size_t a_stride;
  const float* packed_b;  // by pack_weights()
  float* c;
  Epilogue epilogue;
  const float* bias;  // null without one
};

// Elements of a packed matrix [k, n].
size_t packed_weights_elements(size_t k, size_t n);
void pack_weights(const MatrixView<float>& b, size_t k, size_t n, float* to);

// On all threads where it is worth that. k is not 0.
void multiply_weights(const WeightsProduct& product);

}  // namespace tfpy
