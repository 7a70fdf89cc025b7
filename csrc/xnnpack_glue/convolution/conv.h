// Shared code of 2D and 3D convolutions and their gradients: parameters, and the results for
// operands without elements.
#pragma once

#include <memory>

#include "convolution/window.h"
#include "products/epilogue.h"
#include "program/kernel.h"

namespace tfpy {

struct ConvShape {
  WindowShape window;
  size_t in_c, out_c, groups;
  int32_t pad_bottom, pad_right;

  size_t group_in() const { return in_c / groups; }
  size_t group_out() const { return out_c / groups; }
  // Number of rows of the filter as a matrix [filter_d * filter_h * filter_w * in_c / groups,
  // out_c].
  size_t filter_rows() const { return static_cast<size_t>(window.filter_size()) * group_in(); }
};

// Reads the parameters and checks them against the buffers of x, filter and y (or of their
// gradients).
ConvShape read_conv2d(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                      const BufferSpec& y);
// The same for volumes, which do not have groups.
ConvShape read_conv3d(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                      const BufferSpec& y);

// Fails unless the output's size follows from the input's size, as XNNPACK computes it.
void require_output_size(StepSpec& step, const WindowAxis& axis, int32_t pad_after);

// Computes y from two operands; returns false, with an error, on failure.
using ConvProduct = bool (*)(const ConvShape&, const float*, const float*, float*);
// Creates a kernel for a checked step; it produces zeros if an operand has no elements.
std::unique_ptr<Kernel> make_conv_product(StepSpec& step, const ConvShape& shape,
                                          ConvProduct product);

// Creates a kernel for operands without elements: empty sums, with the epilogue.
std::unique_ptr<Kernel> make_empty_sums(size_t count, size_t channels, const Epilogue& epilogue);

}  // namespace tfpy
