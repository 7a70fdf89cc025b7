// softmax(scale * q k^T + mask) v without storing the scores in memory: a workgroup computes the results of a tile
// of rows of q, for a block of keys at a time. The sums of earlier blocks are scaled down when a row's maximum score
// grows: https://arxiv.org/abs/1805.02867
//
// A thread has 4 TM rows of the scores of 4 TN keys, and of 4 TW columns of the result. The workgroup's memory holds
// fours of a depth of 4 DEPTH, then fours of 4 KEYS keys, while the next ones are loaded. Positions in it are
// swizzled so that threads write to different banks.
// q_WHOLE etc.: four adjacent elements along the depth (for the mask: along the keys) are one texel.
// MASKED_TRUE: `blocks` has the mask's effect on each block of keys (attention_blocks.wgsl). Hidden blocks are
// skipped. If a row then has no visible key at all, the computation is repeated without skipping.
// BLIND_ZERO: such rows are zeros. PARTIAL: a workgroup processes a chunk of the keys, for attention_join.wgsl.
const TM = $TM;
const TN = $TN;
const TW = $TW;
const TX = $TX;
const TY = $TY;
const DEPTH = $DEPTH;
const KEYS = $KEYS;

const THREADS = TX * TY;
const ROW_FOURS = TM * TY;
const KEY_FOURS = TN * TX;
const COLUMN_FOURS = TW * TX;
const BLOCK = 4 * KEY_FOURS;
const Q_LOADS = 4 * DEPTH * ROW_FOURS / THREADS;
const K_LOADS = 4 * DEPTH * KEY_FOURS / THREADS;
const V_LOADS = 4 * KEYS * COLUMN_FOURS / THREADS;
const K_TILE = 4 * DEPTH * ROW_FOURS;
const V_TILE = 4 * KEYS * ROW_FOURS;
const SIZE = max(max(K_TILE + 4 * DEPTH * KEY_FOURS, V_TILE + 4 * KEYS * COLUMN_FOURS), TX * ROW_FOURS);
const SPREAD = 8 / DEPTH;
const LEAST = -3.4028234e38;
const BLIND = -5e8;

var<workgroup> tile: array<vec4<f32>, SIZE>;
#if MASKED_TRUE
var<workgroup> blind: atomic<u32>;
var<workgroup> all_see: bool;
#endif

fn matrix_at(strides: array<vec4<i32>, 4>, outer: i32, inner: i32) -> i32 {
    return outer * strides[0].x + inner * strides[1].x;
}

// Returns four elements of a row along the depth; 0 beyond the depth.
fn q_part(row: i32, d: i32) -> vec4<f32> {
#if Q_WHOLE
    return select(vec4<f32>(0), q_texel((row + d) >> 2u), d < p.depth);
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
    return select(vec4<f32>(0), k_texel((key + d) >> 2u), d < p.depth);
#else
    var four: vec4<f32>;
    for (var e = 0; e < 4; e++) {
        if (d + e < p.depth) { four[e] = k_at(key + (d + e) * p.k_strides[3].x); }
    }
    return four;
#endif
}

// Returns four columns of a key's value; 0 beyond the last key.
fn v_part(first: i32, key: i32, column: i32) -> vec4<f32> {
    let at = first + key * p.v_strides[2].x;
    var four: vec4<f32>;
    if (key < p.n && column < p.width) {
#if V_WHOLE
        four = v_texel((at + column) >> 2u);
#else
        for (var e = 0; e < 4; e++) {
            if (column + e < p.width) { four[e] = v_at(at + (column + e) * p.v_strides[3].x); }
        }
#endif
    }
    return four;
}

