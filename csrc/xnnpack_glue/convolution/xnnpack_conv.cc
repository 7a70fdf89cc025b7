#include "convolution/xnnpack_conv.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "program/packed.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// A step with an operator that packs its filter (input 1) and bias (input 2) when it is created.
class PackedKernel : public Kernel {
 public:
  explicit PackedKernel(const Epilogue& epilogue) : epilogue_(epilogue) {}

  bool run(const Operand* inputs, void* output) override {
    const PackedKey key{inputs[1].id, epilogue_.has_bias ? inputs[2].id : 0};
    const bool is_lasting = key.filter != 0 && (key.bias != 0 || !epilogue_.has_bias);
    const Operator* kept = is_lasting ? packed_.find(key) : nullptr;
    Operator fresh;
    if (kept == nullptr) {
      if (!create(inputs[1].as<float>(), bias_of(epilogue_, inputs), &fresh)) return false;
      kept = is_lasting ? packed_.keep(key, std::move(fresh)) : &fresh;
    }
    return setup(kept->get(), inputs[0].as<float>(), static_cast<float*>(output)) &&
           check_status(xnn_run_operator(kept->get(), thread_pool()), "run");
  }

 protected:
  // Creates an operator for the step's shapes; bias may be null.
  virtual bool create(const float* filter, const float* bias, Operator* op) = 0;
  virtual bool setup(xnn_operator_t op, const float* input, float* output) = 0;

  const Epilogue epilogue_;

 private:
  PackedCache<Operator> packed_;
};

// out[column][row] = in[row][column]
void transpose(const float* in, size_t rows, size_t columns, float* out) {
  constexpr size_t kTile = 16;
  for (size_t r0 = 0; r0 < rows; r0 += kTile) {
    for (size_t c = 0; c < columns; ++c) {
      for (size_t r = r0; r < std::min(rows, r0 + kTile); ++r)
        out[c * rows + r] = in[r * columns + c];
    }
  }
}

// Convolution and depthwise convolution, which are one operator in XNNPACK.
class ForwardKernel : public PackedKernel {
 protected:
  using PackedKernel::PackedKernel;

  // Calls XNNPACK's create and reshape functions.
  bool create_operator(const WindowShape& window, int32_t pad_bottom, int32_t pad_right,
                       size_t groups, size_t group_in, size_t group_out, uint32_t flags,
                       const float* filter, const float* bias, Operator* op) const {
    const WindowAxis &h = window.h, &w = window.w;
    xnn_operator_t created = nullptr;
    const xnn_status status = xnn_create_convolution2d_nhwc_f32(
        h.pad, pad_right, pad_bottom, w.pad, h.filter, w.filter, h.stride, w.stride, h.dilation,
        w.dilation, groups, group_in, group_out, groups * group_in, groups * group_out, filter,
        bias, epilogue_.low, epilogue_.high, flags, nullptr, nullptr, &created);
    if (!check_status(status, "create convolution")) return false;
    op->reset(created);
    size_t workspace_size = 0, workspace_alignment = 0, out_h = 0, out_w = 0;
    if (!check_status(
            xnn_reshape_convolution2d_nhwc_f32(created, window.batch, h.in, w.in, &workspace_size,
                                               &workspace_alignment, &out_h, &out_w, thread_pool()),
            "reshape convolution")) {
      return false;
    }
    const bool fits = workspace_size == 0 && out_h == static_cast<size_t>(h.out) &&
                      out_w == static_cast<size_t>(w.out);
    return fits || fail("XNNPACK: convolution has another output than %dx%d", h.out, w.out);
  }

 private:
  bool setup(xnn_operator_t op, const float* input, float* output) final {
    return check_status(xnn_setup_convolution2d_nhwc_f32(op, nullptr, input, output),
                        "setup convolution");
  }
};

class Convolution final : public ForwardKernel {
 public:
  Convolution(const ConvShape& shape, const Epilogue& epilogue)
      : ForwardKernel(epilogue), shape_(shape) {}

 private:
  bool create(const float* filter, const float* bias, Operator* op) override {
    const ConvShape& s = shape_;
    Block turned;  // XNNPACK expects the output channels first
    if (!Block::allocate(uint64_t{s.filter_rows()} * s.out_c * sizeof(float), &turned))
      return false;
    transpose(filter, s.filter_rows(), s.out_c, turned.as<float>());
    return create_operator(s.window, s.pad_bottom, s.pad_right, s.groups, s.group_in(),
                           s.group_out(), 0, turned.as<float>(), bias, op);
  }

