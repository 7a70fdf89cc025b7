// Products with a matrix that does not change between calls, so that it is packed once.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "products/epilogue.h"
#include "products/gemm.h"
#include "program/packed.h"

namespace tfpy {

// C = epilogue(A B); rows of A and C have the distances a_stride and c_stride.
struct WeightsProduct {
  size_t m, n, k;
  const float* a;
  size_t a_stride;
  const float* packed_b;  // from PackedWeights or pack_weights()
  float* c;
  size_t c_stride;
  Epilogue epilogue = {};
  const float* bias = nullptr;  // null if absent
};

uint64_t packed_elements(size_t k, size_t n);

// A step's packed matrices [k, n], kept as long as the slots from which they were packed.
class PackedWeights {
 public:
  PackedWeights(size_t k, size_t n) : k_(k), n_(n) {}

  // Packs `b`, or finds its packed form; keeps it if the id is not 0. Returns null if the heap is
  // full.
  const float* of(const MatrixView<float>& b, int32_t id);
  bool has(int32_t id) { return packed_.has(id); }
  bool can_keep() const { return can_keep_packed(packed_elements(k_, n_) * sizeof(float)); }

 private:
  const size_t k_, n_;
  PackedBlocks packed_;
};

// Runs on all threads if the product is large enough. k must not be 0.
void multiply_weights(const WeightsProduct& product);

// In the calling thread: packs B [k, n] to packed_elements(k, n) elements, and multiplies by it.
void pack_weights(const MatrixView<float>& b, size_t k, size_t n, float* to);
void multiply_weights_serial(const WeightsProduct& product);

}  // namespace tfpy
