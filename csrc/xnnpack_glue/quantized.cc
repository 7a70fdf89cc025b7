// Products with weights in int8 (XNNPACK's qd8-f32-qc8w): each row of activations is quantised when
// it comes, by its smallest and largest element; weights when they are packed, with one scale for
// each output channel. What has no finite scale, because it holds NaN or infinity, gives NaN.
#include <math.h>
#include <string.h>

#include <algorithm>

#include "arena.h"
#include "packed_kernel.h"
#include "simd.h"

namespace tfpy {
namespace {

constexpr int32_t kMaxDepth = 1 << 16;  // so many products of int8 fit into a sum in int32
constexpr float kMinRange = 1e-36f;     // less counts as 0: its inverse would overflow
constexpr size_t kLanes = 16;           // elements that are quantised together
using Rows = xnn_quantization_params;   // zero point and scale of each row

// Calls body(elements, i) for each kLanes elements of a row; zeros follow the last one.
template <class Body>
void for_lanes(const float* row, size_t k, const Body& body) {
  size_t i = 0;
  for (; i + kLanes <= k; i += kLanes) body(row + i, i);
  if (i == k) return;
  float rest[kLanes] = {};
  memcpy(rest, row + i, (k - i) * sizeof(float));
  body(rest, i);
}

struct Range {
  float min, max;  // with 0 between them
  bool is_finite;
};

Range range_of(const float* row, size_t k) {
  f32x4 low = splat(0.0f), high = splat(0.0f), poison = splat(0.0f);
  for_lanes(row, k, [&](const float* x, size_t) {
    for (size_t i = 0; i < kLanes; i += 4) {
      const f32x4 four = load(x + i);
      low = as_f32(wasm_f32x4_pmin(bits(low), bits(four)));
      high = as_f32(wasm_f32x4_pmax(bits(high), bits(four)));
      poison += four * splat(0.0f);  // NaN of NaN and of infinity
    }
  });
  const float sum = poison[0] + poison[1] + poison[2] + poison[3];
  return {std::min(std::min(low[0], low[1]), std::min(low[2], low[3])),
          std::max(std::max(high[0], high[1]), std::max(high[2], high[3])), sum == 0};
}

// The integer that stands for 0: the end of -128..127 that is farther from it is met exactly.
int32_t zero_point_of(const Range& range, float inverse) {
  const float low = -128 + range.min * inverse, high = 127 + range.max * inverse;
  const float point = low + high > 0 ? -128 - range.min * inverse : 127 - range.max * inverse;
  return static_cast<int32_t>(rintf(std::clamp(point, -128.0f, 127.0f)));
}

// Writes a row as int8, up to the next multiple of kLanes.
void quantize_row(const float* row, size_t k, int8_t* to, Rows* params) {
  const Range range = range_of(row, k);
  const double width = static_cast<double>(range.max) - range.min;
  const bool is_zero = width < kMinRange;
  const float inverse = is_zero ? 1.0f : static_cast<float>(255 / width);
  params->zero_point = zero_point_of(range, inverse);
  params->scale = !range.is_finite ? NAN : is_zero ? 1.0f : static_cast<float>(width / 255);
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  const f32x4 magic = splat(12582912.0f), factor = splat(inverse);
  const i32x4 base = as_i32(magic) - splat(params->zero_point);
  for_lanes(row, k, [&](const float* x, size_t i) {
    const auto four = [&](size_t at) { return bits(as_i32(load(x + at) * factor + magic) - base); };
    const v128_t first = wasm_i16x8_narrow_i32x4(four(0), four(4));
    const v128_t second = wasm_i16x8_narrow_i32x4(four(8), four(12));
    wasm_v128_store(to + i, wasm_i8x16_narrow_i16x8(first, second));
  });
}

// Weights [k, channels] by strides, and where they go: int8 in the same layout, and scales.
struct Weights {
  const float* from;
  size_t k, row_stride, column_stride;
  int8_t* to;
  float* scales;
};

// Channels first..first + count, at most kLanes of them.
void quantize_channels(const Weights& weights, size_t first, size_t count) {
  float largest[kLanes] = {}, poison[kLanes] = {}, inverse[kLanes] = {};
  const auto for_all = [&](const auto& body) {
    for (size_t p = 0; p < weights.k; ++p) {
      const size_t row = p * weights.row_stride + first * weights.column_stride;
      for (size_t c = 0; c < count; ++c) body(row + c * weights.column_stride, c);
    }
  };
  for_all([&](size_t at, size_t c) {
    const float x = weights.from[at];
    largest[c] = std::max(largest[c], fabsf(x));
    poison[c] += x * 0;
  });
  for (size_t c = 0; c < count; ++c) {
    const bool is_finite = poison[c] == 0, is_zero = largest[c] < kMinRange;
    inverse[c] = is_finite && !is_zero ? 127 / largest[c] : 0;
    weights.scales[first + c] = !is_finite ? NAN : is_zero ? 1.0f : largest[c] / 127;
  }
  for_all([&](size_t at, size_t c) {
    const float x = weights.from[at] * inverse[c];
    weights.to[at] = x == x ? static_cast<int8_t>(rintf(x)) : 0;
  });
}

struct QuantizedShape {
  size_t m, n, k;
  bool transpose_b;
};

class QuantizedMatmul final : public PackedKernel {
 public:
  QuantizedMatmul(const QuantizedShape& shape, const Epilogue& epilogue)
      : PackedKernel(epilogue), shape_(shape) {}

