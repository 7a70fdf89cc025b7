// One result convention: a function that can fail returns false (or null) after it has called
// fail(), whose text the caller of the C API gets by tfpy_last_error().
#pragma once

namespace tfpy {

// Records the text and returns false.
__attribute__((format(printf, 1, 2))) bool fail(const char* format, ...);

const char* last_error();

}  // namespace tfpy
