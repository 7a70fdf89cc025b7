// Bytecode: what elementwise kernels compute, as checked instructions over registers. A register
// holds a block of four-byte elements (a bool is 0 or -1 there). First come the inputs, then the
// constants, then temporaries.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "elementwise/scalar_ops.h"
#include "program/kernel.h"

namespace tfpy {

constexpr size_t kBlock = 1024;  // elements of a register

struct Instruction {
  const ScalarOpInfo* op;  // null: the flat index
  int32_t dst;
  int32_t operands[kMaxOperands];

  size_t operand_count() const { return op == nullptr ? 0 : op->operands; }
};

// How an input lies in its slot, seen from the output.
enum class Access {
  kDense,        // as the output does
  kConstant,     // one element
  kRowConstant,  // one element a row, where the bytecode splits rows
  kPeriodic,     // one short row
  kStrided,
};

struct Source {
  DType dtype;
  Access access;
  std::vector<int32_t> strides;  // in elements, one for each dimension
  size_t offset;                 // the element that the first one of the output reads

  // Whether all elements of a block have the same value.
  bool is_single() const { return access == Access::kConstant || access == Access::kRowConstant; }
};

struct Bytecode {
  std::vector<Source> sources;     // registers 0.., one for each input
  std::vector<int32_t> constants;  // the registers that follow
  std::vector<Instruction> code;
  size_t registers = 0;
  std::vector<int32_t> dims;  // of the output, merged
  size_t count = 0, row = 0;  // row: length of the innermost dimension
  size_t block = 0;           // elements at a time, at most
  bool splits_rows = false;   // whether no block has elements of two rows
  DType dtype = DType::kFloat32;

  int32_t result() const { return code.back().dst; }
  bool is_constant(int32_t index) const {
    const size_t number = static_cast<size_t>(index);
    return number >= sources.size() && number < sources.size() + constants.size();
  }
  // Whether a block of the register holds one value, a constant or an input's.
  bool is_single(int32_t index) const {
    const size_t number = static_cast<size_t>(index);
    return is_constant(index) || (number < sources.size() && sources[number].is_single());
  }
  int32_t constant(int32_t index) const { return constants[index - sources.size()]; }
};

// Reads a step's params; step.ok() says whether they are right.
Bytecode read_bytecode(StepSpec& step);

}  // namespace tfpy
