// Bytecode of elementwise kernels: checked instructions over registers. A register holds a block of
// four-byte elements, with 0 or -1 for a bool. The inputs come first, then the constants, then
// temporaries.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "elementwise/scalar_ops.h"
#include "program/kernel.h"

namespace tfpy {

constexpr size_t kBlock = 1024;  // elements per register

struct Instruction {
  const ScalarOpInfo* op;  // null: the flat index
  int32_t dst;
  int32_t operands[kMaxOperands];

  size_t operand_count() const { return op == nullptr ? 0 : op->operands; }
};

// Layout of an input relative to the output.
enum class Access {
  kDense,        // the output's layout
  kConstant,     // a single element
  kRowConstant,  // one element per row, if the bytecode splits rows
  kPeriodic,     // a short row that repeats
  kStrided,
};

struct Source {
  DType dtype;
  Access access;
  std::vector<int32_t> strides;  // in elements, one per dimension
  size_t offset;                 // element that the output's first element reads

  // True if all elements of a block have the same value.
  bool is_single() const { return access == Access::kConstant || access == Access::kRowConstant; }
};

struct Bytecode {
  std::vector<Source> sources;     // registers from 0, one per input
  std::vector<int32_t> constants;  // values of the following registers
  std::vector<Instruction> code;
  size_t registers = 0;
  std::vector<int32_t> dims;  // merged dimensions of the output
  size_t count = 0, row = 0;  // row: length of the innermost dimension
  size_t block = 0;           // maximum number of elements at a time
  bool splits_rows = false;   // true if no block has elements of two rows
  DType dtype = DType::kFloat32;

  int32_t result() const { return code.back().dst; }
  bool is_constant(int32_t index) const {
    const size_t number = static_cast<size_t>(index);
    return number >= sources.size() && number < sources.size() + constants.size();
  }
  // Returns true if all elements of a register's block are equal: a constant, or an input's single
  // value.
  bool is_single(int32_t index) const {
    const size_t number = static_cast<size_t>(index);
    return is_constant(index) || (number < sources.size() && sources[number].is_single());
  }
  int32_t constant(int32_t index) const { return constants[index - sources.size()]; }
};

// Reads a step's params; step.ok() reports whether they are valid.
Bytecode read_bytecode(StepSpec& step);

}  // namespace tfpy