 private:
  bool create(const float* filter, const float* bias, Operator* op) override {
    const QuantizedShape& s = shape_;
    Block quantized, scales;
    if (!Block::allocate(uint64_t{s.n} * s.k, &quantized) ||
        !Block::allocate(uint64_t{s.n} * sizeof(float), &scales)) {
      return false;
    }
    const Weights weights{filter,
                          s.k,
                          s.transpose_b ? 1 : s.n,
                          s.transpose_b ? s.k : 1,
                          quantized.as<int8_t>(),
                          scales.as<float>()};
    parallel_ranges((s.n + kLanes - 1) / kLanes, s.k * kLanes, [&](size_t begin, size_t end) {
      for (size_t first = begin * kLanes; first < std::min(s.n, end * kLanes); first += kLanes)
        quantize_channels(weights, first, std::min(kLanes, s.n - first));
    });
    xnn_operator_t created = nullptr;
    const xnn_status status = xnn_create_fully_connected_nc_qd8_f32_qc8w(
        s.k, s.n, row_bytes(), s.n, weights.scales, weights.to, bias, epilogue_.low, epilogue_.high,
        s.transpose_b ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS, nullptr, nullptr, &created);
    if (!check_status(status, "create quantized product")) return false;
    op->reset(created);
    return check_status(xnn_reshape_fully_connected_nc_qd8_f32_qc8w(created, s.m, thread_pool()),
                        "reshape quantized product");
  }

  bool setup(xnn_operator_t op, const float* input, float* output) override {
    const QuantizedShape& s = shape_;
    // XNNPACK computes tiles of rows: those behind the last one repeat it.
    const size_t all_rows = s.m + XNN_EXTRA_QUANTIZATION_PARAMS;
    const uint64_t bytes = uint64_t{all_rows} * sizeof(Rows) + uint64_t{s.m} * row_bytes();
    Rows* const params = static_cast<Rows*>(borrow_scratch_bytes(bytes));
    if (params == nullptr) return false;
    int8_t* const rows = reinterpret_cast<int8_t*>(params + all_rows);
    parallel_ranges(s.m, s.k, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        quantize_row(input + i * s.k, s.k, rows + i * row_bytes(), params + i);
    });
    std::fill(params + s.m, params + all_rows, params[s.m - 1]);
    return check_status(xnn_setup_fully_connected_nc_qd8_f32_qc8w(op, rows, output, params),
                        "setup quantized product");
  }

  size_t row_bytes() const { return (shape_.k + kLanes - 1) / kLanes * kLanes; }

  const QuantizedShape shape_;
};

}  // namespace

std::unique_ptr<Kernel> make_quantized_matmul(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  Params& params = step.params;
  const uint32_t m = params.number("m"), n = params.number("n"),
                 k = params.number("k", 1, kMaxDepth);
  const bool transpose_b = params.choice("transpose_b", {"false", "true"}) == 1;
  step.require_count(step.inputs[0], product({m, k}), "a");
  step.require_count(step.inputs[1], product({k, n}), "b");
  step.require_count(step.output, product({m, n}), "the output");
  if (epilogue.has_bias) step.require_count(step.inputs[2], n, "bias");
  if (!step.ok()) return nullptr;
  return std::make_unique<QuantizedMatmul>(QuantizedShape{m, n, k, transpose_b}, epilogue);
}

}  // namespace tfpy
