// Kernels that take indices from a tensor: gather, segment_sum.
#include <string.h>

#include <algorithm>

#include "base/error.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

struct GatherShape {
  size_t batch, outer, n, inner, m;
};

// Rows of a plane [n, inner]; zeros where an index is outside.
template <class T>
void gather_rows(const T* plane, size_t n, size_t inner, const int32_t* indices, size_t count,
                 T* out) {
  constexpr size_t kShort = 16;  // elements below which a call of memcpy costs more than a loop
  for (size_t j = 0; j < count; ++j, out += inner) {
    const size_t index = static_cast<size_t>(indices[j]);  // a negative one becomes large
    if (index >= n) {
      for (size_t i = 0; i < inner; ++i) out[i] = 0;
    } else if (inner < kShort) {
      for (size_t i = 0; i < inner; ++i) out[i] = plane[index * inner + i];
    } else {
      memcpy(out, plane + index * inner, inner * sizeof(T));
    }
  }
}

template <class T>
void gather(const GatherShape& shape, const T* x, const int32_t* indices, T* out) {
  const GatherShape s = shape;
  parallel_ranges(s.batch * s.outer * s.m, s.inner, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end;) {
      const size_t plane = row / s.m, first = row % s.m;
      const size_t count = std::min(s.m - first, end - row);
      const T* from = x + plane * s.n * s.inner;
      const int32_t* at = indices + plane / s.outer * s.m + first;
      if (s.inner == 1) {
        for (size_t j = 0; j < count; ++j) {
          const size_t index = static_cast<size_t>(at[j]);
          out[row + j] = index < s.n ? from[index] : T{0};
        }
      } else {
        gather_rows(from, s.n, s.inner, at, count, out + row * s.inner);
      }
      row += count;
    }
  });
}

// The rows whose id is in this part of the segments, so that threads never share a segment.
template <class T>
void segment_sum(const T* data, const int32_t* ids, size_t n, size_t inner, size_t first,
                 size_t last, T* out) {
  memset(out + first * inner, 0, (last - first) * inner * sizeof(T));
  for (size_t row = 0; row < n; ++row) {
    const size_t id = static_cast<size_t>(ids[row]);  // a negative id becomes a large one
    if (id < first || id >= last) continue;
    add_to(data + row * inner, inner, out + id * inner);
  }
}

}  // namespace

std::unique_ptr<Kernel> make_gather(StepSpec& step) {
  step.params.require(step.inputs.size() == 2, "gather takes two inputs");
  const uint32_t batch = step.params.number("batch"), outer = step.params.number("outer"),
                 n = step.params.number("n");
  const uint32_t inner = step.params.number("inner"), m = step.params.number("m");
  if (!step.ok()) return nullptr;
  step.params.require(step.inputs[0].dtype == step.output.dtype, "x's dtype is not the output's");
  step.params.require(step.inputs[1].dtype == DType::kInt32, "indices are not int32");
  step.require_count(step.inputs[0], product({batch, outer, n, inner}), "x");
  step.require_count(step.inputs[1], product({batch, m}), "indices");
  step.require_count(step.output, product({batch, outer, m, inner}), "the output");
  if (!step.ok()) return nullptr;
  const GatherShape shape{batch, outer, n, inner, m};
  return make_kernel([shape, dtype = step.output.dtype](const Operand* inputs, void* output) {
    if (dtype == DType::kBool) {
      gather(shape, inputs[0].as<uint8_t>(), inputs[1].as<int32_t>(),
             static_cast<uint8_t*>(output));
    } else {
      gather(shape, inputs[0].as<int32_t>(), inputs[1].as<int32_t>(),
             static_cast<int32_t*>(output));
    }
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
  const size_t cost = (size_t{n} * inner + segments) / (segments + 1) + 1;
  return make_kernel([=, dtype = step.output.dtype](const Operand* inputs, void* output) {
    parallel_ranges(segments, cost, [&](size_t first, size_t last) {
      if (dtype == DType::kFloat32) {
        segment_sum(inputs[0].as<float>(), inputs[1].as<int32_t>(), n, inner, first, last,
                    static_cast<float*>(output));
      } else {
        segment_sum(inputs[0].as<int32_t>(), inputs[1].as<int32_t>(), n, inner, first, last,
                    static_cast<int32_t*>(output));
      }
    });
  });
}

}  // namespace tfpy
