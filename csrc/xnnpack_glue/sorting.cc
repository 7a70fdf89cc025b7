// Kernels on the order along the last axis: argsort, searchsorted. NaN is larger than any number.
#include <algorithm>
#include <numeric>

#include "kernel.h"
#include "parallel.h"

namespace tfpy {
namespace {

struct SortShape {
  size_t outer, n, k;
};

template <class T>
bool before(T a, T b, bool descending) {
  return descending ? a > b || (a != a && b == b) : a < b || (b != b && a == a);
}

// Places break ties, so every sort is stable.
template <class T>
bool argsort(const SortShape& shape, bool descending, const T* x, int32_t* out) {
  const auto [outer, n, k] = shape;
  Block block;
  if (!Block::allocate(product({outer, n, sizeof(int32_t)}), &block)) return false;
  int32_t* places = block.as<int32_t>();
  parallel_ranges(outer, n * 16, [&, n = n, k = k](size_t begin, size_t end) {
    for (size_t o = begin; o < end; ++o) {
      const T* row = x + o * n;
      int32_t* place = places + o * n;
      std::iota(place, place + n, 0);
      const auto compare = [=](int32_t a, int32_t b) {
        if (before(row[a], row[b], descending)) return true;
        return !before(row[b], row[a], descending) && a < b;
      };
      if (k < n / 4) {
        std::partial_sort(place, place + k, place + n, compare);
      } else {
        std::sort(place, place + n, compare);
      }
      std::copy_n(place, k, out + o * k);
    }
  });
  return true;
}

template <class T>
void searchsorted(size_t outer, size_t n, size_t m, bool right, const T* sequence, const T* values,
                  int32_t* out) {
  parallel_ranges(outer * m, 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const T* row = sequence + i / m * n;
      const T* found = right ? std::upper_bound(row, row + n, values[i])
                             : std::lower_bound(row, row + n, values[i]);
      out[i] = static_cast<int32_t>(found - row);
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_argsort(StepSpec& step) {
  const uint32_t outer = step.params.number("outer"), n = step.params.number("n"),
                 k = step.params.number("k");
  const bool descending = step.params.choice("direction", {"ascending", "descending"}) == 1;
  step.params.require(step.inputs.size() == 1, "argsort takes one input");
  step.params.require(step.output.dtype == DType::kInt32, "the output is not int32");
  step.params.require(k <= n, "k is larger than n");
  if (!step.ok()) return nullptr;
  const DType dtype = step.inputs[0].dtype;
  step.params.require(dtype != DType::kBool, "argsort has no bool");
  step.require_count(step.inputs[0], product({outer, n}), "x");
  step.require_count(step.output, product({outer, k}), "the output");
  if (!step.ok()) return nullptr;
  const SortShape shape{outer, n, k};
  return make_kernel([=](const Operand* inputs, void* output) {
    int32_t* out = static_cast<int32_t*>(output);
    if (dtype == DType::kFloat32) return argsort(shape, descending, inputs[0].as<float>(), out);
    return argsort(shape, descending, inputs[0].as<int32_t>(), out);
  });
}

std::unique_ptr<Kernel> make_searchsorted(StepSpec& step) {
  const uint32_t outer = step.params.number("outer"), n = step.params.number("n"),
                 m = step.params.number("m");
  const bool right = step.params.choice("side", {"left", "right"}) == 1;
  step.params.require(step.inputs.size() == 2, "searchsorted takes two inputs");
  step.params.require(step.output.dtype == DType::kInt32, "the output is not int32");
  if (!step.ok()) return nullptr;
  const DType dtype = step.inputs[0].dtype;
  step.params.require(dtype != DType::kBool && step.inputs[1].dtype == dtype,
                      "the inputs' dtypes do not fit");
  step.require_count(step.inputs[0], product({outer, n}), "sequence");
  step.require_count(step.inputs[1], product({outer, m}), "values");
  step.require_count(step.output, product({outer, m}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    int32_t* out = static_cast<int32_t*>(output);
    if (dtype == DType::kFloat32) {
      searchsorted(outer, n, m, right, inputs[0].as<float>(), inputs[1].as<float>(), out);
    } else {
      searchsorted(outer, n, m, right, inputs[0].as<int32_t>(), inputs[1].as<int32_t>(), out);
    }
  });
}

}  // namespace tfpy
