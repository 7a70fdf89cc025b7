// Four lanes of float32, int32 or uint32 with operators, over WebAssembly's 128-bit SIMD.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

namespace tfpy {

using f32x4 = float __attribute__((vector_size(16)));
using i32x4 = int32_t __attribute__((vector_size(16)));
using u32x4 = uint32_t __attribute__((vector_size(16)));
using f64x2 = double __attribute__((vector_size(16)));

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type = f32x4;
};
template <>
struct VectorOf<int32_t> {
  using type = i32x4;
};
template <>
struct VectorOf<uint32_t> {
  using type = u32x4;
};

// The four-lane vector of T.
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline Vector<T> load(const T* from) {
  return reinterpret_cast<Vector<T>>(wasm_v128_load(from));
}
template <class T>
inline void store(T* to, Vector<T> value) {
  wasm_v128_store(to, reinterpret_cast<v128_t>(value));
}
// Loads the first `count` elements, at most four; the other lanes are `rest`.
template <class T>
inline Vector<T> load_some(const T* from, size_t count, T rest = T{0}) {
  if (count >= 4) return load(from);
  Vector<T> lanes = {rest, rest, rest, rest};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return lanes;
}
// Stores the first `count` lanes, at most four.
template <class T>
inline void store_some(T* to, size_t count, Vector<T> lanes) {
  if (count >= 4) return store(to, lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
}

inline f32x4 splat(float value) { return f32x4{value, value, value, value}; }
inline i32x4 splat(int32_t value) { return i32x4{value, value, value, value}; }
inline u32x4 splat(uint32_t value) { return u32x4{value, value, value, value}; }

inline v128_t bits(f32x4 x) { return reinterpret_cast<v128_t>(x); }
inline v128_t bits(i32x4 x) { return reinterpret_cast<v128_t>(x); }
inline v128_t bits(u32x4 x) { return reinterpret_cast<v128_t>(x); }
inline v128_t bits(f64x2 x) { return reinterpret_cast<v128_t>(x); }
inline f32x4 as_f32(v128_t x) { return reinterpret_cast<f32x4>(x); }
inline i32x4 as_i32(v128_t x) { return reinterpret_cast<i32x4>(x); }
inline i32x4 as_i32(f32x4 x) { return reinterpret_cast<i32x4>(x); }
inline u32x4 as_u32(v128_t x) { return reinterpret_cast<u32x4>(x); }

// Loads an element to all lanes.
inline f32x4 splat_load(const float* from) { return as_f32(wasm_v128_load32_splat(from)); }
inline i32x4 splat_load(const int32_t* from) { return as_i32(wasm_v128_load32_splat(from)); }

// Returns a in lanes where the mask (0 or -1) is set, otherwise b.
inline f32x4 select(i32x4 mask, f32x4 a, f32x4 b) {
  return as_f32(wasm_v128_bitselect(bits(a), bits(b), bits(mask)));
}

// min and max that return NaN if an operand is NaN.
inline f32x4 min(f32x4 a, f32x4 b) { return as_f32(wasm_f32x4_min(bits(a), bits(b))); }
inline f32x4 max(f32x4 a, f32x4 b) { return as_f32(wasm_f32x4_max(bits(a), bits(b))); }
inline i32x4 min(i32x4 a, i32x4 b) { return as_i32(wasm_i32x4_min(bits(a), bits(b))); }
inline i32x4 max(i32x4 a, i32x4 b) { return as_i32(wasm_i32x4_max(bits(a), bits(b))); }
inline u32x4 min(u32x4 a, u32x4 b) { return as_u32(wasm_u32x4_min(bits(a), bits(b))); }
inline u32x4 max(u32x4 a, u32x4 b) { return as_u32(wasm_u32x4_max(bits(a), bits(b))); }

// Limits x to low..high; NaN stays NaN.
inline f32x4 clamp(f32x4 x, f32x4 low, f32x4 high) {
  return as_f32(wasm_f32x4_pmin(wasm_f32x4_pmax(bits(x), bits(low)), bits(high)));
}
inline f32x4 clamp(f32x4 x, float low, float high) { return clamp(x, splat(low), splat(high)); }

inline f32x4 abs(f32x4 x) { return as_f32(wasm_f32x4_abs(bits(x))); }
inline f32x4 sqrt(f32x4 x) { return as_f32(wasm_f32x4_sqrt(bits(x))); }
inline f32x4 floor(f32x4 x) { return as_f32(wasm_f32x4_floor(bits(x))); }
inline f32x4 ceil(f32x4 x) { return as_f32(wasm_f32x4_ceil(bits(x))); }
inline f32x4 nearest(f32x4 x) { return as_f32(wasm_f32x4_nearest(bits(x))); }
inline f32x4 to_f32(i32x4 x) { return as_f32(wasm_f32x4_convert_i32x4(bits(x))); }
inline f32x4 to_f32(u32x4 x) { return as_f32(wasm_f32x4_convert_u32x4(bits(x))); }
inline i32x4 to_i32(f32x4 x) { return as_i32(wasm_i32x4_trunc_sat_f32x4(bits(x))); }
inline u32x4 to_u32(f32x4 x) { return as_u32(wasm_u32x4_trunc_sat_f32x4(bits(x))); }

// Returns the magnitude of a with the sign bit of b.
inline f32x4 copysign(f32x4 a, f32x4 b) {
  return as_f32(wasm_v128_bitselect(bits(b), bits(a), wasm_i32x4_const_splat(INT32_MIN)));
}

// to += from. Not unrolled, because rows are often short.
template <class T>
inline void add_to(const T* from, size_t count, T* to) {
  size_t i = 0;
#pragma unroll 1
  for (; i + 4 <= count; i += 4) store(to + i, load(to + i) + load(from + i));
#pragma unroll 1
  for (; i < count; ++i) to[i] += from[i];
}

// Stores the columns of four rows of four at `to`, with a distance of `pitch` elements.
template <class T>
inline void store_transposed(Vector<T> a, Vector<T> b, Vector<T> c, Vector<T> d, T* to,
                             ptrdiff_t pitch) {
  const v128_t ab = wasm_i32x4_shuffle(bits(a), bits(b), 0, 4, 1, 5);
  const v128_t cd = wasm_i32x4_shuffle(bits(c), bits(d), 0, 4, 1, 5);
  const v128_t ab2 = wasm_i32x4_shuffle(bits(a), bits(b), 2, 6, 3, 7);
  const v128_t cd2 = wasm_i32x4_shuffle(bits(c), bits(d), 2, 6, 3, 7);
  wasm_v128_store(to, wasm_i64x2_shuffle(ab, cd, 0, 2));
  wasm_v128_store(to + pitch, wasm_i64x2_shuffle(ab, cd, 1, 3));
  wasm_v128_store(to + 2 * pitch, wasm_i64x2_shuffle(ab2, cd2, 0, 2));
  wasm_v128_store(to + 3 * pitch, wasm_i64x2_shuffle(ab2, cd2, 1, 3));
}

}  // namespace tfpy
