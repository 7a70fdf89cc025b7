// Functions of rows that several kernels share.
#pragma once

#include <stddef.h>

namespace tfpy {

constexpr size_t kExpCost = 16;  // cost of an exponential in element operations

// exp(x - largest) / sum; `out` may be x.
void softmax_row(const float* x, size_t n, float* out);

}  // namespace tfpy
