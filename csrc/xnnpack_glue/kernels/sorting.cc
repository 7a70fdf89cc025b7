// Kernels that sort along the last axis: argsort, searchsorted. NaN is larger than any number.
#include <string.h>

#include <algorithm>

#include "base/sizes.h"
#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

struct SortShape {
  size_t outer, n, k;
};

enum class Order { kAscending, kDescending, kHeap };

// Returns an integer with the order of the elements; equal elements have equal keys.
// http://stereopsis.com/radix.html
inline uint32_t key_of(int32_t x) { return static_cast<uint32_t>(x) ^ 0x80000000u; }
inline uint32_t key_of(float x) {
  if (x != x) return UINT32_MAX;
  const float positive_zero = x + 0.0f;
  uint32_t bits;
  memcpy(&bits, &positive_zero, sizeof bits);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

// Leaves the k first of sorted numbers in a heap, in the order that TensorFlow's kernel produces.
void keep_in_heap(uint64_t* pairs, size_t n, size_t k) {
  std::make_heap(pairs, pairs + k + 1);
  std::pop_heap(pairs, pairs + k + 1);
  for (size_t i = k + 1; i < n; ++i) {
    if (pairs[i] > pairs[0]) continue;
    std::pop_heap(pairs, pairs + k);
    pairs[k - 1] = pairs[i];
    std::push_heap(pairs, pairs + k);
  }
}

// Sorts numbers with a key in the high bits and its position in the low bits, so that the order is
// stable.
template <class T>
bool argsort(const SortShape& shape, Order order, const T* x, int32_t* out) {
  const auto [outer, n, k] = shape;
  Block block;
  if (!Block::allocate(product({outer, n, sizeof(uint64_t)}), &block)) return false;
  uint64_t* pairs = block.as<uint64_t>();
  parallel_ranges(outer, n * 16, [&, n = n, k = k](size_t begin, size_t end) {
    for (size_t o = begin; o < end; ++o) {
      uint64_t* pair = pairs + o * n;
      for (size_t i = 0; i < n; ++i) {
        const uint32_t key = key_of(x[o * n + i]);
        pair[i] = uint64_t{order == Order::kAscending ? key : ~key} << 32 | i;
      }
      if (order == Order::kHeap && k > 1 && k < n) {
        keep_in_heap(pair, n, k);
      } else if (k < n / 4) {
        std::partial_sort(pair, pair + k, pair + n);
      } else {
        std::sort(pair, pair + n);
      }
      for (size_t i = 0; i < k; ++i) out[o * k + i] = static_cast<int32_t>(pair[i]);
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
  const Order order = step.params.choice<Order>("direction", {{"ascending", Order::kAscending},
                                                              {"descending", Order::kDescending},
                                                              {"heap", Order::kHeap}});
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
    if (dtype == DType::kFloat32) return argsort(shape, order, inputs[0].as<float>(), out);
    return argsort(shape, order, inputs[0].as<int32_t>(), out);
  });
}

std::unique_ptr<Kernel> make_searchsorted(StepSpec& step) {
  const uint32_t outer = step.params.number("outer"), n = step.params.number("n"),
                 m = step.params.number("m");
  const bool right = step.params.choice<bool>("side", {{"left", false}, {"right", true}});
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
