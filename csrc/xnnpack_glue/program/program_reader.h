// A Program as it runs, and how it is read from JSON text.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <vector>

#include "base/memory.h"
#include "program/arena.h"
#include "program/kernel.h"

namespace tfpy::programs {

struct Step {
  std::unique_ptr<Kernel> kernel;
  const char* kernel_name;
  size_t first_input, input_count;  // in Program::step_inputs
  int32_t output;
  bool is_empty;    // the output has no elements
  double ms = 0.0;  // how long it took last in a run in slices
};

constexpr int32_t kNone = -1;

struct Program {
  Block constants;
  std::vector<BufferSpec> buffers;
  std::vector<Operand> operands;  // where each buffer lies; those of a run's slots change
  std::vector<int32_t> inputs, outputs;
  std::vector<Step> steps;
  std::vector<int32_t> step_inputs;  // of all steps, one after another
  std::vector<Operand> arguments;    // room for the operands of one step
  // For each output the input, by position, in whose place it lies when that is donated; or kNone.
  std::vector<int32_t> donated;
  uint64_t sure_scratch = 0;  // with which no step fails from the first one on that writes in place
  ArenaPlan arena;
  const char* arena_base = nullptr;  // to which the operands point
};

// Checks the text and fills the program, which has its constants already.
bool read_program(const char* text, size_t length, Program* program);

}  // namespace tfpy::programs
