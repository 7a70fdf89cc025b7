// Float32 and int32: special values, order, sign. Compilers may remove isnan and isinf, so the bits are
// tested.

float as_float(int bits) { return intBitsToFloat(bits); }
float as_float(uint bits) { return uintBitsToFloat(bits); }

float select(float other, float x, bool condition) { return condition ? x : other; }
int select(int other, int x, bool condition) { return condition ? x : other; }
uint select(uint other, uint x, bool condition) { return condition ? x : other; }

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

float less(float x, float y) { return float(x < y); }
vec4 less(vec4 x, vec4 y) { return vec4(lessThan(x, y)); }

float not_less(float x, float y) { return float(x >= y); }
vec4 not_less(vec4 x, vec4 y) { return vec4(greaterThanEqual(x, y)); }

float sign_of(float x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x; } // 0 also of -0

float absolute(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu); }

float with_sign(float x, float s) {
    return uintBitsToFloat(floatBitsToUint(x) | (floatBitsToUint(s) & 0x80000000u));
}

// 2^n for n of -126..127.
float power_of_two(int n) { return intBitsToFloat((n + 127) << 23); }
