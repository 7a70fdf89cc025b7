#include "products/quantized.h"

#include <algorithm>
#include <utility>

#include "base/sizes.h"
#include "products/epilogue.h"
#include "products/quantize.h"
#include "products/quantized_product.h"
#include "program/arena.h"
#include "program/packed.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

template <class Dot>
class QuantizedKernel final : public Kernel {
 public:
  // windows: as in QuantizedProduct, with `rows` for zeros; empty for a product.
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

}  // namespace

std::unique_ptr<Kernel> make_quantized(const QuantizedShape& shape, const Epilogue& epilogue,
                                       Block&& windows) {
#if RELAXED_SIMD
  const bool takes_unsigned = Bytes::takes_unsigned();
  if (takes_unsigned || Bytes::takes_signed()) {
    const Bytes dot{static_cast<uint8_t>(takes_unsigned ? 0x80 : 0)};
    return std::make_unique<QuantizedKernel<Bytes>>(shape, std::move(windows), epilogue, dot);
  }
#endif
  return std::make_unique<QuantizedKernel<Words>>(shape, std::move(windows), epilogue, Words{});
}

std::unique_ptr<Kernel> make_quantized_matmul(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_float(epilogue.inputs());
  Params& params = step.params;
  const uint32_t m = params.number("m"), n = params.number("n"),
                 k = params.number("k", 1, kMaxQuantizedDepth);
  const bool transpose_b = params.flag("transpose_b");
  step.require_count(step.inputs[0], product({m, k}), "a");
  step.require_count(step.inputs[1], product({k, n}), "b");
  step.require_count(step.output, product({m, n}), "the output");
  require_bias(step, epilogue, n);
  if (!step.ok()) return nullptr;
  return make_quantized({m, m, 1, k, n, transpose_b}, epilogue, {});
}

}  // namespace tfpy
