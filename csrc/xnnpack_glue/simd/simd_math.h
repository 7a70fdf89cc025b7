// Elementary functions on four lanes. The polynomials are weighted least-squares fits with nearly
// the minimax error. Functions that need more precision than float32 internally use two f64x2. The
// two parts of ln 2 are from Cephes (https://www.netlib.org/cephes/).
#pragma once

#include <initializer_list>

#include "simd/multiply_add.h"
#include "simd/simd.h"

namespace tfpy {

constexpr float kInf = __builtin_inff();
constexpr float kNaN = __builtin_nanf("");
constexpr float kPi = 3.14159265358979f;
constexpr float kHalfPi = 1.57079632679490f;
constexpr float kLn2 = 0.693147180559945f;
constexpr float kLn2High = 0.693359375f;  // few bits, so that its multiples are exact
constexpr float kLn2Low = -2.12194440054690e-4f;

// Coefficients, starting with the constant term.
template <class... Rest>
inline f32x4 polynomial(f32x4 x, float constant, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return splat(constant);
  } else {
    return splat(constant) + x * polynomial(x, rest...);
  }
}

template <class... Rest>
inline f64x2 polynomial(f64x2 x, double constant, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return f64x2{constant, constant};
  } else {
    return f64x2{constant, constant} + x * polynomial(x, rest...);
  }
}

// 2^n for n in -126..127.
inline f32x4 power_of_two(i32x4 n) { return as_f32((n + 127) << 23); }

struct ExpParts {
  f32x4 remainder;       // exp(r) - 1
  f32x4 scale1, scale2;  // their product is 2^n
  f32x4 reciprocal2;     // 1 / scale2
};

// exp(x) = (remainder + 1) * scale1 * scale2; two scales prevent overflow and underflow.
inline ExpParts exp_parts(f32x4 x) {
  x = clamp(x, -104.0f, 90.0f);
  const f32x4 n = nearest(x * splat(1.44269504088896f));
  const f32x4 r = (x - n * splat(kLn2High)) - n * splat(kLn2Low);
  const f32x4 p = polynomial(r, 0.500000001f, 0.166666665f, 0.0416664574f, 0.00833336184f,
                             0.00139344967f, 0.000198581212f);
  const i32x4 whole = to_i32(n), half = whole >> 1, other = whole - half;
  return {r + r * r * p, power_of_two(half), power_of_two(other), power_of_two(-other)};
}

inline f32x4 exp(f32x4 x) {
  const ExpParts e = exp_parts(x);
  return (e.remainder + 1.0f) * e.scale1 * e.scale2;
}

// Computes exp(x) for x <= 0 quickly: results below the smallest normal number are 0.
inline f32x4 exp_nonpositive(f32x4 x) {
  constexpr float kShift = 12582912.0f + 127.0f;  // puts the biased exponent in the lowest bits
  const f32x4 shifted = multiply_add(x, splat(1.44269504088896f), splat(kShift));
  const f32x4 scale = as_f32(as_i32(shifted) << 23);
  const f32x4 n = shifted - splat(kShift);
  const f32x4 r = multiply_add(n, splat(-kLn2Low), multiply_add(n, splat(-kLn2High), x));
  f32x4 p = splat(0.00139344967f);
  for (const float factor : {0.00833336184f, 0.0416664574f, 0.166666665f, 0.500000001f})
    p = multiply_add(p, r, splat(factor));
  const f32x4 y = multiply_add(multiply_add(r * r, p, r), scale, scale);
  return select(x < splat(-87.3365448f), splat(0.0f), y);
}

inline f32x4 expm1(f32x4 x) {
  const ExpParts e = exp_parts(x);
  const f32x4 y = (e.remainder * e.scale1 + (e.scale1 - e.reciprocal2)) * e.scale2;
  return select(x == splat(0.0f), x, y);
}

inline f32x4 log(f32x4 x) {
  const i32x4 tiny = x < splat(1.17549435e-38f);
  const i32x4 raw = as_i32(select(tiny, x * splat(8388608.0f), x));
  const i32x4 exponent = (raw - 0x3f3504f3) >> 23;  // the mantissa is then sqrt(1/2)..sqrt(2)
  const f32x4 f = as_f32(raw - (exponent << 23)) - 1.0f;
  const f32x4 e = to_f32(exponent + (tiny & -23));
  const f32x4 p = polynomial(f, 0.333333299f, -0.250003039f, 0.200012005f, -0.166415803f,
                             0.142099602f, -0.129893087f, 0.126555918f, -0.0797397706f);
  const f32x4 square = f * f;
  f32x4 y = square * f * p + e * splat(kLn2Low) - square * splat(0.5f);
  y = (y + f) + e * splat(kLn2High);
  y = select(x < splat(0.0f), splat(kNaN), y);
  y = select(x == splat(0.0f), splat(-kInf), y);
  return select(x < splat(kInf), y, x);
}

