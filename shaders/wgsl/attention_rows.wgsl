// softmax(scale * q k^T + mask) v for few rows of q: a workgroup computes one row of the result, or with PARTIAL
// the contribution of a chunk of the keys (attention_join.wgsl). SHARE threads multiply a key; each processes every
// SHARE-th of the DEPTH fours of a row. COLUMNS threads process four columns of v each. A chunk has at most KEYS
// keys. SKIPS: a chunk that the mask hides is not read. q_WHOLE etc.: as in attention_tile.wgsl.
const DEPTH = $DEPTH;
const COLUMNS = $COLUMNS;
const KEYS = $KEYS;
const THREADS = 256;
const SHARE = 4;
const ABREAST = THREADS / SHARE;
const HELD = KEYS / ABREAST;
const OWN = KEYS / THREADS;
const LANES = THREADS / COLUMNS;
const AHEAD = 4;
const LEAST = -3.4028234e38;
const BLIND = -5e8;

var<workgroup> query: array<vec4<f32>, DEPTH>;
var<workgroup> products: array<vec4<f32>, KEYS>;
var<workgroup> weights: array<f32, KEYS>;
var<workgroup> largest: array<vec4<f32>, THREADS / 4>;
var<workgroup> some: array<vec4<f32>, 4>;
var<workgroup> totals: array<f32, LANES>;
#if SKIPS
var<workgroup> sees: array<i32, THREADS / 4>;
var<workgroup> some_see: i32;
#endif

fn matrix_at(strides: array<vec4<i32>, 4>, outer: i32, inner: i32) -> i32 {
    return outer * strides[0].x + inner * strides[1].x;
}

fn q_part(row: i32, d: i32) -> vec4<f32> {
#if Q_WHOLE
    return q_texel((row + d) >> 2u);
#else
    var four: vec4<f32>;
    for (var e = 0; e < 4; e++) {
        if (d + e < p.depth) { four[e] = q_at(row + (d + e) * p.q_strides[3].x); }
    }
    return four;
#endif
}

fn k_part(key: i32, d: i32) -> vec4<f32> {
#if K_WHOLE
    return k_texel((key + d) >> 2u);
#else
    var four: vec4<f32>;
    for (var e = 0; e < 4; e++) {
        if (d + e < p.depth) { four[e] = k_at(key + (d + e) * p.k_strides[3].x); }
    }
    return four;
#endif
}

fn v_part(key: i32, column: i32) -> vec4<f32> {
#if V_WHOLE
    return v_texel((key + column) >> 2u);
#else
    var four: vec4<f32>;
    for (var e = 0; e < 4; e++) {
        if (column + e < p.width) { four[e] = v_at(key + (column + e) * p.v_strides[3].x); }
    }
    return four;
#endif
}

fn largest_of(four: vec4<f32>) -> f32 { return max(max(four.x, four.y), max(four.z, four.w)); }

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = i32(id.x + id.y * count.x);
    let line = number / p.chunks;
    let outer = line / (p.inner * p.m);
    if (outer >= p.outer) { return; }
    let inner = line / p.m % p.inner;
    let row = line % p.m;
    let begin = number % p.chunks * p.chunk;
    let end = min(begin + p.chunk, p.n);
    let t = i32(thread);
    let q_first = matrix_at(p.q_strides, outer, inner) + row * p.q_strides[2].x;
    let k_first = matrix_at(p.k_strides, outer, inner / p.group);
    let v_first = matrix_at(p.v_strides, outer, inner / p.group);
    for (var d = t; d < DEPTH; d += THREADS) { query[d] = q_part(q_first, 4 * d); }
    workgroupBarrier();

#if SKIPS
    if (t < THREADS / 4) {
        let mask_first = matrix_at(p.mask_strides, outer, inner) + row * p.mask_strides[2].x;
        var own = 0;
        for (var key = begin + t; key < end; key += THREADS / 4) {
            own |= i32(mask_at(mask_first + key * p.mask_strides[3].x) > BLIND);
        }
        sees[t] = own;
    }
    workgroupBarrier();
    if (t == 0) {
        some_see = 0;
        for (var i = 0; i < THREADS / 4; i++) { some_see |= sees[i]; }
    }
    if (workgroupUniformLoad(&some_see) == 0) {
        let texels = (p.width + 3) / 4 + 1;
        if (t < texels) { store(number * texels + t, select(vec4<f32>(), vec4<f32>(LEAST, 0, 0, 0), t == 0)); }
        return;
    }
