// Convolution of images: a matrix product for filters with one tap, otherwise XNNPACK's operator.
#include <memory>

#include "convolution/conv.h"
#include "convolution/xnnpack_conv.h"
#include "products/epilogue.h"
#include "products/weights_gemm.h"

namespace tfpy {
namespace {

// A convolution that is a matrix product of pixels and filter.
class PointwiseConvolution final : public Kernel {
 public:
  PointwiseConvolution(const ConvShape& shape, const Epilogue& epilogue)
      : pixels_(shape.window.batch * shape.window.h.out * shape.window.w.out),
        in_c_(shape.in_c),
        out_c_(shape.out_c),
        epilogue_(epilogue),
        weights_(in_c_, out_c_) {}

  bool run(const Operand* inputs, void* output) override {
    const float* packed = weights_.of({inputs[1].as<float>(), out_c_, 1}, inputs[1].id);
    if (packed == nullptr) return false;
    multiply_weights({pixels_, out_c_, in_c_, inputs[0].as<float>(), in_c_, packed,
                      static_cast<float*>(output), out_c_, epilogue_, bias_of(epilogue_, inputs)});
    return true;
  }

  static bool fits(const ConvShape& shape) {
    const auto is_plain = [](const WindowAxis& axis, int32_t pad_after) {
      return axis.filter == 1 && axis.stride == 1 && axis.pad == 0 && pad_after == 0;
    };
    return shape.groups == 1 && is_plain(shape.window.h, shape.pad_bottom) &&
           is_plain(shape.window.w, shape.pad_right);
  }

 private:
  const size_t pixels_, in_c_, out_c_;
  const Epilogue epilogue_;
  PackedWeights weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_conv2d(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  const ConvShape shape = read_conv2d(step, step.inputs[0], step.inputs[1], step.output);
  require_bias(step, epilogue, shape.out_c);
  if (!step.ok()) return nullptr;
  if (step.inputs[0].count == 0 || step.inputs[1].count == 0)
    return make_empty_sums(step.output.count, shape.out_c, epilogue);
  if (PointwiseConvolution::fits(shape))
    return std::make_unique<PointwiseConvolution>(shape, epilogue);
  return make_xnnpack_conv2d(shape, epilogue);
}

}  // namespace tfpy
