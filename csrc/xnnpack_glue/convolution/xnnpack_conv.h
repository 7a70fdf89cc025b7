// Convolutions of images with XNNPACK's operators, which pack their filters.
// https://github.com/google/XNNPACK
#pragma once

#include <memory>

#include "convolution/conv.h"
#include "convolution/depthwise.h"
#include "products/epilogue.h"

namespace tfpy {

// Create kernels for checked steps with nonempty operands.
std::unique_ptr<Kernel> make_xnnpack_conv2d(const ConvShape& shape, const Epilogue& epilogue);
std::unique_ptr<Kernel> make_xnnpack_depthwise(const DepthwiseShape& shape,
                                               const Epilogue& epilogue);
// Creates a kernel for the gradient of a convolution's input.
std::unique_ptr<Kernel> make_xnnpack_deconvolution(const ConvShape& shape);

}  // namespace tfpy
