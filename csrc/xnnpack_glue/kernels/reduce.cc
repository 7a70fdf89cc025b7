// Reductions of [outer, n, inner] to [outer, inner].
#include <stdint.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/sizes.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

inline float max(float a, float b) { return __builtin_wasm_max_f32(a, b); }
inline float min(float a, float b) { return __builtin_wasm_min_f32(a, b); }
inline int32_t max(int32_t a, int32_t b) { return std::max(a, b); }
inline int32_t min(int32_t a, int32_t b) { return std::min(a, b); }
// Otherwise the anonymous namespace hides the overloads for vectors.
using tfpy::max;
using tfpy::min;

enum class Kind { kSum, kProduct, kMaximum, kMinimum, kAny, kAll };

struct ReduceShape {
  size_t outer, n, inner;
};

constexpr size_t kStage =
    256;  // rows that are summed in float32 before the sum is added in float64

template <class T>
struct Sum {
  static constexpr T identity = 0;
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
};
template <class T>
struct Product {
  static constexpr T identity = 1;
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
};
template <class T>
struct Maximum {
  static constexpr T identity = std::numeric_limits<T>::has_infinity
                                    ? -std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::min();
  template <class V>
  static V combine(V a, V b) {
    return max(a, b);
  }
};
template <class T>
struct Minimum {
  static constexpr T identity = std::numeric_limits<T>::has_infinity
                                    ? std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::max();
  template <class V>
  static V combine(V a, V b) {
    return min(a, b);
  }
};

// Lanes for the partial results of stages: float64 for float32 sums.
template <class T, template <class> class Op>
struct Total {
  Vector<T> lanes = splat(Op<T>::identity);
  void add(Vector<T> stage) { lanes = Op<T>::combine(lanes, stage); }
  Vector<T> get() const { return lanes; }
};
template <>
struct Total<float, Sum> {
  double lanes[4] = {0, 0, 0, 0};
  void add(f32x4 stage) {
    for (int i = 0; i < 4; ++i) lanes[i] += stage[i];
  }
  f32x4 get() const {
    f32x4 result;
    for (int i = 0; i < 4; ++i) result[i] = static_cast<float>(lanes[i]);
    return result;
  }
};

// Reduces W vectors of adjacent columns over n rows with distance `pitch`.
template <class T, template <class> class Op, size_t W>
void reduce_columns(const T* x, size_t n, size_t pitch, size_t lanes, T* out) {
  Total<T, Op> totals[W];
  for (size_t row = 0; row < n;) {
    const size_t end = std::min(n, row + kStage);
    Vector<T> stage[W];
    for (size_t w = 0; w < W; ++w) stage[w] = splat(Op<T>::identity);
    for (; row < end; ++row) {
      const T* from = x + row * pitch;
      for (size_t w = 0; w < W; ++w)
        stage[w] = Op<T>::combine(stage[w], load_some(from + 4 * w, W == 1 ? lanes : 4));
    }
    for (size_t w = 0; w < W; ++w) totals[w].add(stage[w]);
  }
  for (size_t w = 0; w < W; ++w) store_some(out + 4 * w, W == 1 ? lanes : 4, totals[w].get());
}

// The same for few elements, one at a time.
template <class T, template <class> class Op>
T reduce_short(const T* x, size_t n) {
  T result = Op<T>::identity;
  for (size_t i = 0; i < n; ++i) result = Op<T>::combine(result, x[i]);
  return result;
}

// Reduces n adjacent elements to one, with four vectors at a time.
template <class T, template <class> class Op>
T reduce_run(const T* x, size_t n) {
  if (n < 32) return reduce_short<T, Op>(x, n);
  T lanes[16];
  const size_t rows = n / 16;
  reduce_columns<T, Op, 4>(x, rows, 16, 4, lanes);
  Total<T, Op> total;
  for (size_t w = 0; w < 4; ++w) total.add(load(lanes + 4 * w));
  // The remaining elements, then the lanes of the vectors' result, one element at a time in lane 0.
  Total<T, Op> result;
  Vector<T> one = splat(Op<T>::identity);
  const auto take = [&](T value) {
    one[0] = value;
    result.add(one);
  };
  for (size_t i = rows * 16; i < n; ++i) take(x[i]);
  const Vector<T> halves = total.get();
  for (size_t i = 0; i < 4; ++i) take(halves[i]);
  return result.get()[0];
}

template <class T, template <class> class Op>
void reduce_wide(const T* x, size_t n, size_t inner, T* out) {
  size_t i = 0;
  for (; i + 16 <= inner; i += 16) reduce_columns<T, Op, 4>(x + i, n, inner, 4, out + i);
  for (; i < inner; i += 4)
    reduce_columns<T, Op, 1>(x + i, n, inner, std::min<size_t>(4, inner - i), out + i);
}

