#include "base/sizes.h"

namespace tfpy {

uint64_t product(std::initializer_list<uint64_t> factors) {
  uint64_t result = 1;
  bool overflow = false;
  for (const uint64_t factor : factors) {
    if (factor == 0) return 0;
    overflow |= __builtin_mul_overflow(result, factor, &result);
  }
  return overflow ? UINT64_MAX : result;
}

}  // namespace tfpy
