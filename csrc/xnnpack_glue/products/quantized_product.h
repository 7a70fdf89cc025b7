// Products of quantized rows and weights. Sums of integers are exact. Products of bytes are added
// by relaxed SIMD if its dot product is exact for all of them (AVX-VNNI, Arm). Otherwise products
// of int16 are added, of which x86 computes eight per instruction since SSE2.
// https://github.com/WebAssembly/relaxed-simd/blob/main/proposals/relaxed-simd/Overview.md
#pragma once

#include <algorithm>

#include "base/sizes.h"
#include "products/epilogue.h"
#include "products/product_parts.h"
#include "products/quantize.h"
#include "simd/simd.h"

namespace tfpy {

constexpr size_t kTaskBytes =
    128 * 1024;  // bytes of rows that are read from L2 while a panel is in L1

// Adds two products of int16 to each lane.
struct Words {
  using Element = int16_t;
  static constexpr size_t kGroup = 2;
  static constexpr size_t kTileRows = 4;  // the sums of more rows do not fit in x86's registers
  static constexpr bool kHasZeroPoint = false;

  static i32x4 add(v128_t a, v128_t b, i32x4 sum) {
    return sum + as_i32(wasm_i32x4_dot_i16x8(a, b));
  }
  RowScale quantize(const float* row, size_t k, Element* to) const {
    return quantize_row(row, k, to);
  }
};

#if RELAXED_SIMD
// Adds four products of a signed weight and an activation, which is signed or unsigned depending on
// the machine.
struct Bytes {
  const uint8_t flip;

  using Element = int8_t;
  static constexpr size_t kGroup = 4;
  static constexpr size_t kTileRows = 6;  // enough sums to hide the latency of an addition
  static constexpr bool kHasZeroPoint = true;

  static i32x4 add(v128_t a, v128_t b, i32x4 sum) {
    return as_i32(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(b, a, bits(sum)));
  }
  RowScale quantize(const float* row, size_t k, Element* to) const {
    return quantize_row(row, k, flip, to);
  }

  // Returns the sum of four equal products as the machine computes it, which is not known at
  // compile time.
  static int32_t dot(int8_t weight, uint8_t activation) {
    volatile int8_t b = weight;
    volatile uint8_t a = activation;
    return add(wasm_u8x16_splat(a), wasm_i8x16_splat(b), splat(0))[0];
  }
  static bool takes_unsigned() {
    return dot(127, 255) == 4 * 127 * 255 && dot(-127, 255) == -4 * 127 * 255;
  }
  static bool takes_signed() {
    return dot(127, 128) == -4 * 127 * 128 && dot(-127, 128) == 4 * 127 * 128;
  }
};
#endif

// Row i of the result is the sum over `taps` of the products of rows and weights.
template <class Dot>
struct QuantizedProduct {
  using Element = typename Dot::Element;