constexpr size_t kNarrow = 16;

// Reduces few columns that do not fill vectors: four rows count as one, then their parts are
// reduced with the remaining rows.
template <class T, template <class> class Op>
void reduce_narrow(const T* x, size_t n, size_t inner, T* out) {
  T parts[7 * kNarrow];
  reduce_wide<T, Op>(x, n / 4, 4 * inner, parts);
  std::copy_n(x + n / 4 * 4 * inner, n % 4 * inner, parts + 4 * inner);
  reduce_wide<T, Op>(parts, 4 + n % 4, inner, out);
}

template <class T, template <class> class Op>
void reduce_plane(const T* x, size_t n, size_t inner, T* out) {
  if (inner == 1)
    *out = reduce_run<T, Op>(x, n);
  else if (inner < kNarrow && inner % 4 != 0 && n >= 32)
    reduce_narrow<T, Op>(x, n, inner, out);
  else
    reduce_wide<T, Op>(x, n, inner, out);
}

// Uses one task per plane. If planes are few and long, each is split along n, and the partial
// results are reduced again.
template <class T, template <class> class Op>
bool reduce(const ReduceShape& shape, const T* x, T* out) {
  const auto [outer, n, inner] = shape;
  const size_t parts = outer < worker_count() ? task_count(n, inner) : 1;
  if (parts == 1) {
    parallel_ranges(outer, n * inner, [&, n = n, inner = inner](size_t begin, size_t end) {
      for (size_t o = begin; o < end; ++o)
        reduce_plane<T, Op>(x + o * n * inner, n, inner, out + o * inner);
    });
    return true;
  }
  Block block;
  if (!Block::allocate(product({parts, inner, sizeof(T)}), &block)) return false;
  T* partial = block.as<T>();
  for (size_t o = 0; o < outer; ++o) {
    const T* plane = x + o * n * inner;
    parallel_shares(n, parts, [&, inner = inner](size_t part, size_t begin, size_t end) {
      reduce_plane<T, Op>(plane + begin * inner, end - begin, inner, partial + part * inner);
    });
    reduce_plane<T, Op>(partial, parts, inner, out + o * inner);
  }
  return true;
}

// Computes one output per column: true if any (or all) of n bytes are true.
template <bool kAll>
void reduce_bytes(const uint8_t* x, size_t n, size_t inner, uint8_t* out) {
  const auto combine = [](uint8_t a, uint8_t b) -> uint8_t { return kAll ? a & b : a | b; };
  if (inner == 1) {
    uint8_t result = kAll;
    for (size_t row = 0; row < n; ++row) result = combine(result, x[row]);
    *out = result;
    return;
  }
  std::fill_n(out, inner, static_cast<uint8_t>(kAll));
  for (size_t row = 0; row < n; ++row, x += inner) {
    for (size_t i = 0; i < inner; ++i) out[i] = combine(out[i], x[i]);
  }
}

void reduce_bool(const ReduceShape& shape, bool all, const uint8_t* x, uint8_t* out) {
  const auto [outer, n, inner] = shape;
  parallel_ranges(outer, n * inner, [&, n = n, inner = inner](size_t begin, size_t end) {
    for (size_t o = begin; o < end; ++o) {
      (all ? reduce_bytes<true> : reduce_bytes<false>)(x + o * n * inner, n, inner,
                                                       out + o * inner);
    }
  });
}

template <class T>
bool run_reduce(const ReduceShape& shape, Kind kind, const T* x, T* out) {
  switch (kind) {
    case Kind::kSum:
      return reduce<T, Sum>(shape, x, out);
    case Kind::kProduct:
      return reduce<T, Product>(shape, x, out);
    case Kind::kMaximum:
      return reduce<T, Maximum>(shape, x, out);
    case Kind::kMinimum:
      return reduce<T, Minimum>(shape, x, out);
    case Kind::kAny:
    case Kind::kAll:
      break;
  }
  return fail("any and all are reductions of bools");
}

// Treats a NaN as worse than every number.
template <class T>
T number(T x, bool largest) {
  return x == x ? x : largest ? Maximum<T>::identity : Minimum<T>::identity;
}

