// Resizing along one axis: weighted sums of neighbors.
#include <string.h>

#include "base/sizes.h"
#include "program/kernel.h"
#include "simd/multiply_add.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

struct ResampleShape {
  size_t outer, n, inner, m, taps;
};

// to += weight * from
void add_scaled(const float* from, float weight, size_t count, float* to) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    store(to + i, multiply_add(splat(weight), load(from + i), load(to + i)));
  for (; i < count; ++i) to[i] += weight * from[i];
}

// An entry of the table has the position of the first neighbor and the bits of the weights.
void resample(const ResampleShape& s, const float* x, const int32_t* table, float* out) {
  parallel_ranges(s.outer * s.m, s.taps * s.inner, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      const float* plane = x + row / s.m * s.n * s.inner;
      const int32_t* entry = table + row % s.m * (s.taps + 1);
      float* to = out + row * s.inner;
      memset(to, 0, s.inner * sizeof(float));
      for (size_t t = 0; t < s.taps; ++t) {
        const int64_t place = int64_t{entry[0]} + static_cast<int64_t>(t);
        float weight;
        memcpy(&weight, entry + 1 + t, sizeof(weight));
        if (weight == 0.0f || place < 0 || place >= static_cast<int64_t>(s.n)) continue;
        add_scaled(plane + static_cast<size_t>(place) * s.inner, weight, s.inner, to);
      }
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_resample(StepSpec& step) {
  step.params.require(step.inputs.size() == 2, "resample takes two inputs");
  const uint32_t outer = step.params.number("outer"), n = step.params.number("n"),
                 m = step.params.number("m");
  const uint32_t inner = step.params.number("inner"), taps = step.params.number("taps");
  if (!step.ok()) return nullptr;
  step.params.require(step.output.dtype == DType::kFloat32, "the output is not float32");
  step.params.require(step.inputs[0].dtype == DType::kFloat32, "x is not float32");
  step.params.require(step.inputs[1].dtype == DType::kInt32, "the table is not int32");
  step.require_count(step.inputs[0], product({outer, n, inner}), "x");
  step.require_count(step.inputs[1], product({m, uint64_t{taps} + 1}), "table");
  step.require_count(step.output, product({outer, m, inner}), "the output");
  if (!step.ok()) return nullptr;
  const ResampleShape shape{outer, n, inner, m, taps};
  return make_kernel([shape](const Operand* inputs, void* output) {
    resample(shape, inputs[0].as<float>(), inputs[1].as<int32_t>(), static_cast<float*>(output));
  });
}

}  // namespace tfpy