#if MASKED_TRUE
fn mask_part(row: i32, key: i32) -> vec4<f32> {
#if MASK_WHOLE
    return mask_texel((row + key) >> 2u);
#else
    var four: vec4<f32>;
    for (var e = 0; e < 4; e++) {
        if (key + e < p.n) { four[e] = mask_at(row + (key + e) * p.mask_strides[3].x); }
    }
    return four;
#endif
}
#endif

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = i32(id.x + id.y * count.x);
    let matrices = p.outer * p.inner;
    // The last rows first, because they have the most work with a causal mask.
    let down = p.tiles - 1 - number / matrices / p.chunks;
    if (down < 0) { return; }
    let begin = number / matrices % p.chunks * p.chunk;
    let end = min(begin + p.chunk, p.n);
    let outer = number % matrices / p.inner;
    let inner = number % p.inner;
    let t = i32(thread);
    let warp = t / 32;
    let tx = t % 8 + warp % (TX / 8) * 8;
    let ty = t % 32 / 8 + warp / (TX / 8) * 4;
    let first_row = down * 4 * ROW_FOURS;
    let q_first = matrix_at(p.q_strides, outer, inner);
    let k_first = matrix_at(p.k_strides, outer, inner / p.group);
    let v_first = matrix_at(p.v_strides, outer, inner / p.group);
#if MASKED_TRUE
    let mask_first = matrix_at(p.mask_strides, outer, inner);
    let blocks_first = outer * p.blocks_strides[0].x + inner * p.blocks_strides[1].x + down * p.blocks_strides[2].x;
#endif

    var most: array<vec4<f32>, TM>; // of each row, of four rows in a vector
    var total: array<vec4<f32>, TM>; // of a thread's own keys
    var sums: array<vec4<f32>, 4 * TM * TW>;
    var q_next: array<vec4<f32>, Q_LOADS>;
    var k_next: array<vec4<f32>, K_LOADS>;
    var v_next: array<vec4<f32>, V_LOADS>;