  const ConvShape shape_;
};

class DepthwiseConvolution final : public ForwardKernel {
 public:
  DepthwiseConvolution(const DepthwiseShape& shape, const Epilogue& epilogue)
      : ForwardKernel(epilogue), shape_(shape) {}

 private:
  bool create(const float* filter, const float* bias, Operator* op) override {
    const DepthwiseShape& s = shape_;
    return create_operator(s.window, s.pad_bottom, s.pad_right, s.channels, 1, s.multiplier,
                           XNN_FLAG_DEPTHWISE_CONVOLUTION, filter, bias, op);
  }

  const DepthwiseShape shape_;
};

// dx is the transposed convolution of dy.
class Deconvolution final : public PackedKernel {
 public:
  explicit Deconvolution(const ConvShape& shape) : PackedKernel({}), shape_(shape) {}

 private:
  bool create(const float* filter, const float*, Operator* op) override {
    const ConvShape& s = shape_;
    const WindowAxis &h = s.window.h, &w = s.window.w;
    Block turned;
    if (!Block::allocate(uint64_t{s.filter_rows()} * s.out_c * sizeof(float), &turned))
      return false;
    turn(filter, turned.as<float>());
    xnn_operator_t created = nullptr;
    const xnn_status status = xnn_create_deconvolution2d_nhwc_f32(
        h.pad, s.pad_right, s.pad_bottom, w.pad, h.filter, w.filter, h.stride, w.stride, h.dilation,
        w.dilation, s.groups, s.group_out(), s.group_in(), s.out_c, s.in_c, turned.as<float>(),
        nullptr, epilogue_.low, epilogue_.high, 0, nullptr, nullptr, &created);
    if (!check_status(status, "create deconvolution")) return false;
    op->reset(created);
    size_t in_h = 0, in_w = 0;
    if (!check_status(xnn_reshape_deconvolution2d_nhwc_f32(
                          created, s.window.batch, h.out, w.out, rest(h, s.pad_bottom),
                          rest(w, s.pad_right), &in_h, &in_w, thread_pool()),
                      "reshape deconvolution")) {
      return false;
    }
    const bool fits = in_h == static_cast<size_t>(h.in) && in_w == static_cast<size_t>(w.in);
    return fits || fail("XNNPACK: deconvolution has another output than %dx%d", h.in, w.in);
  }
  bool setup(xnn_operator_t op, const float* input, float* output) override {
    return check_status(xnn_setup_deconvolution2d_nhwc_f32(op, input, output),
                        "setup deconvolution");
  }

  // Number of input elements after the last window, which no output reads.
  static uint32_t rest(const WindowAxis& axis, int32_t pad_after) {
    const int64_t room = int64_t{axis.in} + axis.pad + pad_after - axis.effective_filter();
    return static_cast<uint32_t>(room % axis.stride);
  }

  // Transposes [filter_h, filter_w, in, groups, out] to [groups, in, filter_h, filter_w, out], with
  // in and out per group.
  void turn(const float* from, float* to) const {
    const size_t taps = static_cast<size_t>(shape_.window.h.filter) * shape_.window.w.filter;
    const size_t in = shape_.group_in(), out = shape_.group_out();
    for (size_t g = 0; g < shape_.groups; ++g) {
      for (size_t i = 0; i < in; ++i) {
        for (size_t tap = 0; tap < taps; ++tap, to += out) {
          memcpy(to, from + (tap * in + i) * shape_.out_c + g * out, out * sizeof(float));
        }
      }
    }
  }

  const ConvShape shape_;
};

}  // namespace

std::unique_ptr<Kernel> make_xnnpack_conv2d(const ConvShape& shape, const Epilogue& epilogue) {
  return std::make_unique<Convolution>(shape, epilogue);
}

std::unique_ptr<Kernel> make_xnnpack_depthwise(const DepthwiseShape& shape,
                                               const Epilogue& epilogue) {
  return std::make_unique<DepthwiseConvolution>(shape, epilogue);
}

std::unique_ptr<Kernel> make_xnnpack_deconvolution(const ConvShape& shape) {
  return std::make_unique<Deconvolution>(shape);
}

}  // namespace tfpy
