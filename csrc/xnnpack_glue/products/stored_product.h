// Products with weights of 8 or 4 bits that are neither packed nor converted in memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/sizes.h"
#include "program/kernel.h"

namespace tfpy {

// x [m, k] times weights [k, n], or [n, k] if transpose_b. Each row of the weights begins with a
// byte; with 4 bits, the lower half of a byte comes first. groups: number of scales of a column, or
// 0.
struct StoredShape {
  size_t m, n, k, bits;
  bool transpose_b;
  size_t groups;

  size_t row_bytes() const { return ceil_divide((transpose_b ? k : n) * bits, 8); }
  size_t bytes() const { return (transpose_b ? n : k) * row_bytes(); }
};

// Returns for each number in a lane of weights four masks. They are not constants, because engines
// compute constant vectors again where they are used.
const uint32_t* part_masks(size_t bits);

// The inputs are float32 x and the weights. With groups: also scales and zero points [groups, n],
// and the group of each of the k numbers, which the caller has checked.
bool multiply_stored_floats(const StoredShape& shape, const Operand* inputs, float* output);

// The inputs are int32 x, with numbers of 16 bits, and weights of 8 bits.
bool multiply_stored_integers(const StoredShape& shape, const Operand* inputs, int32_t* output);

}  // namespace tfpy
