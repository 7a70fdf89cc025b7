// The instructions of elementwise kernels: scalar operations over blocks of elements.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "elementwise/wasm_opcodes.h"

namespace tfpy {

// A register holds a block of four-byte elements, with 0 or -1 for a bool.
constexpr size_t kMaxOperands = 3;

// dst[0..n) = operation(a, b, c); n is a multiple of four. `dst` may be one of the operands.
using ScalarOp = void (*)(size_t n, void* dst, const void* a, const void* b, const void* c);

// The operation's encoding in generated code: instructions for WebAssembly's stack machine that
// leave the result on the stack. Empty if there is only the block function.
struct Encoding {
  enum Kind : uint8_t {
    kNone,
    kOperand,       // pushes operand `value`
    kShiftOperand,  // pushes operand `value`, which must be a constant, as a scalar
    kBits,          // pushes four lanes of the 32 bits `value`
    kInstruction,   // SimdOpcode `value`
    kShuffleHighs,  // the odd 32-bit lanes of both vectors on the stack
  };
  struct Piece {
    Kind kind = kNone;
    uint32_t value = 0;
  };
  static constexpr size_t kMaxPieces = 14;
  Piece pieces[kMaxPieces] = {};

  constexpr bool empty() const { return pieces[0].kind == kNone; }
};

struct ScalarOpInfo {
  const char* name;
  ScalarOp run;
  size_t operands;
  Encoding encoding;
};

// Returns null if the operation does not exist.
const ScalarOpInfo* find_scalar_op(const char* name);

}  // namespace tfpy
