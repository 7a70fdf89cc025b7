// A strict JSON parser.
#pragma once

#include "values.h"

namespace tfpy {

// Returns the value of a text. Returns kNoId if the text is not JSON in UTF-8, is nested more than
// 128 levels deep, or contains rare features: integers of more than 18 digits, or \u escapes.
//
// Args:
//   text: Followed by kPadding zeros. Escape sequences in it are replaced by their characters.
Id read_json(char* text, size_t size, Values* values);

}  // namespace tfpy
