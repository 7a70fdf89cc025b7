// Error convention: a function that can fail calls fail() and returns false (or null). Callers of
// the C API read the message with tfpy_last_error().
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tfpy {

// Records the message and returns false.
__attribute__((format(printf, 1, 2))) bool fail(const char* format, ...);

// Records that an index of an operand is not in [0, limit), and returns false. `position` counts
// the flat operand.
bool fail_index(const char* operand, size_t position, int32_t index, size_t limit);

// Returns true if the last error is from fail_index().
bool is_wrong_index();

const char* last_error();

}  // namespace tfpy
