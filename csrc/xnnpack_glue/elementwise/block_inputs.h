// The inputs of bytecode, block by block.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "elementwise/bytecode.h"
#include "elementwise/plan.h"

namespace tfpy {

// With room for what whole vectors write behind the block.
using Register = int32_t[kBlock + 16];

// Finds or makes the blocks of the inputs for one range of the output, from its begin to its end.
// Inputs that lie as the output does are read in place.
class BlockInputs {
 public:
  // `own` are the bytecode's registers. `begin` is the start of a block.
  BlockInputs(const Bytecode& bytecode, const Plan& plan, const Operand* operands, Register* own,
              size_t begin);

  // Goes on to the next n elements; they lie in one row where the bytecode splits rows.
  void next(size_t n);

  // Where a register's block is.
  int32_t* at(int32_t index) const { return at_[index]; }

 private:
  // The element of an input that the output's first one reads.
  void* start_of(size_t number) const;
  void fill_once();
  void find_row();
  void load_dense(size_t number, size_t n);
  void load_piece(size_t k, size_t n, size_t to);
  void advance(size_t n);

  const Bytecode& bytecode_;
  const std::vector<bool>& in_full_;
  const Operand* operands_;
  Register* own_;
  std::vector<int32_t*> at_;
  std::vector<size_t> walked_;       // inputs that lie otherwise than the output does
  std::vector<int32_t> position_;    // in the outer dimensions
  std::vector<size_t> row_offsets_;  // of the present row in each of walked_
  size_t begin_, column_ = 0;
};

}  // namespace tfpy
