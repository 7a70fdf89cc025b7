#include "elementwise/scalar_ops.h"

#include <math.h>
#include <string.h>

#include "simd/simd_math.h"

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

// min and max for a second operand that is not NaN: one instruction on x86, and NaN in the first
// operand is kept.
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

// Converts as x86 does: INT32_MIN for NaN and for values outside of int32.
i32x4 float_to_int(f32x4 a) {
  const i32x4 fits = a < splat(2147483648.0f);
  return as_i32(wasm_v128_bitselect(bits(to_i32(a)), bits(splat(INT32_MIN)), bits(fits)));
}

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

// The quotient is exact in float64 while it is below 2^28, and so is the remainder.
f32x4 remainder(f32x4 a, f32x4 b) {
  return each_lane(a, b, [](float x, float y) {
    const double quotient = static_cast<double>(x) / y;
    if (!(fabs(quotient) < 268435456.0) || isinf(y)) return fmodf(x, y);
    return copysignf(static_cast<float>(x - trunc(quotient) * y), x);
  });
}

// Negates in unsigned arithmetic, because INT32_MIN / -1 would trap.
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

// Parts of encodings.
using Piece = Encoding::Piece;
constexpr Piece kA = {Encoding::kOperand, 0}, kB = {Encoding::kOperand, 1},
                kC = {Encoding::kOperand, 2}, kShiftB = {Encoding::kShiftOperand, 1},
                kZero = {Encoding::kBits, 0}, kOne = {Encoding::kBits, 1},
                kOneF32 = {Encoding::kBits, 0x3f800000}, kSignBit = {Encoding::kBits, 0x80000000},
                kTwoTo31 = {Encoding::kBits, 0x4f000000}, kHighs = {Encoding::kShuffleHighs, 0};

constexpr Piece simd(wasm::SimdOpcode opcode) { return {Encoding::kInstruction, opcode}; }

// A single instruction on the operation's operands.
constexpr Encoding on_one(wasm::SimdOpcode opcode) { return {{kA, simd(opcode)}}; }
constexpr Encoding on_two(wasm::SimdOpcode opcode) { return {{kA, kB, simd(opcode)}}; }

constexpr Encoding kRsqrtCode = {
    {kOneF32, kA, simd(wasm::kF32x4Sqrt), simd(wasm::kF32x4Div)},
};

// sign_float: a bitselect of copysign(1, a), which is itself a bitselect, and a + 0.
constexpr Encoding kSignFloatCode = {
    {kA, kOneF32, kSignBit, simd(wasm::kBitSelect), kA, kZero, simd(wasm::kF32x4Add),
     // 0 < |a|, which is false for NaN
     kZero, kA, simd(wasm::kF32x4Abs), simd(wasm::kF32x4Lt), simd(wasm::kBitSelect)},
};

constexpr Encoding kSignIntCode = {
    {kA, kZero, simd(wasm::kI32x4LtS), kA, kZero, simd(wasm::kI32x4GtS), simd(wasm::kI32x4Sub)},
};

constexpr Encoding kFloatToIntCode = {
    {kA, simd(wasm::kI32x4FromF32), kSignBit, kA, kTwoTo31, simd(wasm::kF32x4Lt),
     simd(wasm::kBitSelect)},
};

constexpr Encoding kMulHighCode = {
    {kA, kB, simd(wasm::kI64x2MulLowU), kA, kB, simd(wasm::kI64x2MulHighU), kHighs},
};

template <f32x4 (*F)(f32x4)>
constexpr ScalarOpInfo float_unary(const char* name, Encoding encoding = {}) {
  return {name, unary<float, float, F>, 1, encoding};
}

