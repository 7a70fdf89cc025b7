// The product of few rows (ROWS) of k numbers, which each workgroup quantizes itself, and packed channels (see
// pack_bytes.wgsl; NIBBLES: pack_nibbles.wgsl), each of which is read once. LANES threads share a channel, and a
// workgroup computes ACROSS channels. NORM: the rows of x are normalized first, as in layer_norm.wgsl. A row has TEXELS
// texels of bytes; a thread keeps HELD fours of it. The first READY texels of a thread's channel are loaded while it
// quantizes.
const ROWS = $ROWS;
const TEXELS = $TEXELS;
const READY = $READY;
const THREADS = LANES * ACROSS;
// Number of threads that combine the results of all; each combines this many parts.
const FEW = 16;

#if NIBBLES
alias Sum = f32;
#else
alias Sum = i32;
#endif

var<workgroup> bytes: array<array<vec4<u32>, TEXELS>, ROWS>;
var<workgroup> sums: array<array<array<Sum, ROWS>, ACROSS>, LANES>;
var<workgroup> quanta: array<Quantum, ROWS>;
var<workgroup> each: array<vec2<f32>, THREADS>;
var<workgroup> few: array<vec2<f32>, FEW>;

fn four_of(row: i32, k: i32) -> vec4<x_type> {
#if WHOLE
    let four = x_texel((row * p.k + k) >> 2u);
#else
    let four = x_four(row * p.k + k);
#endif
    return select(vec4<x_type>(), four, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
}

fn range_of_all(t: i32, mine: vec2<f32>) -> vec2<f32> {
    each[t] = mine;
    workgroupBarrier();
    var range = mine;
    if (t < FEW) {
        for (var i = t + FEW; i < THREADS; i += FEW) { range = ranges_joined(range, each[i]); }
        few[t] = range;
    }
    workgroupBarrier();
    for (var i = 0; i < FEW; i++) { range = ranges_joined(range, few[i]); }
    return range;
}

#if NORM
fn sum_of_all(t: i32, mine: vec4<f32>) -> f32 {
    each[t] = mine.xy + mine.zw;
    workgroupBarrier();
    if (t < FEW) {
        var part = each[t];
        for (var i = t + FEW; i < THREADS; i += FEW) { part += each[i]; }
        few[t] = part;
    }
    workgroupBarrier();
    var sum = vec2<f32>();
    for (var i = 0; i < FEW; i++) { sum += few[i]; }
    return sum.x + sum.y;
}
#endif

fn dots(x: vec4<u32>, y: vec4<u32>) -> i32 {
    return (dot4I8Packed(x.x, y.x) + dot4I8Packed(x.y, y.y)) + (dot4I8Packed(x.z, y.z) + dot4I8Packed(x.w, y.w));
}

fn channel_texel(column: i32, k: i32) -> vec4<u32> { return bitcast<vec4<u32>>(filter_texel(column * p.record + k)); }

// Adds the products of texel k of a channel.
fn add_products(mine: ptr<function, array<Sum, ROWS>>, k: i32, column: i32, y: vec4<u32>) {
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

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let t = i32(thread);
    let lane = t % LANES;
    let across = t / LANES;
    let column = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
    var ready: array<vec4<u32>, READY>;
    for (var i = 0; i < READY; i++) { ready[i] = channel_texel(column, lane + i * LANES); }
    for (var row = 0; row < ROWS; row++) {
        var held: array<vec4<x_type>, HELD>;
        for (var i = 0; i < HELD; i++) { held[i] = four_of(row, 4 * (t + i * THREADS)); }
#if NORM
        var total = vec4<f32>();
#if CENTER_TRUE
        for (var i = 0; i < HELD; i++) { total += held[i]; }
        let mean = sum_of_all(t, total) / f32(p.k);
        total = vec4<f32>();
#else
        let mean = 0.0;
#endif
        for (var i = 0; i < HELD; i++) {
            held[i] = select(vec4<f32>(), held[i] - mean, 4 * (t + i * THREADS) < p.k);
            total += held[i] * held[i];
        }
        let factor = inverseSqrt(sum_of_all(t, total) / f32(p.k) + bitcast<f32>(p.epsilon_bits));
        for (var i = 0; i < HELD; i++) {
            held[i] *= factor;
            let at = t + i * THREADS;
            if (4 * at < p.k) {
#if SCALE_TRUE
                held[i] *= scale_texel(at);
#endif
#if OFFSET_TRUE
                held[i] += offset_texel(at);
#endif
            }
        }
#endif
        var range = vec2<f32>();
        for (var i = 0; i < HELD; i++) { range = ranges_joined(range, range_of(held[i])); }
        let q = affine_quantum(range_of_all(t, range));
        if (t == 0) { quanta[row] = q; }
        for (var i = 0; i < HELD; i++) {
            let at = t + i * THREADS;
            let word = packed_word(quantized(held[i], q));
            if (at < 4 * TEXELS) { bytes[row][at / 4][at % 4] = u32(word); }
        }
    }
    workgroupBarrier();
    var mine: array<Sum, ROWS>;
    for (var i = 0; i < READY; i++) {
        let k = lane + i * LANES;
        if (k < p.texels) { add_products(&mine, k, column, ready[i]); }
    }
    for (var k = lane + READY * LANES; k < p.texels; k += LANES) {
        add_products(&mine, k, column, channel_texel(column, k));
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
    let row = quanta[lane];
    let channel = filter_texel((column + 1) * p.record - 1);
#if NIBBLES
    store(lane * p.n + column, (sum - row.point * bitcast<f32>(channel.x)) * row.scale);
#else
    let product = f32(sum - i32(row.point) * channel.z) * row.scale;
    store(lane * p.n + column, product * bitcast<f32>(channel.x));
#endif
}
