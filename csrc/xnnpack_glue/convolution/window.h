// Shared code of window kernels (convolution, pooling): parameters, and the taps of a window.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>

#include "base/sizes.h"
#include "program/params.h"

namespace tfpy {

constexpr int32_t kMaxStep = 1 << 20;  // limit of filter sizes, strides, dilations and padding

// A spatial dimension.
struct WindowAxis {
  int32_t in, out, filter, stride, dilation, pad;  // pad: before the first element

  int64_t effective_filter() const { return int64_t{filter - 1} * dilation + 1; }
  // Returns the input position of a tap, which may be outside.
  int64_t place(size_t out_index, size_t tap) const {
    return static_cast<int64_t>(out_index) * stride - pad + static_cast<int64_t>(tap) * dilation;
  }
  bool has(int64_t place) const { return place >= 0 && place < in; }
  // Returns the range of taps of an output position that are inside.
  void taps(size_t out_index, size_t* first, size_t* last) const {
    const int64_t start = place(out_index, 0);
    const int64_t begin = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const int64_t end = start < in ? (in - start + dilation - 1) / dilation : 0;
    *first = static_cast<size_t>(std::min<int64_t>(begin, filter));
    *last = static_cast<size_t>(std::clamp<int64_t>(end, static_cast<int64_t>(*first), filter));
  }
  // Returns the range of output positions for which a tap is inside.
  void outputs(size_t tap, size_t* first, size_t* last) const {
    const int64_t start = place(0, tap);
    const int64_t begin = start < 0 ? (-start + stride - 1) / stride : 0;
    const int64_t end = start < in ? (in - start + stride - 1) / stride : 0;
    *first = static_cast<size_t>(std::min<int64_t>(begin, out));
    *last = static_cast<size_t>(std::clamp<int64_t>(end, static_cast<int64_t>(*first), out));
  }
  // Returns the output position that reads the input position with a tap, or -1.
  int64_t output_of(size_t in_index, size_t tap) const {
    const int64_t at = static_cast<int64_t>(in_index) + pad - static_cast<int64_t>(tap) * dilation;
    return at >= 0 && at % stride == 0 && at / stride < out ? at / stride : -1;
  }
};

// An image is a volume of depth 1.
struct WindowShape {
  size_t batch;
  WindowAxis d, h, w;

  // Number of elements of a volume per channel.
  uint64_t in_size() const {
    return product(
        {static_cast<uint64_t>(d.in), static_cast<uint64_t>(h.in), static_cast<uint64_t>(w.in)});
  }
  uint64_t out_size() const {
    return product(
        {static_cast<uint64_t>(d.out), static_cast<uint64_t>(h.out), static_cast<uint64_t>(w.out)});
  }
  uint64_t filter_size() const {
    return product({static_cast<uint64_t>(d.filter), static_cast<uint64_t>(h.filter),
                    static_cast<uint64_t>(w.filter)});
  }
};

inline WindowAxis read_axis(Params& params, const char* in, const char* out, const char* filter,
                            const char* stride, const char* dilation, const char* pad) {
  return {params.number(in),
          params.number(out),
          params.number(filter, 1, kMaxStep),
          params.number(stride, 1, kMaxStep),
          params.number(dilation, 1, kMaxStep),
          params.number(pad, 0, kMaxStep)};
}

// Reads batch, in_h ... pad_left.
inline WindowShape read_window(Params& params) {
  const size_t batch = static_cast<size_t>(params.number("batch"));
  return {batch,
          {1, 1, 1, 1, 1, 0},
          read_axis(params, "in_h", "out_h", "filter_h", "stride_h", "dilation_h", "pad_top"),
          read_axis(params, "in_w", "out_w", "filter_w", "stride_w", "dilation_w", "pad_left")};
}

// Reads batch, in_d ... pad_left.
inline WindowShape read_volume(Params& params) {
  WindowShape window = read_window(params);
  window.d = read_axis(params, "in_d", "out_d", "filter_d", "stride_d", "dilation_d", "pad_front");
  return window;
}

}  // namespace tfpy
