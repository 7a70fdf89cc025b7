// Convolution of images in int8: a sum of products per tap, with a table of the pixels that each
// tap reads.
#include <utility>

#include "base/sizes.h"
#include "convolution/conv.h"
#include "products/epilogue.h"
#include "products/quantized.h"

namespace tfpy {
namespace {

// Stores the input pixel for each output pixel and tap, or the number of pixels if the tap is
// outside.
bool find_windows(const WindowShape& window, Block* windows) {
  const WindowAxis &h = window.h, &w = window.w;
  const uint64_t pixels = product({window.batch, window.out_size()});
  if (!Block::allocate(product({pixels, window.filter_size(), sizeof(int32_t)}), windows))
    return false;
  const int32_t outside = static_cast<int32_t>(window.batch * window.in_size());
  int32_t* to = windows->as<int32_t>();
  for (size_t pixel = 0; pixel < pixels; ++pixel) {
    const size_t x = pixel % w.out, row = pixel / w.out, y = row % h.out, image = row / h.out;
    for (int32_t tap_y = 0; tap_y < h.filter; ++tap_y) {
      const int64_t in_y = h.place(y, tap_y);
      for (int32_t tap_x = 0; tap_x < w.filter; ++tap_x) {
        const int64_t in_x = w.place(x, tap_x);
        const int64_t at = (static_cast<int64_t>(image) * h.in + in_y) * w.in + in_x;
        *to++ = h.has(in_y) && w.has(in_x) ? static_cast<int32_t>(at) : outside;
      }
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Kernel> make_quantized_conv2d(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  const ConvShape shape = read_conv2d(step, step.inputs[0], step.inputs[1], step.output);
  const WindowShape& window = shape.window;
  step.params.require(shape.groups == 1, "groups are not computed in int8");
  step.params.require(shape.in_c > 0 && shape.in_c <= kMaxQuantizedDepth, "in_c is not in range");
  require_bias(step, epilogue, shape.out_c);
  if (!step.ok()) return nullptr;
  Block windows;
  if (!find_windows(window, &windows)) return nullptr;
  return make_quantized({static_cast<size_t>(window.batch * window.in_size()),
                         static_cast<size_t>(window.batch * window.out_size()),
                         static_cast<size_t>(window.filter_size()), shape.in_c, shape.out_c, false},
                        epilogue, std::move(windows));
}

}  // namespace tfpy
