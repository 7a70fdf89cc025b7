// JSON, read strictly.
#pragma once

#include "values.h"

namespace tfpy {

// The value that a text is, or kNoId for one that is no JSON in UTF-8, has lists and objects in
// each other more than 128 levels deep, or has what is seldom there: whole numbers of more than 18
// digits, letters by number (\u0041).
//
// Args:
//   text: kPadding zeros stand behind it; escaped letters in it become what they mean.
Id read_json(char* text, size_t size, Values* values);

}  // namespace tfpy