inline f32x4 log1p(f32x4 x) {
  const f32x4 u = x + 1.0f;
  const f32x4 lost = (x - (u - 1.0f)) / u;  // rounding error of u
  const f32x4 y = log(u) + select(abs(lost) < splat(1.0f), lost, splat(0.0f));
  return select(u == splat(1.0f), x, y);
}

struct SinCos {
  f32x4 sin, cos;  // of the remainder
  i32x4 quadrant;
};

// Adding this to a float64 rounds it to an integer, which is then in the low half of the bits.
constexpr double kRounder = 6755399441055744.0;

struct Rounded {
  f64x2 value;
  v128_t bits;  // int32 in lanes 0 and 2
};

inline Rounded round_bits(f64x2 x) {
  const f64x2 shifted = x + kRounder;
  return {shifted - kRounder, bits(shifted)};
}

inline f64x2 widen_low(f32x4 x) {
  return reinterpret_cast<f64x2>(wasm_f64x2_promote_low_f32x4(bits(x)));
}
inline f64x2 widen_high(f32x4 x) {
  return reinterpret_cast<f64x2>(
      wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(bits(x), bits(x), 2, 3, 0, 1)));
}
inline f32x4 narrow(f64x2 low, f64x2 high) {
  return as_f32(wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(bits(low)),
                                   wasm_f32x4_demote_f64x2_zero(bits(high)), 0, 2));
}

// Computes x - n * pi/2 for the nearest n in float64, which is accurate if n has at most 20 bits.
inline f64x2 reduce_quadrant(f64x2 x, Rounded* n) {
  *n = round_bits(x * 0.63661977236758134);
  return (x - n->value * 1.5707963267341256) - n->value * 6.0771005065061922e-11;
}

// The same for a single |x| above 1e6, by Payne and Hanek's method (1983,
// https://doi.org/10.1145/1057600.1057602): only the bits around the point of 2/pi times the
// mantissa are computed, which omits multiples of 4 and negligible bits.
inline float reduce_large(float x, int32_t* quadrant) {
  constexpr uint32_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                     0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  const uint32_t bits = __builtin_bit_cast(uint32_t, x), exponent = bits >> 23 & 255;
  if (exponent == 255) return kNaN;
  const uint32_t first = exponent - 120, word = first / 32, shift = first % 32;
  const auto window = [&](uint32_t at) {  // 32 bits of 2/pi
    const uint64_t both = uint64_t{kTwoOverPi[at]} << 32 | kTwoOverPi[at + 1];
    return both << shift >> 32;
  };
  const uint64_t mantissa = (bits & 0x7fffff) | 0x800000;
  const uint64_t turn = (window(word) << 32 | window(word + 1)) * mantissa +
                        (window(word + 2) * mantissa >> 32);  // in units of 2^-64
  const uint64_t n = (turn + (uint64_t{1} << 61)) >> 62;
  const double angle = static_cast<double>(static_cast<int64_t>(turn - (n << 62))) *
                       3.4061215800865545e-19;  // 2 pi / 2^64
  const bool negative = bits >> 31 != 0;
  *quadrant = static_cast<int32_t>(negative ? -n : n);
  return static_cast<float>(negative ? -angle : angle);
}

struct Angle {
  f32x4 remainder;
  i32x4 quadrant;  // modulo 4
};

inline Angle reduce_angle(f32x4 x) {
  Rounded n0, n1;
  const f64x2 r0 = reduce_quadrant(widen_low(x), &n0);
  const f64x2 r1 = reduce_quadrant(widen_high(x), &n1);
  Angle angle = {narrow(r0, r1), as_i32(wasm_i32x4_shuffle(n0.bits, n1.bits, 0, 2, 4, 6))};
  const i32x4 large = abs(x) > splat(1e6f);
  if (__builtin_expect(wasm_v128_any_true(bits(large)), 0)) {
    for (int i = 0; i < 4; ++i) {
      int32_t quadrant = 0;
      if (large[i] == 0) continue;
      angle.remainder[i] = reduce_large(x[i], &quadrant);
      angle.quadrant[i] = quadrant;
    }
  }
  return angle;
}

inline SinCos sin_cos(f32x4 x) {
  const auto [r, quadrant] = reduce_angle(x);
  const f32x4 z = r * r;
  return {
      r + r * z * polynomial(z, -0.166666667f, 0.00833333177f, -0.000198400338f, 2.72432459e-06f),
      splat(1.0f) - z * splat(0.5f) +
          z * z * polynomial(z, 0.0416666667f, -0.00138888876f, 2.48005577e-05f, -2.72955459e-07f),
      quadrant};
}

