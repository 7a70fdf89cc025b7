#include "products/quantize.h"

#include <math.h>
#include <string.h>

#include <algorithm>

#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr float kMinRange =
    1e-36f;  // smaller ranges count as 0, because the inverse would overflow
constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer

// Calls body(elements, i) for each chunk of a row.
template <class Body>
void for_chunks(const float* row, size_t k, const Body& body) {
  size_t i = 0;
  for (; i + kChunk <= k; i += kChunk) body(row + i, i);
  if (i == k) return;
  float rest[kChunk] = {};
  memcpy(rest, row + i, (k - i) * sizeof(float));
  body(rest, i);
}

// Rounds to the nearest integer, for values below 2^22.
inline i32x4 rounded(f32x4 x) { return as_i32(x + splat(kMagic)) - as_i32(splat(kMagic)); }

// Reduces the four lanes with op(), and stores the result in all lanes.
template <class Op>
inline f32x4 fold(f32x4 x, const Op& op) {
  x = op(x, as_f32(wasm_i32x4_shuffle(bits(x), bits(x), 2, 3, 0, 1)));
  return op(x, as_f32(wasm_i32x4_shuffle(bits(x), bits(x), 1, 0, 3, 2)));
}

inline f32x4 lower(f32x4 a, f32x4 b) { return as_f32(wasm_f32x4_pmin(bits(a), bits(b))); }
inline f32x4 higher(f32x4 a, f32x4 b) { return as_f32(wasm_f32x4_pmax(bits(a), bits(b))); }

// A row's scale and related values in all lanes.
struct Scales {
  f32x4 inverse, scale;
  i32x4 zero_point;
};

Scales scales_of(const float* row, size_t k) {
  f32x4 min = splat(0.0f), max = splat(0.0f), poison = splat(0.0f);
  for_chunks(row, k, [&](const float* x, size_t) {
    for (size_t i = 0; i < kChunk; i += 4) {
      const f32x4 four = load(x + i);
      min = lower(min, four);
      max = higher(max, four);
      poison += four * splat(0.0f);  // NaN if an element is not finite
    }
  });
  min = fold(min, lower);
  max = fold(max, higher);
  poison = fold(poison, [](f32x4 a, f32x4 b) { return a + b; });
  const f32x4 width = max - min;
  const i32x4 is_zero = width < splat(kMinRange);
  const f32x4 inverse = select(is_zero, splat(1.0f), splat(255.0f) / width);
  const f32x4 scale = select(is_zero, splat(1.0f), width / splat(255.0f));
  // The end of -128..127 that is farther from the zero point is represented exactly.
  const f32x4 low = splat(-128.0f) - min * inverse, high = splat(127.0f) - max * inverse;
  const i32x4 is_low =
      (splat(-128.0f) + min * inverse) + (splat(127.0f) + max * inverse) > splat(0.0f);
  const f32x4 point = clamp(select(is_low, low, high), -128.0f, 127.0f);
  return {inverse, scale + poison + width * splat(0.0f), rounded(point)};
}

// Calls store(first, second, i) with the integers of each chunk, minus the zero point, as int16.
template <class Store>
void quantize_chunks(const float* row, size_t k, const Scales& scales, const Store& store) {
  const f32x4 factor = scales.inverse;
  const i32x4 lowest = splat(-128) - scales.zero_point, highest = splat(127) - scales.zero_point;
  const v128_t least = wasm_i16x8_narrow_i32x4(bits(lowest), bits(lowest));
  const v128_t most = wasm_i16x8_narrow_i32x4(bits(highest), bits(highest));
  for_chunks(row, k, [&](const float* x, size_t i) {
    const auto four = [&](size_t at) { return bits(rounded(load(x + at) * factor)); };
    const auto eight = [&](size_t at) {
      const v128_t integers = wasm_i16x8_narrow_i32x4(four(at), four(at + 4));
      return wasm_i16x8_min(wasm_i16x8_max(integers, least), most);
    };
    store(eight(0), eight(8), i);
  });
}

}  // namespace

RowScale quantize_row(const float* row, size_t k, int16_t* to) {
  const Scales scales = scales_of(row, k);
  quantize_chunks(row, k, scales, [&](v128_t first, v128_t second, size_t i) {
    wasm_v128_store(to + i, first);
    wasm_v128_store(to + i + 8, second);
  });
  return {0, scales.scale[0]};
}

RowScale quantize_row(const float* row, size_t k, uint8_t flip, int8_t* to) {
  const Scales scales = scales_of(row, k);
  const v128_t zero = bits(scales.zero_point), point = wasm_i16x8_narrow_i32x4(zero, zero);
  const v128_t flipped = wasm_u8x16_splat(flip);
  quantize_chunks(row, k, scales, [&](v128_t first, v128_t second, size_t i) {
    const v128_t bytes =
        wasm_i8x16_narrow_i16x8(wasm_i16x8_add(first, point), wasm_i16x8_add(second, point));
    wasm_v128_store(to + i, wasm_v128_xor(bytes, flipped));
  });
  return {scales.zero_point[0] + flip, scales.scale[0]};
}

template <class T>
void QuantizedWeights<T>::pack(const MatrixView<float>& weights, size_t group, void* data) const {
  parallel_ranges(width() / kPanelColumns, taps * k * kPanelColumns, [&](size_t begin, size_t end) {
    for (size_t panel = begin; panel < end; ++panel) {
      const size_t column = panel * kPanelColumns, count = std::min(kPanelColumns, n - column);
      const size_t panel_size = taps * depth() * kPanelColumns;
      T* const to = panels(data) + panel * panel_size;
      int32_t* const channel_sums = sums(data) + column;
      float largest[kPanelColumns] = {}, poison[kPanelColumns] = {}, inverse[kPanelColumns] = {};
      const auto for_all = [&](const auto& body) {
        for (size_t p = 0; p < taps * k; ++p) {
          const float* from =
              weights.data + p * weights.row_stride + column * weights.column_stride;
          for (size_t c = 0; c < count; ++c) body(from[c * weights.column_stride], p / k, p % k, c);
        }
      };
      for_all([&](float x, size_t, size_t, size_t c) {
        largest[c] = std::max(largest[c], fabsf(x));
        poison[c] += x * 0;
      });
      for (size_t c = 0; c < kPanelColumns; ++c) {
        const bool is_finite = poison[c] == 0, is_zero = largest[c] < kMinRange;
        inverse[c] = is_finite && !is_zero ? 127 / largest[c] : 0;
        scales(data)[column + c] = !is_finite ? NAN : is_zero ? 1.0f : largest[c] / 127;
      }
      memset(to, 0, panel_size * sizeof(T));
      for (size_t tap = 0; tap < taps; ++tap)
        std::fill_n(channel_sums + tap * width(), kPanelColumns, 0);
      for_all([&](float x, size_t tap, size_t p, size_t c) {
        const T integer = inverse[c] == 0 ? 0 : static_cast<T>(rintf(x * inverse[c]));
        const size_t first = (tap * depth() + p / group * group) * kPanelColumns;
        to[first + c * group + p % group] = integer;
        channel_sums[tap * width() + c] += integer;
      });
    }
  });
}

template struct QuantizedWeights<int8_t>;
template struct QuantizedWeights<int16_t>;

}  // namespace tfpy
