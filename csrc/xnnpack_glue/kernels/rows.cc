// Functions of whole rows of [rows, n]: softmax, log softmax, layer normalization
// (https://arxiv.org/abs/1607.06450; without centering https://arxiv.org/abs/1910.07467).
#include "kernels/rows.h"

#include <math.h>

#include <algorithm>

#include "base/sizes.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "simd/simd_math.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// Calls body(vector, k, at) for the vectors of x from element `at` on. k cycles through 0..3, so
// that body can accumulate in four parts. Elements after the end of the row are `rest`.
template <class Body>
inline void each_vector(const float* x, size_t n, float rest, const Body& body) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    body(load(x + i), 0, i);
    body(load(x + i + 4), 1, i + 4);
    body(load(x + i + 8), 2, i + 8);
    body(load(x + i + 12), 3, i + 12);
  }
  for (; i + 4 <= n; i += 4) body(load(x + i), 0, i);
  if (i < n) body(load_some(x + i, n - i, rest), 0, i);
}

// to[i] = function(x[i]) for the n elements of a row; `function` receives vectors and their
// position.
template <class Function>
void map_row(const float* x, size_t n, float* to, const Function& function) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) store(to + i, function(load(x + i), i));
  if (i < n) store_some(to + i, n - i, function(load_some(x + i, n - i), i));
}

float sum_of(const f32x4* parts) {
  const f32x4 total = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  return (total[0] + total[1]) + (total[2] + total[3]);
}

float largest_of(const float* x, size_t n) {
  f32x4 parts[4];
  std::fill_n(parts, 4, splat(-kInf));
  each_vector(x, n, -kInf, [&](f32x4 v, size_t k, size_t) { parts[k] = max(parts[k], v); });
  const f32x4 all = max(max(parts[0], parts[1]), max(parts[2], parts[3]));
  const f32x4 halves = max(all, f32x4{all[2], all[3], all[0], all[1]});
  return max(halves, f32x4{halves[1], halves[0], halves[3], halves[2]})[0];
}

void log_softmax_row(const float* x, size_t n, float* out) {
  const f32x4 largest = splat(largest_of(x, n));
  f32x4 parts[4] = {};
  each_vector(x, n, -kInf,
              [&](f32x4 v, size_t k, size_t) { parts[k] += exp_nonpositive(v - largest); });
  const f32x4 logarithm = splat(logf(sum_of(parts)));
  map_row(x, n, out, [&](f32x4 v, size_t) { return (v - largest) - logarithm; });
}

struct Rows {
  size_t rows, n;
};

Rows read_rows(StepSpec& step, size_t inputs) {
  const uint32_t rows = step.params.number("rows"), n = step.params.number("n", 1);
  step.require_float(inputs);
  step.require_count(step.output, product({rows, n}), "the output");
  if (step.ok()) step.require_count(step.inputs[0], step.output.count, "x");
  return {rows, n};
}

using RowFunction = void (*)(const float* x, size_t n, float* out);

std::unique_ptr<Kernel> make_rows(StepSpec& step, RowFunction function) {
  const Rows shape = read_rows(step, 1);
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    const float* x = inputs[0].as<float>();
    float* out = static_cast<float*>(output);
    parallel_ranges(shape.rows, shape.n * kExpCost, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        function(x + row * shape.n, shape.n, out + row * shape.n);
    });
  });
}

struct Normalization {
  bool centers;  // true to center at the mean, false at 0
  float epsilon;
  int scale, offset;  // numbers of the inputs, 0 if absent
};

void layer_norm_row(const Normalization& norm, const float* x, size_t n, const float* scale,
                    const float* offset, float* out) {
  f32x4 mean = splat(0.0f);
  if (norm.centers) {
    f32x4 parts[4] = {};
    each_vector(x, n, 0.0f, [&](f32x4 v, size_t k, size_t) { parts[k] += v; });
    mean = splat(sum_of(parts) / static_cast<float>(n));
  }
  f32x4 parts[4] = {};
  each_vector(x, n, mean[0],
              [&](f32x4 v, size_t k, size_t) { parts[k] += (v - mean) * (v - mean); });
  const float variance = sum_of(parts) / static_cast<float>(n);
  const f32x4 factor = splat(1.0f / sqrtf(variance + norm.epsilon));
  map_row(x, n, out, [&](f32x4 v, size_t i) {
    f32x4 y = (v - mean) * factor;
    if (scale != nullptr) y *= load_some(scale + i, n - i);
    if (offset != nullptr) y += load_some(offset + i, n - i);
    return y;
  });
}

}  // namespace

void softmax_row(const float* x, size_t n, float* out) {
  const f32x4 largest = splat(largest_of(x, n));
  f32x4 parts[4] = {};
  each_vector(x, n, -kInf, [&](f32x4 v, size_t k, size_t at) {
    const f32x4 e = exp_nonpositive(v - largest);
    parts[k] += e;
    store_some(out + at, n - at, e);
  });
  const f32x4 scale = splat(1.0f / sum_of(parts));
  map_row(out, n, out, [&](f32x4 v, size_t) { return v * scale; });
}

std::unique_ptr<Kernel> make_softmax(StepSpec& step) { return make_rows(step, softmax_row); }

std::unique_ptr<Kernel> make_log_softmax(StepSpec& step) {
  return make_rows(step, log_softmax_row);
}

std::unique_ptr<Kernel> make_layer_norm(StepSpec& step) {
  Normalization norm{};
  norm.centers = step.params.flag("center");
  norm.epsilon = step.params.real("epsilon_bits");
  int inputs = 1;
  if (step.params.flag("scale")) norm.scale = inputs++;
  if (step.params.flag("offset")) norm.offset = inputs++;
  const Rows shape = read_rows(step, static_cast<size_t>(inputs));
  for (int i = 1; step.ok() && i < inputs; ++i)
    step.require_count(step.inputs[i], shape.n, i == norm.scale ? "scale" : "offset");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* operands, void* output) {
    const float* x = operands[0].as<float>();
    const float* scale = norm.scale == 0 ? nullptr : operands[norm.scale].as<float>();
    const float* offset = norm.offset == 0 ? nullptr : operands[norm.offset].as<float>();
    float* out = static_cast<float*>(output);
    parallel_ranges(shape.rows, shape.n * 4, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        const size_t at = row * shape.n;
        layer_norm_row(norm, x + at, shape.n, scale, offset, out + at);
      }
    });
  });
}

}  // namespace tfpy
