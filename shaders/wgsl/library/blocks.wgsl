// Bits of the values i..i+3 of a block, where i is a multiple of 4. The block's bytes of the field start at `begin`, and
// the order of the bits repeats after `width` bytes. 128 is added to numbers of 8 bits, which are signed.
fn bits_at(begin: i32, i: i32, bits: i32, width: i32) -> vec4<u32> {
    let at = begin + i / (width * 8 / bits) * width + i % width;
    let shift = u32(i % (width * 8 / bits) / width * bits);
    let flipped = select(0u, 128u, bits == 8);
    let word = u32(w_at(at >> 2u)) >> shift;
    return ((vec4<u32>(word) >> vec4<u32>(0, 8, 16, 24)) & vec4<u32>((1u << u32(bits)) - 1u)) ^ vec4<u32>(flipped);
}

// The same for bits that are next to each other in 32 bits.
fn adjacent_bits_at(begin: i32, i: i32, bits: i32) -> vec4<u32> {
    let word = u32(w_at((begin + i * bits / 8) >> 2u)) >> u32(i * bits % 32);
    return (vec4<u32>(word) >> (vec4<u32>(0, 1, 2, 3) * u32(bits))) & vec4<u32>((1u << u32(bits)) - 1u);
}

// The floats of 16 bits i..i+3 of a block, which are next to each other.
fn float16_at(begin: i32, i: i32) -> vec4<f32> {
    let at = (begin + 2 * i) >> 2u;
    return vec4<f32>(unpack2x16float(u32(w_at(at))), unpack2x16float(u32(w_at(at + 1))));
}

fn bfloat16_at(begin: i32, i: i32) -> vec4<f32> {
    let at = (begin + 2 * i) >> 2u;
    let words = vec2<u32>(u32(w_at(at)), u32(w_at(at + 1)));
    return bitcast<vec4<f32>>(vec4<u32>(words.x << 16u, words.x & 0xffff0000u, words.y << 16u, words.y & 0xffff0000u));
}

fn weight_byte(at: i32) -> i32 { return (w_at(at >> 2u) >> u32((at & 3) * 8)) & 255; }

// The float16 number i of a field.
fn weight_half(begin: i32, i: i32) -> f32 {
    let at = begin + 2 * i;
    let both = unpack2x16float(u32(w_at(at >> 2u)));
    return select(both.x, both.y, (at & 2) != 0);
}

// The functions scale_NAME return the scale and the minimum of a group of a block.

fn scale_half(b: i32, group: i32) -> vec2<f32> { return vec2<f32>(weight_half(p.scale0, b), 0.0); }

fn scale_half_minimum(b: i32, group: i32) -> vec2<f32> {
    return vec2<f32>(weight_half(p.scale0, b), weight_half(p.scale1, b));
}

// The minimum is a product with a zero point.
fn scale_half_zero(b: i32, group: i32) -> vec2<f32> {
    let scale = weight_half(p.scale0, b);
    return vec2<f32>(scale, -scale * weight_half(p.scale1, b));
}

fn scale_float16(b: i32, group: i32) -> vec2<f32> { return vec2<f32>(1.0, 0.0); }

fn scale_bfloat16(b: i32, group: i32) -> vec2<f32> { return vec2<f32>(1.0, 0.0); }

fn scale_q2_k(b: i32, group: i32) -> vec2<f32> {
    let both = weight_byte(p.scale2 + 16 * b + group);
    return vec2<f32>(weight_half(p.scale0, b) * f32(both & 15), -weight_half(p.scale1, b) * f32(both >> 4u));
}

fn scale_q3_k(b: i32, group: i32) -> vec2<f32> {
    let begin = p.scale1 + 12 * b;
    let low = (weight_byte(begin + group % 8) >> u32(group / 8 * 4)) & 15;
    let high = (weight_byte(begin + 8 + group % 4) >> u32(group / 4 * 2)) & 3;
    return vec2<f32>(weight_half(p.scale0, b) * f32((low | (high << 4u)) - 32), 0.0);
}

// Six bits of each number: groups 4..7 have their high bits in the bytes of groups 0..3.
fn scale_q4_k(b: i32, group: i32) -> vec2<f32> {
    let begin = p.scale2 + 12 * b + group;
    var scale = weight_byte(begin);
    var minimum = weight_byte(begin + 4);
    if (group < 4) {
        scale &= 63;
        minimum &= 63;
    } else {
        let high = vec2<i32>(weight_byte(begin - 4), scale);
        scale = (minimum & 15) | ((high.x >> 2u) & 48);
        minimum = (minimum >> 4u) | ((high.y >> 2u) & 48);
    }
    return vec2<f32>(weight_half(p.scale0, b) * f32(scale), -weight_half(p.scale1, b) * f32(minimum));
}

fn scale_q6_k(b: i32, group: i32) -> vec2<f32> {
    let at = p.scale1 + 16 * b + group;
    return vec2<f32>(weight_half(p.scale0, b) * f32(extractBits(w_at(at >> 2u), u32((at & 3) * 8), 8u)), 0.0);
}

// A power of 2, which is halved.
fn scale_e8m0(b: i32, group: i32) -> vec2<f32> {
    let exponent = u32(weight_byte(p.scale0 + b));
    let bits = select((exponent - 1u) << 23u, 0x00200000u << exponent, exponent < 2u);
    return vec2<f32>(bitcast<f32>(bits), 0.0);
}
