// Integers: division and products with NumPy's behavior on overflow and errors. Floats as integers.

fn int_div(x: i32, y: i32) -> i32 { return select(x / y, 0, y == 0); }

fn int_rem(x: i32, y: i32) -> i32 { return x % y; }

// Returns the upper half of the product, computed from four products of 16-bit halves.
fn mul_high(x: u32, y: u32) -> u32 {
    let x0 = x & 0xffffu;
    let x1 = x >> 16u;
    let y0 = y & 0xffffu;
    let y1 = y >> 16u;
    let low = x0 * y1 + ((x0 * y0) >> 16u);
    let middle = x1 * y0 + (low & 0xffffu);
    return x1 * y1 + (low >> 16u) + (middle >> 16u);
}

// The smallest normal float.
const SMALLEST = 1.17549435e-38;

// A positive normal float is its mantissa, of 24 bits, times 2^(exponent - 150).
fn mantissa_of(x: f32) -> u32 { return (bitcast<u32>(x) & 0x7fffffu) | 0x800000u; }

fn exponent_of(x: f32) -> i32 { return i32(bitcast<u32>(x) >> 23u) & 255; }

// Returns the exact remainder with the dividend's sign: the mantissas are divided as integers, eight bits
// of the quotient at a time.
fn float_rem(x: f32, y: f32) -> f32 {
    let a = absolute(x);
    let b = absolute(y);
    if (is_nan(x) || is_nan(y) || a == infinity() || b < SMALLEST) { return nan(); }
    if (a < b) { return x; }
    let divisor = mantissa_of(b);
    var rest = mantissa_of(a) % divisor;
    for (var shift = exponent_of(a) - exponent_of(b); shift > 0; shift -= 8) {
        rest = (rest << u32(min(shift, 8))) % divisor;
    }
    let scale = bitcast<f32>(u32(exponent_of(b)) << 23u); // times 2^127
    return with_sign(f32(rest) * 1.1920928955078125e-7 * scale, x);
}

// Returns x / y. The language does not define division by more than 2^126, which has a subnormal reciprocal.
fn divided(x: f32, y: f32) -> f32 {
    let scale = select(1.0, 0.25, absolute(y) > 8.507059173023462e37);
    return (x * scale) / (y * scale);
}

// Returns x / y, rounded as IEEE 754 requires; the language's division may be off by a few units.
fn quotient(x: f32, y: f32) -> f32 {
    let q = divided(x, y);
    let a = absolute(x);
    let b = absolute(y);
    // Only quotients that neither overflow nor underflow, and that are not integers anyway.
    if (!(absolute(q) < 16777216.0 && absolute(q) > 1.0e-6 && a >= SMALLEST && b >= SMALLEST)) { return q; }
    let divisor = mantissa_of(b);
    var rest = mantissa_of(a);
    var exponent = exponent_of(a) - exponent_of(b);
    if (rest < divisor) {
        rest <<= 1u;
        exponent -= 1;
    }
    var digits = rest / divisor; // 1
    rest %= divisor;
    for (var i = 0; i < 3; i++) {
        rest <<= 8u;
        digits = (digits << 8u) | (rest / divisor);
        rest %= divisor;
    }
    // 25 bits; rest determines the rounding (half to even).
    let lost = digits & 1u;
    digits >>= 1u;
    if (lost == 1u && (rest != 0u || (digits & 1u) == 1u)) { digits += 1u; }
    return with_sign(f32(digits) * 1.1920928955078125e-7 * power_of_two(exponent), q);
}

fn to_int(x: f32) -> i32 {
    if (is_nan(x) || x < -2147483648.0 || x >= 2147483648.0) { return bitcast<i32>(0x80000000u); }
    return i32(x);
}
