// Products with weights, and convolutions, in int8, as XNNPACK's qd8-f32-qc8w: activations are
// quantised row by row as they come, weights once, a scale for each channel.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>

#include "base/memory.h"
#include "products/epilogue.h"
#include "program/kernel.h"

namespace tfpy {

constexpr int32_t kMaxQuantizedDepth = 1 << 16;  // so many products of int8 fit into a sum in int32

// What is multiplied: `rows` of k elements, which give m rows of n.
struct QuantizedShape {
  size_t rows, m, taps, k, n;
  bool transpose_b;
};

// windows: [m, taps] of int32, which of the rows each tap takes, with `rows` for what is 0; empty
// for a product, where row i of the result comes of row i.
std::unique_ptr<Kernel> make_quantized(const QuantizedShape& shape, const Epilogue& epilogue,
                                       Block&& windows);

}  // namespace tfpy
