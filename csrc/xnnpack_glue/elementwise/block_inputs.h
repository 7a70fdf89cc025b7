// Loads the inputs of bytecode block by block.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "elementwise/bytecode.h"
#include "elementwise/plan.h"

namespace tfpy {

// Includes room for whole vectors that are written past the block.
using Register = int32_t[kBlock + 16];

// Finds or loads the blocks of the inputs for a range of the output, from its begin to its end.
// Inputs with the output's layout are read in place.
class BlockInputs {
 public:
  // `own` are the bytecode's registers. `begin` is the start of a block.
  BlockInputs(const Bytecode& bytecode, const Plan& plan, const Operand* operands, Register* own,
              size_t begin);

  // Advances to the next n elements; they are in one row if the bytecode splits rows.
  void next(size_t n);

  // Returns the block of a register.
  int32_t* at(int32_t index) const { return at_[index]; }

 private:
  // Returns the element of an input that the output's first element reads.
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
  std::vector<size_t> walked_;       // inputs with another layout than the output
  std::vector<int32_t> position_;    // position in the outer dimensions
  std::vector<size_t> row_offsets_;  // offset of the current row in each of walked_
  size_t begin_, column_ = 0;
};

}  // namespace tfpy
