// Max and average pooling and their gradients.
#include <string.h>

#include <algorithm>

#include "kernel.h"
#include "parallel.h"
#include "simd.h"
#include "window.h"

namespace tfpy {
namespace {

constexpr float kLowest = -__builtin_inff();

struct PoolShape {
  WindowShape window;
  size_t channels;

  size_t taps() const {
    return static_cast<size_t>(window.h.filter) * static_cast<size_t>(window.w.filter);
  }
};

// Calls body(y, x) for each input place inside the window of an output place.
template <class Body>
void for_window(const WindowShape& window, size_t oh, size_t ow, const Body& body) {
  size_t h0, h1, w0, w1;
  window.h.taps(oh, &h0, &h1);
  window.w.taps(ow, &w0, &w1);
  for (size_t kh = h0; kh < h1; ++kh) {
    for (size_t kw = w0; kw < w1; ++kw) {
      body(static_cast<size_t>(window.h.place(oh, kh)),
           static_cast<size_t>(window.w.place(ow, kw)));
    }
  }
}

size_t window_count(const WindowShape& window, size_t oh, size_t ow) {
  size_t h0, h1, w0, w1;
  window.h.taps(oh, &h0, &h1);
  window.w.taps(ow, &w0, &w1);
  return (h1 - h0) * (w1 - w0);
}

// One output place, all channels; the output row takes the running result.
template <bool kMax>
void pool_place(const PoolShape& shape, const float* image, size_t oh, size_t ow, float* out) {
  const size_t channels = shape.channels;
  std::fill_n(out, channels, kMax ? kLowest : 0.0f);
  for_window(shape.window, oh, ow, [&](size_t y, size_t x) {
    const float* from = image + (y * shape.window.w.in + x) * channels;
    size_t c = 0;
    for (; c + 4 <= channels; c += 4) {
      store(out + c, kMax ? max(load(out + c), load(from + c)) : load(out + c) + load(from + c));
    }
    for (; c < channels; ++c) {
      if (!kMax)
        out[c] += from[c];
      else if (!(from[c] <= out[c]))
        out[c] = from[c] != from[c] || out[c] == out[c] ? from[c] : out[c];
    }
  });
  if (!kMax) {
    const float factor =
        1.0f / static_cast<float>(std::max<size_t>(1, window_count(shape.window, oh, ow)));
    for (size_t c = 0; c < channels; ++c) out[c] *= factor;
  }
}

template <bool kMax>
void pool(const PoolShape& shape, const float* x, float* out) {
  const WindowAxis &h = shape.window.h, &w = shape.window.w;
  const size_t image = static_cast<size_t>(h.in) * w.in * shape.channels;
  parallel_ranges(shape.window.batch * h.out, w.out * shape.channels * shape.taps(),
                  [&](size_t begin, size_t end) {
                    for (size_t row = begin; row < end; ++row) {
                      for (size_t ow = 0; ow < static_cast<size_t>(w.out); ++ow) {
                        pool_place<kMax>(shape, x + row / h.out * image, row % h.out, ow,
                                         out + (row * w.out + ow) * shape.channels);
                      }
                    }
                  });
}

// Four channels of a window: the gradient goes where the first maximum is.
void max_grad_lanes(const PoolShape& shape, const float* image, const float* dy, size_t oh,
                    size_t ow, size_t lanes, float* dx) {
  f32x4 best = splat(kLowest);
  i32x4 where = splat(-1);
  for_window(shape.window, oh, ow, [&](size_t y, size_t x) {
    const size_t place = y * shape.window.w.in + x;
    const f32x4 value = load(image + place * shape.channels);
    const i32x4 better = (value > best) | (where < splat(0)) | ((value != value) & (best == best));
    best = select(better, value, best);
    where = as_i32(select(better, as_f32(splat(static_cast<int32_t>(place))), as_f32(where)));
  });
  for (size_t i = 0; i < lanes; ++i) {
    if (where[i] >= 0) dx[static_cast<size_t>(where[i]) * shape.channels + i] += dy[i];
  }
}

// Calls body(channels' first, their number, the image's offsets in x and y) so that threads never
// share an element of dx: whole images, or strips of channels where images are few.
template <class Body>
void for_strips(const PoolShape& shape, const Body& body) {
  constexpr size_t kStrip = 32;
  const WindowAxis &h = shape.window.h, &w = shape.window.w;
  const size_t in = static_cast<size_t>(h.in) * w.in * shape.channels;
  const size_t out = static_cast<size_t>(h.out) * w.out * shape.channels;
  const size_t width =
      shape.window.batch >= worker_count() ? shape.channels : std::min(shape.channels, kStrip);
  const size_t strips = (shape.channels + width - 1) / width;
  parallel_ranges(
      shape.window.batch * strips, out / strips * shape.taps(), [&](size_t begin, size_t end) {
        for (size_t unit = begin; unit < end; ++unit) {
          const size_t channel = unit % strips * width, image = unit / strips;
          body(channel, std::min(width, shape.channels - channel), image * in, image * out);
        }
      });
}

void max_pool_grad(const PoolShape& shape, const float* x, const float* dy, float* dx) {
  const WindowAxis &h = shape.window.h, &w = shape.window.w;
  for_strips(shape, [&](size_t channel, size_t width, size_t in, size_t out) {
    for (size_t oh = 0; oh < static_cast<size_t>(h.out); ++oh) {
      for (size_t ow = 0; ow < static_cast<size_t>(w.out); ++ow) {
        const float* from = dy + out + (oh * w.out + ow) * shape.channels;
        for (size_t c = channel; c < channel + width; c += 4) {
          max_grad_lanes(shape, x + in + c, from + c, oh, ow,
                         std::min<size_t>(4, channel + width - c), dx + in + c);
        }
      }
    }
  });
}

void avg_pool_grad(const PoolShape& shape, const float* dy, float* dx) {
  const WindowAxis &h = shape.window.h, &w = shape.window.w;
  for_strips(shape, [&](size_t channel, size_t width, size_t in, size_t out) {
    for (size_t oh = 0; oh < static_cast<size_t>(h.out); ++oh) {
      for (size_t ow = 0; ow < static_cast<size_t>(w.out); ++ow) {
        const float* from = dy + out + (oh * w.out + ow) * shape.channels + channel;
        const float factor =
            1.0f / static_cast<float>(std::max<size_t>(1, window_count(shape.window, oh, ow)));
        for_window(shape.window, oh, ow, [&](size_t y, size_t x) {
          float* to = dx + in + (y * w.in + x) * shape.channels + channel;
          size_t c = 0;
          for (; c + 4 <= width; c += 4) store(to + c, load(to + c) + load(from + c) * factor);
          for (; c < width; ++c) to[c] += from[c] * factor;
        });
      }
    }
  });
}

PoolShape read_shape(StepSpec& step, const BufferSpec& large, const BufferSpec& small) {
  PoolShape shape{read_window(step.params), static_cast<size_t>(step.params.number("channels"))};
  const WindowAxis &h = shape.window.h, &w = shape.window.w;
  const auto count = [&](int32_t rows, int32_t columns) {
    return product({shape.window.batch, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                    shape.channels});
  };
  if (step.ok()) step.require_count(large, count(h.in, w.in), "x");
  if (step.ok()) step.require_count(small, count(h.out, w.out), "y");
  return shape;
}

}  // namespace

std::unique_ptr<Kernel> make_pool(StepSpec& step) {
  step.require_float(1);
  const bool is_max = step.params.choice("kind", {"max", "avg"}) == 0;
  const PoolShape shape = read_shape(step, step.inputs[0], step.output);
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    (is_max ? pool<true> : pool<false>)(shape, inputs[0].as<float>(), static_cast<float*>(output));
  });
}

std::unique_ptr<Kernel> make_max_pool_grad(StepSpec& step) {
  step.require_float(2);
  const PoolShape shape = read_shape(step, step.inputs[0], step.inputs[1]);
  if (step.ok()) step.require_count(step.output, step.inputs[0].count, "dx");
  if (!step.ok()) return nullptr;
  return make_kernel([shape, count = step.output.count](const Operand* inputs, void* output) {
    memset(output, 0, count * sizeof(float));
    max_pool_grad(shape, inputs[0].as<float>(), inputs[1].as<float>(), static_cast<float*>(output));
  });
}

std::unique_ptr<Kernel> make_avg_pool_grad(StepSpec& step) {
  step.require_float(1);
  const PoolShape shape = read_shape(step, step.output, step.inputs[0]);
  if (!step.ok()) return nullptr;
  return make_kernel([shape, count = step.output.count](const Operand* inputs, void* output) {
    memset(output, 0, count * sizeof(float));
    avg_pool_grad(shape, inputs[0].as<float>(), static_cast<float*>(output));
  });
}

}  // namespace tfpy
