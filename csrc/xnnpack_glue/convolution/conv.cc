#include "convolution/conv.h"

#include <string.h>

#include "base/sizes.h"

namespace tfpy {
namespace {

ConvShape read_shape(StepSpec& step, const WindowShape& window, int32_t most_groups,
                     int32_t pad_back, const BufferSpec& x, const BufferSpec& filter,
                     const BufferSpec& y) {
  Params& params = step.params;
  const ConvShape s{window,
                    static_cast<size_t>(params.number("in_c")),
                    static_cast<size_t>(params.number("out_c")),
                    static_cast<size_t>(params.number("groups", 1, most_groups)),
                    params.number("pad_bottom", 0, kMaxStep),
                    params.number("pad_right", 0, kMaxStep)};
  params.require(s.in_c % s.groups == 0 && s.out_c % s.groups == 0,
                 "groups do not divide the channels");
  step.require_count(x, product({window.batch, window.in_size(), s.in_c}), "x");
  step.require_count(filter, product({window.filter_size(), s.group_in(), s.out_c}), "filter");
  step.require_count(y, product({window.batch, window.out_size(), s.out_c}), "y");
  if (x.count != 0 && y.count != 0) {
    require_output_size(step, window.d, pad_back);
    require_output_size(step, window.h, s.pad_bottom);
    require_output_size(step, window.w, s.pad_right);
  }
  return s;
}

}  // namespace

void require_output_size(StepSpec& step, const WindowAxis& axis, int32_t pad_after) {
  const int64_t room = int64_t{axis.in} + axis.pad + pad_after - axis.effective_filter();
  step.params.require(room >= 0 && room / axis.stride + 1 == axis.out,
                      "the output's size does not fit the window");
}

ConvShape read_conv2d(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                      const BufferSpec& y) {
  return read_shape(step, read_window(step.params), kMaxNumber, 0, x, filter, y);
}

ConvShape read_conv3d(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                      const BufferSpec& y) {
  const WindowShape window = read_volume(step.params);
  const int32_t pad_back = step.params.number("pad_back", 0, kMaxStep);
  return read_shape(step, window, 1, pad_back, x, filter, y);
}

std::unique_ptr<Kernel> make_conv_product(StepSpec& step, const ConvShape& shape,
                                          ConvProduct product) {
  if (!step.ok()) return nullptr;
  const bool is_empty = step.inputs[0].count == 0 || step.inputs[1].count == 0;
  return make_kernel([=, count = step.output.count](const Operand* inputs, void* output) {
    float* out = static_cast<float*>(output);
    if (!is_empty) return product(shape, inputs[0].as<float>(), inputs[1].as<float>(), out);
    memset(out, 0, count * sizeof(float));
    return true;
  });
}

std::unique_ptr<Kernel> make_empty_sums(size_t count, size_t channels, const Epilogue& epilogue) {
  return make_kernel([=](const Operand* inputs, void* output) {
    memset(output, 0, count * sizeof(float));
    apply_epilogue(epilogue, bias_of(epilogue, inputs), count / channels, channels,
                   static_cast<float*>(output));
  });
}

}  // namespace tfpy
