// Cumulative sums, products and log-sum-exps along n of [outer, n, inner].
#include <math.h>
#include <stdint.h>

#include <algorithm>

#include "base/sizes.h"
#include "program/kernel.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

enum class Kind { kSum, kProduct, kLogSumExp };

struct ScanShape {
  size_t outer, n, inner;
  bool exclusive, reverse;
};

// Sums of float32 are accumulated in float64. Products are not: a product that overflows float32 is
// infinite, and NaN after a factor of 0. Sums of int32 wrap around.
template <class T>
struct Running;
template <>
struct Running<float> {
  using sum = double;
  using product = float;
};
template <>
struct Running<int32_t> {
  using sum = uint32_t;
  using product = uint32_t;
};

template <class T>
struct RunningSum {
  using Total = typename Running<T>::sum;
  static constexpr Total identity = 0;
  static Total combine(Total a, T b) { return a + static_cast<Total>(b); }
};
template <class T>
struct RunningProduct {
  using Total = typename Running<T>::product;
  static constexpr Total identity = 1;
  static Total combine(Total a, T b) { return a * static_cast<Total>(b); }
};
struct RunningLogSum {
  using Total = double;
  static constexpr Total identity = -__builtin_inf();
  static Total combine(Total a, float b) {
    if (a == b) return a + 0.6931471805599453;
    return (a > b || a != a ? a : b) + log1p(exp(-fabs(a - b)));
  }
};

// Scans columns first..first+width-1 of a plane.
template <class T, class Op, size_t kColumns>
void scan_columns(const ScanShape& s, const T* x, size_t width, T* out) {
  typename Op::Total totals[kColumns];
  std::fill_n(totals, width, Op::identity);
  for (size_t step = 0; step < s.n; ++step) {
    const size_t at = (s.reverse ? s.n - 1 - step : step) * s.inner;
    for (size_t i = 0; i < width; ++i) {
      const typename Op::Total next = Op::combine(totals[i], x[at + i]);
      out[at + i] = static_cast<T>(s.exclusive ? totals[i] : next);
      totals[i] = next;
    }
  }
}

// Scans R rows of adjacent elements in parallel, because each sum depends on the previous one.
template <class T, class Op, size_t R>
void scan_rows(const ScanShape& s, const T* x, T* out) {
  typename Op::Total totals[R];
  std::fill_n(totals, R, Op::identity);
  for (size_t step = 0; step < s.n; ++step) {
    const size_t at = s.reverse ? s.n - 1 - step : step;
    for (size_t r = 0; r < R; ++r) {
      const typename Op::Total next = Op::combine(totals[r], x[r * s.n + at]);
      out[r * s.n + at] = static_cast<T>(s.exclusive ? totals[r] : next);
      totals[r] = next;
    }
  }
}

template <class T, class Op>
void scan(const ScanShape& shape, const T* x, T* out) {
  constexpr size_t kColumns = 64, kRows = 4;
  const ScanShape s = shape;
  parallel_ranges(s.outer, s.n * s.inner, [&](size_t begin, size_t end) {
    size_t o = begin;
    for (; s.inner == 1 && o + kRows <= end; o += kRows)
      scan_rows<T, Op, kRows>(s, x + o * s.n, out + o * s.n);
    for (; o < end; ++o) {
      for (size_t first = 0; first < s.inner; first += kColumns) {
        const size_t at = o * s.n * s.inner + first;
        scan_columns<T, Op, kColumns>(s, x + at, std::min(kColumns, s.inner - first), out + at);
      }
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_scan(StepSpec& step) {
  const uint32_t outer = step.params.number("outer"), n = step.params.number("n"),
                 inner = step.params.number("inner");
  const Kind kind = step.params.choice<Kind>(
      "kind", {{"sum", Kind::kSum}, {"prod", Kind::kProduct}, {"logsumexp", Kind::kLogSumExp}});
  const bool exclusive = step.params.flag("exclusive");
  const bool reverse = step.params.flag("reverse");
  step.require_same(1);
  step.require_count(step.output, product({outer, n, inner}), "the output");
  step.require_count(step.inputs[0], step.output.count, "x");
  const DType dtype = step.output.dtype;
  step.params.require(
      dtype == DType::kFloat32 || (dtype == DType::kInt32 && kind != Kind::kLogSumExp),
      "the kind does not fit the dtype");
  if (!step.ok()) return nullptr;
  const ScanShape shape{outer, n, inner, exclusive, reverse};
  return make_kernel([=](const Operand* inputs, void* output) {
    if (dtype == DType::kInt32) {
      const int32_t* x = inputs[0].as<int32_t>();
      int32_t* out = static_cast<int32_t*>(output);
      kind == Kind::kSum ? scan<int32_t, RunningSum<int32_t>>(shape, x, out)
                         : scan<int32_t, RunningProduct<int32_t>>(shape, x, out);
      return;
    }
    const float* x = inputs[0].as<float>();
    float* out = static_cast<float*>(output);
    switch (kind) {
      case Kind::kSum:
        return scan<float, RunningSum<float>>(shape, x, out);
      case Kind::kProduct:
        return scan<float, RunningProduct<float>>(shape, x, out);
      case Kind::kLogSumExp:
        return scan<float, RunningLogSum>(shape, x, out);
    }
  });
}

}  // namespace tfpy
