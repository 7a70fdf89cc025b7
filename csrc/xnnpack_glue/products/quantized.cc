// Products with weights, and convolutions, in int8, as XNNPACK's qd8-f32-qc8w.
#include <utility>

#include "convolution/conv.h"
#include "products/epilogue.h"
#include "products/quantize.h"
#include "products/quantized_product.h"
#include "program/arena.h"
#include "program/packed.h"

namespace tfpy {
namespace {

constexpr int32_t kMaxDepth = 1 << 16;  // so many products of int8 fit into a sum in int32

// What is multiplied: `rows` of k elements, which give m rows of n.
struct QuantizedShape {
  size_t rows, m, taps, k, n;
  bool transpose_b;
};

template <class Dot>
class QuantizedKernel final : public Kernel {
 public:
  // windows: as in QuantizedProduct, with `rows` for what is 0; empty for a product.
  QuantizedKernel(const QuantizedShape& shape, Block&& windows, const Epilogue& epilogue, Dot dot)
      : shape_(shape), windows_(std::move(windows)), epilogue_(epilogue), dot_(dot) {}

  bool run(const Operand* inputs, void* output) override {
    const auto& [count, m, taps, k, n, transpose_b] = shape_;
    const QuantizedWeights<Element> weights{taps, k, n};
    const Operand& b = inputs[1];
    const MatrixView<float> view{b.as<float>(), transpose_b ? 1 : n, transpose_b ? k : 1};
    const Block* packed = packed_.of(b.id, weights.bytes(), [&](const Block& to) {
      weights.pack(view, Dot::kGroup, to.data());
    });
    const size_t depth = weights.depth();
    const uint64_t row_bytes = depth * sizeof(Element) + sizeof(RowScale);
    RowScale* const scales =
        static_cast<RowScale*>(borrow_scratch_bytes(product({uint64_t{count} + 1, row_bytes})));
    if (packed == nullptr || scales == nullptr) return false;
    Element* const rows = reinterpret_cast<Element*>(scales + count + 1);
    const float* const a = inputs[0].as<float>();
    parallel_ranges(count, k, [&, k = k](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        scales[i] = dot_.quantize(a + i * k, k, rows + i * depth);
    });
    scales[count] = {0, 0};
    std::fill_n(rows + count * depth, depth, Element{0});
    void* const data = packed->data();
    multiply<Dot>({{m, n, taps * k},
                   taps,
                   depth,
                   rows,
                   scales,
                   windows_.as<int32_t>(),
                   weights.panels(data),
                   weights.sums(data),
                   weights.scales(data),
                   static_cast<float*>(output),
                   epilogue_,
                   bias_of(epilogue_, inputs)});
    return true;
  }

 private:
  using Element = typename Dot::Element;

  const QuantizedShape shape_;
  const Block windows_;
  const Epilogue epilogue_;
  const Dot dot_;
  PackedBlocks packed_;
};

std::unique_ptr<Kernel> make_quantized(const QuantizedShape& shape, const Epilogue& epilogue,
                                       Block&& windows = {}) {
#ifdef __wasm_relaxed_simd__
  const bool takes_unsigned = Bytes::takes_unsigned();
  if (takes_unsigned || Bytes::takes_signed()) {
    const Bytes dot{static_cast<uint8_t>(takes_unsigned ? 0x80 : 0)};
    return std::make_unique<QuantizedKernel<Bytes>>(shape, std::move(windows), epilogue, dot);
  }
#endif
  return std::make_unique<QuantizedKernel<Words>>(shape, std::move(windows), epilogue, Words{});
}

// For each pixel of the output and each tap the pixel of the input, or their number outside.
bool find_windows(const WindowShape& window, Block* windows) {
  const WindowAxis &h = window.h, &w = window.w;
  const uint64_t pixels = product({window.batch, window.out_size()});
  if (!Block::allocate(product({pixels, window.filter_size(), sizeof(int32_t)}), windows))
    return false;
  const int32_t outside = static_cast<int32_t>(window.batch * window.in_size());
  int32_t* to = windows->as<int32_t>();
  for (size_t pixel = 0; pixel < pixels; ++pixel) {
    const size_t x = pixel % w.out, row = pixel / w.out, y = row % h.out, image = row / h.out;
    for (int32_t tap_y = 0; tap_y < h.filter; ++tap_y) {
      const int64_t in_y = h.place(y, tap_y);
      for (int32_t tap_x = 0; tap_x < w.filter; ++tap_x) {
        const int64_t in_x = w.place(x, tap_x);
        const int64_t at = (static_cast<int64_t>(image) * h.in + in_y) * w.in + in_x;
        *to++ = h.has(in_y) && w.has(in_x) ? static_cast<int32_t>(at) : outside;
      }
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Kernel> make_quantized_matmul(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  Params& params = step.params;
  const uint32_t m = params.number("m"), n = params.number("n"),
                 k = params.number("k", 1, kMaxDepth);
  const bool transpose_b = params.flag("transpose_b");
  step.require_count(step.inputs[0], product({m, k}), "a");
  step.require_count(step.inputs[1], product({k, n}), "b");
  step.require_count(step.output, product({m, n}), "the output");
  if (epilogue.has_bias) step.require_count(step.inputs[2], n, "bias");
  if (!step.ok()) return nullptr;
  return make_quantized({m, m, 1, k, n, transpose_b}, epilogue);
}

std::unique_ptr<Kernel> make_quantized_conv2d(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  const ConvShape shape = read_conv(step, step.inputs[0], step.inputs[1], step.output);
  const WindowShape& window = shape.window;
  step.params.require(shape.groups == 1, "groups are not computed in int8");
  step.params.require(shape.in_c > 0 && shape.in_c <= kMaxDepth, "in_c is not in range");
  if (epilogue.has_bias) step.require_count(step.inputs[2], shape.out_c, "bias");
  if (!step.ok()) return nullptr;
  Block windows;
  if (!find_windows(window, &windows)) return nullptr;
  return make_quantized({static_cast<size_t>(window.batch * window.in_size()),
                         static_cast<size_t>(window.batch * window.out_size()),
                         static_cast<size_t>(window.filter_size()), shape.in_c, shape.out_c, false},
                        epilogue, std::move(windows));
}

}  // namespace tfpy
