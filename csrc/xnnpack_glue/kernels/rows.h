// Functions of rows that several kernels use.
#pragma once

#include <stddef.h>

namespace tfpy {

constexpr size_t kExpCost = 16;  // element operations that an exponential counts as

// exp(x - largest) / sum; `out` may be x.
void softmax_row(const float* x, size_t n, float* out);

}  // namespace tfpy
