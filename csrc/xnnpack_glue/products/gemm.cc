#include "products/gemm.h"

#include <algorithm>

#include "base/sizes.h"
#include "products/gemm_tile.h"
#include "program/arena.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// A panel of B (kDepth x 8 floats) fits in L1 and a block of A (kRows x kDepth) in L2. A wide block
// of B (kDepth x kColumns) may come from L3, but A is packed again for each of these blocks.
constexpr size_t kDepth = 512, kRows = 96, kColumns = 1024;

// A part of C: the columns and the depth of a packed block of B.
template <class T>
struct Part {
  size_t column, columns, p, depth;
  const T* packed_b;
};

// Computes rows begin..end of a part.
template <class T>
void multiply_block(const Gemm<T>& gemm, const Part<T>& part, size_t begin, size_t end,
                    T* packed_a) {
  const Finish finish{part.p != 0, part.p + part.depth == gemm.k};
  for (size_t i = begin; i < end; i += kPanelRows)
    gemm.pack_a(gemm.a, i, part.p, part.depth, packed_a + (i - begin) * part.depth);
  for (size_t j = 0; j < part.columns; j += kPanelColumns) {
    for (size_t i = begin; i < end; i += kPanelRows) {
      const PackedRows<T> rows{packed_a + (i - begin) * part.depth};
      micro_kernel<T, kPanelRows>(gemm, finish, rows, part.packed_b + j * part.depth, part.depth, i,
                                  part.column + j);
    }
  }
}

size_t padded_columns(size_t n) { return round_up(std::min(n, kColumns), kPanelColumns); }

// Tasks share a packed block of B; each packs its own rows of A.
template <class T>
void multiply_in(const Gemm<T>& gemm, size_t tasks, T* packed_b, T* packed_a) {
  for (size_t column = 0; column < gemm.n; column += kColumns) {
    const size_t columns = std::min(kColumns, gemm.n - column);
    for (size_t p = 0; p < gemm.k; p += kDepth) {
      const size_t depth = std::min(kDepth, gemm.k - p);
      const size_t panels = ceil_divide(columns, kPanelColumns);
      parallel_shares(panels, tasks, [&](size_t, size_t begin, size_t end) {
        for (size_t j = begin; j < end; ++j) {
          const size_t first = column + j * kPanelColumns;
          pack_panel<T, kPanelColumns>(
              gemm.b.data + p * gemm.b.row_stride + first * gemm.b.column_stride,
              gemm.b.column_stride, gemm.b.row_stride, std::min(kPanelColumns, gemm.n - first),
              depth, packed_b + j * kPanelColumns * depth);
        }
      });
      const size_t row_panels = ceil_divide(gemm.m, kPanelRows);
      parallel_shares(row_panels, tasks, [&](size_t task, size_t begin, size_t end) {
        const size_t last = std::min(gemm.m, end * kPanelRows);
        T* own = packed_a + task * kRows * kDepth;
        const Part<T> part{column, columns, p, depth, packed_b};
        for (size_t i = begin * kPanelRows; i < last; i += kRows)
          multiply_block(gemm, part, i, std::min(last, i + kRows), own);
      });
    }
  }
}

// Stores empty sums.
template <class T>
void multiply_empty(const Gemm<T>& gemm) {
  const Finish finish{false, true};
  for (size_t i = 0; i < gemm.m; ++i) {
    for (size_t j = 0; j < gemm.n; j += 4) {
      store_lanes(gemm, finish, gemm.c + i * gemm.c_stride + j, gemm.n - j,
                  bias_at(gemm, j, gemm.n - j));
    }
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
  const size_t row_panels = ceil_divide(gemm.m, kPanelRows);
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
