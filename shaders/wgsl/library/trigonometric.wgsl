// Sine, cosine, tangent and their inverses.
// GLSL's functions are generated from these (lower/webgl/glsl/library.py), so types other than float are explicit.

// An angle of quadrant * pi/2 + rest with |rest| <= pi/4; the quadrant is modulo 4.
struct Angle {
    rest: f32,
    quadrant: i32,
}

// The digits of 2/pi.
const TWO_OVER_PI = array<u32, 8>(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
                                  0x3c439041u, 0xfe5163abu);

// Returns 32 digits of 2/pi from a position on.
fn digits_at(place: i32) -> u32 {
    let word: i32 = place >> 5u;
    let shift: u32 = u32(place & 31);
    if (shift == 0u) { return TWO_OVER_PI[word]; }
    return (TWO_OVER_PI[word] << shift) | (TWO_OVER_PI[word + 1] >> (32u - shift));
}

// Returns the angle x, for |x| of at least 32768, by Payne and Hanek's method (1983,
// https://doi.org/10.1145/1057600.1057602): only the bits around the point of 2/pi times the mantissa are
// computed, which omits multiples of 4 and negligible bits.
fn large_angle(x: f32) -> Angle {
    let place: i32 = exponent_of(x) - 120;
    let t0: u32 = digits_at(place);
    let t1: u32 = digits_at(place + 32);
    let t2: u32 = digits_at(place + 64);
    let m: u32 = mantissa_of(x);
    var low: u32 = m * t1 + mul_high(m, t2);
    var high: u32 = m * t0 + mul_high(m, t1) + select(0u, 1u, low < m * t1); // a circle has 2^32
    let n: i32 = i32((high + 0x20000000u) >> 30u);
    high -= u32(n) << 30u;
    var side = 1.0;
    if ((high & 0x80000000u) != 0u) {
        side = -1.0;
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
    side = select(side, -side, x < 0.0);
    let rest = side * (f32(high) + f32(low) * 2.3283064365386963e-10) * 1.4629180792671596e-9;
    return Angle(rest, select(n, -n, x < 0.0) & 3);
}

// The same for any x; pi/2 is split into parts with few bits, so that their multiples are exact.
fn angle(x: f32) -> Angle {
    if (!(absolute(x) < 32768.0)) { return large_angle(x); }
    let n = floor(x * 0.6366197723675814 + 0.5);
    var r = x - n * 1.5703125;
    r -= n * 4.8351287841796875e-4;
    r -= n * 3.1385570764541626e-7;
    r -= n * 6.070877134334296e-11;
    return Angle(r - n * 6.223372171896613e-14, i32(n) & 3);
}

// The sign is set explicitly, because the sum of the terms for -0 is 0.
fn sine_kernel(r: f32) -> f32 {
    let z = r * r;
    let a = absolute(r);
    return with_sign(((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * a + a, r);
}

fn cosine_kernel(r: f32) -> f32 {
    let z = r * r;
    return ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z -
        0.5 * z + 1.0;
}

fn sine(x: f32) -> f32 {
    if (!(absolute(x) < infinity())) { return nan(); }
    let a: Angle = angle(x);
    var y = cosine_kernel(a.rest);
    if ((a.quadrant & 1) == 0) { y = sine_kernel(a.rest); }
    return select(y, -y, a.quadrant >= 2);
}

fn cosine(x: f32) -> f32 {
    if (!(absolute(x) < infinity())) { return nan(); }
    let a: Angle = angle(x);
    var y = sine_kernel(a.rest);
    if ((a.quadrant & 1) == 0) { y = cosine_kernel(a.rest); }
    return select(y, -y, a.quadrant == 1 || a.quadrant == 2);
}

fn tangent(x: f32) -> f32 {
    if (!(absolute(x) < infinity())) { return nan(); }
    let a: Angle = angle(x);
    let s = sine_kernel(a.rest);
    let c = cosine_kernel(a.rest);
    if ((a.quadrant & 1) == 0) { return s / c; }
    return -c / s;
}

// asin(x) for 0 <= x <= 1/2.
fn asin_kernel(x: f32) -> f32 {
    let z = x * x;
    var q = 4.2163199048e-2;
    q = q * z + 2.4181311049e-2;
    q = q * z + 4.5470025998e-2;
    q = q * z + 7.4953002686e-2;
    q = q * z + 1.6666752422e-1;
    return q * z * x + x;
}

fn arc_sine(x: f32) -> f32 {
    let a = absolute(x);
    if (!(a <= 1.0)) { return nan(); }
    if (a <= 0.5) { return with_sign(asin_kernel(a), x); }
    return with_sign(1.5707963267948966 - 2.0 * asin_kernel(sqrt((1.0 - a) * 0.5)), x);
}

fn arc_cosine(x: f32) -> f32 {
    let a = absolute(x);
    if (!(a <= 1.0)) { return nan(); }
    if (a <= 0.5) { return 1.5707963267948966 - with_sign(asin_kernel(a), x); }
    let r = 2.0 * asin_kernel(sqrt((1.0 - a) * 0.5));
    return select(r, 3.141592653589793 - r, x < 0.0);
}

fn arc_tangent(x: f32) -> f32 {
    if (is_nan(x)) { return x; }
    let a = absolute(x);
    var base = 0.0;
    var t = a;
    if (a > 2.414213562373095) {
        base = 1.5707963267948966;
        t = select(-1.0 / a, 0.0, a == infinity());
    } else if (a > 0.4142135623730950) {
        base = 0.7853981633974483;
        t = (a - 1.0) / (a + 1.0);
    }
    let z = t * t;
    var q = 8.05374449538e-2;
    q = q * z - 1.38776856032e-1;
    q = q * z + 1.99777106478e-1;
    q = q * z - 3.33329491539e-1;
    return with_sign(base + (q * z * t + t), x);
}

fn arc_tangent_2(y: f32, x: f32) -> f32 {
    if (is_nan(x) || is_nan(y)) { return nan(); }
    let a = absolute(x);
    let b = absolute(y);
    var r = 0.0;
    if (a != b) {
        r = arc_tangent(b / a);
    } else if (a != 0.0) {
        r = 0.7853981633974483;
    }
    if (bitcast<i32>(x) < 0) { r = 3.141592653589793 - r; }
    return with_sign(r, y);
}
