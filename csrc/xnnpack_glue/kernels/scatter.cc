// Kernels that combine rows at places from a tensor: scatter, ravel_index.
#include <string.h>

#include <algorithm>

#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

struct ScatterShape {
  size_t n, inner, segments;
};

template <class T>
T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}
inline int32_t times(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
inline float times(float a, float b) { return a * b; }

// The rows whose id is in this part of the segments, so that threads never share a segment.
template <class T, class Combine>
void scatter(const ScatterShape& shape, const Operand* inputs, T* out, const Combine& combine) {
  const T *x = inputs[0].as<T>(), *updates = inputs[2].as<T>();
  const int32_t* ids = inputs[1].as<int32_t>();
  const auto [n, inner, segments] = shape;
  const size_t cost = (n * inner + segments) / (segments + 1) + inner + 1;
  parallel_ranges(segments, cost, [&, n = n, inner = inner](size_t first, size_t last) {
    memcpy(out + first * inner, x + first * inner, (last - first) * inner * sizeof(T));
    for (size_t row = 0; row < n; ++row) {
      const size_t id = static_cast<size_t>(ids[row]);  // a negative id becomes a large one
      if (id < first || id >= last) continue;
      const T* from = updates + row * inner;
      T* to = out + id * inner;
      for (size_t i = 0; i < inner; ++i) to[i] = combine(to[i], from[i]);
    }
  });
}

template <class T>
void scatter_kind(const ScatterShape& shape, int kind, const Operand* inputs, T* out) {
  switch (kind) {
    case 0:
      return scatter(shape, inputs, out, [](T, T b) { return b; });
    case 1:
      return scatter(shape, inputs, out, [](T a, T b) { return times(a, b); });
    case 2:
      return scatter(shape, inputs, out, [](T a, T b) { return larger(a, b); });
    default:
      return scatter(shape, inputs, out, [](T a, T b) { return smaller(a, b); });
  }
}

}  // namespace

std::unique_ptr<Kernel> make_scatter(StepSpec& step) {
  const uint32_t n = step.params.number("n"), inner = step.params.number("inner");
  const uint32_t segments = step.params.number("segments");
  const int kind = step.params.choice("kind", {"last", "prod", "max", "min"});
  step.params.require(step.inputs.size() == 3, "scatter takes three inputs");
  if (!step.ok()) return nullptr;
  const DType dtype = step.output.dtype;
  step.params.require(step.inputs[0].dtype == dtype, "x's dtype is not the output's");
  step.params.require(step.inputs[1].dtype == DType::kInt32, "ids are not int32");
  step.params.require(step.inputs[2].dtype == dtype, "the updates' dtype is not the output's");
  step.params.require(dtype != DType::kBool || kind == 0, "the kind does not fit the dtype");
  step.require_count(step.inputs[0], product({segments, inner}), "x");
  step.require_count(step.inputs[1], n, "ids");
  step.require_count(step.inputs[2], product({n, inner}), "updates");
  step.require_count(step.output, product({segments, inner}), "the output");
  if (!step.ok()) return nullptr;
  const ScatterShape shape{n, inner, segments};
  return make_kernel([=](const Operand* inputs, void* output) {
    if (dtype == DType::kBool) {
      scatter(shape, inputs, static_cast<uint8_t*>(output), [](uint8_t, uint8_t b) { return b; });
    } else if (dtype == DType::kFloat32) {
      scatter_kind(shape, kind, inputs, static_cast<float*>(output));
    } else {
      scatter_kind(shape, kind, inputs, static_cast<int32_t*>(output));
    }
  });
}

std::unique_ptr<Kernel> make_ravel_index(StepSpec& step) {
  const uint32_t n = step.params.number("n");
  const std::vector<int32_t> dims = step.params.numbers("dims", 0, kMaxNumber);
  step.params.require(step.output.dtype == DType::kInt32, "the output is not int32");
  step.require_same(1);
  step.require_count(step.inputs[0], product({n, dims.size()}), "indices");
  step.require_count(step.output, n, "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([n, dims](const Operand* inputs, void* output) {
    const int32_t* index = inputs[0].as<int32_t>();
    int32_t* out = static_cast<int32_t*>(output);
    for (size_t row = 0; row < n; ++row) {
      uint32_t at = 0;
      bool inside = true;
      for (const int32_t dim : dims) {
        inside &= *index >= 0 && *index < dim;
        at = at * static_cast<uint32_t>(dim) + static_cast<uint32_t>(*index++);
      }
      out[row] = inside ? static_cast<int32_t>(at) : -1;
    }
  });
}

}  // namespace tfpy
