// Quantization to int8: each row of activations has its own scale and zero point, and weights have
// a scale per channel. Data with NaN or infinity have the scale NaN.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/sizes.h"
#include "products/gemm.h"

namespace tfpy {

constexpr size_t kChunk =
    16;  // elements that are quantized together; zeros fill a row's last chunk

// The represented number is (integer - zero_point) * scale.
struct RowScale {
  int32_t zero_point;
  float scale;
};

// Quantizes a row to integers minus the zero point, which is then 0.
RowScale quantize_row(const float* row, size_t k, int16_t* to);
// Quantizes a row to bytes. If `flip` is 0x80, their highest bit is inverted, which maps -128..127
// to 0..255.
RowScale quantize_row(const float* row, size_t k, uint8_t flip, int8_t* to);

// Weights [taps, k, n] in panels of kPanelColumns channels. For each tap and each `group` elements
// of k, a panel has the elements of each channel contiguously. After the panels come the sums of
// each tap's channels and the scales of the channels.
template <class T>
struct QuantizedWeights {
  size_t taps, k, n;

  size_t depth() const { return round_up(k, kChunk); }
  size_t width() const { return round_up(n, kPanelColumns); }
  uint64_t bytes() const {
    return product({width(), taps, depth() * sizeof(T) + sizeof(int32_t)}) +
           width() * sizeof(float);
  }
  T* panels(void* data) const { return static_cast<T*>(data); }
  int32_t* sums(void* data) const {
    return reinterpret_cast<int32_t*>(panels(data) + width() * taps * depth());
  }
  float* scales(void* data) const { return reinterpret_cast<float*>(sums(data) + width() * taps); }

  // Packs a matrix [taps * k, n].
  void pack(const MatrixView<float>& weights, size_t group, void* data) const;
};

}  // namespace tfpy
