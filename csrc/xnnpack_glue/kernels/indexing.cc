// Kernels that read positions from a tensor: gather, ravel_index.
#include <string.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/sizes.h"
#include "kernels/indices.h"
#include "products/block_format.h"
#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

struct GatherShape {
  size_t batch, outer, n, inner, m;
};

// Rows of a plane [n, inner].
template <class T>
void gather_rows(const T* plane, size_t inner, const int32_t* indices, size_t count, T* out) {
  for (size_t j = 0; j < count; ++j, out += inner) {
    const size_t index = static_cast<size_t>(indices[j]);
    if (inner < kShortCopy) {
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
        for (size_t j = 0; j < count; ++j) out[row + j] = from[at[j]];
      } else {
        gather_rows(from, s.inner, at, count, out + row * s.inner);
      }
      row += count;
    }
  });
}

// A row of `width` numbers of 8 or 4 bits.
void widen_row(const int8_t* row, size_t width, bool has_halves, int32_t* out) {
  if (!has_halves) {
    std::copy_n(row, width, out);
    return;
  }
  for (size_t i = 0; i < width; ++i) {
    const int8_t both = row[i / 2];
    out[i] = i % 2 ? both >> 4 : static_cast<int8_t>(both << 4) >> 4;
  }
}

}  // namespace

// Rows of weights that stay as they are stored, see products/stored_product.h.
std::unique_ptr<Kernel> make_gather_stored(StepSpec& step) {
  step.params.require(step.inputs.size() == 2, "gather_stored takes two inputs");
  const uint32_t n = step.params.number("n"), width = step.params.number("width"),
                 m = step.params.number("m"), bits = step.params.number("bits", 4, 8);
  if (!step.ok()) return nullptr;
  const size_t stride = bits == 4 ? ceil_divide(width, 2) : width;
  step.params.require(step.inputs[1].dtype == DType::kInt32, "indices are not int32");
  step.params.require(step.output.dtype == DType::kInt32, "the output is not int32");
  step.require_bytes(0, product({n, stride}), "x");
  step.require_count(step.inputs[1], m, "indices");
  step.require_count(step.output, product({m, width}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    const int32_t* const indices = inputs[1].as<int32_t>();
    if (!check_indices("gather: indices", indices, m, n, false)) return false;
    parallel_ranges(m, width, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        widen_row(inputs[0].as<int8_t>() + indices[i] * stride, width, bits == 4,
                  static_cast<int32_t*>(output) + i * width);
      }
    });
    return true;
  });
}

// Rows of weights in a block format.
std::unique_ptr<Kernel> make_gather_blocks(StepSpec& step) {
  step.params.require(step.inputs.size() == 2, "gather_blocks takes two inputs");
  const size_t m = step.params.number("m");
  if (!step.ok()) return nullptr;
  const BlockFormat format = read_block_format(step, 0);
  if (!step.ok()) return nullptr;
  step.params.require(step.inputs[1].dtype == DType::kInt32, "indices are not int32");
  step.require_count(step.inputs[1], m, "indices");
  step.params.require(step.output.dtype == DType::kFloat32, "the output is not float32");
  step.require_count(step.output, product({m, format.k}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    const int32_t* const indices = inputs[1].as<int32_t>();
    if (!check_indices("gather: indices", indices, m, format.n, false)) return false;
    parallel_ranges(m, format.k, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        convert_blocks(format, inputs[0].as<uint8_t>(), static_cast<size_t>(indices[i]), 0,
                       format.k, static_cast<float*>(output) + i * format.k);
    });
    return true;
  });
}

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
    const size_t count = shape.batch * shape.m;
    if (!check_indices("gather: indices", inputs[1].as<int32_t>(), count, shape.n, false))
      return false;
    if (dtype == DType::kBool) {
      gather(shape, inputs[0].as<uint8_t>(), inputs[1].as<int32_t>(),
             static_cast<uint8_t*>(output));
    } else {
      gather(shape, inputs[0].as<int32_t>(), inputs[1].as<int32_t>(),
             static_cast<int32_t*>(output));
    }
    return true;
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
    const int32_t* indices = inputs[0].as<int32_t>();
    int32_t* out = static_cast<int32_t*>(output);
    size_t position = 0;
    for (size_t row = 0; row < n; ++row) {
      uint32_t at = 0;
      for (const int32_t dim : dims) {
        const int32_t index = indices[position];
        if (index < 0 || index >= dim)
          return fail_index("ravel_index: indices", position, index, static_cast<size_t>(dim));
        at = at * static_cast<uint32_t>(dim) + static_cast<uint32_t>(index);
        ++position;
      }
      out[row] = static_cast<int32_t>(at);
    }
    return true;
  });
}

}  // namespace tfpy
