#include "scalar_ops.h"

#include <math.h>
#include <string.h>

#include <string>

#include "simd_math.h"

namespace tfpy {
namespace {

template <class From, class To, Vector<To> (*F)(Vector<From>)>
void unary(size_t n, void* dst, const void* a, const void*, const void*) {
  const From* x = static_cast<const From*>(a);
  To* y = static_cast<To*>(dst);
  for (size_t i = 0; i < n; i += 4) store(y + i, F(load(x + i)));
}

template <class From, class To, Vector<To> (*F)(Vector<From>, Vector<From>)>
void binary(size_t n, void* dst, const void* a, const void* b, const void*) {
  const From* x = static_cast<const From*>(a);
  const From* y = static_cast<const From*>(b);
  To* z = static_cast<To*>(dst);
  for (size_t i = 0; i < n; i += 4) store(z + i, F(load(x + i), load(y + i)));
}

void select_block(size_t n, void* dst, const void* a, const void* b, const void* c) {
  const int32_t* mask = static_cast<const int32_t*>(a);
  const int32_t* x = static_cast<const int32_t*>(b);
  const int32_t* y = static_cast<const int32_t*>(c);
  int32_t* z = static_cast<int32_t*>(dst);
  for (size_t i = 0; i < n; i += 4) {
    const v128_t mixed =
        wasm_v128_bitselect(bits(load(x + i)), bits(load(y + i)), bits(load(mask + i)));
    store(z + i, as_i32(mixed));
  }
}

template <class V>
V add(V a, V b) {
  return a + b;
}
template <class V>
V sub(V a, V b) {
  return a - b;
}
template <class V>
V mul(V a, V b) {
  return a * b;
}
template <class V>
V smaller(V a, V b) {
  return min(a, b);
}
template <class V>
V larger(V a, V b) {
  return max(a, b);
}
template <class V>
V negate(V a) {
  return -a;
}
template <class V>
i32x4 equal(V a, V b) {
  return a == b;
}
template <class V>
i32x4 not_equal(V a, V b) {
  return a != b;
}
template <class V>
i32x4 less(V a, V b) {
  return a < b;
}
template <class V>
i32x4 less_equal(V a, V b) {
  return a <= b;
}

// min and max for a second operand that is not NaN: one instruction on x86, NaN stays in the first.
f32x4 smaller_number(f32x4 a, f32x4 b) { return as_f32(wasm_f32x4_pmin(bits(a), bits(b))); }
f32x4 larger_number(f32x4 a, f32x4 b) { return as_f32(wasm_f32x4_pmax(bits(a), bits(b))); }

i32x4 copy(i32x4 a) { return a; }
i32x4 bit_and(i32x4 a, i32x4 b) { return a & b; }
i32x4 bit_or(i32x4 a, i32x4 b) { return a | b; }
i32x4 bit_xor(i32x4 a, i32x4 b) { return a ^ b; }
i32x4 bit_not(i32x4 a) { return ~a; }
i32x4 is_nan(f32x4 a) { return a != a; }
i32x4 mask_to_i32(i32x4 a) { return a & 1; }
f32x4 mask_to_f32(i32x4 a) { return as_f32(a & 0x3f800000); }
f32x4 abs_float(f32x4 a) { return abs(a); }
i32x4 abs_int(i32x4 a) { return as_i32(wasm_i32x4_abs(bits(a))); }

f32x4 sign_float(f32x4 a) {
  const i32x4 one = (a != splat(0.0f)) & (a == a);
  return select(one, copysign(splat(1.0f), a), a + 0.0f);
}

i32x4 sign_int(i32x4 a) { return (a < splat(0)) - (a > splat(0)); }
f32x4 divide(f32x4 a, f32x4 b) { return a / b; }
f32x4 rsqrt(f32x4 a) { return splat(1.0f) / sqrt(a); }

template <class V, class F>
V each_lane(V a, V b, F f) {
  return V{f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])};
}

