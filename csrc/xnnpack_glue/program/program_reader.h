// A runnable Program, and the function that reads it from JSON text.
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
  bool is_empty;    // true if the output has no elements
  double ms = 0.0;  // duration in the last run in slices
};

constexpr int32_t kNone = -1;

struct Program {
  Block constants;
  std::vector<BufferSpec> buffers;
  std::vector<Operand> operands;  // address of each buffer; a run's slots change
  std::vector<int32_t> inputs, outputs;
  std::vector<Step> steps;
  std::vector<int32_t> step_inputs;  // inputs of all steps, one after another
  std::vector<Operand> arguments;    // storage for the operands of one step
  // For each output, the position of the input over which it is written if that is donated; or
  // kNone.
  std::vector<int32_t> donated;
  uint64_t sure_scratch =
      0;  // scratch bytes with which no step fails after the first one that writes in place
  ArenaPlan arena;
  const char* arena_base = nullptr;  // arena that the operands point to
};

// Checks the text and fills the program, which already has its constants.
bool read_program(const char* text, size_t length, Program* program);

}  // namespace tfpy::programs
