// a * b + c, with a single rounding if relaxed SIMD provides it.
#pragma once

#include "simd/simd.h"

namespace tfpy {

inline f32x4 multiply_add(f32x4 a, f32x4 b, f32x4 c) {
#if RELAXED_SIMD
  return as_f32(wasm_f32x4_relaxed_madd(bits(a), bits(b), bits(c)));
#else
  return a * b + c;
#endif
}

inline i32x4 multiply_add(i32x4 a, i32x4 b, i32x4 c) { return a * b + c; }

}  // namespace tfpy
