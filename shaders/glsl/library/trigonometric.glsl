// Sine, cosine, tangent and their inverses.

// x = n * pi/2 + result with |result| <= pi/4, for |x| of 32768 and more; n modulo 4 goes to `quadrant`.
// Payne and Hanek's way (1983, https://doi.org/10.1145/1057600.1057602): of 2/pi times the mantissa only
// the bits around the point are computed, which leaves out multiples of 4 and what is too small.
float reduce_large_angle(float x, out int quadrant) {
    const uint two_over_pi[8] = uint[8](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                        0xdb629599u, 0x3c439041u, 0xfe5163abu);
    int first = exponent_of(x) - 120;
    int word = first >> 5, shift = first & 31;
    uint t0 = two_over_pi[word], t1 = two_over_pi[word + 1], t2 = two_over_pi[word + 2];
    if (shift > 0) {
        t0 = t0 << shift | t1 >> (32 - shift);
        t1 = t1 << shift | t2 >> (32 - shift);
        t2 = t2 << shift | two_over_pi[word + 3] >> (32 - shift);
    }
    uint m = mantissa_of(x);
    uint low = m * t1 + mul_high(m, t2);
    uint high = m * t0 + mul_high(m, t1) + (low < m * t1 ? 1u : 0u);  // a circle has 2^32
    int n = int((high + 0x20000000u) >> 30);
    high -= uint(n) << 30;
    float side = 1.0;
    if ((high & 0x80000000u) != 0u) {
        side = -1.0;
        low = ~low + 1u;
        high = ~high + (low == 0u ? 1u : 0u);
    }
    if (x < 0.0) side = -side;
    quadrant = (x < 0.0 ? -n : n) & 3;
    return side * (float(high) + float(low) * 2.3283064365386963e-10) * 1.4629180792671596e-9;
}

// The same for any x; pi/2 is in parts of few bits, so that their multiples are exact.
float reduce_angle(float x, out int quadrant) {
    if (!(absolute(x) < 32768.0)) return reduce_large_angle(x, quadrant);
    float n = floor(x * 0.6366197723675814 + 0.5);
    quadrant = int(n) & 3;
    float r = x - n * 1.5703125;
    r -= n * 4.8351287841796875e-4;
    r -= n * 3.1385570764541626e-7;
    r -= n * 6.070877134334296e-11;
    return r - n * 6.223372171896613e-14;
}

float sine_kernel(float r) {
    float z = r * r;
    return ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
}

float cosine_kernel(float r) {
    float z = r * r;
    return ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z -
           0.5 * z + 1.0;
}

float sine(float x) {
    if (!(absolute(x) < infinity())) return nan();
    int quadrant;
    float r = reduce_angle(x, quadrant);
    float y = (quadrant & 1) == 0 ? sine_kernel(r) : cosine_kernel(r);
    return quadrant >= 2 ? -y : y;
}

float cosine(float x) {
    if (!(absolute(x) < infinity())) return nan();
    int quadrant;
    float r = reduce_angle(x, quadrant);
    float y = (quadrant & 1) == 0 ? cosine_kernel(r) : sine_kernel(r);
    return quadrant == 1 || quadrant == 2 ? -y : y;
}

float tangent(float x) {
    if (!(absolute(x) < infinity())) return nan();
    int quadrant;
    float r = reduce_angle(x, quadrant);
    float s = sine_kernel(r), c = cosine_kernel(r);
    return (quadrant & 1) == 0 ? s / c : -c / s;
}

// asin(x) for 0 <= x <= 1/2.
float asin_kernel(float x) {
    float z = x * x;
    float p = 4.2163199048e-2;
    p = p * z + 2.4181311049e-2;
    p = p * z + 4.5470025998e-2;
    p = p * z + 7.4953002686e-2;
    p = p * z + 1.6666752422e-1;
    return p * z * x + x;
}

float arc_sine(float x) {
    float a = absolute(x);
    if (!(a <= 1.0)) return nan();
    float r = a <= 0.5 ? asin_kernel(a)
                       : 1.5707963267948966 - 2.0 * asin_kernel(sqrt((1.0 - a) * 0.5));
    return with_sign(r, x);
}

float arc_cosine(float x) {
    float a = absolute(x);
    if (!(a <= 1.0)) return nan();
    if (a <= 0.5) return 1.5707963267948966 - with_sign(asin_kernel(a), x);
    float r = 2.0 * asin_kernel(sqrt((1.0 - a) * 0.5));
    return x < 0.0 ? 3.141592653589793 - r : r;
}

float arc_tangent(float x) {
    float a = absolute(x);
    if (is_nan(x)) return x;
    float base = 0.0, t = a;
    if (a > 2.414213562373095) {
        base = 1.5707963267948966;
        t = a == infinity() ? 0.0 : -1.0 / a;
    } else if (a > 0.4142135623730950) {
        base = 0.7853981633974483;
        t = (a - 1.0) / (a + 1.0);
    }
    float z = t * t;
    float p = 8.05374449538e-2;
    p = p * z - 1.38776856032e-1;
    p = p * z + 1.99777106478e-1;
    p = p * z - 3.33329491539e-1;
    return with_sign(base + (p * z * t + t), x);
}

float arc_tangent_2(float y, float x) {
    if (is_nan(x) || is_nan(y)) return nan();
    float a = absolute(x), b = absolute(y);
    float r = a == b ? (a == 0.0 ? 0.0 : 0.7853981633974483) : arc_tangent(b / a);
    if (floatBitsToInt(x) < 0) r = 3.141592653589793 - r;
    return with_sign(r, y);
}
