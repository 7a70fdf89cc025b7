// One result convention: a function that can fail returns false (or null) after it has called
// fail(), whose text the caller of the C API gets by tfpy_last_error().
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tfpy {

// Records the text and returns false.
__attribute__((format(printf, 1, 2))) bool fail(const char* format, ...);

// Records that an index of an operand is not in [0, limit), and returns false. Its position is that
// in the flat operand.
bool fail_index(const char* operand, size_t position, int32_t index, size_t limit);

// Whether the last error is of fail_index().
bool is_wrong_index();

const char* last_error();

}  // namespace tfpy
