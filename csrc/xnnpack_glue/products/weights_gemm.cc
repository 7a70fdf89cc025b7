#include "products/weights_gemm.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/sizes.h"
#include "products/gemm_tile.h"
#include "products/product_parts.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// A panel of B (kDepth x 8 floats) stays in L1, while the rows of a task's part of A, about
// kTaskRows x kDepth floats, are read from L2.
constexpr size_t kDepth = 512, kTaskRows = 96;

// Rows of A without packing. Rows after the last one repeat it.
template <size_t R>
struct PlainRows {
  const float* at[R];

  f32x4 load(size_t i) const { return splat_load(at[i]); }
  void advance() {
    for (size_t i = 0; i < R; ++i) ++at[i];
  }
};

// Computes rows begin..end and columns first..last of C.
template <size_t R>
void multiply_part(const Gemm<float>& gemm, const WeightsProduct& product, size_t begin, size_t end,
                   size_t first, size_t last) {
  const size_t width = round_up(gemm.n, kPanelColumns);
  for (size_t p = 0; p < gemm.k; p += kDepth) {
    const size_t depth = std::min(kDepth, gemm.k - p);
    const Finish finish{p != 0, p + depth == gemm.k};
    for (size_t column = first; column < last; column += kPanelColumns) {
      const float* panel = product.packed_b + p * width + column * depth;
      for (size_t row = begin; row < end; row += R) {
        PlainRows<R> rows;
        rows.at[0] = product.a + row * product.a_stride + p;
        for (size_t i = 1; i < R; ++i)
          rows.at[i] = rows.at[i - 1] + (row + i < gemm.m ? product.a_stride : 0);
        micro_kernel<float, R>(gemm, finish, rows, panel, depth, row, column);
      }
    }
  }
}

Gemm<float> gemm_of(const WeightsProduct& product) {
  return {product.m, product.n, product.k,        nullptr,          nullptr,
          {},        product.c, product.c_stride, product.epilogue, product.bias};
}

// Calls body with the number of rows of a tile as a constant. It wastes little of the last tile;
// more rows reuse B better.
template <class Body>
void with_tile_rows(size_t m, const Body& body) {
  const size_t slack = m / 64;  // loss of a smaller tile
  const size_t six = round_up(m, 6), five = round_up(m, 5), four = round_up(m, 4);
  if (six <= five + slack && six <= four + 2 * slack) {
    body(std::integral_constant<size_t, 6>());
  } else if (five <= four + slack) {
    body(std::integral_constant<size_t, 5>());
  } else {
    body(std::integral_constant<size_t, 4>());
  }
}

template <size_t R>
void multiply_with(const WeightsProduct& product) {
  const size_t m = product.m, n = product.n;
  const Gemm<float> gemm = gemm_of(product);
  for_product_parts({m, n, product.k}, kTaskRows, R,
                    [&](size_t begin, size_t end, size_t first, size_t last) {
                      multiply_part<R>(gemm, product, begin, end, first, last);
                    });
}

// Packs the panels begin..end, of eight columns each.
void pack_panels(const MatrixView<float>& b, size_t k, size_t n, size_t begin, size_t end,
                 float* to) {
  const size_t width = round_up(n, kPanelColumns);
  for (size_t p = 0; p < k; p += kDepth) {
    const size_t depth = std::min(kDepth, k - p);
    for (size_t panel = begin; panel < end; ++panel) {
      const size_t column = panel * kPanelColumns;
      pack_panel<float, kPanelColumns>(
          b.data + p * b.row_stride + column * b.column_stride, b.column_stride, b.row_stride,
          std::min(kPanelColumns, n - column), depth, to + p * width + column * depth);
    }
  }
}

}  // namespace

const float* PackedWeights::of(const MatrixView<float>& b, int32_t id) {
  const auto pack = [&](const Block& to) {
    parallel_ranges(
        ceil_divide(n_, kPanelColumns), k_ * kPanelColumns,
        [&](size_t begin, size_t end) { pack_panels(b, k_, n_, begin, end, to.as<float>()); });
  };
  const Block* packed = packed_.of(id, packed_elements(k_, n_) * sizeof(float), pack);
  return packed == nullptr ? nullptr : packed->as<float>();
}

void multiply_weights(const WeightsProduct& product) {
  with_tile_rows(product.m, [&](auto rows) { multiply_with<rows()>(product); });
}

uint64_t packed_elements(size_t k, size_t n) { return uint64_t{k} * round_up(n, kPanelColumns); }

void pack_weights(const MatrixView<float>& b, size_t k, size_t n, float* to) {
  pack_panels(b, k, n, 0, ceil_divide(n, kPanelColumns), to);
}

void multiply_weights_serial(const WeightsProduct& product) {
  with_tile_rows(product.m, [&](auto rows) {
    multiply_part<rows()>(gemm_of(product), product, 0, product.m, 0, product.n);
  });
}

}  // namespace tfpy
