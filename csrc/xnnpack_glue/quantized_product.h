// Products of quantised rows and weights. Sums of integers are exact: products of bytes are added
// by relaxed SIMD where its dot product is exact for all of them (AVX-VNNI, Arm), else products of
// int16, of which x86 computes eight in an instruction since SSE2.
#pragma once

#include <string.h>

#include <algorithm>

#include "epilogue.h"
#include "product_parts.h"
#include "quantize.h"
#include "simd.h"

namespace tfpy {

constexpr size_t kTaskBytes = 128 * 1024;  // of rows that pass from L2 while a panel is in L1

// Two products of int16 are added to each lane.
struct Words {
  using Element = int16_t;
  static constexpr size_t kGroup = 2;
  static constexpr size_t kTileRows = 4;  // the sums of more do not stay in x86's registers
  static constexpr bool kHasZeroPoint = false;

  static i32x4 add(v128_t a, v128_t b, i32x4 sum) {
    return sum + as_i32(wasm_i32x4_dot_i16x8(a, b));
  }
  RowScale quantize(const float* row, size_t k, Element* to) const {
    return quantize_row(row, k, to);
  }
};

#ifdef __wasm_relaxed_simd__
// Four products of a signed weight and an activation that is signed or unsigned, as the machine
// takes it.
struct Bytes {
  const uint8_t flip;

  using Element = int8_t;
  static constexpr size_t kGroup = 4;
  static constexpr size_t kTileRows = 6;  // as many sums as hide the time that an addition takes
  static constexpr bool kHasZeroPoint = true;

  static i32x4 add(v128_t a, v128_t b, i32x4 sum) {
    return as_i32(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(b, a, bits(sum)));
  }
  RowScale quantize(const float* row, size_t k, Element* to) const {
    return quantize_row(row, k, flip, to);
  }

  // The sum of four equal products as the machine computes it, unknown at compile time.
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

  ProductSize size;    // k: of all taps
  size_t taps, depth;  // depth: k of a tap, in whole chunks
  const Element* rows;
  const RowScale* row_scales;
  const int32_t* windows;  // [m, taps]: which of the rows; null: row i, of the only tap
  const Element* panels;
  const int32_t* sums;
  const float* scales;
  float* c;
  Epilogue epilogue;
  const float* bias;  // null without one

  size_t row_of(size_t i, size_t tap) const {
    return windows == nullptr ? i : static_cast<size_t>(windows[i * taps + tap]);
  }
};

// The scale of four columns, and what is added then.
struct Lanes {
  f32x4 scales, bias;

  f32x4 finish(f32x4 sum, const Epilogue& epilogue) const {
    return clamp(sum * scales + bias, epilogue.low, epilogue.high);
  }
};

// What R rows and a panel's columns give, without the channels' scales.
template <size_t R>
struct TileSums {
  f32x4 low[R], high[R];
};

// The sums of one tap.
template <class Dot, size_t R>
inline TileSums<R> sums_of_tap(const QuantizedProduct<Dot>& product, size_t tap, size_t row,
                               size_t column) {
  using Element = typename Dot::Element;
  constexpr size_t kVector = 16 / sizeof(Element);
  const Element* rows[R];
  RowScale scales[R];
  i32x4 low_sums[R], high_sums[R];
  for (size_t i = 0; i < R; ++i) {
    const size_t from = product.row_of(std::min(row + i, product.size.m - 1), tap);
    rows[i] = product.rows + from * product.depth;
    scales[i] = product.row_scales[from];
    low_sums[i] = high_sums[i] = splat(0);
  }
  const Element* panel =
      product.panels + (column * product.taps + tap * kPanelColumns) * product.depth;
  // Not unrolled: the compiler would collect sums late and keep all that was loaded until then.
#pragma unroll 1
  for (size_t p = 0; p < product.depth; p += Dot::kGroup, panel += 2 * kVector) {
    const v128_t b0 = wasm_v128_load(panel), b1 = wasm_v128_load(panel + kVector);
    for (size_t i = 0; i < R; ++i) {
      const v128_t a = wasm_v128_load32_splat(rows[i]);
      low_sums[i] = Dot::add(a, b0, low_sums[i]);
      high_sums[i] = Dot::add(a, b1, high_sums[i]);
      rows[i] += Dot::kGroup;
    }
  }
  const int32_t* const sums = product.sums + tap * round_up(product.size.n, kPanelColumns) + column;
  const auto scaled = [&](i32x4 sum, const RowScale& row, const int32_t* channel_sums) {
    if constexpr (Dot::kHasZeroPoint) sum -= splat(row.zero_point) * load(channel_sums);
    return to_f32(sum) * splat(row.scale);
  };
  TileSums<R> result;
  for (size_t i = 0; i < R; ++i) {
    result.low[i] = scaled(low_sums[i], scales[i], sums);
    result.high[i] = scaled(high_sums[i], scales[i], sums + 4);
  }
  return result;
}

// R rows and a panel's columns.
template <class Dot, size_t R>
void multiply_tile(const QuantizedProduct<Dot>& product, size_t row, size_t column) {
  const auto [m, n, k] = product.size;
  TileSums<R> sums = sums_of_tap<Dot, R>(product, 0, row, column);
  for (size_t tap = 1; tap < product.taps; ++tap) {
    const TileSums<R> more = sums_of_tap<Dot, R>(product, tap, row, column);
    for (size_t i = 0; i < R; ++i) {
      sums.low[i] += more.low[i];
      sums.high[i] += more.high[i];
    }
  }
  const size_t count = std::min(kPanelColumns, n - column);
  const auto lanes = [&](size_t at) {
    const size_t left = count > at ? count - at : 0, first = column + at;
    const f32x4 bias =
        product.bias == nullptr ? splat(0.0f) : load_some(product.bias + first, left);
    return Lanes{load(product.scales + first), bias};
  };
  const Lanes first = lanes(0), second = lanes(4);
  const auto store_row = [&](size_t i, float* to) {
    store(to, first.finish(sums.low[i], product.epilogue));
    store(to + 4, second.finish(sums.high[i], product.epilogue));
  };
  float* const c = product.c + row * n + column;
  if (row + R <= m && count == kPanelColumns) {
    for (size_t i = 0; i < R; ++i) store_row(i, c + i * n);
    return;
  }
  for (size_t i = 0; i < R && row + i < m; ++i) {
    float whole[kPanelColumns];
    store_row(i, whole);
    memcpy(c + i * n, whole, count * sizeof(float));
  }
}

template <class Dot, size_t R>
void multiply_with(const QuantizedProduct<Dot>& product) {
  const size_t row_bytes = product.depth * sizeof(typename Dot::Element);
  const size_t most_rows = std::clamp<size_t>(kTaskBytes / row_bytes, 16, 512);
  for_product_parts(product.size, most_rows, R,
                    [&](size_t begin, size_t end, size_t first, size_t last) {
                      for (size_t column = first; column < last; column += kPanelColumns) {
                        for (size_t row = begin; row < end; row += R)
                          multiply_tile<Dot, R>(product, row, column);
                      }
                    });
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
