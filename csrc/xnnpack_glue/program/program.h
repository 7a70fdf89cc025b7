// Programs: registered once from JSON text and constants, run by id.
#pragma once

#include <stdint.h>

#include "base/memory.h"

namespace tfpy::programs {

// Checks the text and takes the constants' block over. Returns the program's id, or -1.
int32_t add(const char* text, size_t length, Slot&& constants);

// Runs a program on slots. One with a minus sign is donated: when the run has succeeded it is gone,
// and an output may lie in its place. Returns the first output's slot id (the others follow), or
// -1.
int32_t run(int32_t id, const int32_t* ids, size_t count);

bool remove(int32_t id);
void clear();
size_t count();

}  // namespace tfpy::programs
