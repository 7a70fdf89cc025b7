// Decides which instructions of bytecode run by block functions, and which by generated code.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <vector>

#include "elementwise/bytecode.h"
#include "elementwise/jit.h"

namespace tfpy {

struct PlanStep {
  size_t begin, end;  // range of instructions
  std::shared_ptr<GeneratedModule>
      module;  // null for a single instruction that runs by its block function
  std::vector<int32_t> reads, writes;  // registers with addresses that the module receives
};

struct Plan {
  std::vector<PlanStep> steps;
  size_t cost = 0;  // cost of an element, in interpreted additions
  std::vector<bool>
      in_full;  // registers read by block functions, whose single values are expanded to blocks
};

// When kernels are compiled: after they have run long enough to repay it, immediately, or never.
// JavaScript uses the same numbers.
enum class Codegen { kAuto = 0, kAlways = 1, kNever = 2, kLast = kNever };
void set_codegen(Codegen when);

// Plans to interpret all instructions.
Plan interpreted_plan(const Bytecode& bytecode);

// Plans to use generated code where it is faster.
Plan compiled_plan(const Bytecode& bytecode);

// Returns true if this thread has all functions of a plan.
bool is_runnable(const Plan& plan);

// Returns true if the bytecode is worth compiling after it has processed this many elements.
bool is_worth_compiling(const Bytecode& bytecode, uint64_t elements);

}  // namespace tfpy
