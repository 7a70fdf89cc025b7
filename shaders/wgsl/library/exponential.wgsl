// Exponentials, logarithms, powers. Built-in functions are used only where the language bounds their
// error to a few units in the last place.
// GLSL's functions are generated from these (lower/webgl/glsl/library.py), so types other than float are explicit.

// exp(x) * 2^shift, for a shift of -1 or 0.
fn scaled_exponential(x: f32, shift: i32) -> f32 {
    if (is_nan(x)) { return x; }
    let a = clamp(x, -104.0, 90.0);
    let n = floor(a * 1.4426950408889634 + 0.5);
    let r = (a - n * 0.693359375) + n * 2.12194440054690e-4;
    var q = 1.991838175e-4;
    q = q * r + 1.394607091e-3;
    q = q * r + 8.333264361e-3;
    q = q * r + 4.166626997e-2;
    q = q * r + 1.666666686e-1;
    q = q * r + 5.000000078e-1;
    let whole: i32 = i32(n) + shift;
    let half_way: i32 = whole >> 1u;
    return (q * r * r + r + 1.0) * power_of_two(half_way) * power_of_two(whole - half_way);
}

fn exponential(x: f32) -> f32 { return scaled_exponential(x, 0); }

fn exponential4(x: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(exponential(x.x), exponential(x.y), exponential(x.z), exponential(x.w));
}

// exp(x) - 1.
fn exp_minus_1(x: f32) -> f32 {
    if (absolute(x) >= 0.5) { return exponential(x) - 1.0; }
    var q = 1.0 / 40320.0;
    q = q * x + 1.0 / 5040.0;
    q = q * x + 1.0 / 720.0;
    q = q * x + 1.0 / 120.0;
    q = q * x + 1.0 / 24.0;
    q = q * x + 1.0 / 6.0;
    q = q * x + 0.5;
    return with_sign(absolute(q * x * x + x), x); // the sum of the terms of -0 is 0
}

// log((1 + s) / (1 - s)) for |s| <= 1/3.
fn log_ratio(s: f32) -> f32 {
    let z = s * s;
    var q = 1.0 / 13.0;
    q = q * z + 1.0 / 11.0;
    q = q * z + 1.0 / 9.0;
    q = q * z + 1.0 / 7.0;
    q = q * z + 0.2;
    q = q * z + 1.0 / 3.0;
    return 2.0 * s + 2.0 * s * z * q;
}

// The mantissa is scaled to [sqrt(1/2), sqrt(2)); ln 2 is added in two parts.
fn logarithm(x: f32) -> f32 {
    if (is_nan(x) || x < 0.0) { return nan(); }
    if (x == 0.0) { return -infinity(); }
    if (x == infinity()) { return x; }
    let bits: i32 = bitcast<i32>(x) - 0x3f3504f3;
    let e = f32(bits >> 23u);
    let m = bitcast<f32>((bits & 0x007fffff) + 0x3f3504f3);
    return e * 0.693145751953125 + (log_ratio((m - 1.0) / (m + 1.0)) + e * 1.428606820309417e-6);
}

fn log_1_plus(x: f32) -> f32 {
    if (absolute(x) < 3.0e-8) { return x; }
    if (absolute(x) < 0.5) { return log_ratio(x / (2.0 + x)); }
    return logarithm(1.0 + x);
}

// log(exp(x) + exp(y)).
fn log_add(x: f32, y: f32) -> f32 {
    if (x == y) { return x + 0.6931471805599453; }
    return maximum(x, y) + log_1_plus(exponential(-absolute(x - y)));
}

fn log_add4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(log_add(x.x, y.x), log_add(x.y, y.y), log_add(x.z, y.z), log_add(x.w, y.w));
}

// Returns the 12 leading bits; products of two such numbers are exact.
fn leading_bits(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }

// Returns the power of a normal number. y log2(a) is computed in two parts with exact products of the large
// parts, so that the result is accurate to the last bits for any compiler's order of operations.
fn power_of_positive(a: f32, y: f32) -> f32 {
    let bits: i32 = bitcast<i32>(a) - 0x3f3504f3;
    let e = f32(bits >> 23u);
    let m = bitcast<f32>((bits & 0x007fffff) + 0x3f3504f3);
    let f = m - 1.0;
    let s = f / (m + 1.0);
    let s_high = leading_bits(s);
    let d_high = leading_bits(m + 1.0);
    let d_low = (1.0 - d_high) + m;
    let s_low = ((f - s_high * d_high) - s_high * d_low) / (m + 1.0);
    let z = s * s;
    var c = 0.334518733;
    c = c * z + 0.411991878;
    c = c * z + 0.577078869;
    c = c * z + 0.961796692;
    let large = 2.884765625 * s_high; // 2 / ln 2 in two parts
    let small = 2.884765625 * s_low + (6.24456778e-4 * s + c * z * s);
    let high = leading_bits(e + large + small);
    let low = ((e - high) + large) + small;
    let y_high = leading_bits(y);
    let rest = (y - y_high) * high + y * low;
    let whole = floor(y_high * high + rest + 0.5);
    if (!(whole < 129.0)) { return infinity(); }
    if (whole < -151.0) { return 0.0; }
    let r = (y_high * high - whole) + rest;
    var q = 1.534581164e-4;
    q = q * r + 1.339993122e-3;
    q = q * r + 9.618488958e-3;
    q = q * r + 5.550328777e-2;
    q = q * r + 2.402264689e-1;
    q = q * r + 6.931472057e-1;
    let half_way: i32 = i32(whole) >> 1u;
    return (q * r + 1.0) * power_of_two(half_way) * power_of_two(i32(whole) - half_way);
}

// Squares, cubes and integer powers of integers are multiplied out, so that they are exact if they fit.
fn power(x: f32, y: f32) -> f32 {
    if (y == 0.0 || x == 1.0) { return 1.0; }
    if (is_nan(x) || is_nan(y)) { return nan(); }
    let a = absolute(x);
    let e = absolute(y);
    let whole: bool = floor(y) == y;
    let odd: bool = whole && floor(y * 0.5) * 2.0 != y;
    if (x < 0.0 && !whole && a != infinity()) { return nan(); }
    var r = 1.0;
    if (a == 0.0 || a == infinity() || e == infinity()) {
        if (a != 1.0) { r = select(0.0, infinity(), (a > 1.0) == (y > 0.0)); }
    } else {
        var base = a;
        for (var n: i32 = select(0, i32(e), whole && e <= 64.0); n > 0; n >>= 1u) {
            if ((n & 1) == 1) { r *= base; }
            base *= base;
        }
        let exact: bool = whole && e <= 64.0 && floor(a) == a && r <= 16777216.0;
        if (exact && y < 0.0) {
            r = 1.0 / r;
        } else if (!exact && y != 1.0 && y != 2.0 && y != 3.0) {
            r = power_of_positive(a, y);
        }
    }
    return select(r, -r, odd && bitcast<i32>(x) < 0);
}
