// What window kernels (convolution, pooling) share: their parameters and the taps of a window.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>

#include "kernel.h"

namespace tfpy {

// One spatial dimension.
struct WindowAxis {
  int32_t in, out, filter, stride, dilation, pad;  // pad: before the first element

  int64_t effective_filter() const { return int64_t{filter - 1} * dilation + 1; }
  // The input place of a tap, which may lie outside.
  int64_t place(size_t out_index, size_t tap) const {
    return static_cast<int64_t>(out_index) * stride - pad + static_cast<int64_t>(tap) * dilation;
  }
  bool has(int64_t place) const { return place >= 0 && place < in; }
  // The taps first..last-1 of an output place that lie inside.
  void taps(size_t out_index, size_t* first, size_t* last) const {
    const int64_t start = place(out_index, 0);
    const int64_t begin = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const int64_t end = start < in ? (in - start + dilation - 1) / dilation : 0;
    *first = static_cast<size_t>(std::min<int64_t>(begin, filter));
    *last = static_cast<size_t>(std::clamp<int64_t>(end, static_cast<int64_t>(*first), filter));
  }
  // The output place whose tap `tap` is the input place, or -1.
  int64_t output_of(size_t in_index, size_t tap) const {
    const int64_t at = static_cast<int64_t>(in_index) + pad - static_cast<int64_t>(tap) * dilation;
    return at >= 0 && at % stride == 0 && at / stride < out ? at / stride : -1;
  }
};

struct WindowShape {
  size_t batch;
  WindowAxis h, w;
};

// Reads batch, in_h ... pad_left.
inline WindowShape read_window(Params& params) {
  constexpr int32_t kMaxStep = 1 << 20;  // of filters, strides, dilations and padding
  const auto axis = [&](const char* in, const char* out, const char* filter, const char* stride,
                        const char* dilation, const char* pad) {
    return WindowAxis{params.number(in),
                      params.number(out),
                      params.number(filter, 1, kMaxStep),
                      params.number(stride, 1, kMaxStep),
                      params.number(dilation, 1, kMaxStep),
                      params.number(pad, 0, kMaxStep)};
  };
  const size_t batch = static_cast<size_t>(params.number("batch"));
  const WindowAxis h = axis("in_h", "out_h", "filter_h", "stride_h", "dilation_h", "pad_top");
  const WindowAxis w = axis("in_w", "out_w", "filter_w", "stride_w", "dilation_w", "pad_left");
  return {batch, h, w};
}

}  // namespace tfpy
