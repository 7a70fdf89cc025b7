#include "gemm.h"

#include <algorithm>

#include "arena.h"
#include "parallel.h"
#include "params.h"
#include "simd.h"

namespace tfpy {
namespace {

// A panel of B (kDepth x 8 floats) stays in L1; a block of A (kRows x kDepth) and one of B
// (kDepth x kColumns) stay in L2.
constexpr size_t kDepth = 256, kRows = 96, kColumns = 512;

inline f32x4 splat_load(const float* from) { return as_f32(wasm_v128_load32_splat(from)); }
inline i32x4 splat_load(const int32_t* from) { return as_i32(wasm_v128_load32_splat(from)); }

// Packs a panel of W lines (rows of A or columns of B), of which `lines` exist and the others are
// 0, to to[depth][W]. Element i of a line is `step` elements behind the one before.
template <class T, size_t W>
void pack_panel(const T* from, size_t line_stride, size_t step, size_t lines, size_t depth, T* to) {
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

// How a tile is stored: on top of the sums so far, and through the epilogue when it is complete.
struct Finish {
  bool accumulates, completes;
};

inline f32x4 complete(const Epilogue& epilogue, f32x4 bias, f32x4 x) {
  x += bias;
  return epilogue.clamps() ? clamp(x, epilogue.low, epilogue.high) : x;
}
inline i32x4 complete(const Epilogue&, f32x4, i32x4 x) { return x; }

// Four columns of a row, of which `columns` exist.
template <class T>
void store_lanes(const Gemm<T>& gemm, const Finish& finish, T* c, size_t column, size_t columns,
                 Vector<T> sum) {
  const size_t count = std::min<size_t>(4, columns);
  if (finish.accumulates) {
    for (size_t j = 0; j < count; ++j) sum[j] += c[j];
  }
  if (finish.completes) {
    f32x4 bias = splat(0.0f);
    for (size_t j = 0; gemm.bias != nullptr && j < count; ++j) bias[j] = gemm.bias[column + j];
    sum = complete(gemm.epilogue, bias, sum);
  }
  for (size_t j = 0; j < count; ++j) c[j] = sum[j];
}

// A tile of C at the borders: only its rows and columns below m and n are stored.
template <class T>
void store_border(const Gemm<T>& gemm, const Finish& finish, size_t row, size_t column,
                  const Vector<T> (&low)[kPanelRows], const Vector<T> (&high)[kPanelRows]) {
  const size_t rows = std::min(kPanelRows, gemm.m - row);
  T* c = gemm.c + row * gemm.c_stride + column;
  for (size_t i = 0; i < rows; ++i, c += gemm.c_stride) {
    store_lanes(gemm, finish, c, column, gemm.n - column, low[i]);
    if (gemm.n - column > 4)
      store_lanes(gemm, finish, c + 4, column + 4, gemm.n - column - 4, high[i]);
  }
}

// The tile of C at (row, column): one panel of A times one of B. The sums stay in registers where
// every loop over rows is unrolled.
template <class T>
void micro_kernel(const Gemm<T>& gemm, const Finish& finish, const T* a, const T* b, size_t depth,
                  size_t row, size_t column) {
  Vector<T> low[kPanelRows], high[kPanelRows];
  for (size_t i = 0; i < kPanelRows; ++i) low[i] = high[i] = splat(T{0});
  for (size_t p = 0; p < depth; ++p, a += kPanelRows, b += kPanelColumns) {
    const Vector<T> b0 = load(b), b1 = load(b + 4);
    for (size_t i = 0; i < kPanelRows; ++i) {
      const Vector<T> ai = splat_load(a + i);
      low[i] = multiply_add(ai, b0, low[i]);
      high[i] = multiply_add(ai, b1, high[i]);
    }
  }
  if (row + kPanelRows > gemm.m || column + kPanelColumns > gemm.n) {
    store_border<T>(gemm, finish, row, column, low, high);
    return;
  }
  T* const c = gemm.c + row * gemm.c_stride + column;
  if (finish.accumulates) {
    for (size_t i = 0; i < kPanelRows; ++i) {
      low[i] += load(c + i * gemm.c_stride);
      high[i] += load(c + i * gemm.c_stride + 4);
    }
  }
  if (finish.completes && !gemm.epilogue.is_none()) {
    const bool has_bias = gemm.bias != nullptr;
    const f32x4 bias0 = has_bias ? load(gemm.bias + column) : splat(0.0f);
    const f32x4 bias1 = has_bias ? load(gemm.bias + column + 4) : splat(0.0f);
    for (size_t i = 0; i < kPanelRows; ++i) {
      low[i] = complete(gemm.epilogue, bias0, low[i]);
      high[i] = complete(gemm.epilogue, bias1, high[i]);
    }
  }
  for (size_t i = 0; i < kPanelRows; ++i) {
    store(c + i * gemm.c_stride, low[i]);
    store(c + i * gemm.c_stride + 4, high[i]);
  }
}

// A part of C: the columns and the depth of a packed block of B.
template <class T>
struct Part {
  size_t column, columns, p, depth;
  const T* packed_b;
};

// Rows begin..end of a part.
template <class T>
void multiply_block(const Gemm<T>& gemm, const Part<T>& part, size_t begin, size_t end,
                    T* packed_a) {
  const Finish finish{part.p != 0, part.p + part.depth == gemm.k};
  for (size_t i = begin; i < end; i += kPanelRows)
    gemm.pack_a(gemm.a, i, part.p, part.depth, packed_a + (i - begin) * part.depth);
  for (size_t j = 0; j < part.columns; j += kPanelColumns) {
    for (size_t i = begin; i < end; i += kPanelRows) {
      micro_kernel(gemm, finish, packed_a + (i - begin) * part.depth,
                   part.packed_b + j * part.depth, part.depth, i, part.column + j);
    }
  }
}

size_t padded_columns(size_t n) {
  return (std::min(n, kColumns) + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}

// Tasks share a packed block of B; each packs its own rows of A.
template <class T>
void multiply_in(const Gemm<T>& gemm, size_t tasks, T* packed_b, T* packed_a) {
  for (size_t column = 0; column < gemm.n; column += kColumns) {
    const size_t columns = std::min(kColumns, gemm.n - column);
    for (size_t p = 0; p < gemm.k; p += kDepth) {
      const size_t depth = std::min(kDepth, gemm.k - p);
      const size_t panels = (columns + kPanelColumns - 1) / kPanelColumns;
      parallel_for(tasks, [&](size_t task) {
        for (size_t j = panels * task / tasks; j < panels * (task + 1) / tasks; ++j) {
          const size_t first = column + j * kPanelColumns;
          pack_panel<T, kPanelColumns>(
              gemm.b.data + p * gemm.b.row_stride + first * gemm.b.column_stride,
              gemm.b.column_stride, gemm.b.row_stride, std::min(kPanelColumns, gemm.n - first),
              depth, packed_b + j * kPanelColumns * depth);
        }
      });
      const size_t row_panels = (gemm.m + kPanelRows - 1) / kPanelRows;
      parallel_for(tasks, [&](size_t task) {
        const size_t begin = row_panels * task / tasks * kPanelRows;
        const size_t end = std::min(gemm.m, row_panels * (task + 1) / tasks * kPanelRows);
        T* own = packed_a + task * kRows * kDepth;
        const Part<T> part{column, columns, p, depth, packed_b};
        for (size_t i = begin; i < end; i += kRows)
          multiply_block(gemm, part, i, std::min(end, i + kRows), own);
      });
    }
  }
}

// The sum over nothing.
template <class T>
void multiply_empty(const Gemm<T>& gemm) {
  const Finish finish{false, true};
  for (size_t i = 0; i < gemm.m; ++i) {
    for (size_t j = 0; j < gemm.n; j += 4)
      store_lanes(gemm, finish, gemm.c + i * gemm.c_stride + j, j, gemm.n - j, splat(T{0}));
  }
}

}  // namespace

size_t scratch_elements(size_t n) { return kDepth * padded_columns(n) + kRows * kDepth; }

template <class T>
void pack_matrix_rows(const void* source, size_t first, size_t p, size_t depth, T* to) {
  const RowSource<T>& a = *static_cast<const RowSource<T>*>(source);
  pack_panel<T, kPanelRows>(a.view.data + first * a.view.row_stride + p * a.view.column_stride,
                            a.view.row_stride, a.view.column_stride,
                            std::min(kPanelRows, a.m - first), depth, to);
}

template <class T>
bool multiply(const Gemm<T>& gemm) {
  if (gemm.k == 0) {
    multiply_empty(gemm);
    return true;
  }
  const size_t row_panels = (gemm.m + kPanelRows - 1) / kPanelRows;
  const size_t tasks = task_count(
      row_panels,
      static_cast<size_t>(std::min<uint64_t>(SIZE_MAX, product({kPanelRows, gemm.n, gemm.k}))));
  const size_t b_elements = kDepth * padded_columns(gemm.n);
  T* scratch = borrow_scratch<T>(uint64_t{b_elements} + uint64_t{tasks} * kRows * kDepth);
  if (scratch == nullptr) return false;
  multiply_in(gemm, tasks, scratch, scratch + b_elements);
  return true;
}

template <class T>
void multiply_serial(const Gemm<T>& gemm, T* scratch) {
  if (gemm.k == 0) {
    multiply_empty(gemm);
  } else {
    multiply_in(gemm, 1, scratch, scratch + kDepth * padded_columns(gemm.n));
  }
}

template void pack_matrix_rows<float>(const void*, size_t, size_t, size_t, float*);
template void pack_matrix_rows<int32_t>(const void*, size_t, size_t, size_t, int32_t*);
template bool multiply<float>(const Gemm<float>&);
template bool multiply<int32_t>(const Gemm<int32_t>&);
template void multiply_serial<float>(const Gemm<float>&, float*);
template void multiply_serial<int32_t>(const Gemm<int32_t>&, int32_t*);

}  // namespace tfpy
