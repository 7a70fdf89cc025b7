// Quantisation to int8: of each row of activations with a scale and a zero point of its own, of
// weights with a scale for each channel. What holds NaN or infinity has NaN as its scale.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/sizes.h"
#include "products/gemm.h"

namespace tfpy {

constexpr size_t kChunk =
    16;  // elements that are quantised together; zeros fill a row's last chunk

// (integer - zero_point) * scale is the number.
struct RowScale {
  int32_t zero_point;
  float scale;
};

// What a row becomes: its integers less the zero point, which is then 0.
RowScale quantize_row(const float* row, size_t k, int16_t* to);
// Bytes whose highest bit is turned where `flip` is 0x80: what is -128..127 is then 0..255.
RowScale quantize_row(const float* row, size_t k, uint8_t flip, int8_t* to);

// Weights [taps, k, n] in panels of kPanelColumns channels: for each tap and each `group` elements
// of k in turn, those of each channel in a row. Behind the panels lie the sums of each tap's
// channels and the scales of the channels.
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

  // Of a matrix [taps * k, n].
  void pack(const MatrixView<float>& weights, size_t group, void* data) const;
};

}  // namespace tfpy
