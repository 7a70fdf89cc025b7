// Adds up windows at their positions in an image.
#include <string.h>

#include "base/sizes.h"
#include "convolution/window.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// Adds one row of taps of one row of windows; `x` is at its first element, `to` is an image row.
void add_row(const WindowShape& window, size_t channels, const float* x, float* to) {
  const WindowAxis &h = window.h, &w = window.w;
  const size_t step = static_cast<size_t>(h.filter) * w.filter * channels;
  for (size_t ow = 0; ow < static_cast<size_t>(w.out); ++ow, x += step) {
    size_t first, last;
    w.taps(ow, &first, &last);
    for (size_t kw = first; kw < last; ++kw) {
      add_to(x + kw * channels, channels, to + static_cast<size_t>(w.place(ow, kw)) * channels);
    }
  }
}

// Rows of the image are distributed, so that threads never add to the same element.
void overlap_add(const WindowShape& window, size_t channels, const float* x, float* out) {
  const WindowAxis &h = window.h, &w = window.w;
  const size_t row_size = static_cast<size_t>(w.in) * channels, taps_size = w.filter * channels;
  const size_t window_size = static_cast<size_t>(h.filter) * taps_size;
  const size_t cost = row_size * h.filter * w.filter;
  parallel_ranges(window.batch * h.in, cost, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      float* to = out + row * row_size;
      memset(to, 0, row_size * sizeof(float));
      for (size_t kh = 0; kh < static_cast<size_t>(h.filter); ++kh) {
        const int64_t oh = h.output_of(row % h.in, kh);
        if (oh < 0) continue;
        const size_t windows = (row / h.in * h.out + static_cast<size_t>(oh)) * w.out;
        add_row(window, channels, x + windows * window_size + kh * taps_size, to);
      }
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_overlap_add(StepSpec& step) {
  step.require_float(1);
  const WindowShape window = read_window(step.params);
  const size_t channels = static_cast<size_t>(step.params.number("channels"));
  if (!step.ok()) return nullptr;
  step.require_count(step.output, product({window.batch, window.in_size(), channels}), "the image");
  step.require_count(step.inputs[0],
                     product({window.batch, window.out_size(), window.filter_size(), channels}),
                     "x");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    overlap_add(window, channels, inputs[0].as<float>(), static_cast<float*>(output));
  });
}

}  // namespace tfpy
