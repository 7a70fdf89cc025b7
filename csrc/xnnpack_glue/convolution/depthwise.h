// The parameters of depthwise convolution and its gradients.
#pragma once

#include "base/sizes.h"
#include "convolution/window.h"
#include "program/kernel.h"

namespace tfpy {

struct DepthwiseShape {
  WindowShape window;
  size_t channels, multiplier;
  int32_t pad_bottom, pad_right;
};

// Reads the parameters and checks them against the buffers of x, filter and y (or of their
// gradients).
inline DepthwiseShape read_depthwise(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                                     const BufferSpec& y) {
  Params& params = step.params;
  DepthwiseShape s{read_window(params), static_cast<size_t>(params.number("in_c")),
                   static_cast<size_t>(params.number("multiplier")),
                   params.number("pad_bottom", 0, kMaxStep),
                   params.number("pad_right", 0, kMaxStep)};
  const WindowShape& window = s.window;
  step.require_count(x, product({window.batch, window.in_size(), s.channels}), "x");
  step.require_count(filter, product({window.filter_size(), s.channels, s.multiplier}), "filter");
  step.require_count(y, product({window.batch, window.out_size(), s.channels, s.multiplier}), "y");
  return s;
}

}  // namespace tfpy
