// Functions that kernels may call. A kernel's source gets only the blocks (separated by blank lines)
// whose functions it names, and those that these name. Built-in functions are used only where the
// language bounds their error; isnan and isinf may be optimised away, so bits are looked at.

float infinity() { return uintBitsToFloat(0x7f800000u); }

float nan() { return uintBitsToFloat(0x7fc00000u); }

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
bool is_nan(int x) { return false; }

float number_or(float x, float other) { return is_nan(x) ? other : x; }
int number_or(int x, float other) { return x; }

float maximum(float x, float y) { return x > y || is_nan(x) ? x : y; }
int maximum(int x, int y) { return max(x, y); }
vec4 maximum(vec4 x, vec4 y) {
    return vec4(maximum(x.x, y.x), maximum(x.y, y.y), maximum(x.z, y.z), maximum(x.w, y.w));
}
ivec4 maximum(ivec4 x, ivec4 y) { return max(x, y); }

float minimum(float x, float y) { return x < y || is_nan(x) ? x : y; }
int minimum(int x, int y) { return min(x, y); }
vec4 minimum(vec4 x, vec4 y) {
    return vec4(minimum(x.x, y.x), minimum(x.y, y.y), minimum(x.z, y.z), minimum(x.w, y.w));
}
ivec4 minimum(ivec4 x, ivec4 y) { return min(x, y); }

// How kernels of a kind combine elements, and what changes nothing.
#if defined(KIND_SUM)
#define IDENTITY 0
#define COMBINE(a, b) (a) + (b)
#elif defined(KIND_PROD)
#define IDENTITY 1
#define COMBINE(a, b) (a) * (b)
#elif defined(KIND_MAX) || defined(KIND_ANY)
#define IDENTITY T_LOWEST
#define COMBINE(a, b) maximum(a, b)
#elif defined(KIND_MIN) || defined(KIND_ALL)
#define IDENTITY T_HIGHEST
#define COMBINE(a, b) minimum(a, b)
#else
#define IDENTITY 0
#define COMBINE(a, b) b
#endif
T combine(T a, T b) { return COMBINE(a, b); }
T4 combine(T4 a, T4 b) { return COMBINE(a, b); }

float less(float x, float y) { return float(x < y); }
vec4 less(vec4 x, vec4 y) { return vec4(lessThan(x, y)); }

float not_less(float x, float y) { return float(x >= y); }
vec4 not_less(vec4 x, vec4 y) { return vec4(greaterThanEqual(x, y)); }

float sign_of(float x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }

float absolute(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu); }

float with_sign(float x, float s) {
    return uintBitsToFloat(floatBitsToUint(x) | (floatBitsToUint(s) & 0x80000000u));
}

int int_div(int x, int y) {
    if (y == 0) return 0;
    int q = int(uint(abs(x)) / uint(abs(y)));
    return (x < 0) != (y < 0) ? -q : q;
}

int int_rem(int x, int y) { return y == 0 ? 0 : x - y * int_div(x, y); }

// Upper half of the product, from four products of 16-bit halves.
uint mul_high(uint x, uint y) {
    uint x0 = x & 0xffffu, x1 = x >> 16, y0 = y & 0xffffu, y1 = y >> 16;
    uint low = x0 * y1 + (x0 * y0 >> 16);
    uint middle = x1 * y0 + (low & 0xffffu);
    return x1 * y1 + (low >> 16) + (middle >> 16);
}

int to_int(float x) {
    if (is_nan(x) || x < -2147483648.0 || x >= 2147483648.0) return int(0x80000000u);
    return int(x);
}

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

// exp(x) / 2, also where exp(x) is too large.
float half_exponential(float x) {
    float root = exponential(0.5 * x - 0.34657359);
    return root * root;
}

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
    return with_sign(a > 10.0 ? 1.0 : 1.0 - 2.0 / (exp(2.0 * a) + 1.0), x);
}

float inverse_hyperbolic_sine(float x) {
    float a = absolute(x);
    float r = a > 1.0e4 ? logarithm(a) + 0.6931471805599453
                        : log_1_plus(a + a * a / (1.0 + sqrt(a * a + 1.0)));
    return with_sign(r, x);
}

float inverse_hyperbolic_cosine(float x) {
    if (!(x >= 1.0)) return nan();
    float t = x - 1.0;
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
    return with_sign(1.0 - p * exp(-a * a), x);
}

// Four rows of a tile, and what is added to them: one or four terms of the sum.
struct Rows {
    T4 r0, r1, r2, r3;
};
void add_product(inout Rows sum, T4 x, T4 y) {
    sum.r0 += x.x * y;
    sum.r1 += x.y * y;
    sum.r2 += x.z * y;
    sum.r3 += x.w * y;
}
T4 plus_products(T4 sum, T4 x, T4 y0, T4 y1, T4 y2, T4 y3) {
    sum += x.x * y0;
    sum += x.y * y1;
    sum += x.z * y2;
    sum += x.w * y3;
    return sum;
}
void add_products(inout Rows sum, Rows x, T4 y0, T4 y1, T4 y2, T4 y3) {
    sum.r0 = plus_products(sum.r0, x.r0, y0, y1, y2, y3);
    sum.r1 = plus_products(sum.r1, x.r1, y0, y1, y2, y3);
    sum.r2 = plus_products(sum.r2, x.r2, y0, y1, y2, y3);
    sum.r3 = plus_products(sum.r3, x.r3, y0, y1, y2, y3);
}
T inner_product(T4 x, T4 y) {
    x *= y;
    return x.x + x.y + x.z + x.w;
}
T4 inner_products(T4 x, T4 y0, T4 y1, T4 y2, T4 y3) {
    return T4(inner_product(x, y0), inner_product(x, y1), inner_product(x, y2), inner_product(x, y3));
}
void add_dots(inout Rows sum, Rows x, T4 y0, T4 y1, T4 y2, T4 y3) {
    sum.r0 += inner_products(x.r0, y0, y1, y2, y3);
    sum.r1 += inner_products(x.r1, y0, y1, y2, y3);
    sum.r2 += inner_products(x.r2, y0, y1, y2, y3);
    sum.r3 += inner_products(x.r3, y0, y1, y2, y3);
}

// Tiles lie in their layer so that of four that a device computes together two share a column and
// two share a row, which is quickest to read for. Returned: column and number of the tile at texel t.
ivec2 tile_at(int t, int columns) {
    int x = t & ((1 << out_shift) - 1), y = t >> out_shift;
    int four = ((y >> 1) << (out_shift - 1)) + (x >> 1);
    int pairs = (columns + 1) >> 1;
    int line = four / pairs;
    return ivec2(2 * (four - line * pairs) + (x & 1), 2 * line + (y & 1));
}

int tile_texel(int column, int number, int columns, int shift) {
    int four = (number >> 1) * ((columns + 1) >> 1) + (column >> 1);
    int x = 2 * (four & ((1 << (shift - 1)) - 1)) + (column & 1);
    return (((four >> (shift - 1)) * 2 + (number & 1)) << shift) + x;
}

// Row r of a tile. The rows of tiles 2 * i and 2 * i + 1 differ in bit `spread`.
int tile_row(int number, int r, int spread) {
    int rest = (number >> 1) * 4 + r;
    int low = rest & ((1 << spread) - 1);
    return ((rest - low) << 1) + ((number & 1) << spread) + low;
}
