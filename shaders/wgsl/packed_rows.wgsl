// The product of few rows (ROWS) of k numbers, which each workgroup quantises for itself, and packed channels (see
// pack_bytes.wgsl; with NIBBLES pack_nibbles.wgsl), each of which is read once: LANES threads share a
// channel, a workgroup computes ACROSS of them. KIND_WHOLE: x has bytes already. A row has TEXELS texels of bytes.
const ROWS = $ROWS;
const LANES = $LANES;
const ACROSS = $ACROSS;
const TEXELS = $TEXELS;
const THREADS = LANES * ACROSS;
// Threads that find the range of a row, of as many parts each.
const FEW = 16;

#if NIBBLES
alias Sum = f32;
#else
alias Sum = i32;
#endif

var<workgroup> bytes: array<array<vec4<u32>, TEXELS>, ROWS>;
var<workgroup> sums: array<array<array<Sum, ROWS>, ACROSS>, LANES>;
#if !KIND_WHOLE
var<workgroup> ranges: array<vec2<f32>, THREADS>;
var<workgroup> some: array<array<vec2<f32>, FEW>, ROWS>;
#endif

fn four_of(row: i32, k: i32) -> vec4<x_type> {
#if WHOLE
    let four = x_texel((row * p.k + k) >> 2u);
#else
    let four = x_four(row * p.k + k);
#endif
    return select(vec4<x_type>(), four, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
}

#if !KIND_WHOLE
fn find_ranges(t: i32) {
    for (var row = 0; row < ROWS; row++) {
        var range = vec2<f32>();
        for (var k = t * 4; k < p.k; k += THREADS * 4) { range = ranges_joined(range, range_of(four_of(row, k))); }
        ranges[t] = range;
        workgroupBarrier();
        if (t < FEW) {
            for (var i = t; i < THREADS; i += FEW) { range = ranges_joined(range, ranges[i]); }
            some[row][t] = range;
        }
        workgroupBarrier();
    }
}

fn quantum_of(row: i32) -> Quantum {
    var range = vec2<f32>();
    for (var i = 0; i < FEW; i++) { range = ranges_joined(range, some[row][i]); }
    return affine_quantum(range);
}
#endif

fn dots(x: vec4<u32>, y: vec4<u32>) -> i32 {
    return (dot4I8Packed(x.x, y.x) + dot4I8Packed(x.y, y.y)) + (dot4I8Packed(x.z, y.z) + dot4I8Packed(x.w, y.w));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let t = i32(thread);
    let lane = t % LANES;
    let across = t / LANES;
    let column = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
#if !KIND_WHOLE
    find_ranges(t);
#endif
    for (var row = 0; row < ROWS; row++) {
#if !KIND_WHOLE
        let q = quantum_of(row);
#endif
        for (var at = t; at < TEXELS; at += THREADS) {
            var words: vec4<u32>;
            for (var j = 0; j < 4; j++) {
                let k = 16 * at + 4 * j;
#if KIND_WHOLE
                words[j] = u32(packed_word(four_of(row, k)));
#else
                words[j] = u32(packed_word(quantized(four_of(row, k), q)));
#endif
            }
            bytes[row][at] = words;
        }
    }
    workgroupBarrier();
    var mine: array<Sum, ROWS>;
    for (var k = lane; k < p.texels; k += LANES) {
        let y = bitcast<vec4<u32>>(filter_texel(column * p.record + k));
#if NIBBLES
        let scale = bitcast<f32>(filter_at((column * p.record + p.texels) * 4 + k / 4));
        let low = (y << vec4<u32>(4)) & vec4<u32>(0xf0f0f0f0);
        let high = y & vec4<u32>(0xf0f0f0f0);
        for (var r = 0; r < ROWS; r++) {
            mine[r] += f32(dots(bytes[r][2 * k], low) + dots(bytes[r][2 * k + 1], high)) * scale;
        }
#else
        for (var r = 0; r < ROWS; r++) { mine[r] += dots(bytes[r][k], y); }
#endif
    }
    sums[lane][across] = mine;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) {
            for (var r = 0; r < ROWS; r++) { sums[lane][across][r] += sums[lane + half][across][r]; }
        }
        workgroupBarrier();
    }
    if (lane >= ROWS || column >= p.n) { return; }
    let sum = sums[0][across][lane];
#if KIND_WHOLE
    store(lane * p.n + column, sum);
#else
    let row = quantum_of(lane);
    let channel = filter_texel((column + 1) * p.record - 1);
#if NIBBLES
    store(lane * p.n + column, (sum - row.point * bitcast<f32>(channel.x)) * row.scale);
#else
    let product = f32(sum - i32(row.point) * channel.z) * row.scale;
    store(lane * p.n + column, product * bitcast<f32>(channel.x));
#endif
#endif
}