inline f32x4 from_quadrant(f32x4 sin, f32x4 cos, i32x4 quadrant) {
  const f32x4 y = select((quadrant & 1) == splat(0), sin, cos);
  return as_f32(as_i32(y) ^ ((quadrant & 2) << 30));
}

inline f32x4 sin(f32x4 x) {
  const SinCos s = sin_cos(x);
  return select(x == splat(0.0f), x, from_quadrant(s.sin, s.cos, s.quadrant));
}

inline f32x4 cos(f32x4 x) {
  const SinCos s = sin_cos(x);
  return from_quadrant(s.sin, s.cos, s.quadrant + 1);
}

inline f32x4 tan(f32x4 x) {
  const SinCos s = sin_cos(x);
  const i32x4 even = (s.quadrant & 1) == splat(0);
  return select(x == splat(0.0f), x, select(even, s.sin, -s.cos) / select(even, s.cos, s.sin));
}

// Returns the angle of the point (x, y).
inline f32x4 atan2(f32x4 y, f32x4 x) {
  const f32x4 ax = abs(x), ay = abs(y);
  const f32x4 large = max(ax, ay);
  f32x4 t = min(ax, ay) / large;
  t = select(large == splat(0.0f), splat(0.0f), t);
  t = select((ax == ay) & (ax == splat(kInf)), splat(1.0f), t);
  const f32x4 z = t * t;
  f32x4 angle = t + t * z *
                        polynomial(z, -0.333332991f, 0.199985481f, -0.142642396f, 0.109521751f,
                                   -0.0840341901f, 0.057957058f, -0.0311773133f, 0.0109143206f,
                                   -0.00179355814f);
  angle = select(ay > ax, splat(kHalfPi) - angle, angle);
  angle = select(as_i32(x) < splat(0), splat(kPi) - angle, angle);
  return copysign(angle, y);
}

inline f32x4 atan(f32x4 x) { return atan2(x, splat(1.0f)); }

// asin of a value in 0..1/2, given with its square.
inline f32x4 asin_core(f32x4 x, f32x4 z) {
  return x + x * z *
                 polynomial(z, 0.166666663f, 0.0750009875f, 0.0445980238f, 0.0311163963f,
                            0.0170761071f, 0.0338095908f);
}

struct AsinParts {
  f32x4 angle;  // asin(|x|) where |x| <= 1/2, otherwise asin(sqrt((1 - |x|) / 2))
  i32x4 is_small;
};

inline AsinParts asin_parts(f32x4 x) {
  const f32x4 a = abs(x);
  const i32x4 is_small = a <= splat(0.5f);
  const f32x4 z = select(is_small, a * a, (splat(1.0f) - a) * splat(0.5f));
  return {asin_core(select(is_small, a, sqrt(z)), z), is_small};
}

inline f32x4 asin(f32x4 x) {
  const AsinParts p = asin_parts(x);
  return copysign(select(p.is_small, p.angle, splat(kHalfPi) - p.angle * 2.0f), x);
}

inline f32x4 acos(f32x4 x) {
  const AsinParts p = asin_parts(x);
  const f32x4 far = p.angle * 2.0f;
  return select(p.is_small, splat(kHalfPi) - copysign(p.angle, x),
                select(x < splat(0.0f), splat(kPi) - far, far));
}

// Computes exp(a) / 2 for a >= 0, finite whenever the result is.
inline f32x4 half_exp(f32x4 a) {
  const ExpParts e = exp_parts(a);
  return (e.remainder + 1.0f) * e.scale1 * (e.scale2 * 0.5f);
}

inline f32x4 sinh(f32x4 x) {
  const f32x4 a = abs(x), t = expm1(a);
  const f32x4 near = (t + t / (t + 1.0f)) * 0.5f;
  return copysign(select(a > splat(9.5f), half_exp(a), near), x);
}

inline f32x4 cosh(f32x4 x) {
  const f32x4 a = abs(x), half = half_exp(a);
  return half + splat(0.25f) / half;
}

inline f32x4 tanh(f32x4 x) {
  const f32x4 a = abs(x), z = x * x;
  const f32x4 near = a + a * z *
                             polynomial(z, -0.333332839f, 0.133314912f, -0.0537434917f,
                                        0.0206505685f, -0.00571702582f);
  const f32x4 far = splat(1.0f) - splat(2.0f) / (exp(a + a) + 1.0f);
  return copysign(select(a < splat(0.625f), near, far), x);
}