// The quotient is exact in float64 while it is below 2^28, and so is what is left then.
f32x4 remainder(f32x4 a, f32x4 b) {
  return each_lane(a, b, [](float x, float y) {
    const double quotient = static_cast<double>(x) / y;
    if (!(fabs(quotient) < 268435456.0) || isinf(y)) return fmodf(x, y);
    return copysignf(static_cast<float>(x - trunc(quotient) * y), x);
  });
}

// Negation in unsigned numbers, because INT32_MIN / -1 would trap.
i32x4 divide_int(i32x4 a, i32x4 b) {
  return each_lane(a, b, [](int32_t x, int32_t y) {
    if (y == 0) return 0;
    return y == -1 ? static_cast<int32_t>(-static_cast<uint32_t>(x)) : x / y;
  });
}

i32x4 remainder_int(i32x4 a, i32x4 b) {
  return each_lane(a, b, [](int32_t x, int32_t y) { return y == 0 || y == -1 ? 0 : x % y; });
}

bool same_lanes(i32x4 x) {
  const i32x4 same = x == splat(x[0]);
  return wasm_i32x4_all_true(bits(same));
}

i32x4 shift_left(i32x4 a, i32x4 b) {
  if (same_lanes(b)) return as_i32(wasm_i32x4_shl(bits(a), b[0]));
  return each_lane(a, b, [](int32_t x, int32_t y) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) << (y & 31));
  });
}

i32x4 shift_right(i32x4 a, i32x4 b) {
  if (same_lanes(b)) return as_i32(wasm_i32x4_shr(bits(a), b[0]));
  return each_lane(a, b, [](int32_t x, int32_t y) { return x >> (y & 31); });
}

u32x4 shift_right_unsigned(u32x4 a, u32x4 b) {
  if (same_lanes(as_i32(bits(b)))) return as_u32(wasm_u32x4_shr(bits(a), b[0]));
  return each_lane(a, b, [](uint32_t x, uint32_t y) { return x >> (y & 31); });
}

u32x4 multiply_high(u32x4 a, u32x4 b) {
  const v128_t low = wasm_u64x2_extmul_low_u32x4(bits(a), bits(b));
  const v128_t high = wasm_u64x2_extmul_high_u32x4(bits(a), bits(b));
  return as_u32(wasm_i32x4_shuffle(low, high, 1, 3, 5, 7));
}

template <f32x4 (*F)(f32x4)>
constexpr ScalarOpInfo float_unary(const char* name) {
  return {name, unary<float, float, F>, 1};
}