#if MASKED_TRUE
    for (var leaves_out = true;;) {
#endif
    for (var i = 0; i < TM; i++) {
        most[i] = vec4<f32>(LEAST);
        total[i] = vec4<f32>(0);
    }
    for (var s = 0; s < 4 * TM * TW; s++) { sums[s] = vec4<f32>(0); }
    for (var first_key = begin; first_key < end; first_key += BLOCK) {
#if MASKED_TRUE
        let block = blocks_at(blocks_first + first_key / BLOCK);
        if (block == 0 && leaves_out) { continue; }
#endif
        var scores: array<vec4<f32>, 4 * TM * TN>;
        for (var s = 0; s < 4 * TM * TN; s++) { scores[s] = vec4<f32>(0); }
        for (var d = -4 * DEPTH; d < p.depth; d += 4 * DEPTH) {
            if (d >= 0) {
                workgroupBarrier();
                for (var i = 0; i < Q_LOADS; i++) {
                    let at = t + i * THREADS;
                    let row = at / DEPTH;
                    let place = 4 * (at % DEPTH) * ROW_FOURS + ((row / 4) ^ (at % DEPTH * SPREAD));
                    for (var e = 0; e < 4; e++) { tile[place + e * ROW_FOURS][row % 4] = q_next[i][e]; }
                }
                for (var i = 0; i < K_LOADS; i++) {
                    let at = t + i * THREADS;
                    let key = at / DEPTH;
                    let place = K_TILE + 4 * (at % DEPTH) * KEY_FOURS + ((key / 4) ^ (at % DEPTH * SPREAD));
                    for (var e = 0; e < 4; e++) { tile[place + e * KEY_FOURS][key % 4] = k_next[i][e]; }
                }
                workgroupBarrier();
            }
            let next = d + 4 * DEPTH;
            if (next < p.depth) {
                for (var i = 0; i < Q_LOADS; i++) {
                    let at = t + i * THREADS;
                    let row = min(first_row + at / DEPTH, p.m - 1);
                    q_next[i] = q_part(q_first + row * p.q_strides[2].x, next + 4 * (at % DEPTH));
                }
                for (var i = 0; i < K_LOADS; i++) {
                    let at = t + i * THREADS;
                    let key = min(first_key + at / DEPTH, p.n - 1);
                    k_next[i] = k_part(k_first + key * p.k_strides[2].x, next + 4 * (at % DEPTH));
                }
            }
            if (d >= 0) {
                for (var f = 0; f < DEPTH; f++) {
                    for (var e = 0; e < 4; e++) {
                        var x: array<vec4<f32>, TM>;
                        var y: array<vec4<f32>, TN>;
                        for (var i = 0; i < TM; i++) {
                            x[i] = tile[(4 * f + e) * ROW_FOURS + ((ty + i * TY) ^ (f * SPREAD))];
                        }
                        for (var j = 0; j < TN; j++) {
                            y[j] = tile[K_TILE + (4 * f + e) * KEY_FOURS + ((tx + j * TX) ^ (f * SPREAD))];
                        }
                        for (var i = 0; i < TM; i++) {
                            for (var r = 0; r < 4; r++) {
                                for (var j = 0; j < TN; j++) {
                                    let s = (i * 4 + r) * TN + j;
                                    scores[s] = fma(vec4<f32>(x[i][r]), y[j], scores[s]);
                                }
                            }
                        }
                    }
                }
            }
        }
        for (var i = 0; i < V_LOADS; i++) {
            let at = t + i * THREADS;
            v_next[i] = v_part(v_first, first_key + at / COLUMN_FOURS, 4 * (at % COLUMN_FOURS));
        }
        for (var s = 0; s < 4 * TM * TN; s++) {
            scores[s] *= bitcast<f32>(p.factor_bits);
#if SCALING_MULTIPLY
            scores[s] *= scale_at(0);
#endif
#if SCALING_DIVIDE
            scores[s] /= scale_at(0);
#endif
        }
#if MASKED_TRUE
        if (block != 1) {
            for (var i = 0; i < TM; i++) {
                for (var r = 0; r < 4; r++) {
                    let row = min(first_row + (ty + i * TY) * 4 + r, p.m - 1);
                    for (var j = 0; j < TN; j++) {
                        let key = first_key + (tx + j * TX) * 4;
                        scores[(i * 4 + r) * TN + j] += mask_part(mask_first + row * p.mask_strides[2].x, key);
                    }
                }
            }
        }
#endif
        if (first_key + BLOCK > p.n) {
            for (var j = 0; j < TN; j++) {
                let key = first_key + (tx + j * TX) * 4;
                let inside = vec4<i32>(key, key + 1, key + 2, key + 3) < vec4<i32>(p.n);
                for (var r = 0; r < 4 * TM; r++) {
                    scores[r * TN + j] = select(vec4<f32>(-infinity()), scores[r * TN + j], inside);
                }
            }
        }
        workgroupBarrier();
        for (var i = 0; i < TM; i++) {
            var largest: vec4<f32>;
            for (var r = 0; r < 4; r++) {
                var four = scores[(i * 4 + r) * TN];
                for (var j = 1; j < TN; j++) { four = max(four, scores[(i * 4 + r) * TN + j]); }
                largest[r] = max(max(four.x, four.y), max(four.z, four.w));
            }
            tile[tx * ROW_FOURS + ty + i * TY] = largest;
        }
        workgroupBarrier();
        for (var i = 0; i < TM; i++) {
            var largest = most[i];
            for (var x = 0; x < TX; x++) { largest = max(largest, tile[x * ROW_FOURS + ty + i * TY]); }
            let shrink = exp(most[i] - largest);
            most[i] = largest;
            total[i] *= shrink;
            for (var r = 0; r < 4; r++) {
                for (var j = 0; j < TW; j++) { sums[(i * 4 + r) * TW + j] *= shrink[r]; }
                for (var j = 0; j < TN; j++) {
                    let weights = exp(scores[(i * 4 + r) * TN + j] - largest[r]);
                    scores[(i * 4 + r) * TN + j] = weights;
                    total[i][r] += dot(weights, vec4<f32>(1));
                }
            }
        }
        for (var slice = 0; slice < KEY_FOURS; slice += KEYS) {
            workgroupBarrier();
            for (var j = 0; j < TN; j++) {
                let four = tx + j * TX - slice;
                if (four >= 0 && four < KEYS) {
                    for (var i = 0; i < TM; i++) {
                        for (var e = 0; e < 4; e++) {
                            tile[(4 * four + e) * ROW_FOURS + ((ty + i * TY) ^ (four % 8))] = vec4<f32>(
                                scores[(i * 4) * TN + j][e],
                                scores[(i * 4 + 1) * TN + j][e],
                                scores[(i * 4 + 2) * TN + j][e],
                                scores[(i * 4 + 3) * TN + j][e],
                            );
                        }
                    }
                }
            }
            for (var i = 0; i < V_LOADS; i++) { tile[V_TILE + t + i * THREADS] = v_next[i]; }
            workgroupBarrier();
            if (slice + KEYS < KEY_FOURS) {
                for (var i = 0; i < V_LOADS; i++) {
                    let at = t + i * THREADS;
                    let key = first_key + 4 * (slice + KEYS) + at / COLUMN_FOURS;
                    v_next[i] = v_part(v_first, key, 4 * (at % COLUMN_FOURS));
                }
            }
            for (var f = 0; f < KEYS; f++) {
                for (var e = 0; e < 4; e++) {
                    var x: array<vec4<f32>, TM>;
                    var y: array<vec4<f32>, TW>;
                    for (var i = 0; i < TM; i++) { x[i] = tile[(4 * f + e) * ROW_FOURS + ((ty + i * TY) ^ (f % 8))]; }
                    for (var j = 0; j < TW; j++) { y[j] = tile[V_TILE + (4 * f + e) * COLUMN_FOURS + tx + j * TX]; }
                    for (var i = 0; i < TM; i++) {
                        for (var r = 0; r < 4; r++) {
                            for (var j = 0; j < TW; j++) {
                                let s = (i * 4 + r) * TW + j;
                                sums[s] = fma(vec4<f32>(x[i][r]), y[j], sums[s]);
                            }
                        }
                    }
                }
            }
        }
    }
#if MASKED_TRUE
#if BLIND_ZERO
    break;
#else
    if (!leaves_out) { break; }
    for (var i = 0; i < TM; i++) {
        let row = first_row + (ty + i * TY) * 4 + vec4<i32>(0, 1, 2, 3);
        if (any((most[i] <= vec4<f32>(BLIND)) & (row < vec4<i32>(p.m)))) { atomicStore(&blind, 1u); }
    }
    workgroupBarrier();
    if (t == 0) { all_see = atomicLoad(&blind) == 0u; }
    if (workgroupUniformLoad(&all_see)) { break; }
    leaves_out = false;
#endif
    }
