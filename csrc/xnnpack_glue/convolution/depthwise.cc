// Depthwise convolution. Small square filters have their own kernel: it computes several outputs of
// a row at a time, so that the inputs that their windows share are loaded once, and it reads the
// filter unpacked. XNNPACK computes the rest.
#include "convolution/depthwise.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/sizes.h"
#include "convolution/conv.h"
#include "convolution/xnnpack_conv.h"
#include "products/epilogue.h"
#include "simd/multiply_add.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kLanes = 4;

class DirectDepthwise : public Kernel {
 public:
  DirectDepthwise(const DepthwiseShape& shape, const Epilogue& epilogue, size_t outputs)
      : shape_(shape), epilogue_(epilogue), outputs_(outputs) {}

  bool run(const Operand* inputs, void* output) override {
    const WindowAxis &h = shape_.window.h, &w = shape_.window.w;
    const Call call{inputs[0].as<float>(), inputs[1].as<float>(), bias_of(epilogue_, inputs),
                    static_cast<float*>(output)};
    const size_t row_cost = static_cast<size_t>(w.out) * shape_.channels * h.filter * w.filter;
    parallel_ranges(shape_.window.batch * h.out, row_cost, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) run_row(call, row);
    });
    return true;
  }

 protected:
  struct Call {
    const float *x, *filter, *bias;
    float* y;
  };

  // One row of outputs of one image.
  struct Row {
    const float* x;  // row of the window's first tap, which may be outside the image
    float* y;
    size_t first_tap, last_tap;  // rows of the filter that are inside the image
  };

  // Computes `outputs_` outputs of a row from a column on; all their taps must be inside
  // horizontally.
  virtual void run_inner(const Call& call, const Row& row, size_t column) const = 0;

  // Calls body(channel) for vectors that cover all channels; the last two may overlap.
  template <class Body>
  void for_channels(const Body& body) const {
    const size_t channels = shape_.channels, whole = channels / kLanes * kLanes;
    for (size_t channel = 0; channel < whole; channel += kLanes) body(channel);
    if (whole < channels) body(channels - kLanes);
  }

  const DepthwiseShape shape_;
  const Epilogue epilogue_;

 private:
  const size_t outputs_;  // number of outputs that run_inner() computes at once

  void run_row(const Call& call, size_t number) const {
    const WindowAxis &h = shape_.window.h, &w = shape_.window.w;
    const size_t image = number / h.out, out_row = number % h.out;
    const ptrdiff_t pitch = static_cast<ptrdiff_t>(w.in) * shape_.channels;
    Row row{call.x + (static_cast<ptrdiff_t>(image) * h.in + h.place(out_row, 0)) * pitch,
            call.y + number * w.out * shape_.channels, 0, 0};
    h.taps(out_row, &row.first_tap, &row.last_tap);
    // The outputs with their first and last tap inside.
    size_t begin = 0, end = 0, unused = 0;
    w.outputs(0, &begin, &unused);
    w.outputs(w.filter - 1, &unused, &end);
    if (end < begin + outputs_) begin = end = 0;
    for (size_t column = 0; column < begin; ++column) run_border(call, row, column);
    // If the number is not a multiple, the last outputs are computed twice.
    for (size_t column = begin; column < end; column += outputs_)
      run_inner(call, row, std::min(column, end - outputs_));
    for (size_t column = end; column < static_cast<size_t>(w.out); ++column)
      run_border(call, row, column);
  }

  // Computes one output, with some taps possibly outside.
  void run_border(const Call& call, const Row& row, size_t column) const {
    const WindowAxis& w = shape_.window.w;
    const ptrdiff_t channels = shape_.channels, start_column = w.place(column, 0);
    const f32x4 low = splat(epilogue_.low), high = splat(epilogue_.high);
    size_t first = 0, last = 0;
    w.taps(column, &first, &last);
    for_channels([&](size_t channel) {
      f32x4 sum = call.bias != nullptr ? load(call.bias + channel) : splat(0.0f);
      for (size_t kh = row.first_tap; kh < row.last_tap; ++kh) {
        const float* x = row.x + (static_cast<ptrdiff_t>(kh) * w.in + start_column) * channels;
        const float* filter = call.filter + kh * w.filter * channels;
        for (size_t kw = first; kw < last; ++kw) {
          sum = multiply_add(load(x + kw * channels + channel),
                             load(filter + kw * channels + channel), sum);
        }
      }
      store(row.y + column * channels + channel, clamp(sum, low, high));
    });
  }
};

