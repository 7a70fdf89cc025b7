// Dense matrix product over packed panels, for float32 and int32. Blocks of both operands are
// packed so that a micro-kernel reads them in order, each from the cache in which it fits:
// https://doi.org/10.1145/1356052.1356053
#pragma once

#include <stddef.h>

#include "products/epilogue.h"

namespace tfpy {

constexpr size_t kPanelRows = 6;     // rows of A per micro-kernel
constexpr size_t kPanelColumns = 8;  // columns of B

// A matrix with strides, one of which must be 1.
template <class T>
struct MatrixView {
  const T* data;
  size_t row_stride, column_stride;
};

// Copies kPanelRows rows from `first` on (zeros after row m) and columns p..p+depth of A to
// to[depth][kPanelRows].
template <class T>
using PackRows = void (*)(const void* source, size_t first, size_t p, size_t depth, T* to);

// The arguments of a product. A is read through a packing function, so that it may be an image with
// its patches as rows or columns.
template <class T>
struct Gemm {
  size_t m, n, k;
  PackRows<T> pack_a;
  const void* a;
  MatrixView<T> b;
  T* c;
  size_t c_stride;  // distance between rows of C
  Epilogue epilogue = {};
  const float* bias = nullptr;  // one element per column, if the epilogue has a bias
};

// A matrix as a source for pack_matrix_rows().
template <class T>
struct RowSource {
  MatrixView<T> view;
  size_t m;
};

template <class T>
void pack_matrix_rows(const void* source, size_t first, size_t p, size_t depth, T* to);

// Computes C = epilogue(A B) on all threads. Returns false if there is no memory for the panels.
template <class T>
bool multiply(const Gemm<T>& gemm);

// The same in the calling thread; `scratch` has scratch_elements(n) elements.
template <class T>
void multiply_serial(const Gemm<T>& gemm, T* scratch);
size_t scratch_elements(size_t n);

}  // namespace tfpy
