// Arithmetic on sizes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>

namespace tfpy {

// The product of factors that are not negative; UINT64_MAX when it does not fit.
uint64_t product(std::initializer_list<uint64_t> factors);

// How many units cover the value.
constexpr size_t ceil_divide(size_t value, size_t unit) { return (value + unit - 1) / unit; }

// The first multiple of the unit that is no less than the value.
constexpr size_t round_up(size_t value, size_t unit) { return ceil_divide(value, unit) * unit; }

}  // namespace tfpy
