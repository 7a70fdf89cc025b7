// Integers: division and products with NumPy's behavior on overflow and errors. Floats as integers.

int int_div(int x, int y) {
    if (y == 0) return 0;
    int q = int(uint(abs(x)) / uint(abs(y)));
    return (x < 0) != (y < 0) ? -q : q;
}

int int_rem(int x, int y) { return y == 0 ? 0 : x - y * int_div(x, y); }

// Returns the upper half of the product, computed from four products of 16-bit halves.
uint mul_high(uint x, uint y) {
    uint x0 = x & 0xffffu, x1 = x >> 16, y0 = y & 0xffffu, y1 = y >> 16;
    uint low = x0 * y1 + (x0 * y0 >> 16);
    uint middle = x1 * y0 + (low & 0xffffu);
    return x1 * y1 + (low >> 16) + (middle >> 16);
}

// The smallest normal float.
#define SMALLEST 1.17549435e-38

// A positive normal float is its mantissa, of 24 bits, times 2^(exponent - 150).
uint mantissa_of(float x) { return (floatBitsToUint(x) & 0x7fffffu) | 0x800000u; }
int exponent_of(float x) { return int(floatBitsToUint(x) >> 23) & 255; }

// Returns the exact remainder with the dividend's sign: the mantissas are divided as integers, eight bits
// of the quotient at a time.
float float_rem(float x, float y) {
    float a = absolute(x), b = absolute(y);
    if (is_nan(x) || is_nan(y) || a == infinity() || b < SMALLEST) return nan();
    if (a < b) return x;
    uint divisor = mantissa_of(b), rest = mantissa_of(a) % divisor;
    for (int shift = exponent_of(a) - exponent_of(b); shift > 0; shift -= 8)
        rest = (rest << min(shift, 8)) % divisor;
    float scale = uintBitsToFloat(uint(exponent_of(b)) << 23);  // times 2^127
    return with_sign(float(rest) * 1.1920928955078125e-7 * scale, x);
}

// Returns x / y. The language does not define division by more than 2^126, which has a subnormal reciprocal.
float divided(float x, float y) {
    float scale = absolute(y) > 8.507059173023462e37 ? 0.25 : 1.0;
    return (x * scale) / (y * scale);
}

// Returns x / y, rounded as IEEE 754 requires; the language's division may be off by a few units.
float quotient(float x, float y) {
    float q = divided(x, y), a = absolute(x), b = absolute(y);
    // Only quotients that neither overflow nor underflow, and that are not integers anyway.
    if (!(absolute(q) < 16777216.0 && absolute(q) > 1.0e-6 && a >= SMALLEST && b >= SMALLEST)) return q;
    uint divisor = mantissa_of(b), rest = mantissa_of(a);
    int exponent = exponent_of(a) - exponent_of(b);
    if (rest < divisor) {
        rest <<= 1;
        exponent--;
    }
    uint digits = rest / divisor;  // 1
    rest %= divisor;
    for (int i = 0; i < 3; i++) {
        rest <<= 8;
        digits = (digits << 8) | rest / divisor;
        rest %= divisor;
    }
    // 25 bits; rest determines the rounding (half to even).
    uint lost = digits & 1u;
    digits >>= 1;
    if (lost == 1u && (rest != 0u || (digits & 1u) == 1u)) digits++;
    return with_sign(float(digits) * 1.1920928955078125e-7 * power_of_two(exponent), q);
}

int to_int(float x) {
    if (is_nan(x) || x < -2147483648.0 || x >= 2147483648.0) return int(0x80000000u);
    return int(x);
}
