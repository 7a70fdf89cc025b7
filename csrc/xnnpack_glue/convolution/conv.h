// The parameters of convolution (in images with groups) and its gradients.
#pragma once

#include "convolution/window.h"

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

// y of two operands; false, with the error's text, when it fails.
using ConvProduct = bool (*)(const ConvShape&, const float*, const float*, float*);
// A kernel of a checked step; it gives zeros where an operand has no elements.
std::unique_ptr<Kernel> make_conv_product(StepSpec& step, const ConvShape& shape,
                                          ConvProduct product);
// The gradient of convolution's input by XNNPACK.
std::unique_ptr<Kernel> make_deconvolution(StepSpec& step, const ConvShape& shape);

// Fails unless the output's size follows from the input's, as XNNPACK computes it.
void require_output_size(StepSpec& step, const WindowAxis& axis, int32_t pad_after);

}  // namespace tfpy