// A bool compares as the unsigned number 0 or 2^32 - 1. Operations without an encoding have block
// functions that take long compared to a block's pass through the L1 cache.
constexpr ScalarOpInfo kOps[] = {
    {"copy", unary<int32_t, int32_t, copy>, 1, {{kA}}},
    float_unary<floor>("floor", on_one(wasm::kF32x4Floor)),
    float_unary<ceil>("ceil", on_one(wasm::kF32x4Ceil)),
    float_unary<nearest>("round", on_one(wasm::kF32x4Nearest)),
    float_unary<sqrt>("sqrt", on_one(wasm::kF32x4Sqrt)),
    float_unary<rsqrt>("rsqrt", kRsqrtCode),
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
    float_unary<negate>("neg.f32", on_one(wasm::kF32x4Neg)),
    float_unary<abs_float>("abs.f32", on_one(wasm::kF32x4Abs)),
    float_unary<sign_float>("sign.f32", kSignFloatCode),
    {"neg.i32", unary<int32_t, int32_t, negate>, 1, on_one(wasm::kI32x4Neg)},
    {"abs.i32", unary<int32_t, int32_t, abs_int>, 1, on_one(wasm::kI32x4Abs)},
    {"sign.i32", unary<int32_t, int32_t, sign_int>, 1, kSignIntCode},
    {"add.f32", binary<float, float, add>, 2, on_two(wasm::kF32x4Add)},
    {"sub.f32", binary<float, float, sub>, 2, on_two(wasm::kF32x4Sub)},
    {"mul.f32", binary<float, float, mul>, 2, on_two(wasm::kF32x4Mul)},
    {"min.f32", binary<float, float, smaller>, 2, on_two(wasm::kF32x4Min)},
    {"max.f32", binary<float, float, larger>, 2, on_two(wasm::kF32x4Max)},
    {"min_number.f32", binary<float, float, smaller_number>, 2, on_two(wasm::kF32x4PMin)},
    {"max_number.f32", binary<float, float, larger_number>, 2, on_two(wasm::kF32x4PMax)},
    {"add.i32", binary<int32_t, int32_t, add>, 2, on_two(wasm::kI32x4Add)},
    {"sub.i32", binary<int32_t, int32_t, sub>, 2, on_two(wasm::kI32x4Sub)},
    {"mul.i32", binary<int32_t, int32_t, mul>, 2, on_two(wasm::kI32x4Mul)},
    {"min.i32", binary<int32_t, int32_t, smaller>, 2, on_two(wasm::kI32x4MinS)},
    {"max.i32", binary<int32_t, int32_t, larger>, 2, on_two(wasm::kI32x4MaxS)},
    {"min.u32", binary<uint32_t, uint32_t, smaller>, 2, on_two(wasm::kI32x4MinU)},
    {"max.u32", binary<uint32_t, uint32_t, larger>, 2, on_two(wasm::kI32x4MaxU)},
    {"div", binary<float, float, divide>, 2, on_two(wasm::kF32x4Div)},
    {"pow", binary<float, float, pow>, 2, {}},
    {"atan2", binary<float, float, atan2>, 2, {}},
    {"rem", binary<float, float, remainder>, 2, {}},
    {"idiv", binary<int32_t, int32_t, divide_int>, 2, {}},
    {"irem", binary<int32_t, int32_t, remainder_int>, 2, {}},
    {"and", binary<int32_t, int32_t, bit_and>, 2, on_two(wasm::kAnd)},
    {"or", binary<int32_t, int32_t, bit_or>, 2, on_two(wasm::kOr)},
    {"xor", binary<int32_t, int32_t, bit_xor>, 2, on_two(wasm::kXor)},
    {"not", unary<int32_t, int32_t, bit_not>, 1, on_one(wasm::kNot)},
    {"shl", binary<int32_t, int32_t, shift_left>, 2, {{kA, kShiftB, simd(wasm::kI32x4Shl)}}},
    {"shr.i32", binary<int32_t, int32_t, shift_right>, 2, {{kA, kShiftB, simd(wasm::kI32x4ShrS)}}},
    {"shr.u32",
     binary<uint32_t, uint32_t, shift_right_unsigned>,
     2,
     {{kA, kShiftB, simd(wasm::kI32x4ShrU)}}},
    {"mulhi", binary<uint32_t, uint32_t, multiply_high>, 2, kMulHighCode},
    {"eq.f32", binary<float, int32_t, equal>, 2, on_two(wasm::kF32x4Eq)},
    {"ne.f32", binary<float, int32_t, not_equal>, 2, on_two(wasm::kF32x4Ne)},
    {"lt.f32", binary<float, int32_t, less>, 2, on_two(wasm::kF32x4Lt)},
    {"le.f32", binary<float, int32_t, less_equal>, 2, on_two(wasm::kF32x4Le)},
    {"eq.i32", binary<int32_t, int32_t, equal>, 2, on_two(wasm::kI32x4Eq)},
    {"ne.i32", binary<int32_t, int32_t, not_equal>, 2, on_two(wasm::kI32x4Ne)},
    {"lt.i32", binary<int32_t, int32_t, less>, 2, on_two(wasm::kI32x4LtS)},
    {"le.i32", binary<int32_t, int32_t, less_equal>, 2, on_two(wasm::kI32x4LeS)},
    {"lt.u32", binary<uint32_t, int32_t, less>, 2, on_two(wasm::kI32x4LtU)},
    {"le.u32", binary<uint32_t, int32_t, less_equal>, 2, on_two(wasm::kI32x4LeU)},
    {"isnan", unary<float, int32_t, is_nan>, 1, {{kA, kA, simd(wasm::kF32x4Ne)}}},
    {"select", select_block, 3, {{kB, kC, kA, simd(wasm::kBitSelect)}}},
    {"f32_to_i32", unary<float, int32_t, float_to_int>, 1, kFloatToIntCode},
    {"f32_to_u32", unary<float, uint32_t, to_u32>, 1, on_one(wasm::kU32x4FromF32)},
    {"i32_to_f32", unary<int32_t, float, to_f32>, 1, on_one(wasm::kF32x4FromI32)},
    {"u32_to_f32", unary<uint32_t, float, to_f32>, 1, on_one(wasm::kF32x4FromU32)},
    {"mask_to_i32", unary<int32_t, int32_t, mask_to_i32>, 1, {{kA, kOne, simd(wasm::kAnd)}}},
    {"mask_to_f32", unary<int32_t, float, mask_to_f32>, 1, {{kA, kOneF32, simd(wasm::kAnd)}}},
};

}  // namespace

const ScalarOpInfo* find_scalar_op(const char* name) {
  for (const ScalarOpInfo& op : kOps) {
    if (strcmp(op.name, name) == 0) return &op;
  }
  return nullptr;
}

}  // namespace tfpy
