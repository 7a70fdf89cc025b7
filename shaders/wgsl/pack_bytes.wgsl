// Packs rows of `parts` times k numbers as bytes, four per word. A part is padded with zeros to whole texels, and
// followed by a texel with the scale's bits, the zero point, the sum of the part's bytes (KIND_SYMMETRIC), 0.
// Threads share rows and keep HELD words of them (library/rows.wgsl). KIND_WHOLE: the numbers are already bytes.
// Number of threads of a row that join the results of all.
const FEW = min(LANES, 8);

#if !KIND_WHOLE
var<workgroup> ranges: array<array<vec2<f32>, LANES>, ACROSS>;
#endif

// Returns four numbers from k on of a part that begins at `first`.
fn four_of(first: i32, k: i32) -> vec4<numbers_type> {
#if WHOLE
    let four = numbers_texel((first + k) >> 2u);
#else
    let four = numbers_four(first + k);
#endif
    return select(vec4<numbers_type>(), four, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
}

fn bytes_of(four: vec4<numbers_type>, k: i32, q: Quantum) -> vec4<i32> {
#if KIND_WHOLE
    return four;
#else
    let inside = vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k);
    return select(vec4<i32>(), quantized(four, q), inside);
#endif
}

fn store_word(at: i32, word: i32) { result_data[at >> 2u][at & 3] = word; }

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let share = row_share(id, count, thread);
    let lane = share.lane;
    let across = share.across;
    let row = share.row;
    let first = row * p.parts * p.k;
    let words = (p.k + 15) / 16 * 4;
    var held: array<vec4<numbers_type>, HELD>;
    if (row < p.rows) {
        for (var i = 0; i < HELD; i++) {
            let at = lane + i * LANES;
            let part = at / words;
            if (part < p.parts) { held[i] = four_of(first + part * p.k, (at - part * words) * 4); }
        }
    }
#if KIND_WHOLE
    let q = Quantum(1.0, 0.0, 1.0);
#else
    var range = vec2<f32>();
    for (var i = 0; i < HELD; i++) { range = ranges_joined(range, range_of(held[i])); }
    ranges[across][lane] = range;
    workgroupBarrier();
    if (LANES > FEW) {
        if (lane < FEW) {
            for (var i = lane + FEW; i < LANES; i += FEW) { range = ranges_joined(range, ranges[across][i]); }
            ranges[across][lane] = range;
        }
        workgroupBarrier();
    }
    for (var i = 0; i < FEW; i++) { range = ranges_joined(range, ranges[across][i]); }
#if KIND_AFFINE
    let q = affine_quantum(range);
#else
    let q = symmetric_quantum(range, 127.0);
#endif
#endif
    if (row >= p.rows) { return; }
    let record = words + 4;
    for (var i = 0; i < HELD; i++) {
        let at = lane + i * LANES;
        let part = at / words;
        if (part >= p.parts) { break; }
        let word = at - part * words;
        store_word((row * p.parts + part) * record + word, packed_word(bytes_of(held[i], word * 4, q)));
    }
    for (var part = lane; part < p.parts; part += LANES) {
        var sum = 0;
#if KIND_SYMMETRIC
        for (var k = 0; k < p.k; k += 4) {
            let bytes = bytes_of(four_of(first + part * p.k, k), k, q);
            sum += bytes.x + bytes.y + bytes.z + bytes.w;
        }
#endif
        let header = vec4<i32>(bitcast<i32>(q.scale), i32(q.point), sum, 0);
        result_data[(row * p.parts + part) * record / 4 + words / 4] = header;
    }
}
