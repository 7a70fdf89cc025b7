// The gradients of max and average pooling.
#include <string.h>

#include <algorithm>

#include "base/sizes.h"
#include "pooling/pooling.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// For four channels of a window, the gradient goes to the first maximum.
void first_maximum_lanes(const Box& box, const float* x, const float* dy, size_t lanes, float* dx) {
  f32x4 best = splat(0.0f);
  i32x4 where = splat(-1);
  box.each([&](size_t element) {
    const f32x4 value = load(x + element);
    const i32x4 better = (value > best) | (where < splat(0)) | ((value != value) & (best == best));
    best = select(better, value, best);
    where = as_i32(select(better, as_f32(splat(static_cast<int32_t>(element))), as_f32(where)));
  });
  for (size_t i = 0; i < lanes; ++i) {
    if (where[i] >= 0) dx[static_cast<size_t>(where[i]) + i] += dy[i];
  }
}

// The gradient goes to every element that equals the maximum.
void every_maximum_lanes(const Box& box, const float* x, const float* dy, size_t lanes, float* dx) {
  f32x4 best = splat(-__builtin_inff());
  box.each([&](size_t element) { best = max(best, load(x + element)); });
  if (lanes == 4) {
    const f32x4 gradient = load(dy);
    box.each([&](size_t element) {
      const f32x4 share = select(load(x + element) == best, gradient, splat(0.0f));
      store(dx + element, load(dx + element) + share);
    });
    return;
  }
  box.each([&](size_t element) {
    for (size_t i = 0; i < lanes; ++i) dx[element + i] += x[element + i] == best[i] ? dy[i] : 0.0f;
  });
}

// Calls body(first channel, number of channels, first line, last line) so that threads never share
// an element of dx: for whole volumes, or for strips of channels if there are few volumes.
template <class Body>
void for_strips(const PoolingShape& shape, const Body& body) {
  constexpr size_t kStrip = 32;
  const size_t batch = shape.window.batch, lines = shape.lines() / std::max<size_t>(1, batch);
  const size_t width = batch >= worker_count() ? shape.channels : std::min(shape.channels, kStrip);
  const size_t strips = ceil_divide(shape.channels, width);
  const size_t cost = lines * static_cast<size_t>(shape.window.w.out) * width * shape.taps();
  parallel_ranges(batch * strips, cost, [&](size_t begin, size_t end) {
    for (size_t unit = begin; unit < end; ++unit) {
      const size_t channel = unit % strips * width, volume = unit / strips;
      body(channel, std::min(width, shape.channels - channel), volume * lines,
           (volume + 1) * lines);
    }
  });
}

void max_pool_grad(const PoolingShape& shape, bool every, const float* x, const float* dy,
                   float* dx) {
  const auto lanes = every ? every_maximum_lanes : first_maximum_lanes;
  for_strips(shape, [&](size_t channel, size_t width, size_t begin, size_t end) {
    for_windows(shape, begin, end, [&](const Box& box, size_t at) {
      for (size_t c = channel; c < channel + width; c += 4)
        lanes(box, x + c, dy + at + c, std::min<size_t>(4, channel + width - c), dx + c);
    });
  });
}

void avg_pool_grad(const PoolingShape& shape, const float* dy, float* dx) {
  for_strips(shape, [&](size_t channel, size_t width, size_t begin, size_t end) {
    for_windows(shape, begin, end, [&](const Box& box, size_t at) {
      const float factor = 1.0f / static_cast<float>(std::max<size_t>(1, box.count()));
      const float* from = dy + at + channel;
      box.each([&](size_t element) {
        float* to = dx + element + channel;
        size_t c = 0;
        for (; c + 4 <= width; c += 4) store(to + c, load(to + c) + load(from + c) * factor);
        for (; c < width; ++c) to[c] += from[c] * factor;
      });
    });
  });
}

}  // namespace

std::unique_ptr<Kernel> make_max_pool_grad(StepSpec& step) {
  step.require_float(2);
  const bool every = step.params.choice<bool>("ties", {{"first", false}, {"all", true}});
  const PoolingShape shape = read_pooling(step, step.inputs[0], step.inputs[1]);
  if (step.ok()) step.require_count(step.output, step.inputs[0].count, "dx");
  if (!step.ok()) return nullptr;
  return make_kernel(
      [shape, every, count = step.output.count](const Operand* inputs, void* output) {
        memset(output, 0, count * sizeof(float));
        max_pool_grad(shape, every, inputs[0].as<float>(), inputs[1].as<float>(),
                      static_cast<float*>(output));
      });
}

std::unique_ptr<Kernel> make_avg_pool_grad(StepSpec& step) {
  step.require_float(1);
  const PoolingShape shape = read_pooling(step, step.output, step.inputs[0]);
  if (!step.ok()) return nullptr;
  return make_kernel([shape, count = step.output.count](const Operand* inputs, void* output) {
    memset(output, 0, count * sizeof(float));
    avg_pool_grad(shape, inputs[0].as<float>(), static_cast<float*>(output));
  });
}

}  // namespace tfpy
