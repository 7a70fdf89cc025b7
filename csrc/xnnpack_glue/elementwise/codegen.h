// Generates WebAssembly for runs of bytecode instructions: a single loop that keeps values in
// machine registers, while the interpreter keeps them in blocks.
//
// The module is generated from checked bytecode only, so a Program cannot make it do more than the
// interpreter: it reads and writes the blocks that it receives, and calls nothing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "elementwise/bytecode.h"

namespace tfpy {

// The module's function has the parameters (n, ports): n is the number of elements, a multiple of
// four; ports are the addresses of the blocks of `reads`, followed by `writes`.
struct GeneratedRun {
  std::string module;
  std::vector<int32_t> reads, writes;  // registers
};

// Returns true if generated code can contain the instruction.
bool has_encoding(const Bytecode& bytecode, const Instruction& instruction);

// Generates code for instructions begin..end, all of which must have an encoding.
GeneratedRun generate(const Bytecode& bytecode, size_t begin, size_t end);

}  // namespace tfpy
