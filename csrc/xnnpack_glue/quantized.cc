// Products with weights in int8, as XNNPACK's qd8-f32-qc8w. Sums are exact: products of bytes are
// added by relaxed SIMD where its dot product is exact for all of them (AVX-VNNI, Arm), else
// products of int16, of which x86 computes eight in an instruction since SSE2.
#include <string.h>

#include <algorithm>

#include "arena.h"
#include "epilogue.h"
#include "packed.h"
#include "product_parts.h"
#include "quantize.h"
#include "simd.h"

namespace tfpy {
namespace {

constexpr int32_t kMaxDepth = 1 << 16;     // so many products of int8 fit into a sum in int32
constexpr size_t kTaskBytes = 128 * 1024;  // of rows that pass from L2 while a panel is in L1

// Two products of int16 are added to each lane.
struct Words {
  using Element = int16_t;
  static constexpr size_t kGroup = 2;
  static constexpr size_t kTileRows = 4;  // the sums of more do not stay in x86's registers
  static constexpr bool kHasZeroPoint = false;

  static i32x4 add(v128_t a, v128_t b, i32x4 sum) {
    return sum + as_i32(wasm_i32x4_dot_i16x8(a, b));
  }
  RowScale quantize(const float* row, size_t k, Element* to) const {
    return quantize_row(row, k, to);
  }
};

#ifdef __wasm_relaxed_simd__
// Four products of a signed weight and an activation that is signed or unsigned, as the machine
// takes it.
struct Bytes {
  const uint8_t flip;

  using Element = int8_t;
  static constexpr size_t kGroup = 4;
  static constexpr size_t kTileRows = 6;  // as many sums as hide the time that an addition takes
  static constexpr bool kHasZeroPoint = true;

  static i32x4 add(v128_t a, v128_t b, i32x4 sum) {
    return as_i32(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(b, a, bits(sum)));
  }
  RowScale quantize(const float* row, size_t k, Element* to) const {
    return quantize_row(row, k, flip, to);
  }

  // The sum of four equal products as the machine computes it, unknown at compile time.
  static int32_t dot(int8_t weight, uint8_t activation) {
    volatile int8_t b = weight;
    volatile uint8_t a = activation;
    return add(wasm_u8x16_splat(a), wasm_i8x16_splat(b), splat(0))[0];
  }
  static bool takes_unsigned() {
    return dot(127, 255) == 4 * 127 * 255 && dot(-127, 255) == -4 * 127 * 255;
  }
  static bool takes_signed() {
    return dot(127, 128) == -4 * 127 * 128 && dot(-127, 128) == 4 * 127 * 128;
  }
};
#endif

template <class Dot>
struct QuantizedProduct {
  using Element = typename Dot::Element;

  ProductSize size;
  size_t depth;  // k in whole chunks
  const Element* rows;
  const RowScale* row_scales;
  const Element* panels;
  const int32_t* sums;
  const float* scales;
  float* c;
  Epilogue epilogue;
  const float* bias;  // null without one
};

// Four columns of the product, from the sums of integers.
template <class Dot>
struct Lanes {
  i32x4 sums;
  f32x4 scales, bias;

