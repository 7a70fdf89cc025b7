// Kernels that combine rows at positions from a tensor: scatter, segment_sum. A thread owns a part
// of the positions and processes all rows for them, so that threads never share a position.
#include <string.h>

#include "base/sizes.h"
#include "kernels/indices.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// Combination of an element and its update.
enum class Kind { kLast, kProduct, kMaximum, kMinimum };

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

bool check_ids(const char* operand, const ScatterShape& shape, const Operand& ids) {
  return check_indices(operand, ids.as<int32_t>(), shape.n, shape.segments, true);
}

// Calls body(row, segment) for the rows with a segment in first..last-1.
template <class Body>
void for_rows(const int32_t* ids, size_t n, size_t first, size_t last, const Body& body) {
  for (size_t row = 0; row < n; ++row) {
    const size_t id = static_cast<size_t>(ids[row]);  // a negative id becomes a large one
    if (id >= first && id < last) body(row, id);
  }
}

template <class T, class Combine>
void scatter(const ScatterShape& shape, const Operand* inputs, T* out, const Combine& combine) {
  const T *x = inputs[0].as<T>(), *updates = inputs[2].as<T>();
  const int32_t* ids = inputs[1].as<int32_t>();
  const size_t n = shape.n, inner = shape.inner, segments = shape.segments;
  const size_t cost = (n * inner + segments) / (segments + 1) + inner + 1;
  parallel_ranges(segments, cost, [=](size_t first, size_t last) {
    memcpy(out + first * inner, x + first * inner, (last - first) * inner * sizeof(T));
    for_rows(ids, n, first, last, [=](size_t row, size_t segment) {
      const T* from = updates + row * inner;
      T* to = out + segment * inner;
      for (size_t i = 0; i < inner; ++i) to[i] = combine(to[i], from[i]);
    });
  });
}

template <class T>
void scatter_kind(const ScatterShape& shape, Kind kind, const Operand* inputs, T* out) {
  switch (kind) {
    case Kind::kLast:
      return scatter(shape, inputs, out, [](T, T b) { return b; });
    case Kind::kProduct:
      return scatter(shape, inputs, out, [](T a, T b) { return times(a, b); });
    case Kind::kMaximum:
      return scatter(shape, inputs, out, [](T a, T b) { return larger(a, b); });
    case Kind::kMinimum:
      return scatter(shape, inputs, out, [](T a, T b) { return smaller(a, b); });
  }
}

template <class T>
void segment_sum(const ScatterShape& shape, const Operand* inputs, T* out) {
  const T* data = inputs[0].as<T>();
  const int32_t* ids = inputs[1].as<int32_t>();
  const size_t n = shape.n, inner = shape.inner, segments = shape.segments;
  const size_t cost = (n * inner + segments) / (segments + 1) + 1;
  parallel_ranges(segments, cost, [=](size_t first, size_t last) {
    memset(out + first * inner, 0, (last - first) * inner * sizeof(T));
    for_rows(ids, n, first, last, [=](size_t row, size_t segment) {
      add_to(data + row * inner, inner, out + segment * inner);
    });
  });
}

}  // namespace

std::unique_ptr<Kernel> make_scatter(StepSpec& step) {
  const uint32_t n = step.params.number("n"), inner = step.params.number("inner");
  const uint32_t segments = step.params.number("segments");
  const Kind kind = step.params.choice<Kind>("kind", {{"last", Kind::kLast},
                                                      {"prod", Kind::kProduct},
                                                      {"max", Kind::kMaximum},
                                                      {"min", Kind::kMinimum}});
  step.params.require(step.inputs.size() == 3, "scatter takes three inputs");
  if (!step.ok()) return nullptr;
  const DType dtype = step.output.dtype;
  step.params.require(step.inputs[0].dtype == dtype, "x's dtype is not the output's");
  step.params.require(step.inputs[1].dtype == DType::kInt32, "ids are not int32");
  step.params.require(step.inputs[2].dtype == dtype, "the updates' dtype is not the output's");
  step.params.require(dtype != DType::kBool || kind == Kind::kLast,
                      "the kind does not fit the dtype");
  step.require_count(step.inputs[0], product({segments, inner}), "x");
  step.require_count(step.inputs[1], n, "ids");
  step.require_count(step.inputs[2], product({n, inner}), "updates");
  step.require_count(step.output, product({segments, inner}), "the output");
  if (!step.ok()) return nullptr;
  const ScatterShape shape{n, inner, segments};
  return make_kernel([=](const Operand* inputs, void* output) {
    if (!check_ids("scatter: indices", shape, inputs[1])) return false;
    if (dtype == DType::kBool) {
      scatter(shape, inputs, static_cast<uint8_t*>(output), [](uint8_t, uint8_t b) { return b; });
    } else if (dtype == DType::kFloat32) {
      scatter_kind(shape, kind, inputs, static_cast<float*>(output));
    } else {
      scatter_kind(shape, kind, inputs, static_cast<int32_t*>(output));
    }
    return true;
  });
}

std::unique_ptr<Kernel> make_segment_sum(StepSpec& step) {
  step.params.require(step.inputs.size() == 2, "segment_sum takes two inputs");
  const uint32_t n = step.params.number("n"), inner = step.params.number("inner");
  const uint32_t segments = step.params.number("segments");
  if (!step.ok()) return nullptr;
  step.params.require(step.output.dtype != DType::kBool, "segment_sum has no bool");
  step.params.require(step.inputs[0].dtype == step.output.dtype,
                      "data's dtype is not the output's");
  step.params.require(step.inputs[1].dtype == DType::kInt32, "ids are not int32");
  step.require_count(step.inputs[0], product({n, inner}), "data");
  step.require_count(step.inputs[1], n, "ids");
  step.require_count(step.output, product({segments, inner}), "the output");
  if (!step.ok()) return nullptr;
  const ScatterShape shape{n, inner, segments};
  return make_kernel([shape, dtype = step.output.dtype](const Operand* inputs, void* output) {
    if (!check_ids("segment_sum: segment_ids", shape, inputs[1])) return false;
    if (dtype == DType::kFloat32) {
      segment_sum(shape, inputs, static_cast<float*>(output));
    } else {
      segment_sum(shape, inputs, static_cast<int32_t*>(output));
    }
    return true;
  });
}

}  // namespace tfpy