#endif
    var sums: array<f32, HELD>;
    for (var d = t % SHARE; d < DEPTH; d += SHARE) {
        let x = query[d];
        for (var h = 0; h < HELD; h++) {
            let key = min(begin + t / SHARE + h * ABREAST, end - 1);
            sums[h] += dot(x, k_part(k_first + key * p.k_strides[2].x, 4 * d));
        }
    }
    for (var h = 0; h < HELD; h++) { products[t / SHARE + h * ABREAST][t % SHARE] = sums[h]; }
    workgroupBarrier();

    var scores: array<f32, OWN>;
    var most = LEAST;
    for (var h = 0; h < OWN; h++) {
        let key = begin + t + h * THREADS;
        var score = dot(products[t + h * THREADS], vec4<f32>(1)) * bitcast<f32>(p.factor_bits);
#if SCALING_MULTIPLY
        score *= scale_at(0);
#endif
#if SCALING_DIVIDE
        score /= scale_at(0);
#endif
#if MASKED_TRUE
        let first = matrix_at(p.mask_strides, outer, inner) + row * p.mask_strides[2].x;
        score += mask_at(first + min(key, end - 1) * p.mask_strides[3].x);
#endif
        scores[h] = select(-infinity(), score, key < end);
        most = max(most, scores[h]);
    }
    largest[t / 4][t % 4] = most;
    workgroupBarrier();
    if (t < 16) {
        let four = max(max(largest[4 * t], largest[4 * t + 1]), max(largest[4 * t + 2], largest[4 * t + 3]));
        some[t / 4][t % 4] = largest_of(four);
    }
    workgroupBarrier();
    most = largest_of(max(max(some[0], some[1]), max(some[2], some[3])));
    for (var h = 0; h < OWN; h++) { weights[t + h * THREADS] = exp(scores[h] - most); }
    workgroupBarrier();

    let column = t % COLUMNS;
    let lane = t / COLUMNS;
    var sum: vec4<f32>;
    var total = 0.0;
    if (4 * column < p.width) {
        for (var first = lane; first < end - begin; first += AHEAD * LANES) {
            var values: array<vec4<f32>, AHEAD>;
            for (var h = 0; h < AHEAD; h++) {
                let key = min(begin + first + h * LANES, end - 1);
                values[h] = v_part(v_first + key * p.v_strides[2].x, 4 * column);
            }
            for (var h = 0; h < AHEAD; h++) {
                let key = first + h * LANES;
                let weight = select(0.0, weights[min(key, KEYS - 1)], key < end - begin);
                total += weight;
                sum = fma(vec4<f32>(weight), values[h], sum);
            }
        }
    }
    products[t] = sum;
    if (column == 0) { totals[lane] = total; }
    workgroupBarrier();
    if (t >= COLUMNS || 4 * t >= p.width) { return; }
    sum = vec4<f32>(0);
    total = 0.0;
    for (var i = 0; i < LANES; i++) {
        sum += products[i * COLUMNS + t];
        total += totals[i];
    }
#if PARTIAL
    let fours = (p.width + 3) / 4;
    store(number * (fours + 1) + 1 + t, sum);
    if (t == 0) { store(number * (fours + 1), vec4<f32>(most, total, 0, 0)); }
#else
    let at = matrix_at(p.out_strides, outer, inner) + row * p.out_strides[2].x + 4 * t * p.out_strides[3].x;
    sum /= total;
#if BLIND_ZERO
    sum = select(sum, vec4<f32>(0), most <= BLIND);
#endif
#if QUADS
    store(at >> 2u, sum);
#else
    for (var e = 0; e < min(4, p.width - 4 * t); e++) { store(at + e * p.out_strides[3].x, sum[e]); }
#endif
#endif
}