#endif
    workgroupBarrier();
    for (var i = 0; i < TM; i++) { tile[tx * ROW_FOURS + ty + i * TY] = total[i]; }
    workgroupBarrier();
    let out_first = matrix_at(p.out_strides, outer, inner);
    for (var i = 0; i < TM; i++) {
        var whole = vec4<f32>(0);
        for (var x = 0; x < TX; x++) { whole += tile[x * ROW_FOURS + ty + i * TY]; }
        for (var r = 0; r < 4; r++) {
            let row = first_row + (ty + i * TY) * 4 + r;
#if PARTIAL
            let line = (number % matrices * p.m + row) * p.chunks + begin / p.chunk;
            let place = line * (1 + (p.width + 3) / 4);
            if (tx == 0 && row < p.m) { store(place, vec4<f32>(most[i][r], whole[r], 0, 0)); }
#endif
            for (var j = 0; j < TW; j++) {
                let column = 4 * (tx + j * TX);
                var mixed = sums[(i * 4 + r) * TW + j];
                if (row < p.m && column < p.width) {
#if PARTIAL
                    store(place + 1 + column / 4, mixed);
#else
                    let at = out_first + row * p.out_strides[2].x + column * p.out_strides[3].x;
                    mixed /= whole[r];
#if BLIND_ZERO
                    mixed = select(mixed, vec4<f32>(0), most[i][r] <= BLIND);
#endif
#if QUADS
                    store(at >> 2u, mixed);
#else
                    for (var e = 0; e < min(4, p.width - column); e++) { store(at + e * p.out_strides[3].x, mixed[e]); }
#endif
#endif
                }
            }
        }
    }
}
