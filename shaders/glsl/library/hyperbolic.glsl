// Hyperbolic functions and their inverses; the error function.

// exp(x) / 2, also where exp(x) is too large.
float half_exponential(float x) { return scaled_exponential(x, -1); }

float hyperbolic_sine(float x) {
    float a = absolute(x);
    if (a < 1.0) {
        float z = x * x;
        float p = 1.0 / 362880.0;
        p = p * z + 1.0 / 5040.0;
        p = p * z + 1.0 / 120.0;
        p = p * z + 1.0 / 6.0;
        return p * z * x + x;
    }
    return with_sign(half_exponential(a) - 0.5 * exponential(-a), x);
}

float hyperbolic_cosine(float x) {
    float a = absolute(x);
    return half_exponential(a) + 0.5 * exponential(-a);
}

float hyperbolic_tangent(float x) {
    float a = absolute(x);
    if (a < 0.3) {
        float e = exp_minus_1(2.0 * x);
        return e / (e + 2.0);
    }
    if (is_nan(x)) return x;
    return with_sign(a > 10.0 ? 1.0 : 1.0 - 2.0 / (exponential(2.0 * a) + 1.0), x);
}

float inverse_hyperbolic_sine(float x) {
    float a = absolute(x);
    float r = a > 1.0e4 ? logarithm(a) + 0.6931471805599453
                        : log_1_plus(a + a * a / (1.0 + sqrt(a * a + 1.0)));
    return with_sign(r, x);
}

float inverse_hyperbolic_cosine(float x) {
    if (!(x >= 1.0)) return nan();
    // By bits near 1: compilers take the 1 off an x that is y + 1, and what was rounded away is there.
    float t = x < 2.0 ? float(floatBitsToInt(x) - 0x3f800000) * 1.1920928955078125e-7 : x - 1.0;
    return x > 1.0e4 ? logarithm(x) + 0.6931471805599453 : log_1_plus(t + sqrt(t * (t + 2.0)));
}

float inverse_hyperbolic_tangent(float x) {
    float a = absolute(x);
    if (!(a <= 1.0)) return nan();
    if (a == 1.0) return with_sign(infinity(), x);
    return with_sign(0.5 * log_1_plus(2.0 * a / (1.0 - a)), x);
}

// A fitted odd polynomial up to 1, then a rational approximation of 1 - erf; error below 3e-7.
float error_function(float x) {
    if (is_nan(x)) return x;
    float a = absolute(x);
    if (a < 1.0) {
        float z = x * x;
        float p = 7.8824974e-5;
        p = p * z - 8.0188550e-4;
        p = p * z + 5.1893122e-3;
        p = p * z - 2.6854329e-2;
        p = p * z + 1.1283597e-1;
        p = p * z - 3.7612626e-1;
        p = p * z + 1.1283791671;
        return p * x;
    }
    if (a > 4.0) return sign_of(x);
    float t = 1.0 / (1.0 + 0.3275911 * a);
    float p = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    return with_sign(1.0 - p * exponential(-a * a), x);
}
