// Packs rows of k numbers in groups of 128 as integers in -7..7, 32 per texel: byte i of word j has number 4 j + i in
// its low half, and number 16 + 4 j + i in its high half. After `data` texels come the groups' scales (divided by 16,
// because the halves are multiplied as bytes), and a texel with the sum of the row's numbers.
const GROUP = 128;

fn four_of(row: i32, k: i32) -> vec4<f32> {
    let inside = vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k);
    return select(vec4<f32>(), x_four(row * p.k + k), inside);
}

fn quantum_of(row: i32, group: i32) -> Quantum {
    var range = vec2<f32>();
    for (var k = group * GROUP; k < min((group + 1) * GROUP, p.k); k += 4) {
        range = ranges_joined(range, range_of(four_of(row, k)));
    }
    return symmetric_quantum(range, 7.0);
}

fn sum_of(row: i32) -> f32 {
    var sum = 0.0;
    for (var group = 0; group * GROUP < p.k; group++) {
        let q = quantum_of(row, group);
        var bytes = vec4<i32>();
        for (var k = group * GROUP; k < min((group + 1) * GROUP, p.k); k += 4) {
            bytes += quantized(four_of(row, k), q);
        }
        sum += f32(bytes.x + bytes.y + bytes.z + bytes.w) * q.scale;
    }
    return sum;
}

fn value(i: i32) -> V {
    let row = i / p.texels;
    let at = i - row * p.texels;
    var words = vec4<i32>();
    if (at < p.data) {
        let q = quantum_of(row, at / 4);
        for (var j = 0; j < 4; j++) {
            let low = packed_word(quantized(four_of(row, 32 * at + 4 * j), q));
            let high = packed_word(quantized(four_of(row, 32 * at + 4 * j + 16), q));
            words[j] = (low & 0x0f0f0f0f) | ((high & 0x0f0f0f0f) << 4u);
        }
        return words;
    }
    if (at == p.texels - 1) { return vec4<i32>(bitcast<i32>(sum_of(row)), 0, 0, 0); }
    for (var j = 0; j < 4; j++) {
        words[j] = bitcast<i32>(quantum_of(row, 4 * (at - p.data) + j).scale / 16.0);
    }
    return words;
}
