// Products of packed bytes (see pack_bytes.wgsl) in tiles (library/tiles.wgsl), like matmul_tile.wgsl, for the rows of x
// and the channels of the filter, with bytes along k, four per Item. WINDOWS: the rows of x are pixels, and each tap of
// a window has its own scale and zero point. CHECK_K: a part is not a multiple of DEPTH texels.
alias Item = u32;
alias Four = vec4<i32>;

#if WINDOWS
// Scale and zero point of the pixels that a tap reads, and of those that the next tap reads.
var<workgroup> pixels: array<array<vec2<i32>, 4 * A_FOURS>, 2>;
#endif

fn checked(value: vec4<i32>, k: i32, row: i32) -> vec4<u32> {
#if CHECK_K
    return select(vec4<u32>(), bitcast<vec4<u32>>(value), row >= 0 && k < p.texels);
#else
#if WINDOWS
    return select(vec4<u32>(), bitcast<vec4<u32>>(value), row >= 0);
#else
    return bitcast<vec4<u32>>(value);
#endif
#endif
}

fn row_load(row: i32, k: i32) -> vec4<u32> { return checked(x_texel(row + k), k, row); }

fn channel_load(column: i32, k: i32) -> vec4<u32> { return checked(filter_texel(column + k), k, 0); }

fn dot_four(x: u32, y: vec4<u32>) -> vec4<i32> {
    return vec4<i32>(dot4I8Packed(x, y.x), dot4I8Packed(x, y.y), dot4I8Packed(x, y.z), dot4I8Packed(x, y.w));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let t = i32(thread);
    let warp = t % (TX * TY) / 32;
    let tx = t % SIDE + warp % (TX / SIDE) * SIDE;
    let ty = t % 32 / SIDE + warp / (TX / SIDE) * (32 / SIDE);
    let part = t / (TX * TY);
    let inner = t % DEPTH;
    let first_row = i32(id.y) * 4 * A_FOURS;
    let first_column = i32(id.x) * 4 * B_FOURS;
    let record = p.texels + 1;

    var rows: array<i32, A_LOADS>;
    var columns: array<i32, B_LOADS>;
    var a_next: array<vec4<u32>, A_LOADS>;
    var b_next: array<vec4<u32>, B_LOADS>;
#if WINDOWS
    var windows: array<vec4<i32>, A_LOADS>;
    var tap = first_tap();
    var totals: array<vec4<f32>, SUMS>;
#endif
    for (var i = 0; i < A_LOADS; i++) {
        let row = first_row + outer_of(t, i);
#if WINDOWS
        windows[i] = window_at(row);
        let under = pixel_under(windows[i], tap);
        rows[i] = select(under * record, -1, under < 0);
        if (inner == 0) {
            pixels[0][outer_of(t, i)] = select(vec2<i32>(), x_texel(rows[i] + p.texels).xy, under >= 0);
        }
#else
        rows[i] = row * record;
#endif
        a_next[i] = row_load(rows[i], inner);
    }
    for (var i = 0; i < B_LOADS; i++) {
        columns[i] = (first_column + outer_of(t, i)) * p.taps * record;
        b_next[i] = channel_load(columns[i], inner);
    }
    var sums: array<Four, SUMS>;
    var stage = 0;
    var at = 0;
    loop {
        for (var i = 0; i < A_LOADS; i++) {
            let outer = outer_of(t, i);
            for (var j = 0; j < 4; j++) {
                a_tile[stage][inner].rows[j][outer / 4][outer % 4] = a_next[i][j];
            }
        }
        for (var i = 0; i < B_LOADS; i++) {
            let outer = outer_of(t, i);
            for (var j = 0; j < 4; j++) {
                b_tile[stage][inner].rows[j][outer / 4][outer % 4] = b_next[i][j];
            }
        }
        workgroupBarrier();
        at += DEPTH;
        let ends = at >= p.texels;
#if WINDOWS
        let done = tap.number;
        if (ends) {
            at = 0;
            tap = next_tap(tap);
            for (var i = 0; i < A_LOADS; i++) {
                let under = pixel_under(windows[i], tap);
                rows[i] = select(under * record, -1, under < 0);
                if (inner == 0) {
                    pixels[tap.number & 1][outer_of(t, i)] = select(vec2<i32>(), x_texel(rows[i] + p.texels).xy, under >= 0);
                }
            }
            for (var i = 0; i < B_LOADS; i++) { columns[i] += record; }
        }
        let more = tap.number < p.taps;
#else
        let more = !ends;
#endif
        if (more) {
            for (var i = 0; i < A_LOADS; i++) { a_next[i] = row_load(rows[i], at + inner); }
            for (var i = 0; i < B_LOADS; i++) { b_next[i] = channel_load(columns[i], at + inner); }
        }
        for (var panel = 0; panel < DEPTH / PARTS; panel++) {
            let d = panel * PARTS + part;
            for (var e = 0; e < 4; e++) {
                var x: array<vec4<u32>, TM>;
                var y: array<vec4<u32>, TN>;
                for (var i = 0; i < TM; i++) { x[i] = a_tile[stage][d].rows[e][ty + i * TY]; }
                for (var j = 0; j < TN; j++) { y[j] = b_tile[stage][d].rows[e][tx + j * TX]; }
                for (var i = 0; i < TM; i++) {
                    for (var r = 0; r < 4; r++) {
                        for (var j = 0; j < TN; j++) { sums[(i * 4 + r) * TN + j] += dot_four(x[i][r], y[j]); }
                    }
                }
            }
        }
#if WINDOWS
        if (ends) {
            for (var j = 0; j < TN; j++) {
                let channels = channels_at(first_column + (tx + j * TX) * 4, done);
                for (var i = 0; i < TM; i++) {
                    for (var r = 0; r < 4; r++) {
                        let s = (i * 4 + r) * TN + j;
                        let pixel = pixels[done & 1][(ty + i * TY) * 4 + r];
                        totals[s] += scaled_sum(sums[s], pixel, channels.sums);
                        sums[s] = vec4<i32>();
                    }
                }
            }
        }
#endif
        if (!more) { break; }
        stage = 1 - stage;
    }
#if SHARED_DEPTH
    join_sums(t, part, &sums);
    if (part > 0) { return; }
#endif
    for (var j = 0; j < TN; j++) {
        let column = first_column + (tx + j * TX) * 4;
#if FLOATS
        let channels = channels_at(column, 0);
#endif
        for (var i = 0; i < TM; i++) {
            for (var r = 0; r < 4; r++) {
                let row = first_row + (ty + i * TY) * 4 + r;
                let s = (i * 4 + r) * TN + j;
#if FLOATS
#if WINDOWS
                store_four(0, row, column, totals[s] * channels.scales);
#else
                let pixel = x_texel((row + 1) * record - 1).xy;
                store_four(0, row, column, scaled_sum(sums[s], pixel, channels.sums) * channels.scales);
#endif
#else
                store_four(0, row, column, sums[s]);
#endif
            }
        }
    }
}
