// Checks operands with indices before a kernel uses them.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tfpy {

// Fails unless all indices are below the limit and nonnegative; negative ones are allowed if they
// are dropped.
bool check_indices(const char* operand, const int32_t* indices, size_t count, size_t limit,
                   bool drops_negative);

}  // namespace tfpy