// Returns the first position of the extremum of n adjacent elements, with separate results in four
// lanes.
template <class T>
int32_t arg_run(const T* x, size_t n, bool largest) {
  const auto is_better = [largest](auto a, auto b) { return largest ? a > b : a < b; };
  T best = number(x[0], largest);
  int32_t where = 0;
  size_t i = 0;
  if (n >= 8) {
    Vector<T> values;
    for (size_t lane = 0; lane < 4; ++lane) values[lane] = number(x[lane], largest);
    i32x4 places{0, 1, 2, 3}, at = places;
    for (i = 4; i + 4 <= n; i += 4) {
      at += 4;
      const Vector<T> next = load(x + i);
      const i32x4 better = is_better(next, values);
      values =
          reinterpret_cast<Vector<T>>(wasm_v128_bitselect(bits(next), bits(values), bits(better)));
      places = as_i32(wasm_v128_bitselect(bits(at), bits(places), bits(better)));
    }
    best = values[0];
    where = places[0];
    for (size_t lane = 1; lane < 4; ++lane) {
      const bool is_earlier = values[lane] == best && places[lane] < where;
      if (is_better(values[lane], best) || is_earlier) {
        best = values[lane];
        where = places[lane];
      }
    }
  }
  for (; i < n; ++i) {
    if (is_better(x[i], best)) {
      best = x[i];
      where = static_cast<int32_t>(i);
    }
  }
  return where;
}

// Keeps the best value and its row for columns first..first+width-1 of a plane.
template <class T, size_t kColumns>
void arg_columns(const T* plane, size_t n, size_t inner, size_t width, bool largest,
                 int32_t* where) {
  T best[kColumns];
  for (size_t i = 0; i < width; ++i) best[i] = number(plane[i], largest);
  std::fill_n(where, width, 0);
  for (size_t row = 1; row < n; ++row) {
    const T* from = plane + row * inner;
    for (size_t i = 0; i < width; ++i) {
      if (largest ? from[i] > best[i] : from[i] < best[i]) {
        best[i] = from[i];
        where[i] = static_cast<int32_t>(row);
      }
    }
  }
}

template <class T>
void arg_reduce(const ReduceShape& shape, bool largest, const T* x, int32_t* out) {
  constexpr size_t kColumns = 64;
  const auto [outer, n, inner] = shape;
  parallel_ranges(outer, n * inner, [&, n = n, inner = inner](size_t begin, size_t end) {
    for (size_t o = begin; o < end; ++o) {
      const T* plane = x + o * n * inner;
      if (inner == 1) {
        out[o] = arg_run(plane, n, largest);
        continue;
      }
      for (size_t first = 0; first < inner; first += kColumns) {
        arg_columns<T, kColumns>(plane + first, n, inner, std::min(kColumns, inner - first),
                                 largest, out + o * inner + first);
      }
    }
  });
}

ReduceShape read_shape(StepSpec& step) {
  const uint32_t outer = step.params.number("outer"), n = step.params.number("n"),
                 inner = step.params.number("inner");
  step.params.require(step.inputs.size() == 1, "the number of inputs is wrong");
  if (step.ok()) step.require_count(step.inputs[0], product({outer, n, inner}), "x");
  step.require_count(step.output, product({outer, inner}), "the output");
  return {outer, n, inner};
}

}  // namespace

std::unique_ptr<Kernel> make_reduce(StepSpec& step) {
  const ReduceShape shape = read_shape(step);
  step.require_same(1);
  const Kind kind = step.params.choice<Kind>("kind", {{"sum", Kind::kSum},
                                                      {"prod", Kind::kProduct},
                                                      {"max", Kind::kMaximum},
                                                      {"min", Kind::kMinimum},
                                                      {"any", Kind::kAny},
                                                      {"all", Kind::kAll}});
  const bool is_of_bools = kind == Kind::kAny || kind == Kind::kAll;
  const DType dtype = step.output.dtype;
  step.params.require(is_of_bools == (dtype == DType::kBool), "the kind does not fit the dtype");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    if (dtype == DType::kFloat32)
      return run_reduce(shape, kind, inputs[0].as<float>(), static_cast<float*>(output));
    if (dtype == DType::kInt32)
      return run_reduce(shape, kind, inputs[0].as<int32_t>(), static_cast<int32_t*>(output));
    reduce_bool(shape, kind == Kind::kAll, inputs[0].as<uint8_t>(), static_cast<uint8_t*>(output));
    return true;
  });
}

std::unique_ptr<Kernel> make_arg_reduce(StepSpec& step) {
  const ReduceShape shape = read_shape(step);
  const bool largest = step.params.choice<bool>("kind", {{"max", true}, {"min", false}});
  step.params.require(step.output.dtype == DType::kInt32, "the output is not int32");
  step.params.require(shape.n > 0, "n is 0");
  if (!step.ok()) return nullptr;
  const DType dtype = step.inputs[0].dtype;
  step.params.require(dtype != DType::kBool, "arg_reduce has no bool");
  if (!step.ok()) return nullptr;
  return make_kernel([=](const Operand* inputs, void* output) {
    if (dtype == DType::kFloat32) {
      arg_reduce(shape, largest, inputs[0].as<float>(), static_cast<int32_t*>(output));
    } else {
      arg_reduce(shape, largest, inputs[0].as<int32_t>(), static_cast<int32_t*>(output));
    }
  });
}

}  // namespace tfpy
