// Float32: special values, order, sign. Implementations may assume that there are no NaNs and infinities, so
// the bits are tested. The compiler must not see the bits of constants.

var<private> infinity_bits: u32 = 0x7f800000u;

fn infinity() -> f32 { return bitcast<f32>(infinity_bits); }

fn nan() -> f32 { return bitcast<f32>(infinity_bits | 0x400000u); }

// Returns the float with these bits, for constants that are not finite normal numbers.
fn float_of(bits: u32) -> f32 { return bitcast<f32>(bits ^ infinity_bits ^ 0x7f800000u); }

fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

fn is_nan4(x: vec4<f32>) -> vec4<bool> {
    return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
}

fn maximum(x: f32, y: f32) -> f32 { return select(y, x, x > y || is_nan(x)); }

fn maximum4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> { return select(y, x, (x > y) | is_nan4(x)); }

fn minimum(x: f32, y: f32) -> f32 { return select(y, x, x < y || is_nan(x)); }

fn minimum4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> { return select(y, x, (x < y) | is_nan4(x)); }

// For a kernel's results: V is a float, an int or a vector of four.
fn maximum_v(x: V, y: V) -> V {
#if FLOATS
#if QUADS
    return maximum4(x, y);
#else
    return maximum(x, y);
#endif
#else
    return max(x, y);
#endif
}

fn sign_of(x: f32) -> f32 {
    if (x == 0.0) { return 0.0; } // also of -0
    return select(select(x, -1.0, x < 0.0), 1.0, x > 0.0);
}

fn absolute(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu); }

fn with_sign(x: f32, s: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | (bitcast<u32>(s) & 0x80000000u));
}

// 2^n for n of -126..127.
fn power_of_two(n: i32) -> f32 { return bitcast<f32>((n + 127) << 23u); }

// Returns the nearest float16 number, ties to even; larger numbers become infinite. Devices may round
// conversions differently, so the value is rounded before.
fn to_half(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) { return x; }
    if (size >= 0x477ff000u) { return with_sign(infinity(), x); }
    if (size < 0x38800000u) { // subnormal: multiples of 2^-24
        return with_sign(round(absolute(x) * 16777216.0) * 5.9604644775390625e-08, x);
    }
    return bitcast<f32>((bits + 0xfffu + ((bits >> 13u) & 1u)) & 0xffffe000u);
}

fn to_half4(x: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(to_half(x.x), to_half(x.y), to_half(x.z), to_half(x.w));
}

fn to_half_v(x: V) -> V {
#if QUADS
    return to_half4(x);
#else
    return to_half(x);
#endif
}
