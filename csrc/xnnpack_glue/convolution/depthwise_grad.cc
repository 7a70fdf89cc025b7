// Gradients of depthwise convolution.
#include <string.h>

#include <algorithm>
#include <vector>

#include "base/sizes.h"
#include "convolution/depthwise.h"
#include "simd/multiply_add.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kStrip = 16;  // channels per task or register tile

// For each position of an axis, the taps that read it and the corresponding outputs.
class Readers {
 public:
  struct Reader {
    size_t tap, output;
  };

  explicit Readers(const WindowAxis& axis) {
    for (size_t place = 0; place < static_cast<size_t>(axis.in); ++place) {
      starts_.push_back(readers_.size());
      for (size_t tap = 0; tap < static_cast<size_t>(axis.filter); ++tap) {
        const int64_t output = axis.output_of(place, tap);
        if (output >= 0) readers_.push_back({tap, static_cast<size_t>(output)});
      }
    }
    starts_.push_back(readers_.size());
  }
  const Reader* begin(size_t place) const { return readers_.data() + starts_[place]; }
  const Reader* end(size_t place) const { return readers_.data() + starts_[place + 1]; }

 private:
  std::vector<Reader> readers_;
  std::vector<size_t> starts_;
};

// The contribution of a window to a position: the window's gradient and the filter's tap.
struct Term {
  const float *dy, *filter;
};

// Computes V vectors of channels at one position (multiplier 1).
template <size_t V>
void sum_terms(const std::vector<Term>& terms, size_t channel, float* dx) {
  f32x4 sums[V];
  for (size_t v = 0; v < V; ++v) sums[v] = splat(0.0f);
  for (const Term& term : terms) {
    for (size_t v = 0; v < V; ++v) {
      sums[v] = multiply_add(load(term.dy + channel + 4 * v), load(term.filter + channel + 4 * v),
                             sums[v]);
    }
  }
  for (size_t v = 0; v < V; ++v) store(dx + channel + 4 * v, sums[v]);
}

void input_place(const DepthwiseShape& s, const std::vector<Term>& terms, float* dx) {
  size_t c = 0;
  if (s.multiplier == 1) {
    for (; c + 16 <= s.channels; c += 16) sum_terms<4>(terms, c, dx);
    for (; c + 4 <= s.channels; c += 4) sum_terms<1>(terms, c, dx);
  }
  for (; c < s.channels; ++c) {
    dx[c] = 0.0f;
    for (const Term& term : terms) {
      for (size_t i = c * s.multiplier; i < (c + 1) * s.multiplier; ++i)
        dx[c] += term.dy[i] * term.filter[i];
    }
  }
}

void backprop_input(const DepthwiseShape& s, const float* dy, const float* filter, float* dx) {
  const WindowAxis &h = s.window.h, &w = s.window.w;
  const size_t out_c = s.channels * s.multiplier, taps = static_cast<size_t>(h.filter) * w.filter;
  const Readers rows(h), columns(w);
  parallel_ranges(s.window.batch * h.in, w.in * out_c * taps, [&](size_t begin, size_t end) {
    std::vector<Term> terms;
    terms.reserve(taps);
    for (size_t row = begin; row < end; ++row) {
      const size_t image = row / h.in, ih = row % h.in;
      for (size_t iw = 0; iw < static_cast<size_t>(w.in); ++iw) {
        terms.clear();
        for (auto r = rows.begin(ih); r != rows.end(ih); ++r) {
          for (auto c = columns.begin(iw); c != columns.end(iw); ++c) {
            terms.push_back({dy + ((image * h.out + r->output) * w.out + c->output) * out_c,
                             filter + (r->tap * w.filter + c->tap) * out_c});
          }
        }
        input_place(s, terms, dx + (row * w.in + iw) * s.channels);
      }
    }
  });
}

// sums[0..V) += x * dy over a row of outputs, for V vectors of channels (multiplier 1).
template <size_t V>
void filter_row(const float* x, size_t x_step, const float* g, size_t g_step, size_t n,
                float* sums) {
  f32x4 lanes[V];
  for (size_t v = 0; v < V; ++v) lanes[v] = splat(0.0f);
  for (size_t i = 0; i < n; ++i, x += x_step, g += g_step) {
    for (size_t v = 0; v < V; ++v)
      lanes[v] = multiply_add(load(x + 4 * v), load(g + 4 * v), lanes[v]);
  }
  for (size_t v = 0; v < V; ++v) store(sums + 4 * v, load(sums + 4 * v) + lanes[v]);
}

// Computes one tap over a row of outputs, for `width` output channels starting at `channel`.
void filter_tap_row(const DepthwiseShape& s, const float* x, size_t x_step, const float* g,
                    size_t n, size_t channel, size_t width, float* sums) {
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

// Computes one row of outputs with the row of x that the tap row `kh` reads.
void filter_output_row(const DepthwiseShape& s, const float* x, const float* dy, size_t kh,
                       size_t channel, size_t width, float* df) {
  const WindowAxis& w = s.window.w;
  const size_t out_c = s.channels * s.multiplier, taps = w.filter;
  for (size_t kw = 0; kw < taps; ++kw) {
    size_t first, last;
    w.outputs(kw, &first, &last);
    if (first >= last) continue;
    const float* from = x + static_cast<size_t>(w.place(first, kw)) * s.channels;
    filter_tap_row(s, from, w.stride * s.channels, dy + first * out_c, last - first, channel, width,
                   df + (kh * taps + kw) * out_c + channel);
  }
}

// Tasks own strips of output channels, so that no two tasks add to the same element.
void backprop_filter(const DepthwiseShape& s, const float* x, const float* dy, float* df) {
  const WindowAxis &h = s.window.h, &w = s.window.w;
  const size_t out_c = s.channels * s.multiplier, strips = ceil_divide(out_c, kStrip);
  const size_t outputs = s.window.batch * h.out, taps = static_cast<size_t>(h.filter) * w.filter;
  memset(df, 0, taps * out_c * sizeof(float));
  parallel_ranges(strips, outputs * w.out * taps * kStrip, [&](size_t begin, size_t end) {
    for (size_t strip = begin; strip < end; ++strip) {
      const size_t channel = strip * kStrip, width = std::min(kStrip, out_c - channel);
      for (size_t row = 0; row < outputs; ++row) {
        for (size_t kh = 0; kh < static_cast<size_t>(h.filter); ++kh) {
          const int64_t ih = h.place(row % h.out, kh);
          if (!h.has(ih)) continue;
          const float* from =
              x + (row / h.out * h.in + static_cast<size_t>(ih)) * w.in * s.channels;
          filter_output_row(s, from, dy + row * w.out * out_c, kh, channel, width, df);
        }
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
    backprop_input(shape, inputs[0].as<float>(), inputs[1].as<float>(),
                   static_cast<float*>(output));
  });
}

std::unique_ptr<Kernel> make_depthwise_conv2d_backprop_filter(StepSpec& step) {
  step.require_float(2);
  const DepthwiseShape shape = read_depthwise(step, step.inputs[0], step.output, step.inputs[1]);
  if (!step.ok()) return nullptr;
  return make_kernel([shape](const Operand* inputs, void* output) {
    backprop_filter(shape, inputs[0].as<float>(), inputs[1].as<float>(),
                    static_cast<float*>(output));
  });
}

}  // namespace tfpy
