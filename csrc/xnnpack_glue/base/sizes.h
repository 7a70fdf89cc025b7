// Arithmetic on sizes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>

namespace tfpy {

// Returns the product of nonnegative factors; UINT64_MAX if it overflows.
uint64_t product(std::initializer_list<uint64_t> factors);

// Returns the number of units that cover the value.
constexpr size_t ceil_divide(size_t value, size_t unit) { return (value + unit - 1) / unit; }

// Rounds the value up to a multiple of the unit.
constexpr size_t round_up(size_t value, size_t unit) { return ceil_divide(value, unit) * unit; }

}  // namespace tfpy
