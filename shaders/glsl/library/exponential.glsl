// Exponentials, logarithms, powers, remainders. Built-in functions are used only where the language
// bounds their error.

// Remainder with the dividend's sign; the quotient times y is formed without rounding.
float float_rem(float x, float y) {
    float a = absolute(x), b = absolute(y);
    if (is_nan(x) || is_nan(y) || a == infinity() || b == 0.0) return nan();
    if (a < b) return x;
    float high = uintBitsToFloat(floatBitsToUint(b) & 0xfffff000u);
    float q = floor(a / b);
    float r = (a - q * high) - q * (b - high);
    if (r < 0.0) r += b;
    if (r >= b) r -= b;
    return with_sign(r, x);
}

float exponential(float x) {
    if (is_nan(x)) return x;
    return x > 88.8 ? infinity() : x < -104.0 ? 0.0 : exp(x);
}

// exp(x) - 1.
float exp_minus_1(float x) {
    if (absolute(x) >= 0.5) return exponential(x) - 1.0;
    float p = 1.0 / 40320.0;
    p = p * x + 1.0 / 5040.0;
    p = p * x + 1.0 / 720.0;
    p = p * x + 1.0 / 120.0;
    p = p * x + 1.0 / 24.0;
    p = p * x + 1.0 / 6.0;
    p = p * x + 0.5;
    return p * x * x + x;
}

// log((1 + s) / (1 - s)) for |s| <= 1/3.
float log_ratio(float s) {
    float z = s * s;
    float p = 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 0.2;
    p = p * z + 1.0 / 3.0;
    return 2.0 * s + 2.0 * s * z * p;
}

// The mantissa is brought to [sqrt(1/2), sqrt(2)); ln 2 is added in two parts.
float logarithm(float x) {
    if (is_nan(x) || x < 0.0) return nan();
    if (x == 0.0) return -infinity();
    if (x == infinity()) return x;
    int bits = floatBitsToInt(x) - 0x3f3504f3;
    float e = float(bits >> 23);
    float m = intBitsToFloat((bits & 0x007fffff) + 0x3f3504f3);
    return e * 0.693145751953125 + (log_ratio((m - 1.0) / (m + 1.0)) + e * 1.428606820309417e-6);
}

float log_1_plus(float x) {
    return absolute(x) < 0.5 ? log_ratio(x / (2.0 + x)) : logarithm(1.0 + x);
}

// log(exp(x) + exp(y)).
float log_add(float x, float y) {
    if (x == y) return x + 0.6931471805599453;
    return maximum(x, y) + log_1_plus(exponential(-absolute(x - y)));
}
vec4 log_add(vec4 x, vec4 y) {
    return vec4(log_add(x.x, y.x), log_add(x.y, y.y), log_add(x.z, y.z), log_add(x.w, y.w));
}

// Small whole exponents are multiplied out, so that results that fit are exact.
float power(float x, float y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (is_nan(x) || is_nan(y)) return nan();
    float a = absolute(x), e = absolute(y);
    bool whole = floor(y) == y;
    bool odd = whole && floor(y * 0.5) * 2.0 != y;
    float r = 1.0;
    if (whole && e <= 64.0) {
        float base = y < 0.0 && a > 1.0 ? 1.0 / a : a;
        for (int n = int(e); n > 0; n >>= 1) {
            if ((n & 1) == 1) r *= base;
            base *= base;
        }
        if (y < 0.0 && a <= 1.0) r = 1.0 / r;
    } else if (a != 1.0) {
        r = exponential(y * logarithm(a));
        if (x < 0.0 && !whole && a != infinity()) return nan();
    } else if (x < 0.0 && !whole) {
        return nan();
    }
    return odd && floatBitsToInt(x) < 0 ? -r : r;
}