// A bool compares as the unsigned number 0 or 2^32 - 1.
constexpr ScalarOpInfo kOps[] = {
    {"copy", unary<int32_t, int32_t, copy>, 1},
    float_unary<floor>("floor"),
    float_unary<ceil>("ceil"),
    float_unary<nearest>("round"),
    float_unary<sqrt>("sqrt"),
    float_unary<rsqrt>("rsqrt"),
    float_unary<exp>("exp"),
    float_unary<expm1>("expm1"),
    float_unary<log>("log"),
    float_unary<log1p>("log1p"),
    float_unary<sin>("sin"),
    float_unary<cos>("cos"),
    float_unary<tan>("tan"),
    float_unary<asin>("asin"),
    float_unary<acos>("acos"),
    float_unary<atan>("atan"),
    float_unary<sinh>("sinh"),
    float_unary<cosh>("cosh"),
    float_unary<asinh>("asinh"),
    float_unary<acosh>("acosh"),
    float_unary<atanh>("atanh"),
    float_unary<tanh>("tanh"),
    float_unary<erf>("erf"),
    float_unary<negate>("neg.f32"),
    float_unary<abs_float>("abs.f32"),
    float_unary<sign_float>("sign.f32"),
    {"neg.i32", unary<int32_t, int32_t, negate>, 1},
    {"abs.i32", unary<int32_t, int32_t, abs_int>, 1},
    {"sign.i32", unary<int32_t, int32_t, sign_int>, 1},
    {"add.f32", binary<float, float, add>, 2},
    {"sub.f32", binary<float, float, sub>, 2},
    {"mul.f32", binary<float, float, mul>, 2},
    {"min.f32", binary<float, float, smaller>, 2},
    {"max.f32", binary<float, float, larger>, 2},
    {"min_number.f32", binary<float, float, smaller_number>, 2},
    {"max_number.f32", binary<float, float, larger_number>, 2},
    {"add.i32", binary<int32_t, int32_t, add>, 2},
    {"sub.i32", binary<int32_t, int32_t, sub>, 2},
    {"mul.i32", binary<int32_t, int32_t, mul>, 2},
    {"min.i32", binary<int32_t, int32_t, smaller>, 2},
    {"max.i32", binary<int32_t, int32_t, larger>, 2},
    {"min.u32", binary<uint32_t, uint32_t, smaller>, 2},
    {"max.u32", binary<uint32_t, uint32_t, larger>, 2},
    {"div", binary<float, float, divide>, 2},
    {"pow", binary<float, float, pow>, 2},
    {"atan2", binary<float, float, atan2>, 2},
    {"rem", binary<float, float, remainder>, 2},
    {"idiv", binary<int32_t, int32_t, divide_int>, 2},
    {"irem", binary<int32_t, int32_t, remainder_int>, 2},
    {"and", binary<int32_t, int32_t, bit_and>, 2},
    {"or", binary<int32_t, int32_t, bit_or>, 2},
    {"xor", binary<int32_t, int32_t, bit_xor>, 2},
    {"not", unary<int32_t, int32_t, bit_not>, 1},
    {"shl", binary<int32_t, int32_t, shift_left>, 2},
    {"shr.i32", binary<int32_t, int32_t, shift_right>, 2},
    {"shr.u32", binary<uint32_t, uint32_t, shift_right_unsigned>, 2},
    {"mulhi", binary<uint32_t, uint32_t, multiply_high>, 2},
    {"eq.f32", binary<float, int32_t, equal>, 2},
    {"ne.f32", binary<float, int32_t, not_equal>, 2},
    {"lt.f32", binary<float, int32_t, less>, 2},
    {"le.f32", binary<float, int32_t, less_equal>, 2},
    {"eq.i32", binary<int32_t, int32_t, equal>, 2},
    {"ne.i32", binary<int32_t, int32_t, not_equal>, 2},
    {"lt.i32", binary<int32_t, int32_t, less>, 2},
    {"le.i32", binary<int32_t, int32_t, less_equal>, 2},
    {"lt.u32", binary<uint32_t, int32_t, less>, 2},
    {"le.u32", binary<uint32_t, int32_t, less_equal>, 2},
    {"isnan", unary<float, int32_t, is_nan>, 1},
    {"select", select_block, 3},
    {"f32_to_i32", unary<float, int32_t, to_i32>, 1},
    {"f32_to_u32", unary<float, uint32_t, to_u32>, 1},
    {"i32_to_f32", unary<int32_t, float, to_f32>, 1},
    {"u32_to_f32", unary<uint32_t, float, to_f32>, 1},
    {"mask_to_i32", unary<int32_t, int32_t, mask_to_i32>, 1},
    {"mask_to_f32", unary<int32_t, float, mask_to_f32>, 1},
};

}  // namespace

const ScalarOpInfo* find_scalar_op(const char* name) {
  for (const ScalarOpInfo& op : kOps) {
    if (strcmp(op.name, name) == 0) return &op;
  }
  return nullptr;
}

const char* scalar_op_names() {
  static const std::string names = [] {
    std::string joined;
    for (const ScalarOpInfo& op : kOps) joined.append(joined.empty() ? "" : " ").append(op.name);
    return joined;
  }();
  return names.c_str();
}

}  // namespace tfpy
