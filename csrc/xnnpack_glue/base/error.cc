#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

namespace tfpy {
namespace {

char text[512] = "";
bool wrong_index = false;

}  // namespace

bool fail(const char* format, ...) {
  wrong_index = false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

bool fail_index(const char* operand, size_t position, int32_t index, size_t limit) {
  fail("%s[%zu] = %d is not in [0, %zu)", operand, position, index, limit);
  wrong_index = true;
  return false;
}

bool is_wrong_index() { return wrong_index; }

const char* last_error() { return text; }

}  // namespace tfpy
