// Programs: registered from JSON text and constants, and found by id.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

namespace tfpy::programs {

struct Program;  // program_reader.h

// Checks the text and takes ownership of the constants' block. Returns the program's id, or -1.
int32_t add(const char* text, size_t length, Slot&& constants);

// Returns null, with an error, if the program does not exist.
Program* find(int32_t id);

bool remove(int32_t id);
size_t count();

}  // namespace tfpy::programs
