// Quantization of a row to bytes, by the range of its numbers (and 0). ENDLESS is the range of a row with a number
// that is not finite.
const ENDLESS = vec2<f32>(-3.4028234e38, 3.4028234e38);

fn range_of(four: vec4<f32>) -> vec2<f32> {
    if (any((bitcast<vec4<u32>>(four) & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x7f800000u))) { return ENDLESS; }
    let low = min(min(four.x, four.y), min(four.z, four.w));
    let high = max(max(four.x, four.y), max(four.z, four.w));
    return vec2<f32>(min(low, 0.0), max(high, 0.0));
}

fn ranges_joined(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2<f32>(min(a.x, b.x), max(a.y, b.y)); }

// The quantization of a row: a byte is round(x * inverse) + point, and represents (byte - point) * scale.
struct Quantum {
    inverse: f32,
    point: f32,
    scale: f32,
}

// With a zero point, for activations. Ranges below 1e-36 count as 0, because the inverse would overflow.
fn affine_quantum(range: vec2<f32>) -> Quantum {
    var width = range.y - range.x;
    if (bitcast<u32>(width) >= 0x7f800000u) { return Quantum(0.0, 0.0, nan()); }
    width = select(width, 255.0, width < 1e-36);
    let inverse = 255.0 / width;
    let low = range.x * inverse;
    let high = range.y * inverse;
    // The end of -128..127 that is farther from the zero point is represented exactly.
    let upper = (-128.0 + low) + (127.0 + high) > 0.0;
    let point = round(clamp(select(127.0 - high, -128.0 - low, upper), -128.0, 127.0));
    return Quantum(inverse, point, width / 255.0);
}

// Without a zero point, for weights: from -most to most.
fn symmetric_quantum(range: vec2<f32>, most: f32) -> Quantum {
    if (all(range == ENDLESS)) { return Quantum(0.0, 0.0, nan()); }
    let largest = max(-range.x, range.y);
    let span = select(largest, most, largest < 1e-36);
    return Quantum(most / span, 0.0, span / most);
}

fn quantized(four: vec4<f32>, q: Quantum) -> vec4<i32> {
    return vec4<i32>(clamp(round(four * q.inverse) + q.point, vec4<f32>(-128), vec4<f32>(127)));
}

fn packed_word(bytes: vec4<i32>) -> i32 {
    let apart = (bytes & vec4<i32>(255)) << vec4<u32>(0, 8, 16, 24);
    return apart.x | apart.y | apart.z | apart.w;
}
