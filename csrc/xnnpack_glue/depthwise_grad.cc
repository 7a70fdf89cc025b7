// Gradients of depthwise convolution.
#include <string.h>

#include <algorithm>

#include "depthwise.h"
#include "parallel.h"
#include "simd.h"

namespace tfpy {
namespace {

constexpr size_t kStrip = 16;  // channels that a task or a register tile takes

// dx of one place: the sum over the windows that saw it. `lanes` channels from `channel` on.
void input_place(const DepthwiseShape& s, const float* dy, const float* filter, size_t ih, size_t iw, float* dx) {
  const WindowAxis &h = s.window.h, &w = s.window.w;
  const size_t out_c = s.channels * s.multiplier;
  std::fill_n(dx, s.channels, 0.0f);
  for (size_t kh = 0; kh < static_cast<size_t>(h.filter); ++kh) {
    const int64_t oh = h.output_of(ih, kh);
    if (oh < 0) continue;
    for (size_t kw = 0; kw < static_cast<size_t>(w.filter); ++kw) {
      const int64_t ow = w.output_of(iw, kw);
      if (ow < 0) continue;
      const float* g = dy + (static_cast<size_t>(oh) * w.out + static_cast<size_t>(ow)) * out_c;
      const float* f = filter + (kh * w.filter + kw) * out_c;
      size_t c = 0;
      if (s.multiplier == 1) {
        for (; c + 4 <= s.channels; c += 4) store(dx + c, multiply_add(load(g + c), load(f + c), load(dx + c)));
      }
      for (; c < s.channels; ++c) {
        for (size_t m = 0; m < s.multiplier; ++m) dx[c] += g[c * s.multiplier + m] * f[c * s.multiplier + m];
      }
    }
  }
}

void backprop_input(const DepthwiseShape& s, const float* dy, const float* filter, float* dx) {
  const WindowAxis &h = s.window.h, &w = s.window.w;
  const size_t out_image = static_cast<size_t>(h.out) * w.out * s.channels * s.multiplier;
  const size_t taps = static_cast<size_t>(h.filter) * w.filter;
  parallel_ranges(s.window.batch * h.in, w.in * s.channels * taps * s.multiplier, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      for (size_t iw = 0; iw < static_cast<size_t>(w.in); ++iw) {
        input_place(s, dy + row / h.in * out_image, filter, row % h.in, iw, dx + (row * w.in + iw) * s.channels);
      }
    }
  });
}

// The outputs of a row, first..last-1, for which a tap lies inside.
void inside_outputs(const WindowAxis& axis, size_t tap, size_t* first, size_t* last) {
  const int64_t start = axis.place(0, tap);
  const int64_t begin = start < 0 ? (-start + axis.stride - 1) / axis.stride : 0;
  const int64_t end = start < axis.in ? (axis.in - start + axis.stride - 1) / axis.stride : 0;
  *first = static_cast<size_t>(std::min<int64_t>(begin, axis.out));
  *last = static_cast<size_t>(std::clamp<int64_t>(end, static_cast<int64_t>(*first), axis.out));
}

// sums[0..V) += x * dy over a row of outputs, for V vectors of channels (multiplier 1).
template <size_t V>
void filter_row(const float* x, size_t x_step, const float* g, size_t g_step, size_t n, float* sums) {
  f32x4 lanes[V];
  for (size_t v = 0; v < V; ++v) lanes[v] = splat(0.0f);
  for (size_t i = 0; i < n; ++i, x += x_step, g += g_step) {
    for (size_t v = 0; v < V; ++v) lanes[v] = multiply_add(load(x + 4 * v), load(g + 4 * v), lanes[v]);
  }
  for (size_t v = 0; v < V; ++v) store(sums + 4 * v, load(sums + 4 * v) + lanes[v]);
}

// One tap and one row of outputs, for `width` output channels from `channel` on.
void filter_tap_row(const DepthwiseShape& s, const float* x, size_t x_step, const float* g, size_t n, size_t channel,
                    size_t width, float* sums) {
  const size_t g_step = s.channels * s.multiplier;
  size_t c = 0;
  if (s.multiplier == 1) {
    x += channel;
    g += channel;
    if (width == kStrip) {
      filter_row<kStrip / 4>(x, x_step, g, g_step, n, sums);
      return;
    }
    for (; c + 4 <= width; c += 4) filter_row<1>(x + c, x_step, g + c, g_step, n, sums + c);
    for (; c < width; ++c) {
      for (size_t i = 0; i < n; ++i) sums[c] += x[i * x_step + c] * g[i * g_step + c];
    }
    return;
  }
  for (; c < width; ++c) {
    const float* from = x + (channel + c) / s.multiplier;
    for (size_t i = 0; i < n; ++i) sums[c] += from[i * x_step] * g[i * g_step + channel + c];
  }
}

// Tasks own strips of output channels, so that no two add to the same element.
void backprop_filter(const DepthwiseShape& s, const float* x, const float* dy, float* df) {
  const WindowAxis &h = s.window.h, &w = s.window.w;
  const size_t out_c = s.channels * s.multiplier, strips = (out_c + kStrip - 1) / kStrip;
  const size_t taps_h = h.filter, taps_w = w.filter;
  const size_t cost = static_cast<size_t>(h.out) * w.out * taps_h * taps_w * kStrip;
  parallel_ranges(strips, s.window.batch * cost, [&](size_t begin, size_t end) {
    for (size_t strip = begin; strip < end; ++strip) {
      const size_t channel = strip * kStrip, width = std::min(kStrip, out_c - channel);
      for (size_t tap = 0; tap < taps_h * taps_w; ++tap) {
        float sums[kStrip] = {};
        const size_t kh = tap / taps_w, kw = tap % taps_w;
        size_t h0, h1, w0, w1;
        inside_outputs(h, kh, &h0, &h1);
        inside_outputs(w, kw, &w0, &w1);
        for (size_t image = 0; w0 < w1 && image < s.window.batch; ++image) {
          for (size_t oh = h0; oh < h1; ++oh) {
            const size_t ih = static_cast<size_t>(h.place(oh, kh)), iw = static_cast<size_t>(w.place(w0, kw));
            const float* from = x + ((image * h.in + ih) * w.in + iw) * s.channels;
            const float* g = dy + ((image * h.out + oh) * w.out + w0) * out_c;
            filter_tap_row(s, from, w.stride * s.channels, g, w1 - w0, channel, width, sums);
          }
        }
        std::copy_n(sums, width, df + tap * out_c + channel);
      }
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_depthwise_conv2d_backprop_input(StepSpec& step) {
  step.require_float(2);
  const DepthwiseShape shape = read_depthwise(step, step.output, step.inputs[1], step.inputs[0]);
  if (!step.ok()) return nullptr;
  return make_kernel([shape](const Operand* inputs, void* output) {
    backprop_input(shape, inputs[0].as<float>(), inputs[1].as<float>(), static_cast<float*>(output));
  });
}

std::unique_ptr<Kernel> make_depthwise_conv2d_backprop_filter(StepSpec& step) {
  step.require_float(2);
  const DepthwiseShape shape = read_depthwise(step, step.inputs[0], step.output, step.inputs[1]);
  if (!step.ok()) return nullptr;
  return make_kernel([shape](const Operand* inputs, void* output) {
    backprop_filter(shape, inputs[0].as<float>(), inputs[1].as<float>(), static_cast<float*>(output));
  });
}

}  // namespace tfpy
