// Exponentials, logarithms, powers. Built-in functions are used only where the language bounds their
// error to a few units in the last place.

// exp(x) * 2^shift, for a shift of -1 or 0.
float scaled_exponential(float x, int shift) {
    if (is_nan(x)) return x;
    float a = clamp(x, -104.0, 90.0);
    float n = floor(a * 1.4426950408889634 + 0.5);
    float r = (a - n * 0.693359375) + n * 2.12194440054690e-4;
    float p = 1.991838175e-4;
    p = p * r + 1.394607091e-3;
    p = p * r + 8.333264361e-3;
    p = p * r + 4.166626997e-2;
    p = p * r + 1.666666686e-1;
    p = p * r + 5.000000078e-1;
    int whole = int(n) + shift;
    int half_way = whole >> 1;
    return (p * r * r + r + 1.0) * power_of_two(half_way) * power_of_two(whole - half_way);
}

float exponential(float x) { return scaled_exponential(x, 0); }

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
    if (absolute(x) < 3.0e-8) return x;
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

// The 12 leading bits: products of two such numbers are exact.
float leading_bits(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u); }

// The power of a normal number: y log2(a) in two parts, each product of their large parts exact, so
// that the result is right to its last bits for any compiler's order of operations.
float power_of_positive(float a, float y) {
    int bits = floatBitsToInt(a) - 0x3f3504f3;
    float e = float(bits >> 23);
    float m = intBitsToFloat((bits & 0x007fffff) + 0x3f3504f3);
    float f = m - 1.0;
    float s = f / (m + 1.0);
    float s_high = leading_bits(s);
    float d_high = leading_bits(m + 1.0);
    float d_low = (1.0 - d_high) + m;
    float s_low = ((f - s_high * d_high) - s_high * d_low) / (m + 1.0);
    float z = s * s;
    float p = 0.334518733;
    p = p * z + 0.411991878;
    p = p * z + 0.577078869;
    p = p * z + 0.961796692;
    float large = 2.884765625 * s_high;  // 2 / ln 2 in two parts
    float small = 2.884765625 * s_low + (6.24456778e-4 * s + p * z * s);
    float high = leading_bits(e + large + small);
    float low = ((e - high) + large) + small;
    float y_high = leading_bits(y);
    float rest = (y - y_high) * high + y * low;
    float whole = floor(y_high * high + rest + 0.5);
    if (!(whole < 129.0)) return infinity();
    if (whole < -151.0) return 0.0;
    float r = (y_high * high - whole) + rest;
    float q = 1.534581164e-4;
    q = q * r + 1.339993122e-3;
    q = q * r + 9.618488958e-3;
    q = q * r + 5.550328777e-2;
    q = q * r + 2.402264689e-1;
    q = q * r + 6.931472057e-1;
    int half_way = int(whole) >> 1;
    return (q * r + 1.0) * power_of_two(half_way) * power_of_two(int(whole) - half_way);
}

// Squares, cubes and whole powers of whole numbers are multiplied out, so that what fits is exact.
float power(float x, float y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (is_nan(x) || is_nan(y)) return nan();
    float a = absolute(x), e = absolute(y);
    bool whole = floor(y) == y;
    bool odd = whole && floor(y * 0.5) * 2.0 != y;
    if (x < 0.0 && !whole && a != infinity()) return nan();
    float r = 1.0;
    if (a == 0.0 || a == infinity() || e == infinity()) {
        if (a != 1.0) r = (a > 1.0) == (y > 0.0) ? infinity() : 0.0;
    } else {
        float base = a;
        for (int n = whole && e <= 64.0 ? int(e) : 0; n > 0; n >>= 1) {
            if ((n & 1) == 1) r *= base;
            base *= base;
        }
        bool exact = whole && e <= 64.0 && floor(a) == a && r <= 16777216.0;
        if (exact && y < 0.0) r = 1.0 / r;
        else if (!exact && y != 1.0 && y != 2.0 && y != 3.0) r = power_of_positive(a, y);
    }
    return odd && floatBitsToInt(x) < 0 ? -r : r;
}