template <size_t Filter, size_t Stride>
class Direct final : public DirectDepthwise {
 public:
  Direct(const DepthwiseShape& shape, const Epilogue& epilogue)
      : DirectDepthwise(shape, epilogue, kOutputs) {}

 private:
  // As many outputs as leave registers for a row of the filter and its inputs.
  static constexpr size_t kOutputs = Stride == 1 ? 4 : 3;

  // The loop over channels reads locals, because its stores might alias members.
  void run_inner(const Call& call, const Row& row, size_t column) const override {
    constexpr size_t kColumns = (kOutputs - 1) * Stride + Filter;
    const ptrdiff_t channels = shape_.channels, pitch = shape_.window.w.in * channels;
    const size_t first = row.first_tap, last = row.last_tap;
    const float* const x0 = row.x + shape_.window.w.place(column, 0) * channels + first * pitch;
    const float* const filter0 = call.filter + first * Filter * channels;
    const float* const bias = call.bias;
    float* const y0 = row.y + column * channels;
    const f32x4 low = splat(epilogue_.low), high = splat(epilogue_.high);
    for_channels([=](size_t channel) {
      f32x4 sums[kOutputs];
      for (f32x4& sum : sums) sum = bias != nullptr ? load(bias + channel) : splat(0.0f);
      const float *x = x0 + channel, *filter = filter0 + channel;
      // If unrolled, all rows would be loaded first, into more registers than exist.
#pragma unroll 1
      for (size_t kh = first; kh < last; ++kh) {
        f32x4 taps[Filter];
        for (size_t kw = 0; kw < Filter; ++kw) taps[kw] = load(filter + kw * channels);
        for (size_t j = 0; j < kColumns; ++j) {
          const f32x4 value = load(x + j * channels);
          for (size_t out = 0; out < kOutputs; ++out) {
            if (j >= out * Stride && j < out * Stride + Filter)
              sums[out] = multiply_add(value, taps[j - out * Stride], sums[out]);
          }
        }
        x += pitch;
        filter += Filter * channels;
      }
      float* y = y0 + channel;
      for (size_t out = 0; out < kOutputs; ++out)
        store(y + out * channels, clamp(sums[out], low, high));
    });
  }
};

// Returns a kernel for common filters with channel multiplier 1; null for others.
std::unique_ptr<Kernel> make_direct(const DepthwiseShape& shape, const Epilogue& epilogue) {
  const WindowAxis &h = shape.window.h, &w = shape.window.w;
  const bool is_plain = shape.multiplier == 1 && shape.channels >= kLanes && h.filter == w.filter &&
                        w.dilation == 1 && h.dilation == 1;
  if (!is_plain) return nullptr;
  if (w.filter == 3 && w.stride == 1) return std::make_unique<Direct<3, 1>>(shape, epilogue);
  if (w.filter == 3 && w.stride == 2) return std::make_unique<Direct<3, 2>>(shape, epilogue);
  if (w.filter == 5 && w.stride == 1) return std::make_unique<Direct<5, 1>>(shape, epilogue);
  if (w.filter == 5 && w.stride == 2) return std::make_unique<Direct<5, 2>>(shape, epilogue);
  return nullptr;
}

}  // namespace

std::unique_ptr<Kernel> make_depthwise_conv2d(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  const DepthwiseShape shape = read_depthwise(step, step.inputs[0], step.inputs[1], step.output);
  const uint64_t channels = product({shape.channels, shape.multiplier});
  require_bias(step, epilogue, channels);
  if (step.inputs[0].count != 0 && step.output.count != 0) {
    require_output_size(step, shape.window.h, shape.pad_bottom);
    require_output_size(step, shape.window.w, shape.pad_right);
  }
  if (!step.ok()) return nullptr;
  if (step.inputs[0].count == 0 || step.inputs[1].count == 0)
    return make_empty_sums(step.output.count, static_cast<size_t>(channels), epilogue);
  std::unique_ptr<Kernel> direct = make_direct(shape, epilogue);
  return direct != nullptr ? std::move(direct) : make_xnnpack_depthwise(shape, epilogue);
}

}  // namespace tfpy
