// Dense matrix product over packed panels, for float32 and int32. Blocks of both operands are
// packed so that a micro-kernel reads them in order, each from the cache that it fits:
// https://doi.org/10.1145/1356052.1356053
#pragma once

#include <stddef.h>

#include "products/epilogue.h"

namespace tfpy {

constexpr size_t kPanelRows = 6;     // rows of A that a micro-kernel takes
constexpr size_t kPanelColumns = 8;  // columns of B

// A matrix by strides, one of which is 1.
template <class T>
struct MatrixView {
  const T* data;
  size_t row_stride, column_stride;
};

// Copies rows first.. (kPanelRows of them; those behind m are 0) and columns p..p+depth of A to
// to[depth][kPanelRows].
template <class T>
using PackRows = void (*)(const void* source, size_t first, size_t p, size_t depth, T* to);

// What a product needs: A is reached through a packing function, so that it may be an image whose
// patches are its rows or columns.
template <class T>
struct Gemm {
  size_t m, n, k;
  PackRows<T> pack_a;
  const void* a;
  MatrixView<T> b;
  T* c;
  size_t c_stride;  // between rows of C
  Epilogue epilogue = {};
  const float* bias = nullptr;  // one element for each column, where the epilogue has it
};

// A matrix as a source of pack_matrix_rows().
template <class T>
struct RowSource {
  MatrixView<T> view;
  size_t m;
};

template <class T>
void pack_matrix_rows(const void* source, size_t first, size_t p, size_t depth, T* to);

// C = epilogue(A B) on all threads. False when there is no room for the panels.
template <class T>
bool multiply(const Gemm<T>& gemm);

// The same in the calling thread; `scratch` has scratch_elements(n) elements.
template <class T>
void multiply_serial(const Gemm<T>& gemm, T* scratch);
size_t scratch_elements(size_t n);

}  // namespace tfpy
