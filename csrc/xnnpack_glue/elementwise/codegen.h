// Generates WebAssembly for runs of instructions of bytecode: one loop that keeps in registers of
// the machine what the interpreter keeps in blocks.
//
// The module has no other source than checked bytecode, so a Program can make it do nothing that it
// could not make the interpreter do: it reads and writes the blocks that it is handed, and calls
// nothing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "elementwise/bytecode.h"

namespace tfpy {

// The module's function is (n, ports): n, a multiple of four, is how many elements, ports the
// addresses of the blocks of `reads`, then of `writes`.
struct GeneratedRun {
  std::string module;
  std::vector<int32_t> reads, writes;  // registers
};

// Whether generated code can hold the instruction.
bool has_encoding(const Bytecode& bytecode, const Instruction& instruction);

// The code of instructions begin..end, each of which has an encoding.
GeneratedRun generate(const Bytecode& bytecode, size_t begin, size_t end);

}  // namespace tfpy
