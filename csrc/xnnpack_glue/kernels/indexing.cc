// Kernels that read places from a tensor: gather, ravel_index.
#include <string.h>

#include <algorithm>
#include <vector>

#include "base/sizes.h"
#include "program/kernel.h"
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
  for (size_t j = 0; j < count; ++j, out += inner) {
    const size_t index = static_cast<size_t>(indices[j]);  // a negative one becomes large
    if (index >= n) {
      for (size_t i = 0; i < inner; ++i) out[i] = 0;
    } else if (inner < kShortCopy) {
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
