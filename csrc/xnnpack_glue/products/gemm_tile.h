// The inner parts of matrix products: packed panels, and a tile of C in registers.
#pragma once

#include <algorithm>

#include "products/gemm.h"
#include "simd/multiply_add.h"
#include "simd/simd.h"

namespace tfpy {

// Packs a panel of W lines (rows of A or columns of B) to to[depth][W]. Only `lines` of them exist;
// the others are 0. Consecutive elements of a line have the distance `step`.
template <class T, size_t W>
inline void pack_panel(const T* from, size_t line_stride, size_t step, size_t lines, size_t depth,
                       T* to) {
  size_t i = 0;
  if (lines == W && line_stride == 1) {
    for (; i < depth; ++i) {
      for (size_t w = 0; w < W; w += 4) {
        const size_t at = std::min(w, W - 4);
        store(to + i * W + at, load(from + i * step + at));
      }
    }
  } else if (lines == W && step == 1) {
    for (; i + 4 <= depth; i += 4) {
      for (size_t w = 0; w < W; w += 4) {
        const size_t at = std::min(w, W - 4);
        const T* line = from + at * line_stride + i;
        store_transposed<T>(load(line), load(line + line_stride), load(line + 2 * line_stride),
                            load(line + 3 * line_stride), to + i * W + at, W);
      }
    }
  }
  for (; i < depth; ++i) {
    for (size_t w = 0; w < W; ++w) {
      to[i * W + w] = w < lines ? from[w * line_stride + i * step] : 0;
    }
  }
}

// The part of a sum that a tile computes: whether C holds an earlier part, and whether it is the
// last part.
struct Finish {
  bool accumulates, completes;
};

inline f32x4 clamp(const Epilogue& epilogue, f32x4 x) {
  return clamp(x, epilogue.low, epilogue.high);
}
inline i32x4 clamp(const Epilogue&, i32x4 x) { return x; }

// Returns the initial value of the sums of four columns, of which `columns` exist, unless it is C.
inline f32x4 bias_at(const Gemm<float>& gemm, size_t column, size_t columns) {
  return gemm.bias == nullptr ? splat(0.0f) : load_some(gemm.bias + column, columns);
}
inline i32x4 bias_at(const Gemm<int32_t>&, size_t, size_t) { return splat(0); }

// Stores four columns of a row, of which `columns` exist.
template <class T>
void store_lanes(const Gemm<T>& gemm, const Finish& finish, T* c, size_t columns, Vector<T> sum) {
  if (finish.accumulates) sum += load_some(c, columns);
  if (finish.completes) sum = clamp(gemm.epilogue, sum);
  store_some(c, columns, sum);
}

// Stores a tile at the border of C: only rows and columns below m and n.
template <class T, size_t R>
void store_border(const Gemm<T>& gemm, const Finish& finish, size_t row, size_t column,
                  const Vector<T> (&low)[R], const Vector<T> (&high)[R]) {
  const size_t rows = std::min(R, gemm.m - row);
  T* c = gemm.c + row * gemm.c_stride + column;
  for (size_t i = 0; i < rows; ++i, c += gemm.c_stride) {
    store_lanes(gemm, finish, c, gemm.n - column, low[i]);
    if (gemm.n - column > 4) store_lanes(gemm, finish, c + 4, gemm.n - column - 4, high[i]);
  }
}

// Rows of A in the layout of pack_matrix_rows().
template <class T>
struct PackedRows {
  const T* at;

  Vector<T> load(size_t i) const { return splat_load(at + i); }
  void advance() { at += kPanelRows; }
};

// Computes the tile of C at (row, column): R rows of A, read by a copy of `rows`, times a panel of
// B. The sums stay in registers because every loop over rows is unrolled.
template <class T, size_t R, class Rows>
inline void micro_kernel(const Gemm<T>& gemm, const Finish& finish, Rows rows, const T* b,
                         size_t depth, size_t row, size_t column) {
  const bool is_inside = row + R <= gemm.m && column + kPanelColumns <= gemm.n;
  T* const c = gemm.c + row * gemm.c_stride + column;
  Vector<T> low[R], high[R];
  if (!finish.accumulates) {
    const size_t columns = gemm.n - column;
    const Vector<T> bias0 = bias_at(gemm, column, columns);
    const Vector<T> bias1 = columns > 4 ? bias_at(gemm, column + 4, columns - 4) : splat(T{0});
    for (size_t i = 0; i < R; ++i) {
      low[i] = bias0;
      high[i] = bias1;
    }
  } else {
    for (size_t i = 0; i < R; ++i) {
      low[i] = is_inside ? load(c + i * gemm.c_stride) : splat(T{0});
      high[i] = is_inside ? load(c + i * gemm.c_stride + 4) : splat(T{0});
    }
  }
  for (size_t p = 0; p < depth; ++p, b += kPanelColumns) {
    const Vector<T> b0 = load(b), b1 = load(b + 4);
    for (size_t i = 0; i < R; ++i) {
      const Vector<T> ai = rows.load(i);
      low[i] = multiply_add(ai, b0, low[i]);
      high[i] = multiply_add(ai, b1, high[i]);
    }
    rows.advance();
  }
  if (!is_inside) {
    // Separate arrays, because an array with a variable index is always in memory.
    Vector<T> border_low[R], border_high[R];
    for (size_t i = 0; i < R; ++i) {
      border_low[i] = low[i];
      border_high[i] = high[i];
    }
    store_border<T, R>(gemm, finish, row, column, border_low, border_high);
    return;
  }
  if (finish.completes && gemm.epilogue.clamps()) {
    for (size_t i = 0; i < R; ++i) {
      low[i] = clamp(gemm.epilogue, low[i]);
      high[i] = clamp(gemm.epilogue, high[i]);
    }
  }
  for (size_t i = 0; i < R; ++i) {
    store(c + i * gemm.c_stride, low[i]);
    store(c + i * gemm.c_stride + 4, high[i]);
  }
}

}  // namespace tfpy