  ProductSize size;    // k: sum over all taps
  size_t taps, depth;  // depth: k of a tap, in whole chunks
  const Element* rows;
  const RowScale* row_scales;
  const int32_t* windows;  // [m, taps]: index of the row; null: row i, for the only tap
  const Element* panels;
  const int32_t* sums;
  const float* scales;
  float* c;
  Epilogue epilogue;
  const float* bias;  // null if absent
};

// Four columns: the sums of their weights, and the values that complete them.
struct Lanes {
  i32x4 sums;
  f32x4 scales, bias;
};

// Adds a tap to R rows of a panel's columns; the last tap completes them. Without windows there is
// only one tap, so that a product has no branches for taps.
template <class Dot, size_t R, bool kHasWindows>
void multiply_tile(const QuantizedProduct<Dot>& product, size_t tap, size_t row, size_t column) {
  using Element = typename Dot::Element;
  constexpr size_t kVector = 16 / sizeof(Element);
  const size_t m = product.size.m, n = product.size.n;
  const bool is_first = !kHasWindows || tap == 0, is_last = !kHasWindows || tap + 1 == product.taps;
  const auto row_of = [&](size_t i) -> size_t {
    const size_t last = std::min(row + i, m - 1);
    return kHasWindows ? product.windows[last * product.taps + tap] : last;
  };
  const Element* rows[R];
  i32x4 low[R], high[R];
  for (size_t i = 0; i < R; ++i) {
    rows[i] = product.rows + row_of(i) * product.depth;
    low[i] = high[i] = splat(0);
  }
  const Element* panel =
      product.panels + (column * product.taps + tap * kPanelColumns) * product.depth;
  // Not unrolled: the compiler would sum late and keep all loaded values until then. The sums need
  // all of x86's registers, so nothing else is kept meanwhile.
#pragma unroll 1
  for (size_t p = 0; p < product.depth; p += Dot::kGroup, panel += 2 * kVector) {
    const v128_t b0 = wasm_v128_load(panel), b1 = wasm_v128_load(panel + kVector);
    for (size_t i = 0; i < R; ++i) {
      const v128_t a = wasm_v128_load32_splat(rows[i]);
      low[i] = Dot::add(a, b0, low[i]);
      high[i] = Dot::add(a, b1, high[i]);
      rows[i] += Dot::kGroup;
    }
  }
  const int32_t* const sums = product.sums + tap * round_up(n, kPanelColumns) + column;
  const auto lanes_at = [&](size_t at) -> Lanes {
    const size_t first = column + at, count = n > first ? n - first : 0;
    const float* const bias = product.bias;
    return {load(sums + at), load(product.scales + first),
            bias == nullptr ? splat(0.0f) : load_some(bias + first, count)};
  };
  const Lanes first = lanes_at(0), second = lanes_at(4);
  const auto store_lanes = [&](size_t i, const Lanes& lanes, i32x4 sum, float* to, size_t count) {
    const RowScale& row_scale = product.row_scales[row_of(i)];
    if constexpr (Dot::kHasZeroPoint) sum -= splat(row_scale.zero_point) * lanes.sums;
    f32x4 x = to_f32(sum) * splat(row_scale.scale);
    if (!is_first) x += load_some(to, count);
    if (is_last)
      x = clamp(x * lanes.scales + lanes.bias, product.epilogue.low, product.epilogue.high);
    store_some(to, count, x);
  };
  float* const c = product.c + row * n + column;
  if (row + R <= m && column + kPanelColumns <= n) {
    for (size_t i = 0; i < R; ++i) {
      store_lanes(i, first, low[i], c + i * n, 4);
      store_lanes(i, second, high[i], c + i * n + 4, 4);
    }
    return;
  }
  // Separate arrays, because an array with a variable index is always in memory.
  i32x4 border[R][2];
  for (size_t i = 0; i < R; ++i) border[i][0] = low[i], border[i][1] = high[i];
  for (size_t i = 0; i < std::min(R, m - row); ++i) {
    store_lanes(i, first, border[i][0], c + i * n, n - column);
    if (column + 4 < n) store_lanes(i, second, border[i][1], c + i * n + 4, n - column - 4);
  }
}

template <class Dot, size_t R>
void multiply_with(const QuantizedProduct<Dot>& product) {
  const size_t row_bytes = product.depth * sizeof(typename Dot::Element);
  const size_t most_rows = std::clamp<size_t>(kTaskBytes / row_bytes, 16, 512);
  const auto for_tiles = [&](const auto& body) {
    for_product_parts(product.size, most_rows, R,
                      [&](size_t begin, size_t end, size_t first, size_t last) {
                        for (size_t column = first; column < last; column += kPanelColumns) {
                          for (size_t row = begin; row < end; row += R) body(row, column);
                        }
                      });
  };
  if (product.windows == nullptr) {
    for_tiles(
        [&](size_t row, size_t column) { multiply_tile<Dot, R, false>(product, 0, row, column); });
  } else {
    for_tiles([&](size_t row, size_t column) {
      for (size_t tap = 0; tap < product.taps; ++tap)
        multiply_tile<Dot, R, true>(product, tap, row, column);
    });
  }
}

template <class Dot>
void multiply(const QuantizedProduct<Dot>& product) {
  switch (product.size.m) {
    case 1:
      return multiply_with<Dot, 1>(product);
    case 2:
      return multiply_with<Dot, 2>(product);
    default:
      return multiply_with<Dot, Dot::kTileRows>(product);
  }
}

}  // namespace tfpy
