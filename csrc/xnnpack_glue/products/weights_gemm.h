// Products with a matrix that stays the same from call to call, so that it is packed once.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "products/epilogue.h"
#include "products/gemm.h"
#include "program/packed.h"

namespace tfpy {

// C = epilogue(A B): rows of A and C lie a_stride and c_stride apart.
struct WeightsProduct {
  size_t m, n, k;
  const float* a;
  size_t a_stride;
  const float* packed_b;  // by PackedWeights or pack_weights()
  float* c;
  size_t c_stride;
  Epilogue epilogue = {};
  const float* bias = nullptr;  // null without one
};

// A step's packed matrices [k, n], kept as long as the slots that they are made of.
class PackedWeights {
 public:
  PackedWeights(size_t k, size_t n) : k_(k), n_(n) {}

  // Null when the heap is full. Packs `b` unless that is kept; keeps it if the id is not 0.
  const float* of(const MatrixView<float>& b, int32_t id);
  bool has(int32_t id) { return packed_.has(id); }

 private:
  const size_t k_, n_;
  PackedBlocks packed_;
};

// On all threads where it is worth that. k is not 0.
void multiply_weights(const WeightsProduct& product);

// In the calling thread: packs B [k, n] to packed_elements(k, n), and multiplies with it.
uint64_t packed_elements(size_t k, size_t n);
void pack_weights(const MatrixView<float>& b, size_t k, size_t n, float* to);
void multiply_weights_serial(const WeightsProduct& product);

}  // namespace tfpy
