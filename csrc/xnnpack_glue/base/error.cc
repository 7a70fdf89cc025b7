#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

namespace tfpy {
namespace {

char text[512] = "";

}  // namespace

bool fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

const char* last_error() { return text; }

}  // namespace tfpy
