// The instructions of elementwise kernels: scalar operations over blocks of elements.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tfpy {

// A register holds a block of four-byte elements; a bool is 0 or -1 there.
constexpr size_t kMaxOperands = 3;

// dst[0..n) = operation(a, b, c); n is a multiple of four. `dst` may be one of the operands.
using ScalarOp = void (*)(size_t n, void* dst, const void* a, const void* b, const void* c);

struct ScalarOpInfo {
  const char* name;
  ScalarOp run;
  size_t operands;
};

// Null when there is no such operation.
const ScalarOpInfo* find_scalar_op(const char* name);

// The names of all operations, separated by spaces.
const char* scalar_op_names();

}  // namespace tfpy