inline f32x4 asinh(f32x4 x) {
  const f32x4 a = abs(x);
  const f32x4 near = log1p(a + a * a / (sqrt(a * a + 1.0f) + 1.0f));
  const f32x4 far = log(a) + kLn2;
  return copysign(select(a < splat(1e8f), near, far), x);
}

inline f32x4 acosh(f32x4 x) {
  const f32x4 t = x - 1.0f;
  const f32x4 near = log1p(t + sqrt(t + t + t * t));
  return select(x < splat(1.0f), splat(kNaN), select(x > splat(1e8f), log(x) + kLn2, near));
}

inline f32x4 atanh(f32x4 x) {
  const f32x4 a = abs(x);
  return copysign(log1p((a + a) / (splat(1.0f) - a)) * 0.5f, x);
}

inline f32x4 erf(f32x4 x) {
  const f32x4 a = abs(x), z = x * x;
  const f32x4 near = a + a * polynomial(z, 0.12837917f, -0.376126258f, 0.112835851f, -0.0268538118f,
                                        0.00518832741f, -0.000801019117f, 7.85385326e-05f);
  const f32x4 t = clamp(a, 0.0f, 4.0f);
  const f32x4 far =
      splat(1.0f) - exp(polynomial(t, -0.000300415718f, -1.12725151f, -0.637882992f, -0.103327433f,
                                   0.0219404725f, -0.00297245291f, 0.000188824769f));
  return copysign(select(a < splat(1.0f), near, far), x);
}

// y * log2(m * 2^e) of two lanes in float64, and 2 to the power of its fraction.
struct PowParts {
  f64x2 fraction_power;
  v128_t whole;  // int32 in lanes 0 and 2
};

inline PowParts pow_parts(f64x2 m, f64x2 e, f64x2 y) {
  const f64x2 f = m - 1.0, s = f / (f + 2.0), z = s * s;
  const f64x2 log2 = s * 2.8853900817779268 +
                     s * z *
                         polynomial(z, 0.96179669393625333, 0.57707799893769263,
                                    0.41220329796809257, 0.32015353501507504, 0.27935671839646908) +
                     e;
  // Outside these bounds float32 is 0 or inf anyway; NaN passes.
  const f64x2 power = reinterpret_cast<f64x2>(
      wasm_f64x2_pmin(wasm_f64x2_pmax(bits(y * log2), wasm_f64x2_const_splat(-200.0)),
                      wasm_f64x2_const_splat(200.0)));
  const Rounded n = round_bits(power);
  const f64x2 p = polynomial(power - n.value, 1.0000000005542127, 0.69314720573711053,
                             0.24022646890288216, 0.05550328777220058, 0.0096184889945173935,
                             0.001339993113761971, 0.00015345801945976104);
  return {p, n.bits};
}

// Computes |x|^y. If |x| is 0 or inf, its exponent is set so large that the power becomes 0 or inf.
inline f32x4 pow_magnitude(f32x4 a, f32x4 y) {
  const i32x4 tiny = a < splat(1.17549435e-38f);
  const i32x4 raw = as_i32(select(tiny, a * splat(8388608.0f), a));
  const i32x4 exponent = (raw - 0x3f3504f3) >> 23;
  f32x4 m = as_f32(raw - (exponent << 23));
  f32x4 e = to_f32(exponent + (tiny & -23));
  e = select(a == splat(0.0f), splat(-kInf), e);
  e = select(a == splat(kInf), splat(kInf), e);
  m = select(a == a, m, a);
  const PowParts low = pow_parts(widen_low(m), widen_low(e), widen_low(y));
  const PowParts high = pow_parts(widen_high(m), widen_high(e), widen_high(y));
  const f32x4 p = narrow(low.fraction_power, high.fraction_power);
  const i32x4 n = as_i32(wasm_i32x4_shuffle(low.whole, high.whole, 0, 2, 4, 6));
  const i32x4 half = n >> 1;
  return p * power_of_two(half) * power_of_two(n - half);
}

inline f32x4 pow(f32x4 x, f32x4 y) {
  f32x4 power = pow_magnitude(abs(x), y);
  const i32x4 is_integer = nearest(y) == y;
  const f32x4 half = y * 0.5f;
  const i32x4 is_odd = is_integer & (nearest(half) != half);
  const i32x4 is_negative = as_i32(x) < splat(0);
  power = as_f32(as_i32(power) ^ (is_odd & is_negative & INT32_MIN));
  power = select((x < splat(0.0f)) & (x > splat(-kInf)) & ~is_integer, splat(kNaN), power);
  const i32x4 is_one =
      (y == splat(0.0f)) | (x == splat(1.0f)) | ((x == splat(-1.0f)) & (abs(y) == splat(kInf)));
  return select(is_one, splat(1.0f), power);
}

}  // namespace tfpy
