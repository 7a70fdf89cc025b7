// How bytecode is run: which of its instructions by their block functions, which by generated code.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <vector>

#include "elementwise/bytecode.h"
#include "elementwise/jit.h"

namespace tfpy {

struct PlanStep {
  size_t begin, end;                        // instructions
  std::shared_ptr<GeneratedModule> module;  // null: one instruction by its block function
  std::vector<int32_t> reads, writes;       // registers whose addresses the module takes
};

struct Plan {
  std::vector<PlanStep> steps;
  size_t cost = 0;            // of an element, in interpreted additions
  std::vector<bool> in_full;  // registers that block functions read: blocks of one value are filled
};

// When kernels are compiled: when they have run long enough to repay it, at once, or never.
// JavaScript knows the numbers.
enum class Codegen { kAuto = 0, kAlways = 1, kNever = 2, kLast = kNever };
void set_codegen(Codegen when);

// Instruction by instruction.
Plan interpreted_plan(const Bytecode& bytecode);

// With generated code where it gains.
Plan compiled_plan(const Bytecode& bytecode);

// Whether this thread has all functions of a plan.
bool is_runnable(const Plan& plan);

// Whether the bytecode is worth compiling once it has run on so many elements.
bool is_worth_compiling(const Bytecode& bytecode, uint64_t elements);

}  // namespace tfpy
