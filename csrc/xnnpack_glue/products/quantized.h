// Products with weights and convolutions in int8, like XNNPACK's qd8-f32-qc8w: activations are
// quantized row by row in each call; weights are quantized once, with a scale per channel.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>

#include "base/memory.h"
#include "products/epilogue.h"
#include "program/kernel.h"

namespace tfpy {

constexpr int32_t kMaxQuantizedDepth = 1 << 16;  // number of int8 products whose sum fits in int32

// The operands: `rows` rows of k elements, which produce m rows of n.
struct QuantizedShape {
  size_t rows, m, taps, k, n;
  bool transpose_b;
};

// windows: int32 [m, taps], the row that each tap reads, with `rows` for zeros; empty for a
// product, where row i of the result uses row i.
std::unique_ptr<Kernel> make_quantized(const QuantizedShape& shape, const Epilogue& epilogue,
                                       Block&& windows);

}  // namespace tfpy
