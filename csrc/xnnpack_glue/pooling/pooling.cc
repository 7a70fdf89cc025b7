// Max and average pooling, and the values of another volume at the maxima.
#include "pooling/pooling.h"

#include <algorithm>
#include <limits>

#include "base/sizes.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// Combines elements, one or four at a time, with an initial value.
template <class T>
struct Larger {
  static constexpr T kFirst = std::numeric_limits<T>::has_infinity
                                  ? -std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::lowest();
  static T combine(T a, T b) { return b > a || b != b ? (a != a ? a : b) : a; }
  static Vector<T> combine(Vector<T> a, Vector<T> b) { return max(a, b); }
};

struct Sum {
  static constexpr float kFirst = 0.0f;
  static float combine(float a, float b) { return a + b; }
  static f32x4 combine(f32x4 a, f32x4 b) { return a + b; }
};

// Computes V vectors of channels of one window.
template <class Op, size_t V, class T>
void pool_lanes(const Box& box, const T* x, T factor, T* out) {
  Vector<T> results[V];
  for (size_t v = 0; v < V; ++v) results[v] = splat(T{Op::kFirst});
  box.each([&](size_t element) {
    for (size_t v = 0; v < V; ++v) results[v] = Op::combine(results[v], load(x + element + 4 * v));
  });
  for (size_t v = 0; v < V; ++v) store(out + 4 * v, results[v] * splat(factor));
}

// Computes all channels of one window.
template <class Op, class T>
void pool_window(const PoolingShape& shape, const Box& box, const T* x, T factor, T* out) {
  size_t c = 0;
  for (; c + 16 <= shape.channels; c += 16) pool_lanes<Op, 4>(box, x + c, factor, out + c);
  for (; c + 4 <= shape.channels; c += 4) pool_lanes<Op, 1>(box, x + c, factor, out + c);
  for (; c < shape.channels; ++c) {
    T result = Op::kFirst;
    box.each([&](size_t element) { result = Op::combine(result, x[element + c]); });
    out[c] = result * factor;
  }
}

// Calls body(box, output element) for all windows, on all threads.
template <class Body>
void on_all_windows(const PoolingShape& shape, const Body& body) {
  parallel_ranges(shape.lines(), shape.window.w.out * shape.channels * shape.taps(),
                  [&](size_t begin, size_t end) { for_windows(shape, begin, end, body); });
}

template <class T>
void max_pool(const PoolingShape& shape, const T* x, T* out) {
  on_all_windows(shape, [&](const Box& box, size_t at) {
    pool_window<Larger<T>>(shape, box, x, T{1}, out + at);
  });
}

void avg_pool(const PoolingShape& shape, const float* x, float* out) {
  on_all_windows(shape, [&](const Box& box, size_t at) {
    const float factor = 1.0f / static_cast<float>(std::max<size_t>(1, box.count()));
    pool_window<Sum>(shape, box, x, factor, out + at);
  });
}

// Stores the value of g at each window's first maximum, for four channels.
void at_maximum_lanes(const Box& box, const float* x, const float* g, size_t lanes, float* out) {
  f32x4 best = splat(0.0f), found = splat(0.0f);
  i32x4 is_first = splat(-1);
  box.each([&](size_t element) {
    const f32x4 value = load(x + element);
    const i32x4 better = (value > best) | is_first;
    best = select(better, value, best);
    found = select(better, load(g + element), found);
    is_first = splat(0);
  });
  for (size_t i = 0; i < lanes; ++i) out[i] = found[i];
}

void at_maximum(const PoolingShape& shape, const float* x, const float* g, float* out) {
  on_all_windows(shape, [&](const Box& box, size_t at) {
    for (size_t c = 0; c < shape.channels; c += 4) {
      at_maximum_lanes(box, x + c, g + c, std::min<size_t>(4, shape.channels - c), out + at + c);
    }
  });
}

}  // namespace

PoolingShape read_pooling(StepSpec& step, const BufferSpec& large, const BufferSpec& small) {
  PoolingShape shape{read_volume(step.params), static_cast<size_t>(step.params.number("channels"))};
  const WindowShape& window = shape.window;
  if (step.ok())
    step.require_count(large, product({window.batch, window.in_size(), shape.channels}), "x");
  if (step.ok())
    step.require_count(small, product({window.batch, window.out_size(), shape.channels}), "y");
  return shape;
}

std::unique_ptr<Kernel> make_pool(StepSpec& step) {
  step.require_same(1);
  const bool is_max = step.params.choice<bool>("kind", {{"max", true}, {"avg", false}});
  const bool is_float = step.output.dtype == DType::kFloat32;
  step.params.require(is_float || (is_max && step.output.dtype == DType::kInt32),
                      "pooling has no such dtype");
  const PoolingShape shape = read_pooling(step, step.inputs[0], step.output);
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    if (!is_float)
      max_pool(shape, inputs[0].as<int32_t>(), static_cast<int32_t*>(output));
    else if (is_max)
      max_pool(shape, inputs[0].as<float>(), static_cast<float*>(output));
    else
      avg_pool(shape, inputs[0].as<float>(), static_cast<float*>(output));
  });
}

std::unique_ptr<Kernel> make_max_pool_grad_grad(StepSpec& step) {
  step.require_float(2);
  const PoolingShape shape = read_pooling(step, step.inputs[0], step.output);
  if (step.ok()) step.require_count(step.inputs[1], step.inputs[0].count, "g");
  if (!step.ok()) return nullptr;
  return make_kernel([shape](const Operand* inputs, void* output) {
    at_maximum(shape, inputs[0].as<float>(), inputs[1].as<float>(), static_cast<float*>(output));
  });
}

}  // namespace tfpy
