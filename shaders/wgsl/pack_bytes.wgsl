// Rows of `parts` times k numbers as bytes, four to a word, a part filled up with zeros to whole texels; behind
// each part a texel: the scale's bits, the zero point, the sum of the part's bytes (KIND_SYMMETRIC), 0.
// LANES threads share a row, a workgroup has ACROSS rows. KIND_WHOLE: x has bytes already.
const LANES = $LANES;
const ACROSS = $ACROSS;

#if !KIND_WHOLE
var<workgroup> ranges: array<array<vec2<f32>, LANES>, ACROSS>;
#endif

// Four numbers from k on of a part, whose first one is `first`.
fn four_of(first: i32, k: i32) -> vec4<x_type> {
#if WHOLE
    let four = x_texel((first + k) >> 2u);
#else
    let four = x_four(first + k);
#endif
    return select(vec4<x_type>(), four, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
}

fn bytes_of(first: i32, k: i32, q: Quantum) -> vec4<i32> {
#if KIND_WHOLE
    return four_of(first, k);
#else
    let inside = vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k);
    return select(vec4<i32>(), quantized(four_of(first, k), q), inside);
#endif
}

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = i32(thread) % LANES;
    let across = i32(thread) / LANES;
    let row = i32(id.x + id.y * count.x) * ACROSS + across;
    let first = row * p.parts * p.k;
#if KIND_WHOLE
    let q = Quantum(1.0, 0.0, 1.0);
#else
    var range = vec2<f32>();
    for (var part = 0; part < p.parts; part++) {
        for (var k = lane * 4; k < p.k; k += LANES * 4) {
            range = ranges_joined(range, range_of(four_of(first + part * p.k, k)));
        }
    }
    ranges[across][lane] = range;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) {
            ranges[across][lane] = ranges_joined(ranges[across][lane], ranges[across][lane + half]);
        }
        workgroupBarrier();
    }
#if KIND_AFFINE
    let q = affine_quantum(ranges[across][0]);
#else
    let q = symmetric_quantum(ranges[across][0], 127.0);
#endif
#endif
    if (row >= p.rows) { return; }
    let texels = (p.k + 15) / 16 + 1;
    for (var at = lane; at < p.parts * texels; at += LANES) {
        let part = at / texels;
        let start = first + part * p.k;
        let k = (at - part * texels) * 16;
        var words = vec4<i32>();
        if (k < p.k) {
            for (var j = 0; j < 4; j++) { words[j] = packed_word(bytes_of(start, k + 4 * j, q)); }
        } else {
            words = vec4<i32>(bitcast<i32>(q.scale), i32(q.point), 0, 0);
#if KIND_SYMMETRIC
            for (var j = 0; j < p.k; j += 4) {
                let bytes = bytes_of(start, j, q);
                words.z += bytes.x + bytes.y + bytes.z + bytes.w;
            }
#endif
        }
        store(row * p.parts * texels + at, words);
    }
}
