#include "kernels/indices.h"

#include "base/error.h"

namespace tfpy {
namespace {

bool is_outside(int32_t index, size_t limit, bool drops_negative) {
  if (index < 0) return !drops_negative;
  return static_cast<size_t>(index) >= limit;
}

}  // namespace

bool check_indices(const char* operand, const int32_t* indices, size_t count, size_t limit,
                   bool drops_negative) {
  bool any = false;  // no branch per index, so that the loop is vectorized
  for (size_t i = 0; i < count; ++i) any |= is_outside(indices[i], limit, drops_negative);
  if (!any) return true;
  size_t at = 0;
  while (!is_outside(indices[at], limit, drops_negative)) ++at;
  return fail_index(operand, at, indices[at], limit);
}

}  // namespace tfpy
