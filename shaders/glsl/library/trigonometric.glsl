// Sine, cosine, tangent and their inverses.

// x = n * pi/2 + result with |result| <= pi/4; n modulo 4 goes to `quadrant`.
float reduce_angle(float x, out int quadrant) {
    float n = floor(x * 0.6366197723675814 + 0.5);
    quadrant = int(n) & 3;
    float r = x - n * 1.5703125;
    r -= n * 4.8351287841796875e-4;
    r -= n * 3.1385570764541626e-7;
    return r - n * 6.0771005065061922e-11;
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
