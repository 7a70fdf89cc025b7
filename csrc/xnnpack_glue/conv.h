// The parameters of convolution (in images with groups) and its gradients.
#pragma once

#include "window.h"

namespace tfpy {

struct ConvShape {
  WindowShape window;
  size_t in_c, out_c, groups;
  int32_t pad_bottom, pad_right;

  size_t group_in() const { return in_c / groups; }
  size_t group_out() const { return out_c / groups; }
  // Rows of the filter as a matrix [filter_d * filter_h * filter_w * in_c / groups, out_c].
  size_t filter_rows() const { return static_cast<size_t>(window.filter_size()) * group_in(); }
};

// Reads and checks them against the buffers of x, filter and y (or of their gradients).
ConvShape read_conv(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                    const BufferSpec& y);
// The same for volumes.
ConvShape read_conv3d(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                      const BufferSpec& y);

// Fails unless the output's size follows from the input's, as XNNPACK computes it.
void require_output_size(StepSpec& step, const WindowAxis& axis, int32_t pad_after);

}  // namespace tfpy
