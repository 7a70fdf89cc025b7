// Hyperbolic functions and their inverses; the error function.
// GLSL's functions are generated from these (lower/webgl/glsl/library.py), so types other than float are explicit.

// Returns exp(x) / 2, even if exp(x) overflows.
fn half_exponential(x: f32) -> f32 { return scaled_exponential(x, -1); }

fn hyperbolic_sine(x: f32) -> f32 {
    let a = absolute(x);
    if (a < 1.0) {
        let z = x * x;
        var q = 1.0 / 362880.0;
        q = q * z + 1.0 / 5040.0;
        q = q * z + 1.0 / 120.0;
        q = q * z + 1.0 / 6.0;
        return q * z * x + x;
    }
    return with_sign(half_exponential(a) - 0.5 * exponential(-a), x);
}

fn hyperbolic_cosine(x: f32) -> f32 {
    let a = absolute(x);
    return half_exponential(a) + 0.5 * exponential(-a);
}

fn hyperbolic_tangent(x: f32) -> f32 {
    let a = absolute(x);
    if (a < 0.3) {
        let e = exp_minus_1(2.0 * x);
        return e / (e + 2.0);
    }
    if (is_nan(x)) { return x; }
    if (a > 10.0) { return with_sign(1.0, x); }
    return with_sign(1.0 - 2.0 / (exponential(2.0 * a) + 1.0), x);
}

fn inverse_hyperbolic_sine(x: f32) -> f32 {
    let a = absolute(x);
    if (a > 1.0e4) { return with_sign(logarithm(a) + 0.6931471805599453, x); }
    return with_sign(log_1_plus(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}

fn inverse_hyperbolic_cosine(x: f32) -> f32 {
    if (!(x >= 1.0)) { return nan(); }
    if (x > 1.0e4) { return logarithm(x) + 0.6931471805599453; }
    // From the bits near 1: compilers simplify x - 1 if x is y + 1, which changes the rounding.
    let near = f32(bitcast<i32>(x) - 0x3f800000) * 1.1920928955078125e-7;
    let t = select(x - 1.0, near, x < 2.0);
    return log_1_plus(t + sqrt(t * (t + 2.0)));
}

fn inverse_hyperbolic_tangent(x: f32) -> f32 {
    let a = absolute(x);
    if (!(a <= 1.0)) { return nan(); }
    if (a == 1.0) { return with_sign(infinity(), x); }
    return with_sign(0.5 * log_1_plus(2.0 * a / (1.0 - a)), x);
}

// A fitted odd polynomial up to 1, then a rational approximation of 1 - erf; the error is below 3e-7.
fn error_function(x: f32) -> f32 {
    if (is_nan(x)) { return x; }
    let a = absolute(x);
    if (a < 1.0) {
        let z = x * x;
        var q = 7.8824974e-5;
        q = q * z - 8.0188550e-4;
        q = q * z + 5.1893122e-3;
        q = q * z - 2.6854329e-2;
        q = q * z + 1.1283597e-1;
        q = q * z - 3.7612626e-1;
        q = q * z + 1.1283791671;
        return q * x;
    }
    if (a > 4.0) { return sign_of(x); }
    let t = 1.0 / (1.0 + 0.3275911 * a);
    let q = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    return with_sign(1.0 - q * exponential(-a * a), x);
}