  f32x4 finish(i32x4 sum, const RowScale& row, const Epilogue& epilogue) const {
    if constexpr (Dot::kHasZeroPoint) sum -= splat(row.zero_point) * sums;
    const f32x4 x = to_f32(sum) * splat(row.scale) * scales + bias;
    return clamp(x, epilogue.low, epilogue.high);
  }
};

// R rows and a panel's columns.
template <class Dot, size_t R>
void multiply_tile(const QuantizedProduct<Dot>& product, size_t row, size_t column) {
  using Element = typename Dot::Element;
  constexpr size_t kVector = 16 / sizeof(Element);
  const auto [m, n, k] = product.size;
  const Element* rows[R];
  i32x4 low[R], high[R];
  for (size_t i = 0; i < R; ++i) {
    rows[i] = product.rows + std::min(row + i, m - 1) * product.depth;
    low[i] = high[i] = splat(0);
  }
  const Element* panel = product.panels + column * product.depth;
  // Not unrolled: the compiler would collect sums late and keep all that was loaded until then.
#pragma unroll 1
  for (size_t p = 0; p < product.depth; p += Dot::kGroup, panel += 2 * kVector) {
    const v128_t b0 = wasm_v128_load(panel), b1 = wasm_v128_load(panel + kVector);
    for (size_t i = 0; i < R; ++i) {
      const v128_t a = wasm_v128_load32_splat(rows[i]);
      low[i] = Dot::add(a, b0, low[i]);
      high[i] = Dot::add(a, b1, high[i]);
      rows[i] += Dot::kGroup;
    }
  }
  const size_t count = std::min(kPanelColumns, n - column);
  const auto lanes = [&](size_t at) {
    const size_t left = count > at ? count - at : 0, first = column + at;
    const f32x4 bias =
        product.bias == nullptr ? splat(0.0f) : load_some(product.bias + first, left);
    return Lanes<Dot>{load(product.sums + first), load(product.scales + first), bias};
  };
  const Lanes<Dot> first = lanes(0), second = lanes(4);
  const auto store_row = [&](size_t i, float* to) {
    const RowScale& scale = product.row_scales[row + i];
    store(to, first.finish(low[i], scale, product.epilogue));
    store(to + 4, second.finish(high[i], scale, product.epilogue));
  };
  float* const c = product.c + row * n + column;
  if (row + R <= m && count == kPanelColumns) {
    for (size_t i = 0; i < R; ++i) store_row(i, c + i * n);
    return;
  }
  for (size_t i = 0; i < R && row + i < m; ++i) {
    float whole[kPanelColumns];
    store_row(i, whole);
    memcpy(c + i * n, whole, count * sizeof(float));
  }
}

template <class Dot, size_t R>
void multiply_with(const QuantizedProduct<Dot>& product) {
  const size_t row_bytes = product.depth * sizeof(typename Dot::Element);
  const size_t row_step = round_up(std::clamp<size_t>(kTaskBytes / row_bytes, 16, 512), R);
  for_product_parts(product.size, row_step,
                    [&](size_t begin, size_t end, size_t first, size_t last) {
                      for (size_t column = first; column < last; column += kPanelColumns) {
                        for (size_t row = begin; row < end; row += R)
                          multiply_tile<Dot, R>(product, row, column);
                      }
                    });
}

template <class Dot>
void multiply(const QuantizedProduct<Dot>& product) {
  switch (product.size.m) {
    case 1:
      return multiply_with<Dot, 1>(product);
    case 2:
      return multiply_with<Dot, 2>(product);
    default:
      return multiply_with<Dot, Dot::kTileRows>(product);
  }
}

template <class Dot>
class QuantizedMatmul final : public Kernel {
 public:
  QuantizedMatmul(const ProductSize& size, bool transpose_b, const Epilogue& epilogue, Dot dot)
      : size_(size), transpose_b_(transpose_b), epilogue_(epilogue), dot_(dot) {}

  bool run(const Operand* inputs, void* output) override {
    const auto& [m, n, k] = size_;
    const QuantizedWeights<Element> weights{k, n};
    const Operand& b = inputs[1];
    const MatrixView<float> view{b.as<float>(), transpose_b_ ? 1 : n, transpose_b_ ? k : 1};
    const Block* packed = packed_.of(b.id, weights.bytes(), [&](const Block& to) {
      weights.pack(view, Dot::kGroup, to.data());
    });
    const size_t depth = weights.depth();
    RowScale* const scales = borrow_scratch<RowScale>(
        m + (uint64_t{m} * depth * sizeof(Element) + sizeof(RowScale) - 1) / sizeof(RowScale));
    if (packed == nullptr || scales == nullptr) return false;
    Element* const rows = reinterpret_cast<Element*>(scales + m);
    const float* const a = inputs[0].as<float>();
    parallel_ranges(m, k, [&, k = k](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        scales[i] = dot_.quantize(a + i * k, k, rows + i * depth);
    });
    void* const data = packed->data();
    multiply<Dot>({size_, depth, rows, scales, weights.panels(data), weights.sums(data),
                   weights.scales(data), static_cast<float*>(output), epilogue_,
                   bias_of(epilogue_, inputs)});
    return true;
  }

 private:
  using Element = typename Dot::Element;

  const ProductSize size_;
  const bool transpose_b_;
  const Epilogue epilogue_;
  const Dot dot_;
  PackedBlocks packed_;
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
  const ProductSize size{m, n, k};
#ifdef __wasm_relaxed_simd__
  const bool takes_unsigned = Bytes::takes_unsigned();
  if (takes_unsigned || Bytes::takes_signed()) {
    const Bytes dot{static_cast<uint8_t>(takes_unsigned ? 0x80 : 0)};
    return std::make_unique<QuantizedMatmul<Bytes>>(size, transpose_b, epilogue, dot);
  }
#endif
  return std::make_unique<QuantizedMatmul<Words>>(size, transpose_b, epilogue, Words{});
}

}  // namespace tfpy
